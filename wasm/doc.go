// Package wasm runs parser modules with wazero. It compiles a module once, keeps
// a pool of instances with many sessions each, and hands out what the module
// answers, decoded.
//
// A module is not trusted. It sees no file, no socket, no clock that moves and
// no environment; what it may use up is bounded by Limits; any error of an
// instance, from a trap to an answer that is out of bounds, ends that instance
// at once. Other sessions of the instance are rebuilt in a fresh one by replay.
package wasm

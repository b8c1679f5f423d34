// Package wasm runs parser modules with wazero. It compiles a module once, keeps
// a pool of instances with many sessions each, and hands out what the module
// answers, decoded. A Module's parsers implement package parser of the ABI.
//
// A module is not trusted. It sees no file, no socket, no clock that moves and
// no environment; what it may use up is bounded by Limits; any error of an
// instance, from a trap to an answer that is out of bounds, ends that instance
// at once. Other sessions of the instance are rebuilt in a fresh one by replay.
//
// # Locks
//
// From the outside in: Session.mu, pool.starting, instance.mu, pool.mu. Session.mu
// is held for a whole call, with every attempt to rebuild it; instance.mu while a
// guest runs; pool.starting while an instance for many sessions starts, so that
// who waits finds room in it; pool.mu for moments. A guest is closed under
// instance.mu, or by the pool where no session has it any more. Module.mu and
// Runtime.mu are held around none of these. In this package's own tests, under the
// race detector, the locks panic when they are taken in another order
// (lock_race.go).
package wasm

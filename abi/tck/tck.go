// Package tck is the conformance kit of the chunk ABI: it drives a parser, on any
// engine, over texts at every split, with each WATCH ignored and heeded, and
// checks the promises that the ABI asks of a module whatever its grammar. What a
// text must become is package cases' business.
package tck

// Package tck is the conformance kit of the chunk ABI: it runs parsers, on any
// engine, against cases (a model's raw text and what a client must get from it)
// at every split of the text, and checks the promises that the ABI asks of a
// module whatever its grammar.
package tck

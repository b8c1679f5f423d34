// Package typing answers one question: which JSON does a text stand for, given the
// schema of the value? Grammars such as XML-like tags and Python calls write bare
// values, so that 42 may be a number or a string. A Writer builds the JSON of a
// call's arguments from its keys and values while they arrive; a Typer holds the
// rules by which a parser's family reads bare values; a Schema is what the request's
// tool says of them.
package typing

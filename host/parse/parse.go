// Package parse runs a parse session: raw model text in, checked and ordered
// events out. It knows no engine: what runs the parser is a parser.Engine.
package parse

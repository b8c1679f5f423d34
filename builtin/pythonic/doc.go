// Package pythonic is the parser module of models that write a list of Python
// calls.
package pythonic

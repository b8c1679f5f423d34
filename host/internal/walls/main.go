// Command walls checks which package may know what: the layers of host, what
// guests may import, the one home of each library, and that no shared code names
// a model family. The walls are the table in rules.go; `make lint` runs it.
//
// It reads import clauses and source text, and needs nothing but the folder:
//
//	go run ./host/internal/walls [FOLDER]
package main

import (
	"fmt"
	"os"
)

func main() {
	root := "."
	if len(os.Args) > 1 {
		root = os.Args[1]
	}
	tree, err := readTree(root)
	if err != nil {
		fmt.Fprintln(os.Stderr, "walls:", err)
		os.Exit(2)
	}
	breaches := repository.check(tree)
	for _, b := range breaches {
		fmt.Println(b)
	}
	if len(breaches) > 0 {
		fmt.Fprintf(os.Stderr, "walls: %d breaches; host/ARCHITECTURE.md says which room a line belongs to\n", len(breaches))
		os.Exit(1)
	}
}

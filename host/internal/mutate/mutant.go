package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// mutant is one small change to one file.
type mutant struct {
	pkg      *goPackage
	name     string // of the file, relative to the module's root
	line     int
	function string // as in T.Method
	original []byte // the file without the change
	from, to int    // the bytes of the file that are replaced
	text     string // what they are replaced by
	rest     string // declarations that the file then needs at its end
	was      string // what is replaced, on one line
	becomes  string
}

func (m *mutant) String() string { return fmt.Sprintf("%s:%d: %s", m.name, m.line, m.change()) }

// change is the mutant without its line, which moves when others do.
func (m *mutant) change() string { return fmt.Sprintf("%s: %s ► %s", m.function, m.was, m.becomes) }

// source is the whole file with the change.
func (m *mutant) source() []byte {
	out := append([]byte{}, m.original[:m.from]...)
	out = append(out, m.text...)
	out = append(out, m.original[m.to:]...)
	return append(out, m.rest...)
}

// mutantsOf lists the mutants of one of the package's files.
func (p *goPackage) mutantsOf(name string) ([]*mutant, error) {
	path := filepath.Join(p.Dir, name)
	source, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	f := &finder{source: source, positions: token.NewFileSet(), inCondition: map[ast.Node]bool{}}
	tree, err := parser.ParseFile(f.positions, path, source, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	for _, d := range tree.Decls {
		if d, ok := d.(*ast.FuncDecl); ok && d.Body != nil {
			f.function, f.body = functionName(d), d.Body
			f.returnEarly(d)
			ast.Inspect(d.Body, f.visit)
		}
	}
	for _, m := range f.found {
		m.pkg, m.name, m.original = p, p.relative(name), source
	}
	return f.found, nil
}

func functionName(d *ast.FuncDecl) string {
	if d.Recv == nil {
		return d.Name.Name
	}
	t := d.Recv.List[0].Type
	for {
		switch x := t.(type) {
		case *ast.StarExpr:
			t = x.X
		case *ast.IndexExpr:
			t = x.X
		case *ast.Ident:
			return x.Name + "." + d.Name.Name
		default:
			return d.Name.Name
		}
	}
}

// finder finds the mutants of a file. What it removes it puts where it is compiled but
// never run, so that names and imports stay in use.
type finder struct {
	source      []byte
	positions   *token.FileSet
	function    string
	body        *ast.BlockStmt    // of the function
	inCondition map[ast.Node]bool // comparisons that are all of an if's condition
	found       []*mutant
}

func (f *finder) at(p token.Pos) int { return f.positions.Position(p).Offset }

func (f *finder) textOf(from, to token.Pos) string { return string(f.source[f.at(from):f.at(to)]) }

// replace adds the mutant in which text stands for a range.
func (f *finder) replace(from, to token.Pos, text string) *mutant {
	was := oneLine(f.textOf(from, to))
	m := &mutant{
		line: f.positions.Position(from).Line, function: f.function, from: f.at(from), to: f.at(to), text: text,
		was: was, becomes: oneLine(text),
	}
	f.found = append(f.found, m)
	return m
}

// replaceWithin does so for a small part of a node that the report shows as a whole.
func (f *finder) replaceWithin(whole ast.Node, from, to token.Pos, text string) {
	m := f.replace(from, to, text)
	m.was = oneLine(f.textOf(whole.Pos(), whole.End()))
	m.becomes = oneLine(f.textOf(whole.Pos(), from) + text + f.textOf(to, whole.End()))
}

func oneLine(text string) string {
	const longest = 90
	text = strings.Join(strings.Fields(text), " ")
	if r := []rune(text); len(r) > longest {
		return string(r[:longest]) + "…"
	}
	return text
}

// visit makes the mutants of one node; it is called for all of a function's.
func (f *finder) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.BlockStmt:
		f.dropStatements(n.List, n == f.body)
	case *ast.CaseClause:
		f.dropStatements(n.Body, false)
	case *ast.CommClause:
		f.dropStatements(n.Body, false)
	case *ast.IfStmt:
		f.inCondition[n.Cond] = true
		f.replaceNode(n.Cond, "!("+f.textOf(n.Cond.Pos(), n.Cond.End())+")")
		f.replaceNode(n.Cond, f.never(n.Cond))
	case *ast.SwitchStmt:
		if n.Tag == nil {
			f.dropCases(n.Body.List)
		}
	case *ast.BinaryExpr:
		f.changeOperator(n)
	case *ast.IncDecStmt:
		f.swapToken(n, n.TokPos, n.Tok)
	case *ast.AssignStmt:
		f.swapToken(n, n.TokPos, n.Tok)
	case *ast.BasicLit:
		f.changeNumber(n)
	case *ast.Ident:
		f.changeBool(n)
	case *ast.CallExpr:
		f.changeCall(n)
	}
	return true
}

func (f *finder) replaceNode(e ast.Expr, text string) { f.replace(e.Pos(), e.End(), text) }

// never is an expression that is false, and always one that is true, whatever e is.
func (f *finder) never(e ast.Expr) string { return "false && (" + f.textOf(e.Pos(), e.End()) + ")" }

func (f *finder) always(e ast.Expr) string { return "true || (" + f.textOf(e.Pos(), e.End()) + ")" }

// dropStatements makes those mutants in which a statement of the list is not run. What
// declares names is left, and a function's return at its end.
func (f *finder) dropStatements(list []ast.Stmt, body bool) {
	for i, s := range list {
		switch s := s.(type) {
		case *ast.AssignStmt:
			if s.Tok == token.DEFINE {
				continue
			}
		case *ast.ReturnStmt:
			if body && i == len(list)-1 {
				continue
			}
		case *ast.BranchStmt:
			if s.Tok != token.BREAK && s.Tok != token.CONTINUE {
				continue
			}
		case *ast.ExprStmt, *ast.IncDecStmt, *ast.DeferStmt, *ast.SendStmt, *ast.GoStmt:
		default:
			continue
		}
		m := f.replace(s.Pos(), s.End(), "if false { "+f.textOf(s.Pos(), s.End())+" }")
		m.becomes = "(dropped)"
	}
}

// dropCases makes those mutants in which a case of a switch without a tag is never
// chosen.
func (f *finder) dropCases(clauses []ast.Stmt) {
	for _, s := range clauses {
		c, ok := s.(*ast.CaseClause)
		if ok && len(c.List) == 1 {
			f.replaceNode(c.List[0], f.never(c.List[0]))
		}
	}
}

var swappedOperators = map[token.Token]token.Token{
	token.LSS: token.LEQ, token.LEQ: token.LSS, token.GTR: token.GEQ, token.GEQ: token.GTR,
	token.EQL: token.NEQ, token.NEQ: token.EQL, token.LAND: token.LOR, token.LOR: token.LAND,
	token.ADD: token.SUB, token.SUB: token.ADD, token.AND: token.OR, token.OR: token.AND,
	token.ADD_ASSIGN: token.SUB_ASSIGN, token.SUB_ASSIGN: token.ADD_ASSIGN, token.INC: token.DEC, token.DEC: token.INC,
	token.OR_ASSIGN: token.AND_ASSIGN, token.AND_ASSIGN: token.OR_ASSIGN, token.AND_NOT_ASSIGN: token.OR_ASSIGN,
}

func (f *finder) swapToken(whole ast.Node, at token.Pos, op token.Token) {
	if swapped, ok := swappedOperators[op]; ok {
		f.replaceWithin(whole, at, at+token.Pos(len(op.String())), swapped.String())
	}
}

// changeOperator swaps an operator for its neighbour, and takes out either side of an
// && or ||. The negation of an if's condition is a mutant already.
func (f *finder) changeOperator(n *ast.BinaryExpr) {
	equality := n.Op == token.EQL || n.Op == token.NEQ
	if equality && f.inCondition[n] || n.Op == token.ADD && (isText(n.X) || isText(n.Y)) {
		return
	}
	f.swapToken(n, n.OpPos, n.Op)
	for _, side := range []ast.Expr{n.X, n.Y} {
		switch n.Op {
		case token.LAND:
			f.replaceWithin(n, side.Pos(), side.End(), "("+f.always(side)+")")
		case token.LOR:
			f.replaceWithin(n, side.Pos(), side.End(), "("+f.never(side)+")")
		}
	}
}

func isText(e ast.Expr) bool {
	l, ok := e.(*ast.BasicLit)
	return ok && l.Kind == token.STRING
}

// changeNumber makes 0 of 1, 1 of 0, and one more of other numbers.
func (f *finder) changeNumber(l *ast.BasicLit) {
	n, err := strconv.Atoi(l.Value)
	if l.Kind != token.INT || err != nil {
		return
	}
	changed := n + 1
	if n == 1 {
		changed = 0
	}
	f.replaceNode(l, strconv.Itoa(changed))
}

func (f *finder) changeBool(i *ast.Ident) {
	switch i.Name {
	case "true":
		f.replaceNode(i, "false")
	case "false":
		f.replaceNode(i, "true")
	}
}

// copies are functions that copy their only argument, each with a use that keeps its
// package imported.
var copies = map[string]string{
	"bytes.Clone": "bytes.Clone(nil)", "strings.Clone": `strings.Clone("")`,
	"slices.Clone": "slices.Clone([]int(nil))", "maps.Clone": "maps.Clone(map[int]int(nil))",
}

// changeCall swaps min and max, and passes on what should be copied.
func (f *finder) changeCall(c *ast.CallExpr) {
	callee := f.textOf(c.Fun.Pos(), c.Fun.End())
	switch {
	case callee == "min":
		f.replaceWithin(c, c.Fun.Pos(), c.Fun.End(), "max")
	case callee == "max":
		f.replaceWithin(c, c.Fun.Pos(), c.Fun.End(), "min")
	case copies[callee] != "" && len(c.Args) == 1:
		m := f.replace(c.Pos(), c.End(), f.textOf(c.Args[0].Pos(), c.Args[0].End()))
		m.rest = "\nvar _ = " + copies[callee] + "\n"
	case callee == "append" && c.Ellipsis.IsValid() && isNothing(c.Args[0]):
		f.replaceNode(c, f.textOf(c.Args[1].Pos(), c.Args[1].End()))
	}
}

// isNothing says whether an expression is an empty list, as in append([]T(nil), list...).
func isNothing(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.CallExpr:
		return len(e.Args) == 1 && isNothing(e.Args[0])
	case *ast.Ident:
		return e.Name == "nil"
	case *ast.CompositeLit:
		return len(e.Elts) == 0
	}
	return false
}

// returnEarly makes the mutants in which a function does nothing: it returns at once,
// with each of the values that its result's type tells.
func (f *finder) returnEarly(d *ast.FuncDecl) {
	if len(d.Body.List) == 0 {
		return
	}
	first := d.Body.List[0].Pos()
	for _, values := range f.plainResults(d.Type.Results) {
		text := strings.TrimSpace("return " + values)
		m := f.replace(first, first, text+"\n")
		m.was, m.becomes = "(start)", text
	}
}

// plainResults gives what a function of these results can return without thinking.
func (f *finder) plainResults(results *ast.FieldList) []string {
	switch {
	case results == nil:
		return []string{""}
	case len(results.List[0].Names) > 0 && results.List[0].Names[0].Name != "_":
		return []string{""}
	case len(results.List) > 1:
		return nil
	}
	switch t := results.List[0].Type.(type) {
	case *ast.StarExpr, *ast.ArrayType, *ast.MapType, *ast.FuncType:
		return []string{"nil"}
	case *ast.Ident:
		switch t.Name {
		case "bool":
			return []string{"false", "true"}
		case "int":
			return []string{"0"}
		case "string":
			return []string{`""`}
		case "error":
			return []string{"nil"}
		}
	}
	return nil
}

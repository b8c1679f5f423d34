package openai

import "github.com/bytedance/sonic/ast"

var _ ast.Node

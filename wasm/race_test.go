//go:build race

package wasm

func init() { neighbours = 20 }

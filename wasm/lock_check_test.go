//go:build race

package wasm

func init() { orderChecked = true }

package manifest

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/turnkey-parsers/turnkey/abi"
)

// module is a module with an empty type section and a custom section "keep".
const module = wasmHeader + "\x01\x01\x00" + "\x00\x08\x04keepyes"

func TestSections(t *testing.T) {
	with, err := WithSection([]byte(module), abi.SectionManifest, []byte(good))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.HasPrefix(with, []byte(module)) {
		t.Error("the module's own bytes were changed")
	}
	if m, err := Read(with); err != nil || m.Module != "larch" {
		t.Errorf("got %v, %v", m, err)
	}
	again, err := WithSection(with, abi.SectionManifest, []byte("{}"))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := Section(again, abi.SectionManifest); err != nil || string(got) != "{}" {
		t.Errorf("got %q, %v", got, err)
	}
	if got, err := Section(again, "keep"); err != nil || string(got) != "yes" {
		t.Errorf("got %q, %v", got, err)
	}
	if without, err := WithoutSection(again, abi.SectionManifest); err != nil || string(without) != module {
		t.Errorf("got %q, %v", without, err)
	}
	if _, err := Read([]byte(module)); !errors.Is(err, ErrNoSection) || !strings.Contains(err.Error(), abi.SectionManifest) {
		t.Error(err)
	}
	if _, err := Section([]byte(module), ""); !errors.Is(err, ErrNoSection) {
		t.Error(err)
	}
}

func TestMalformedModules(t *testing.T) {
	for _, c := range []struct{ name, wasm, want string }{
		{"empty", "", "not a WebAssembly module"},
		{"text", "hello, world", "not a WebAssembly module"},
		{"only magic", "\x00asm", "not a WebAssembly module"},
		{"component", "\x00asm\x0d\x00\x01\x00", "component"},
		{"no size", wasmHeader + "\x00", "size of the section at byte 8"},
		{"endless size", wasmHeader + "\x00\x80\x80\x80\x80\x80\x01", "size of the section at byte 8"},
		{"size over 32 bits", wasmHeader + "\x00\xff\xff\xff\xff\x1f", "size of the section at byte 8"},
		{"size over the end", wasmHeader + "\x00\x05\x01a", "has 5 bytes, but 2 are left"},
		{"huge size", wasmHeader + "\x00\xff\xff\xff\xff\x0f", "has 4294967295 bytes"},
		{"name over the end", wasmHeader + "\x00\x02\x05a", "name of the custom section at byte 8"},
		{"empty custom section", wasmHeader + "\x00\x00", "name of the custom section at byte 8"},
		{"twice", wasmHeader + strings.Repeat("\x00\x04\x01xab", 2), "twice"},
	} {
		_, err := Section([]byte(c.wasm), "x")
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", c.name, err, c.want)
		}
	}
}

func FuzzSections(f *testing.F) {
	f.Add([]byte(module), "keep", []byte("x"))
	f.Add([]byte(wasmHeader), abi.SectionCases, []byte(good))
	f.Add([]byte(wasmHeader+"\x00\x02\x05a"), "", []byte(nil))
	f.Fuzz(func(t *testing.T, wasm []byte, name string, content []byte) {
		before, errBefore := Section(wasm, name)
		_, _ = Read(wasm)
		with, err := WithSection(wasm, name, content)
		if err != nil {
			if errBefore == nil {
				t.Fatalf("readable (%q), but not writable: %v", before, err)
			}
			return
		}
		if got, err := Section(with, name); err != nil || !bytes.Equal(got, content) {
			t.Fatalf("wrote %q, read %q, %v", content, got, err)
		}
		twice, err := WithSection(with, name, content)
		if err != nil || !bytes.Equal(twice, with) {
			t.Fatalf("writing the same again changes the module: %v", err)
		}
	})
}

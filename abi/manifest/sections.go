package manifest

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/turnkey-parsers/turnkey/abi"
)

// wasmHeader begins every core WebAssembly module: magic and version 1.
const wasmHeader = "\x00asm\x01\x00\x00\x00"

// ErrNoSection is what Section answers, wrapped, for a section that the module
// does not carry.
var ErrNoSection = errors.New("the module carries no such custom section")

// Section gives the content of the custom section of that name, without running
// anything. The slice points into wasm. A module that carries the section twice
// is refused: two readers could each take another one.
func Section(wasm []byte, name string) ([]byte, error) {
	var content []byte
	found := false
	err := walkSections(wasm, func(s section) error {
		if s.id != 0 || s.name != name {
			return nil
		}
		if found {
			return fmt.Errorf("the module carries the custom section %q twice; pack it again from a clean build", name)
		}
		content, found = s.content, true
		return nil
	})
	if err != nil {
		return nil, err
	}
	if !found {
		return nil, fmt.Errorf("%w: %q", ErrNoSection, name)
	}
	return content, nil
}

// WithSection gives a copy of the module in which the custom section of that
// name holds content: every section of that name goes, the new one stands last.
// All other bytes stay as they are.
func WithSection(wasm []byte, name string, content []byte) ([]byte, error) {
	out, err := WithoutSection(wasm, name)
	if err != nil {
		return nil, err
	}
	size := uvarintLen(len(name)) + len(name) + len(content)
	if uint64(size) > maxSection {
		return nil, fmt.Errorf("the custom section %q would have %d bytes; a section has at most %d", name, size, uint32(maxSection))
	}
	out = append(out, 0)
	out = binary.AppendUvarint(out, uint64(size))
	out = binary.AppendUvarint(out, uint64(len(name)))
	out = append(out, name...)
	return append(out, content...), nil
}

// WithoutSection gives a copy of the module without any custom section of that
// name.
func WithoutSection(wasm []byte, name string) ([]byte, error) {
	out := append(make([]byte, 0, len(wasm)), wasmHeader...)
	err := walkSections(wasm, func(s section) error {
		if s.id != 0 || s.name != name {
			out = append(out, s.whole...)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// Read gives the manifest of a module, from its custom section.
func Read(wasm []byte) (*Manifest, error) {
	raw, err := Section(wasm, abi.SectionManifest)
	if errors.Is(err, ErrNoSection) {
		return nil, fmt.Errorf("%w; add the manifest to the module (see \"custom sections\" in ABI.md)", err)
	}
	if err != nil {
		return nil, err
	}
	return Parse(raw)
}

// maxSection is the largest size of a section in bytes.
const maxSection = 1<<32 - 1

// section is one section of a module. name and content are those of a custom
// section, id 0.
type section struct {
	id      byte
	name    string
	content []byte
	whole   []byte // with its id and size
}

// walkSections walks a module's sections in order.
func walkSections(wasm []byte, visit func(section) error) error {
	if len(wasm) < len(wasmHeader) || string(wasm[:4]) != wasmHeader[:4] {
		return errors.New("not a WebAssembly module: it does not begin with \\0asm")
	}
	if string(wasm[4:8]) != wasmHeader[4:] {
		return fmt.Errorf("not a core WebAssembly module of version 1: its version bytes are % x (a component has to be built as a core module)", wasm[4:8])
	}
	for at := len(wasmHeader); at < len(wasm); {
		s := section{id: wasm[at]}
		size, n := readULEB32(wasm[at+1:])
		if n == 0 {
			return fmt.Errorf("malformed WebAssembly module: the size of the section at byte %d can't be read", at)
		}
		body := wasm[at+1+n:]
		if uint64(size) > uint64(len(body)) {
			return fmt.Errorf("malformed WebAssembly module: the section at byte %d has %d bytes, but %d are left", at, size, len(body))
		}
		body = body[:size:size]
		s.whole = wasm[at : at+1+n+int(size)]
		if s.id == 0 {
			length, n := readULEB32(body)
			if n == 0 || uint64(length) > uint64(len(body)-n) {
				return fmt.Errorf("malformed WebAssembly module: the name of the custom section at byte %d can't be read", at)
			}
			s.name, s.content = string(body[n:n+int(length)]), body[n+int(length):]
		}
		if err := visit(s); err != nil {
			return err
		}
		at += len(s.whole)
	}
	return nil
}

// readULEB32 reads an unsigned LEB128 number of at most 32 bits, and says how many
// bytes it took; 0 if there is none.
func readULEB32(b []byte) (v uint32, n int) {
	for i := 0; i < len(b) && i < 5; i++ {
		if i == 4 && b[i] > 0x0f {
			return 0, 0
		}
		v |= uint32(b[i]&0x7f) << (7 * i)
		if b[i] < 0x80 {
			return v, i + 1
		}
	}
	return 0, 0
}

// uvarintLen is the length of v as an unsigned LEB128 number.
func uvarintLen(v int) int {
	return len(binary.AppendUvarint(nil, uint64(v)))
}

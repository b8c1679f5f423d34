package registry

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/turnkey-parsers/turnkey/wasm"
)

// ParseKey reads a public ed25519 key: its 32 bytes or its PKIX form in base64,
// or a PEM block.
func ParseKey(text string) (ed25519.PublicKey, error) {
	der := []byte(nil)
	if block, _ := pem.Decode([]byte(text)); block != nil {
		der = block.Bytes
	} else {
		raw, err := base64.StdEncoding.DecodeString(strings.TrimSpace(text))
		if err != nil {
			return nil, errors.New("not a public ed25519 key: neither base64 nor PEM")
		}
		if len(raw) == ed25519.PublicKeySize {
			return raw, nil
		}
		der = raw
	}
	key, err := x509.ParsePKIXPublicKey(der)
	if err != nil {
		return nil, fmt.Errorf("not a public ed25519 key: %w", err)
	}
	public, ok := key.(ed25519.PublicKey)
	if !ok {
		return nil, fmt.Errorf("a public key of another kind (%T); want ed25519", key)
	}
	return public, nil
}

// verifySignature checks a detached signature of a module's bytes: 64 bytes, or
// these in base64.
func verifySignature(keys []ed25519.PublicKey, binary, signature []byte) error {
	if len(keys) == 0 {
		return nil
	}
	if len(signature) == 0 {
		return errors.New("it is not signed, and modules.keys asks for a signature")
	}
	raw := signature
	if len(raw) != ed25519.SignatureSize {
		decoded, err := base64.StdEncoding.DecodeString(string(bytes.TrimSpace(signature)))
		if err != nil || len(decoded) != ed25519.SignatureSize {
			return errors.New("the signature is not 64 bytes, nor these in base64")
		}
		raw = decoded
	}
	for _, key := range keys {
		if ed25519.Verify(key, binary, raw) {
			return nil
		}
	}
	return fmt.Errorf("the signature is by none of the %d keys of modules.keys, or the module was altered", len(keys))
}

// verifyLock looks a module's digest up in a lock file. It has a line for each
// file that is permitted, as sha256sum writes it: the digest in hexadecimal,
// blanks, the file's name. A name may have many lines; lines with # are comments.
func verifyLock(lock []byte, file string, sum [sha256.Size]byte) error {
	digest := hex.EncodeToString(sum[:])
	named := false
	for n, line := range strings.Split(string(lock), "\n") {
		fields := strings.Fields(line)
		if len(fields) == 0 || strings.HasPrefix(fields[0], "#") {
			continue
		}
		if len(fields) != 2 || len(fields[0]) != hex.EncodedLen(len(sum)) {
			return fmt.Errorf("line %d is not a digest and a file's name", n+1)
		}
		if strings.TrimPrefix(fields[1], "*") != file {
			continue
		}
		if named = true; strings.EqualFold(fields[0], digest) {
			return nil
		}
	}
	if named {
		return fmt.Errorf("%s has the digest %s, which is not the one it lists", file, digest)
	}
	return fmt.Errorf("it does not list %s (digest %s)", file, digest)
}

// verifyBuild refuses bytes that are not signed, or not listed in the lock file, as
// the configuration asks.
func (l *loader) verifyBuild(file string, code *wasm.Build, signature []byte) error {
	binary, err := code.Bytes()
	if err == nil {
		err = verifySignature(l.cfg.Keys, binary, signature)
	}
	if err != nil {
		return &RefusedError{Module: file, Step: StepSignature, Cause: err}
	}
	if l.cfg.LockFile == "" {
		return nil
	}
	lock, err := os.ReadFile(l.cfg.LockFile)
	if err == nil {
		err = verifyLock(lock, file, code.Digest())
	}
	if err != nil {
		return &RefusedError{Module: file, Step: StepLock, Cause: fmt.Errorf("lock file: %w", err)}
	}
	return nil
}

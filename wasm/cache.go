package wasm

import (
	"fmt"
	"os"
	"path/filepath"
)

// CacheDir gives the folder in which compiled modules are kept: turnkey in the
// user's cache folder, else a folder of the user's own among the temporary files.
// What is in it is machine code that will be run, so nobody else may write there;
// "" where no such folder can be had.
func CacheDir() string {
	var candidates []string
	if dir, err := os.UserCacheDir(); err == nil {
		candidates = append(candidates, filepath.Join(dir, "turnkey"))
	}
	candidates = append(candidates, filepath.Join(os.TempDir(), fmt.Sprintf("turnkey-%d", os.Getuid())))
	for _, dir := range candidates {
		if os.MkdirAll(dir, 0o700) == nil && makePrivate(dir) {
			return dir
		}
	}
	return ""
}

// makePrivate makes dir accessible to its owner alone, which only the owner can, and
// refuses a link.
func makePrivate(dir string) bool {
	info, err := os.Lstat(dir)
	return err == nil && info.IsDir() && os.Chmod(dir, 0o700) == nil
}

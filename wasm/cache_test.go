package wasm

import (
	"os"
	"path/filepath"
	"testing"
)

func TestCacheDirIsPrivate(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("HOME", t.TempDir())
	dir := CacheDir()
	info, err := os.Stat(dir)
	if err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("%s: %v, %v", dir, info, err)
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	if makePrivate(link) {
		t.Error("a link is taken for a private folder")
	}
}

// Package testfolder makes folders of files for tests.
package testfolder

import (
	"os"
	"path/filepath"
	"testing"
)

// Of makes a folder of files with the given texts, by path with slashes. It lasts as long as the test.
func Of(t testing.TB, files map[string]string) string {
	t.Helper()
	folder := t.TempDir()
	for name, text := range files {
		path := filepath.Join(folder, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// Module makes a folder of Go files as [Of] does, for the go command without a network.
func Module(t testing.TB, files map[string]string) string {
	t.Helper()
	t.Setenv("GOFLAGS", "-mod=mod")
	t.Setenv("GOPROXY", "off")
	return Of(t, files)
}

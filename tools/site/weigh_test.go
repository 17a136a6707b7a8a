package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestTooLargeAPageIsRefused: one byte above the limit is an error of a full build alone.
func TestTooLargeAPageIsRefused(t *testing.T) {
	folder := t.TempDir()
	for _, name := range append(slices.Clone(firstLoad), laterLoad...) {
		if err := os.WriteFile(filepath.Join(folder, name), make([]byte, 10), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	engine := filepath.Join(folder, "allot.wasm.br")
	for _, c := range []struct {
		size           int64
		quick, refused bool
	}{{mostBytes - 40, false, false}, {mostBytes - 39, false, true}, {mostBytes - 39, true, false}} {
		if err := os.WriteFile(engine, nil, 0o666); err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(engine, c.size); err != nil {
			t.Fatal(err)
		}
		var table bytes.Buffer
		if err := weigh(&table, folder, c.quick); (err != nil) != c.refused {
			t.Errorf("%d bytes, quick %v: %v", c.size, c.quick, err)
		}
		if !strings.Contains(table.String(), "on the wire") {
			t.Errorf("no sum in\n%s", &table)
		}
	}
}

// TestSiteIsSmall weighs the site that make site has built.
func TestSiteIsSmall(t *testing.T) {
	folder := filepath.Join("..", "..", "dist", "site")
	if _, err := os.Stat(filepath.Join(folder, "allot.wasm.br")); err != nil {
		t.Skip("make site has not built the site")
	}
	if err := weigh(os.Stderr, folder, false); err != nil {
		t.Error(err)
	}
}

// TestOtherGo: where Go has other packages, their smaller forms are left out, and it says so.
func TestOtherGo(t *testing.T) {
	said := 0
	file, err := overlay(t.TempDir(), t.TempDir(), func(string, ...any) { said++ })
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file)
	if err != nil || string(text) != `{"Replace":{}}` || said != 4 {
		t.Errorf("%s, %d messages: %v", text, said, err)
	}
}

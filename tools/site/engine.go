package main

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/andybalholm/brotli"
)

// inlining are the packages whose small functions are put into their callers, as they have the loops that take the time. In all others the code is smaller without.
var inlining = []string{
	"runtime", "internal/runtime/...", "slices", "math", "math/bits", "math/rand/v2", "./plan", "./search/...", "./sim/backfill", "./internal/queue",
}

// engines are the files of the engines and their build tags: page, by which packages leave out what the page does not need, and readers, by which they leave out all but
// the import of foreign formats.
var engines = []struct{ file, tags string }{{"allot.wasm", "page"}, {"readers.wasm", "page,readers"}}

// engine builds an engine.
func engine(root, out, tags string) error {
	full, err := filepath.Abs(out)
	if err != nil {
		return err
	}
	goroot, err := goRoot()
	if err != nil {
		return err
	}
	folder, err := os.MkdirTemp("", "allot-site")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(folder) }()
	replaced, err := overlay(goroot, folder, log.Printf)
	if err != nil {
		return err
	}
	if failed := build(root, full, tags, "-overlay", replaced); failed != nil {
		if err := build(root, full, tags); err != nil {
			return err
		}
		log.Printf("this Go does not build with the smaller forms of its packages, and the engine is larger: %.300s", failed)
	}
	built, err := os.ReadFile(full)
	if err != nil {
		return err
	}
	stripped, err := strip(built)
	if errors.Is(err, errTables) {
		log.Printf("the engine is larger: %v", err)
		return nil
	}
	if err != nil {
		return fmt.Errorf("%s: %w", out, err)
	}
	return os.WriteFile(full, stripped, 0o666)
}

// build builds an engine, with more options.
func build(root, out, tags string, options ...string) error {
	arguments := append([]string{"build", "-C", root, "-tags", tags, "-trimpath", "-ldflags=-s -w", "-gcflags=all=-l"}, options...)
	for _, pattern := range inlining {
		arguments = append(arguments, "-gcflags="+pattern+"=")
	}
	command := exec.Command("go", append(arguments, "-o", out, "./web/wasm")...)
	command.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=js", "GOARCH=wasm", "GOFLAGS=", "GOWORK=off")
	if output, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%s", err, output)
	}
	return nil
}

// goRoot is the folder of the Go that builds.
func goRoot() (string, error) {
	text, err := exec.Command("go", "env", "GOROOT").Output()
	return strings.TrimSpace(string(text)), err
}

// compress writes a file compressed, with .br and .gz, beside it.
func compress(name string, quick bool) error {
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	level, window, gzipLevel := brotli.BestCompression, 24, gzip.BestCompression
	if quick {
		level, gzipLevel = 5, gzip.BestSpeed
	}
	var compressed bytes.Buffer
	br := brotli.NewWriterOptions(&compressed, brotli.WriterOptions{Quality: level, LGWin: window})
	if _, err := br.Write(text); err != nil {
		return err
	}
	if err := br.Close(); err != nil {
		return err
	}
	if err := os.WriteFile(name+".br", compressed.Bytes(), 0o666); err != nil {
		return err
	}
	compressed.Reset()
	gz, err := gzip.NewWriterLevel(&compressed, gzipLevel)
	if err != nil {
		return err
	}
	if _, err := gz.Write(text); err != nil {
		return err
	}
	if err := gz.Close(); err != nil {
		return err
	}
	return os.WriteFile(name+".gz", compressed.Bytes(), 0o666)
}

package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/andybalholm/brotli"
)

// engine builds the engine: the service for js/wasm, without the tables of a debugger.
func engine(root, out string) error {
	full, err := filepath.Abs(out)
	if err != nil {
		return err
	}
	command := exec.Command("go", "build", "-C", root, "-trimpath", "-ldflags=-s -w", "-o", full, "./web/wasm")
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

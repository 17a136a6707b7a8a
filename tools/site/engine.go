package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/andybalholm/brotli"
)

// engine builds the engine.
func engine(root, out string) error {
	full, err := filepath.Abs(out)
	if err != nil {
		return err
	}
	build := exec.Command("go", "build", "-C", root, "-tags", "page", "-trimpath", "-ldflags=-s -w", "-o", full, "./web/wasm")
	build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=js", "GOARCH=wasm", "GOFLAGS=", "GOWORK=off")
	if output, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%s", err, output)
	}
	built, err := os.ReadFile(full)
	if err != nil {
		return err
	}
	stripped, err := strip(built)
	if err != nil {
		return fmt.Errorf("%s: %w", out, err)
	}
	return os.WriteFile(full, stripped, 0o666)
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

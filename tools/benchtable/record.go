//go:build unix

package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/perf/benchfmt"
)

// record writes the figures into the files of the baseline, one per package, under the configuration that they were measured with. They replace the
// figures of the same benchmarks. Benchmarks that no longer exist stay until somebody removes them.
func record(folder string, baseline, now *figures, stderr io.Writer) error {
	files := map[string]*bytes.Buffer{}
	writers := map[string]*benchfmt.Writer{}
	write := func(b *benchmark) error {
		name := strings.ReplaceAll(b.pkg, "/", "-") + ".txt"
		if b.pkg == "." {
			name = "root.txt"
		}
		if files[name] == nil {
			files[name] = &bytes.Buffer{}
			writers[name] = benchfmt.NewWriter(files[name])
		}
		for _, r := range b.results {
			if err := writers[name].Write(r); err != nil {
				return err
			}
		}
		return nil
	}
	packages := map[string]bool{}
	for _, b := range now.benchmarks {
		packages[b.pkg] = true
	}
	merged := slices.Clone(now.sorted())
	kept := 0
	for _, b := range baseline.sorted() {
		if packages[b.pkg] && now.find(b.id) == nil {
			merged = append(merged, b)
			kept++
		}
	}
	for _, b := range merged {
		if err := write(b); err != nil {
			return err
		}
	}
	for name, text := range files {
		if err := replace(filepath.Join(folder, name), text.Bytes()); err != nil {
			return err
		}
	}
	warnOfLoad(now, stderr)
	fmt.Fprintf(stderr, "recorded %d benchmarks in %s; %d others of their packages were not measured and are kept\n", len(now.benchmarks), folder, kept)
	return nil
}

// warnOfLoad warns if the machine was busy before the benchmarks began.
func warnOfLoad(now *figures, stderr io.Writer) {
	for _, b := range now.benchmarks {
		for _, r := range b.results {
			text, _, _ := strings.Cut(r.GetConfig("load"), " ")
			if load, err := strconv.ParseFloat(text, 64); err == nil && load > 0.5 {
				fmt.Fprintf(stderr, "warning: the load was %s when it began: others took time from these figures\n", text)
				return
			}
		}
	}
}

// replace writes a file whole or not at all.
func replace(path string, text []byte) error {
	file, err := os.CreateTemp(filepath.Dir(path), ".benchtable-*")
	if err != nil {
		return err
	}
	_, wrote := file.Write(text)
	if err := errors.Join(wrote, file.Chmod(0o644), file.Close()); err != nil {
		return errors.Join(err, os.Remove(file.Name()))
	}
	return os.Rename(file.Name(), path)
}

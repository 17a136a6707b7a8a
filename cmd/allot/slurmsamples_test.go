package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/allot-opt/allot/internal/realdata"
)

// sampleFlags are the flags by which a sample of Slurm's queue is imported.
func sampleFlags(t *testing.T, folder string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*"))
	if err != nil {
		t.Fatal(err)
	}
	var flags []string
	for _, path := range files {
		name, _, _ := strings.Cut(filepath.Base(path), ".")
		if flag := map[string]string{"squeue": "jobs", "jobs": "jobs", "sinfo": "nodes", "nodes": "nodes", "partitions": "partitions",
			"reservations": "reservations", "licenses": "licences", "qos": "qos", "assoc": "assoc", "config": "config"}[name]; flag != "" {
			flags = append(flags, "--"+flag, path)
		}
	}
	return flags
}

// TestSamplesOfSlurm: each sample is imported and asked when its jobs start, what other policies would do, and for pictures.
func TestSamplesOfSlurm(t *testing.T) {
	folders, err := filepath.Glob(filepath.Join(realdata.Root(t), "slurm", "*", ""))
	if err != nil {
		t.Fatal(err)
	}
	samples := 0
	for _, folder := range folders {
		if info, err := os.Stat(folder); err != nil || !info.IsDir() {
			continue
		}
		samples++
		t.Run(filepath.Base(folder), func(t *testing.T) {
			dir := t.TempDir()
			at := func(name string) string { return filepath.Join(dir, name) }
			allot := func(words ...string) string {
				t.Helper()
				var stdout, stderr bytes.Buffer
				if status := run(t.Context(), append([]string{"allot"}, words...), &stdout, &stderr); status != 0 {
					t.Errorf("allot %s: status %d\n%s", strings.Join(words, " "), status, stderr.String())
				}
				return stdout.String()
			}
			allot(append([]string{"import", "slurm", "-o", at("queue.json")}, sampleFlags(t, folder)...)...)
			if text := allot("simulate", at("queue.json")); !strings.Contains(text, "\nmean wait") || strings.Contains(text, "note: ") {
				t.Errorf("got\n%s", text)
			}
			if text := allot("policies", "--policies", "fcfs,easy,easy:depth=5,conservative,easy:order=priority,easy:order=multifactor", "--waits", at("waits.svg"),
				"--differences", at("differences.svg"), at("queue.json")); !strings.Contains(text, "easy:order=priority against ") {
				t.Errorf("got\n%s", text)
			}
			allot("solve", "--solver", "easy", "-o", at("plan.json"), at("queue.json"))
			allot("check", at("queue.json"), at("plan.json"))
			for _, quantity := range []string{"queue", "utilisation", "wait"} {
				allot("plot", quantity, "-o", at(quantity+".svg"), at("queue.json"), at("plan.json"))
				if text, err := os.ReadFile(at(quantity + ".svg")); err != nil || !bytes.Contains(text, []byte("<path")) {
					t.Errorf("%s: %v, %d bytes", quantity, err, len(text))
				}
			}
		})
	}
	if samples < 5 {
		t.Errorf("%d samples only", samples)
	}
}

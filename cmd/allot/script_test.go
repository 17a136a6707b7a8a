package main

import (
	"bytes"
	"context"
	"flag"
	"io"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

var update = flag.Bool("update", false, "rewrite the golden parts of the scripts")

// examplesFolder is the folder of the examples.
func examplesFolder(t *testing.T) string {
	folder, err := filepath.Abs("../../examples")
	if err != nil {
		t.Fatal(err)
	}
	return folder
}

// status runs a command in-process and checks its exit status: status 2 allot check a b. What it writes can be compared as files
// stdout.txt and stderr.txt.
func status(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 || args[1] != "allot" {
		ts.Fatalf("usage: status N allot ARG…")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	for k := 2; k < len(args); k++ {
		if arg := args[k]; strings.Contains(arg, ".") && !strings.HasPrefix(arg, "-") && !strings.Contains(arg, "=") {
			args[k] = ts.MkAbs(arg)
		}
	}
	var stdout, stderr bytes.Buffer
	got := run(context.Background(), args[1:], &stdout, &stderr)
	folder := ts.MkAbs(".") + string(filepath.Separator)
	ts.Check(writeText(ts.MkAbs("stdout.txt"), strings.ReplaceAll(stdout.String(), folder, "")))
	ts.Check(writeText(ts.MkAbs("stderr.txt"), strings.ReplaceAll(stderr.String(), folder, "")))
	if got != want {
		ts.Fatalf("exit status %d, expected %d\n%s%s", got, want, stdout.String(), stderr.String())
	}
}

// writeText writes a file.
func writeText(path, text string) error {
	return writeFile(path, func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	})
}

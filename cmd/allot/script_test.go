package main

import (
	"bytes"
	"errors"
	"flag"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
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

// noRaceSleep removes the pause of a second at the end of every process under the race detector. The detector still prints what it finds.
const noRaceSleep = "GORACE=atexit_sleep_ms=0"

// status runs a command and checks its exit status, as in: status 2 allot check a b. Its output is in the files stdout.txt and stderr.txt. The
// command runs as a separate process, because scripts run at the same time and the flags of the command line library are global.
func status(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 || args[1] != "allot" {
		ts.Fatalf("usage: status N allot ARG…")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	var stdout, stderr bytes.Buffer
	command := exec.Command(args[1], args[2:]...)
	command.Dir, command.Env = ts.MkAbs("."), append(os.Environ(), noRaceSleep)
	command.Stdout, command.Stderr = &stdout, &stderr
	if err := command.Run(); err != nil && !errors.As(err, new(*exec.ExitError)) {
		ts.Check(err)
	}
	got := command.ProcessState.ExitCode()
	ts.Check(writeText(ts.MkAbs("stdout.txt"), stdout.String()))
	ts.Check(writeText(ts.MkAbs("stderr.txt"), stderr.String()))
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

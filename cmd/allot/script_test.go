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
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/allot-opt/allot/internal/race"
)

var update = flag.Bool("update", false, "rewrite the golden parts of the scripts, and the pictures in docs")

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
	var stdout, stderr bytes.Buffer
	command := commandOfScript(ts, args[1:])
	command.Stdout, command.Stderr = &stdout, &stderr
	if err := command.Run(); err != nil && !errors.As(err, new(*exec.ExitError)) {
		ts.Check(err)
	}
	checkStatus(ts, command, args[0], stdout.String(), stderr.String())
}

// onTerminal is [status] on a pseudo-terminal of 60 columns, which is the standard output of the command or, as in terminal both 0 allot …,
// the standard error too: terminal out 0 allot solve a. What the terminal shows can be compared as file stdout.txt.
func onTerminal(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 3 || args[2] != "allot" || args[0] != "out" && args[0] != "both" {
		ts.Fatalf("usage: terminal out|both N allot ARG…")
	}
	shown, terminal, err := pty.Open()
	ts.Check(err)
	defer shown.Close()
	ts.Check(pty.Setsize(terminal, &pty.Winsize{Rows: 24, Cols: 60}))
	var stderr bytes.Buffer
	command := commandOfScript(ts, args[2:])
	command.Stdout, command.Stderr = terminal, &stderr
	if args[0] == "both" {
		command.Stderr = terminal
	}
	ts.Check(command.Start())
	ts.Check(terminal.Close())
	text, _ := io.ReadAll(shown) // ends with an error once nobody has the terminal any more
	if err := command.Wait(); err != nil && !errors.As(err, new(*exec.ExitError)) {
		ts.Check(err)
	}
	checkStatus(ts, command, args[1], strings.ReplaceAll(string(text), "\r\n", "\n"), stderr.String())
}

// interruptedRun is [status] of a command that gets a signal after a while, as by Ctrl-C: interrupted 0 2s allot solve a.
func interruptedRun(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 3 || args[2] != "allot" {
		ts.Fatalf("usage: interrupted N DURATION allot ARG…")
	}
	after, err := time.ParseDuration(args[1])
	ts.Check(err)
	if race.Enabled { // the command needs longer until it listens to signals, and to its first schedule
		after *= 3
	}
	var stdout, stderr bytes.Buffer
	command := commandOfScript(ts, args[2:])
	command.Stdout, command.Stderr = &stdout, &stderr
	ts.Check(command.Start())
	signal := time.AfterFunc(after, func() { _ = command.Process.Signal(os.Interrupt) }) // it may have ended
	defer signal.Stop()
	if err := command.Wait(); err != nil && !errors.As(err, new(*exec.ExitError)) {
		ts.Check(err)
	}
	checkStatus(ts, command, args[0], stdout.String(), stderr.String())
}

// commandOfScript is a command in the folder of the script.
func commandOfScript(ts *testscript.TestScript, words []string) *exec.Cmd {
	command := exec.Command(words[0], words[1:]...)
	command.Dir, command.Env = ts.MkAbs("."), append(os.Environ(), noRaceSleep)
	return command
}

// checkStatus checks the exit status of a command that has ended, and keeps what it wrote.
func checkStatus(ts *testscript.TestScript, command *exec.Cmd, expected, stdout, stderr string) {
	want, err := strconv.Atoi(expected)
	ts.Check(err)
	got := command.ProcessState.ExitCode()
	ts.Check(writeText(ts.MkAbs("stdout.txt"), stdout))
	ts.Check(writeText(ts.MkAbs("stderr.txt"), stderr))
	if got != want {
		ts.Fatalf("exit status %d, expected %d\n%s%s", got, want, stdout, stderr)
	}
}

// writeText writes a file.
func writeText(path, text string) error {
	return writeFile(path, func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	})
}

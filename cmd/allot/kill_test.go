package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/allot-opt/allot/internal/race"
)

// stoppedWhileItWrites starts a command that writes into a folder and sends it a signal when a file is begun there. It returns the exit status (−1: the signal ended it), what the
// command said, and what is in the folder then.
func stoppedWhileItWrites(t *testing.T, signal os.Signal, dir string, arguments ...string) (status int, said string, left []string) {
	t.Helper()
	var errs strings.Builder
	command := exec.Command("allot", arguments...)
	command.Stderr = &errs
	command.Env = append(os.Environ(), noRaceSleep)
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(2 * time.Minute); len(namesIn(dir)) == 0 && time.Now().Before(deadline); {
		time.Sleep(time.Millisecond)
	}
	_ = command.Process.Signal(signal) // it may have ended
	if err := command.Wait(); err != nil && !errors.As(err, new(*exec.ExitError)) {
		t.Fatal(err)
	}
	return command.ProcessState.ExitCode(), errs.String(), namesIn(dir)
}

// namesIn are the names in a folder, which need not be there.
func namesIn(dir string) (names []string) {
	entries, _ := os.ReadDir(dir)
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	return names
}

// The first Ctrl-C ends the writing of files, and nothing half-written is left, nor a part of the files of a site. What a kill leaves is gone after the next command that
// writes there.
func TestStoppedWhileItWrites(t *testing.T) {
	race.OneGoroutine(t)
	if runtime.GOOS == "windows" {
		t.Skip("a process cannot be sent Ctrl-C")
	}
	dir := t.TempDir()
	batch := filepath.Join(dir, "batch.json")
	for name, arguments := range map[string][]string{
		"a batch": {"generate", "muscle", "--jobs", "100000", "-o", batch},
		"a site":  {"generate", "site", "--jobs", "8000", "--dir", dir},
	} {
		status, said, left := stoppedWhileItWrites(t, os.Interrupt, dir, arguments...)
		if status != exitNoSolution || said != "allot: interrupted: nothing was written\n" || len(left) != 0 {
			t.Errorf("%s: status %d, %q, left are %q", name, status, said, left)
		}
	}
	status, _, left := stoppedWhileItWrites(t, os.Kill, dir, "generate", "muscle", "--jobs", "100000", "-o", batch)
	if status != -1 || len(left) != 1 || !strings.HasPrefix(left[0], ".allot-") {
		t.Errorf("killed: status %d, left are %q, expected what is half-written", status, left)
	}
	allot(t, "generate", "muscle", "-o", batch)
	if left := namesIn(dir); len(left) != 1 || left[0] != "batch.json" {
		t.Errorf("the next one: left are %q", left)
	}
}

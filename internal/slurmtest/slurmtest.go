// Package slurmtest runs a real Slurm for a test.
package slurmtest

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/allot-opt/allot/internal/realdata"
)

// Start starts a Slurm of that many nodes, of 16 processors and 16,000 MB each, by the script tools/slurm, and sets SLURM_CONF and paths for the test. At the end of the test the
// Slurm and its jobs are ended. The test is skipped, with the reason, where Slurm is not
// installed, where ALLOT_SLURM is not set and where the tests are to be short.
func Start(t *testing.T, nodes int) {
	t.Helper()
	if testing.Short() {
		t.Skip("a real Slurm is not for short tests")
	}
	if os.Getenv("ALLOT_SLURM") == "" {
		t.Skip("ALLOT_SLURM is not set: `make slurm` runs the tests beside a real Slurm")
	}
	if runtime.GOOS != "linux" {
		t.Skip("a real Slurm needs Linux")
	}
	t.Setenv("PATH", os.Getenv("PATH")+":/usr/sbin")
	if _, err := exec.LookPath("slurmctld"); err != nil && os.Getenv("SLURM_ROOT") == "" {
		t.Skip("Slurm is not installed: no slurmctld (Debian: slurmctld slurmd slurm-client slurm-wlm-basic-plugins)")
	}
	// The script ends when its standard input does, so that nothing is left behind even if the test is killed.
	script := exec.Command(filepath.Join(filepath.Dir(realdata.Root(t)), "tools", "slurm"), "-n", strconv.Itoa(nodes),
		"sh", "-c", `echo "SLURM_CONF=$SLURM_CONF"; echo "PATH=$PATH"; echo "LD_LIBRARY_PATH=${LD_LIBRARY_PATH-}"; cat >/dev/null`)
	script.Stderr = os.Stderr
	open, err := script.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := script.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := script.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := open.Close(); err != nil {
			t.Error(err)
		}
		_, _ = io.Copy(io.Discard, out)
		if err := script.Wait(); err != nil {
			t.Error(err)
		}
	})
	lines := bufio.NewReader(out)
	for range 3 {
		line, err := lines.ReadString('\n')
		if err != nil {
			t.Fatalf("Slurm does not start: %v", err)
		}
		name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		t.Setenv(name, value)
	}
}

// RestartNode ends the slurmd of a node as a restart of the machine's service does, and starts it again. What runs on the node goes on. The script that
// started Slurm ends the new one too, as it has SLURM_CONF in its environment.
func RestartNode(t *testing.T, node string) {
	t.Helper()
	configuration := os.Getenv("SLURM_CONF")
	files, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		words := strings.Split(string(text), "\x00")
		if err != nil || filepath.Base(words[0]) != "slurmd" || !slices.Contains(words, node) || !slices.Contains(words, configuration) {
			continue
		}
		id, err := strconv.Atoi(filepath.Base(filepath.Dir(file)))
		if err != nil {
			t.Fatal(err)
		}
		process, err := os.FindProcess(id)
		if err == nil {
			err = process.Signal(syscall.SIGTERM)
		}
		if err != nil {
			t.Fatal(err)
		}
		for deadline := time.Now().Add(30 * time.Second); process.Signal(syscall.Signal(0)) == nil && !isZombie(id); time.Sleep(50 * time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatalf("the slurmd of %s does not end", node)
			}
		}
		again := exec.Command("setsid", words[:len(words)-1]...) // a session of its own, as the first one had
		if err := again.Start(); err != nil {
			t.Fatal(err)
		}
		go func() { _ = again.Wait() }() // else it stays a zombie
		return
	}
	t.Fatalf("no slurmd of %s runs", node)
}

// isZombie reports whether a process has ended without its parent having noticed.
func isZombie(id int) bool {
	text, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(id), "stat"))
	_, state, found := strings.Cut(string(text), ") ")
	return err == nil && found && strings.HasPrefix(state, "Z")
}

// Run runs a command of Slurm and returns what it prints.
func Run(t testing.TB, name string, arguments ...string) string {
	t.Helper()
	command := exec.Command(name, arguments...)
	command.Dir = t.TempDir()
	text, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v: %s", name, strings.Join(arguments, " "), err, text)
	}
	return string(text)
}

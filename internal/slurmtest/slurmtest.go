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

	"github.com/allot-opt/allot/internal/needs"
	"github.com/allot-opt/allot/internal/realdata"
)

// Start starts a Slurm as [StartAside] does and sets its environment for the test.
func Start(t *testing.T, nodes int) {
	t.Helper()
	for _, variable := range StartAside(t, nodes) {
		name, value, _ := strings.Cut(variable, "=")
		t.Setenv(name, value)
	}
}

// StartAside starts a Slurm of that many nodes, of 16 processors and 16,000 MB each, by the script tools/slurm, and returns the environment of commands that are to
// talk to it: SLURM_CONF, PATH and LD_LIBRARY_PATH, in this order. So several can run at the same time. Its clock shows UTC. At the end of the test the Slurm and its
// jobs are ended. For when the test is skipped see [Script].
func StartAside(t *testing.T, nodes int) (environment []string) {
	t.Helper()
	return start(t, nodes)
}

// StartAccounting starts a Slurm as [Start] does, with slurmdbd and a database of its own: see -a of tools/slurm. It skips the test too where one of them is not installed.
func StartAccounting(t *testing.T, nodes int) {
	t.Helper()
	for _, program := range []string{"slurmdbd", "mariadbd"} {
		needs.Program(t, program)
	}
	for _, variable := range start(t, nodes, "-a") {
		name, value, _ := strings.Cut(variable, "=")
		t.Setenv(name, value)
	}
}

// start starts a Slurm with flags of the script.
func start(t *testing.T, nodes int, flags ...string) (environment []string) {
	t.Helper()
	// The script ends when its standard input does, so that nothing is left behind even if the test is killed.
	script := Script(t, nodes, append(flags, "sh", "-c", `echo "SLURM_CONF=$SLURM_CONF"; echo "PATH=$PATH"; echo "LD_LIBRARY_PATH=${LD_LIBRARY_PATH-}"; cat >/dev/null`)...)
	script.Stderr = os.Stderr
	script.Env = append(os.Environ(), "TZ=UTC")
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
		environment = append(environment, strings.TrimSpace(line))
	}
	return environment
}

// Script returns the script tools/slurm with the command to run beside a Slurm. It skips the test, with the reason, if Slurm is not installed, if
// ALLOT_SLURM is not set, or if the tests are to be short.
func Script(t *testing.T, nodes int, words ...string) *exec.Cmd {
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
	needs.Program(t, "slurmctld")
	return exec.Command(filepath.Join(filepath.Dir(realdata.Root(t)), "tools", "slurm"), append([]string{"-n", strconv.Itoa(nodes)}, words...)...)
}

// RestartNode ends the slurmd of a node as a restart of the machine's service does, and starts it again. Jobs on the node keep running. The script
// that started Slurm also ends the new slurmd, because its environment contains SLURM_CONF.
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

// Package slurmtest runs a real Slurm for a test.
package slurmtest

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/allot-opt/allot/internal/realdata"
)

// Start starts a Slurm as [StartAside] does and sets SLURM_CONF for the test.
func Start(t *testing.T, nodes int) {
	t.Helper()
	configuration := StartAside(t, nodes)
	t.Setenv("PATH", path())
	t.Setenv("SLURM_CONF", configuration)
}

// path is where commands are looked for: Slurm's own lie where a user's path may not lead.
func path() string { return os.Getenv("PATH") + ":/usr/sbin" }

// Environment is the environment of commands that are to talk to the Slurm of that configuration.
func Environment(configuration string) []string {
	return append(os.Environ(), "PATH="+path(), "SLURM_CONF="+configuration)
}

// StartAside starts a Slurm of that many nodes, of 16 processors and 16,000 MB each, by the script tools/slurm, and returns the path of its configuration, so that
// several can run at the same time. Its clock shows UTC. At the end of the test the Slurm and its jobs are ended. For when the test is skipped see [Script].
func StartAside(t *testing.T, nodes int) (configuration string) {
	t.Helper()
	// The script ends when its standard input does, so that nothing is left behind even if the test is killed.
	script := Script(t, nodes, "sh", "-c", `echo "$SLURM_CONF"; cat >/dev/null`)
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
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("Slurm does not start: %v", err)
	}
	return strings.TrimSpace(line)
}

// Script is the script tools/slurm with the command that it is to run beside a Slurm. The test is skipped, with the reason, where Slurm is not installed, where
// ALLOT_SLURM is not set and where the tests are to be short.
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
	if _, err := exec.LookPath("slurmctld"); err != nil && !exists("/usr/sbin/slurmctld") {
		t.Skip("Slurm is not installed: no slurmctld (Debian: slurmctld slurmd slurm-client slurm-wlm-basic-plugins)")
	}
	return exec.Command(filepath.Join(filepath.Dir(realdata.Root(t)), "tools", "slurm"), append([]string{"-n", strconv.Itoa(nodes)}, words...)...)
}

// exists says that there is such a file.
func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
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

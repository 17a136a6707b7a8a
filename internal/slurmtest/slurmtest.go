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

// Start starts a Slurm of that many nodes, of 16 processors and 16,000 MB each, by the script tools/slurm, and sets SLURM_CONF for the test. At the end of the test the
// Slurm and its jobs are ended. The test is skipped, with the reason, where Slurm is not installed or the tests are to be short.
func Start(t *testing.T, nodes int) {
	t.Helper()
	if testing.Short() {
		t.Skip("a real Slurm is not for short tests")
	}
	if runtime.GOOS != "linux" {
		t.Skip("a real Slurm needs Linux")
	}
	t.Setenv("PATH", os.Getenv("PATH")+":/usr/sbin")
	if _, err := exec.LookPath("slurmctld"); err != nil {
		t.Skip("Slurm is not installed: no slurmctld (Debian: slurmctld slurmd slurm-client slurm-wlm-basic-plugins)")
	}
	// The script ends when its standard input does, so that nothing is left behind even if the test is killed.
	script := exec.Command(filepath.Join(filepath.Dir(realdata.Root(t)), "tools", "slurm"), "-n", strconv.Itoa(nodes), "sh", "-c", `echo "$SLURM_CONF"; cat >/dev/null`)
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
	configuration, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("Slurm does not start: %v", err)
	}
	t.Setenv("SLURM_CONF", strings.TrimSpace(configuration))
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

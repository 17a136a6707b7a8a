package slurmtest_test

import (
	"bufio"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/allot-opt/allot/internal/slurmtest"
)

// TestNothingIsLeft: after the test the folder is gone, and no process names it, those of jobs included.
func TestNothingIsLeft(t *testing.T) {
	folder := ""
	t.Run("a Slurm with a job", func(t *testing.T) {
		slurmtest.Start(t, 2)
		folder = filepath.Dir(os.Getenv("SLURM_CONF"))
		slurmtest.Run(t, "sbatch", "--output=/dev/null", "--wrap=exec sleep 600 # "+folder)
		for deadline := time.Now().Add(30 * time.Second); slurmtest.Run(t, "squeue", "-h", "-t", "running") == ""; time.Sleep(100 * time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatal("the job does not start")
			}
		}
		if len(naming(t, folder)) < 3 {
			t.Errorf("expected slurmctld and two slurmd, found %v", naming(t, folder))
		}
	})
	if folder == "" {
		t.Skip("Slurm is not installed")
	}
	if _, err := os.Stat(folder); !os.IsNotExist(err) {
		t.Errorf("the folder %s is left: %v", folder, err)
	}
	if left := naming(t, folder); len(left) > 0 {
		t.Errorf("processes are left: %v", left)
	}
}

// TestNothingIsLeftWhenKilled: the same where the script is asked to end, or killed so that it can do nothing itself, while its command goes on.
func TestNothingIsLeftWhenKilled(t *testing.T) {
	for _, signal := range []syscall.Signal{syscall.SIGTERM, syscall.SIGKILL} {
		t.Run(signal.String(), func(t *testing.T) { killed(t, signal) })
	}
}

// killed is the test for one signal.
func killed(t *testing.T, signal syscall.Signal) {
	script := slurmtest.Script(t, 2, "sh", "-c", `sbatch --output=/dev/null --wrap="exec sleep 600 # ${SLURM_CONF%/*}"; echo "$SLURM_CONF"; exec sleep 600`)
	out, err := script.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := script.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	lines.Scan()
	lines.Scan()
	folder := filepath.Dir(lines.Text())
	if _, err := os.Stat(folder); err != nil || len(naming(t, folder)) < 3 {
		t.Fatalf("%q: %v; expected slurmctld and two slurmd, found %v", lines.Text(), err, naming(t, folder))
	}
	if err := script.Process.Signal(signal); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(100 * time.Millisecond) {
		_, err := os.Stat(folder)
		left := naming(t, folder)
		if os.IsNotExist(err) && len(left) == 0 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("left: %v, %v", err, left)
		}
	}
	if err := script.Wait(); err == nil {
		t.Error("the script was killed and says that all went well")
	}
}

// naming lists the command lines of the processes that name the folder.
func naming(t *testing.T, folder string) (found []string) {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if text, err := os.ReadFile(file); err == nil && strings.Contains(string(text), folder) {
			found = append(found, strings.ReplaceAll(string(text), "\x00", " "))
		}
	}
	return found
}

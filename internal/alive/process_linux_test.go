package alive

import (
	"math"
	"os"
	"os/exec"
	"testing"

	ps "github.com/shirou/gopsutil/v4/process"

	"github.com/allot-opt/allot/internal/needs"
)

// When a process began is what the library says that other systems ask, to the second that both round to, whatever the process is called.
func TestBeginOfProcess(t *testing.T) {
	name := t.TempDir() + "/a) Z 1 2 (b"
	sleep := needs.Program(t, "sleep")
	if err := os.Symlink(sleep, name); err != nil {
		t.Fatal(err)
	}
	child := exec.Command(name, "600")
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = child.Wait() }()
	defer func() { _ = child.Process.Kill() }()
	for _, pid := range []int{os.Getpid(), os.Getppid(), child.Process.Pid} {
		want, err := (&ps.Process{Pid: int32(pid)}).CreateTime()
		if runs, began := process(pid); err != nil || !runs || math.Abs(float64(began-want)) > 2500 {
			t.Errorf("process %d: runs: %v, began at %d ms, expected %d; %v", pid, runs, began, want, err)
		}
	}
	if runs, began := process(1 << 30); runs || began != 0 {
		t.Errorf("a process that there is none of: runs: %v, began at %d", runs, began)
	}
}

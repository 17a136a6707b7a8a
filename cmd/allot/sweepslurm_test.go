package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/allot-opt/allot/internal/claim"
	"github.com/allot-opt/allot/internal/slurmtest"
)

// TestSlurmSweep runs 200 runs in 8 shards on 4 nodes of a real Slurm. While they run, one task is killed, one is cancelled, one is warned of the end of its
// time, one finds the disk full, and the slurmd of a node is started again. The same command submits what is missing, and the rows are those of a
// run on this machine alone.
func TestSlurmSweep(t *testing.T) {
	slurmtest.Start(t, 4)
	folder := filepath.Join(t.TempDir(), "it's a \"folder\", 100 %a\nof two lines")
	suite, whole, dir := sweepSuite(t, folder, 150000), filepath.Join(folder, "whole"), filepath.Join(folder, "run")
	allot(t, "bench", suite, "-o", whole)
	if out, stderr := allot(t, "bench", "slurm", suite, "-o", dir, "--tasks", "8"); !strings.Contains(out, "#SBATCH --array=1-8\n") || !strings.Contains(stderr, "8 tasks of 8 for 200 runs") {
		t.Errorf("%s%s", out, stderr)
	}
	limitFiles(t)
	submit := []string{"bench", "slurm", suite, "-o", dir, "--submit", "--", "--exclusive", "--time=10", "--job-name=of the user"}
	_, submitted := allot(t, append(submit[:5:5], append([]string{"--tasks", "8"}, submit[5:]...)...)...)
	found := regexp.MustCompile(`job (\d+): 8 tasks`).FindStringSubmatch(submitted)
	if found == nil {
		t.Fatal(submitted)
	}
	job := found[1]
	t.Setenv("ALLOT_FULL", "") // for the script that submits: later submissions have room
	until(t, "tasks 1, 2 and 4 have rows", func() bool { return tasksHaveRows(dir, 1, 2, 4) })

	out, stderr := allot(t, "bench", "slurm", suite, "-o", dir)
	if !strings.Contains(stderr, "of 8 wait or run already") || strings.Contains(out, "--array=") && !strings.Contains(out, "--array=3\n") { // 3 may have failed by now
		t.Errorf("tasks that run would be submitted again: %s%s", out, stderr)
	}
	kill(t, dir, 1)
	var group sync.WaitGroup
	for _, arguments := range [][]string{{job + "_2"}, {"--batch", "--signal=USR1", job + "_4"}} {
		group.Go(func() {
			began := time.Now()
			text, err := exec.Command("scancel", arguments...).CombinedOutput()
			t.Logf("scancel %q took %s: %v %s", arguments, time.Since(began), err, text) // it may fail if the task ends first; what the task says shows below
		})
	}
	slurmtest.RestartNode(t, "cn4")
	group.Wait()
	until(t, "no task waits or runs", func() bool { return slurmtest.Run(t, "squeue", "-h", "-r", "-j", job) == "" })
	t.Logf("%d rows after the faults", rowsSoFar(dir))
	for task, want := range map[int]string{2: "interrupted", 3: "file too large", 4: "interrupted", 8: "this part is done"} {
		if text, err := os.ReadFile(filepath.Join(dir, "slurm", strconv.Itoa(task)+".out")); err != nil || !strings.Contains(string(text), want) {
			t.Errorf("task %d says %q, expected %q; %v", task, text, want, err)
		}
	}
	out, stderr = allot(t, append([]string{"bench", "slurm", "--wait"}, submit[2:]...)...)
	if !strings.Contains(out, "#SBATCH --array=1-4\n") || !strings.Contains(stderr, "4 tasks of 8 for") || !strings.Contains(out, "│ search") {
		t.Errorf("the second submission: %s%s", out, stderr)
	}
	oneLineEach(t, dir)
	if diff := cmp.Diff(timeless(t, whole), timeless(t, dir)); diff != "" {
		t.Errorf("other rows (-expected +found)\n%s", diff)
	}
	if left, err := filepath.Glob(filepath.Join(escaped(dir), "*.lock")); err != nil || len(left) > 0 {
		t.Errorf("locks are left: %q", left)
	}
}

// limitFiles puts a program sbatch before that of Slurm, which lets the files of task 3 grow no further than 16 kB or so, as on a full disk.
func limitFiles(t *testing.T) {
	t.Helper()
	folder := t.TempDir()
	real := strings.TrimSpace(slurmtest.Run(t, "sh", "-c", "command -v sbatch"))
	text := fmt.Sprintf(`#!/bin/sh
for script; do :; done
if [ -n "$ALLOT_FULL" ]; then
	sed -i '/^cd /s/^/[ "$SLURM_ARRAY_TASK_ID" != 3 ] || ulimit -f 24; /' "$script"
fi
exec %s "$@"
`, real)
	if err := os.WriteFile(filepath.Join(folder, "sbatch"), []byte(text), 0o777); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", folder+string(os.PathListSeparator)+os.Getenv("PATH"))
	t.Setenv("ALLOT_FULL", "1")
}

// until waits for a condition.
func until(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); !holds(); time.Sleep(100 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("two minutes and it does not come to this: %s", what)
		}
	}
}

// tasksHaveRows reports whether each of the tasks has written a row.
func tasksHaveRows(dir string, tasks ...int) bool {
	for _, task := range tasks {
		if info, err := os.Stat(filepath.Join(dir, fmt.Sprintf("rows-%d.jsonl", task))); err != nil || info.Size() == 0 {
			return false
		}
	}
	return true
}

// kill kills the program of a task, which its lock names.
func kill(t *testing.T, dir string, task int) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, fmt.Sprintf("rows-%d.jsonl.lock", task)))
	if err != nil {
		t.Fatal(err)
	}
	var holder claim.Holder
	if err := json.Unmarshal(text, &holder); err != nil {
		t.Fatal(err)
	}
	program, err := os.FindProcess(holder.PID)
	if err == nil {
		err = program.Kill()
	}
	if err != nil {
		t.Fatal(err)
	}
}

// escaped returns a pattern that matches the path alone.
func escaped(path string) string {
	return strings.NewReplacer("[", "\\[", "*", "\\*", "?", "\\?").Replace(path)
}

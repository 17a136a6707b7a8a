package main

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/allot-opt/allot/formats/slurm"
	"github.com/allot-opt/allot/internal/slurmtest"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
)

// TestSlurmQueueIsPlanned: of the queue of a real Slurm, every on-line policy starts the jobs that run at 0, and plans all others after what they ask for is free.
func TestSlurmQueueIsPlanned(t *testing.T) {
	slurmtest.Start(t, 4)
	for k := range 50 {
		slurmtest.Run(t, "sbatch", "--output=/dev/null", "-n", strconv.Itoa(1+k*7%23), "-t", strconv.Itoa(2+k%5), "--mem-per-cpu="+strconv.Itoa(100+100*(k%4)), "--wrap=sleep 600")
	}
	running := func() string { return slurmtest.Run(t, "squeue", "-h", "-t", "running", "-o", "%i") }
	var src slurm.Sources
	before := running()
	for deadline := time.Now().Add(time.Minute); ; {
		var err error
		if src, err = slurm.Ask(t.Context()); err != nil {
			t.Fatal(err)
		}
		after := running()
		if before == after && before != "" {
			break // nothing started meanwhile
		}
		if time.Now().After(deadline) {
			t.Fatal("jobs start and start")
		}
		time.Sleep(time.Second)
		before = running()
	}
	in, report, err := slurm.Read(src, slurm.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if report.Kept != 50 {
		t.Errorf("got %v", report)
	}
	runs := map[string]bool{}
	for id := range strings.FieldsSeq(before) {
		runs[id] = true
	}
	for _, name := range []string{"fcfs", "easy", "conservative"} {
		solver, err := solve.Choose(name)
		if err != nil {
			t.Fatal(err)
		}
		result, err := solve.Run(t.Context(), solver, in, solve.Options{})
		if err != nil {
			t.Fatal(err)
		}
		starts := map[string]float64{}
		for _, p := range result.Solution.Jobs {
			starts[p.Job] = p.Start
		}
		if len(starts) != 50 {
			t.Errorf("%s places %d of 50 jobs: %v", name, len(starts), result.Solution.Unscheduled)
		}
		later := 0
		for id, start := range starts {
			if start > 0 {
				later++
			}
			if runs[id] && start != 0 {
				t.Errorf("%s starts job %s at %v, but it runs", name, id, start)
			}
		}
		if report := model.Check(in, result.Solution); !report.OK() || later == 0 {
			t.Errorf("%s: %d jobs start later than at 0; %v", name, later, report.Violations)
		}
	}
}

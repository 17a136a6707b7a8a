package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
)

// TestReplayAsSolve compares the totals of allot replay with the figures of allot solve on the instance that allot import makes of the same trace, whose jobs are of
// several users and outlive their estimates or end before them: for each on-line solver that takes traces, and orders of the queue that look at users.
func TestReplayAsSolve(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	trace := new(strings.Builder)
	trace.WriteString("; MaxProcs: 8\n")
	for k, at := 1, 0; k <= 60; k++ {
		estimate, processors := 5+rng.IntN(40), 1+rng.IntN(8)
		runtime := 1 + rng.IntN(2*estimate)
		fmt.Fprintf(trace, "%d %d -1 %d %d -1 -1 %d %d -1 1 %d 1 -1 1 1 -1 -1\n", k, at, runtime, processors, processors, estimate, []int{9, 5, 7, -1}[rng.IntN(4)])
		at += rng.IntN(18)
	}
	folder := t.TempDir()
	file, instance := filepath.Join(folder, "t.swf"), filepath.Join(folder, "t.json")
	if err := os.WriteFile(file, []byte(trace.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	allot(t, "import", "swf", "-o", instance, file)
	in, err := model.ReadInstanceFile(instance)
	if err != nil {
		t.Fatal(err)
	}
	solvers := []string{"easy:order=multifactor", "easy:order=multifactor:weight_share=1e6:half_life=50", "fcfs:order=multifactor", "conservative:order=multifactor"}
	for solver, says := range map[string]string{"sr": "parallel jobs", "dr": "parallel jobs", "easy:order=slurm": "no groups and queues"} { // as solve does, or since solve decides otherwise
		name, parameter, _ := strings.Cut(solver, ":")
		arguments := []string{"allot", "replay", "--solver", name}
		if parameter != "" {
			arguments = append(arguments, "--param", parameter)
		}
		var out, errs bytes.Buffer
		if status := run(t.Context(), append(arguments, file), &out, &errs); status != exitInput || !strings.Contains(errs.String(), says) || out.Len() > 0 {
			t.Errorf("%s: status %d, %s", solver, status, errs.String())
		}
	}
	compared := 0
	waits := map[float64]bool{}
	for _, info := range solve.Solvers() {
		if policy, online := solve.PolicyOf(info.New()); online && info.Absent == "" && policy.Supports(in) == nil {
			if rules := policy.Discipline(); rules.InTraces() == nil && rules.Defer == nil {
				solvers = append(solvers, info.Name)
			}
		}
	}
	for _, solver := range solvers {
		var solution struct{ Metrics map[string]json.RawMessage }
		text, _ := allot(t, "solve", "--presolve=false", "--solver", solver, instance)
		if err := json.Unmarshal([]byte(text), &solution); err != nil {
			t.Fatal(err)
		}
		name, parameters, _ := strings.Cut(solver, ":")
		arguments := []string{"replay", "--json", "--solver", name}
		for p := range strings.SplitSeq(parameters, ":") {
			if p != "" {
				arguments = append(arguments, "--param", p)
			}
		}
		var totals map[string]json.RawMessage
		text, _ = allot(t, append(arguments, file)...)
		if err := json.Unmarshal([]byte(text), &totals); err != nil {
			t.Fatal(err)
		}
		for _, metric := range []string{"mean_wait", "makespan"} {
			var got, want float64
			if json.Unmarshal(totals[metric], &got) != nil || json.Unmarshal(solution.Metrics[metric], &want) != nil || math.Abs(got-want) > 1e-9*want {
				t.Errorf("%s: replay says %s %s, solve %s", solver, metric, totals[metric], solution.Metrics[metric])
			}
			if metric == "mean_wait" {
				waits[want] = true
			}
		}
		compared++
	}
	if compared < 10 || len(waits) < 6 {
		t.Errorf("%d solvers compared, of %d mean waits", compared, len(waits))
	}
}

// TestReplayListsWhatItTakes: each solver and workload that the help names runs, and of the on-line solvers only those.
func TestReplayListsWhatItTakes(t *testing.T) {
	file := filepath.Join(t.TempDir(), "t.swf")
	if err := os.WriteFile(file, []byte("; MaxProcs: 8\n1 0 -1 5 1 -1 -1 1 9 -1 1 1 1 -1 1 1 -1 -1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	listed := strings.Split(onlineSolvers(true), ", ")
	for _, info := range solve.Solvers() {
		if _, online := solve.PolicyOf(info.New()); online && info.Absent == "" {
			var out, errs bytes.Buffer
			if status := run(t.Context(), []string{"allot", "replay", "--solver", info.Name, file}, &out, &errs); (status == exitOK) != slices.Contains(listed, info.Name) {
				t.Errorf("%s: status %d, listed: %v: %s", info.Name, status, listed, errs.String())
			}
		}
	}
	for _, name := range streamNames() {
		allot(t, "replay", "--workload", name+":jobs=9")
	}
}

// Package site compares the import of a Slurm's accounting, and two policies on it, with a second reading in Python, site.py.
package site

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/allot-opt/allot/formats/slurm"
	"github.com/allot-opt/allot/internal/needs"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
	_ "github.com/allot-opt/allot/solvers"
	"github.com/allot-opt/allot/workload"
	"github.com/allot-opt/allot/workload/record"
)

// files are the accounting and the system of a generated site whose jobs ran.
type files struct{ sacct, nodes, partitions string }

// generate writes the files of a site.
func generate(t *testing.T, seed uint64, load float64) files {
	t.Helper()
	in, err := (&workload.Site{Jobs: 300, CPUNodes: 12, GPUNodes: 4, Load: load, Users: 10, High: 0.1, MaxRuntime: 43200, Padding: 3}).Generate(seed)
	if err != nil {
		t.Fatal(err)
	}
	sol, err := record.Run(in, "easy")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	f := files{filepath.Join(dir, "sacct.txt"), filepath.Join(dir, "nodes.txt"), filepath.Join(dir, "partitions.txt")}
	for path, into := range map[string]func(io.Writer) error{
		f.sacct: func(w io.Writer) error {
			var text bytes.Buffer
			if err := slurm.WriteAccounting(&text, in, sol); err != nil {
				return err
			}
			_, err := io.WriteString(w, later(t, text.String()))
			return err
		},
		f.nodes:      func(w io.Writer) error { return slurm.WriteNodes(w, in) },
		f.partitions: func(w io.Writer) error { return slurm.WritePartitions(w, in) },
	} {
		var text bytes.Buffer
		if err := into(&text); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, text.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return f
}

// later makes every fifth job eligible only some time after its submission, as after a dependency, and adds rows that are no jobs that ran.
func later(t *testing.T, sacct string) string {
	t.Helper()
	const layout = "2006-01-02T15:04:05"
	lines := strings.Split(strings.TrimSpace(sacct), "\n")
	names := strings.Split(lines[0], "|")
	at := func(name string) int { return slices.Index(names, name) }
	moved := 0
	for k := 1; k < len(lines); k += 5 {
		cells := strings.Split(lines[k], "|")
		submit, err := time.Parse(layout, cells[at("Submit")])
		if err != nil {
			t.Fatal(err)
		}
		start, err := time.Parse(layout, cells[at("Start")])
		if err != nil {
			t.Fatal(err)
		}
		if half := submit.Add(start.Sub(submit) / 2).Truncate(time.Second); half.After(submit) {
			cells[at("Eligible")] = half.Format(layout)
			moved++
		}
		lines[k] = strings.Join(cells, "|")
	}
	if moved < 10 {
		t.Fatalf("only %d jobs are eligible later than submitted", moved)
	}
	step := strings.Split(lines[1], "|")
	step[at("JobID")] += ".batch"
	never := strings.Split(lines[2], "|")
	never[at("JobID")], never[at("State")], never[at("Start")], never[at("End")] = "99999", "CANCELLED", "None", "None"
	return strings.Join(append(lines, strings.Join(step, "|"), strings.Join(never, "|")), "\n") + "\n"
}

// run runs a policy.
func run(t *testing.T, in *model.Instance, policy string) *model.Solution {
	t.Helper()
	choice, err := solve.Choose(policy)
	if err != nil {
		t.Fatal(err)
	}
	result, err := solve.Run(t.Context(), choice, in, solve.Options{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	return result.Solution
}

// TestSecondReading: the recorded waits, and the starts of every job under fcfs and under easy, are those that a program finds that shares no code with allot: of
// both partitions, each with its queue, and of each partition by itself.
func TestSecondReading(t *testing.T) {
	interpreter := needs.Program(t, "python3")
	if _, err := os.ReadFile("site.py"); err != nil { // go test repeats a stored result unless the test itself reads what has changed
		t.Fatal(err)
	}
	for seed, load := range map[uint64]float64{1: 0.9, 2: 1.3} {
		f := generate(t, seed, load)
		for _, partition := range []string{"", "cpu", "gpu"} {
			in := imported(t, f, partition)
			for _, policy := range []string{"fcfs", "easy"} {
				t.Run(fmt.Sprintf("%d %s %s", seed, policy, partition), func(t *testing.T) {
					command := exec.Command(interpreter, "site.py", f.sacct, f.nodes, f.partitions, policy, partition)
					var wrong bytes.Buffer
					command.Stderr = &wrong
					out, err := command.Output()
					if err != nil {
						t.Fatalf("%v: %s", err, &wrong)
					}
					sol := run(t, in, policy)
					want := answer(in, sol)
					if waiting := waits(in, sol); waiting < 20 {
						t.Errorf("only %d of %d jobs wait", waiting, len(want))
					}
					if got := strings.Split(strings.TrimSpace(string(out)), "\n"); !slices.Equal(got, want) {
						for k := range min(len(got), len(want)) {
							if got[k] != want[k] {
								t.Fatalf("%d and %d jobs; job, arrival, recorded wait and start: second %q, first %q", len(got), len(want), got[k], want[k])
							}
						}
						t.Fatalf("second %d jobs, first %d", len(got), len(want))
					}
				})
			}
		}
	}
}

// imported reads the files as allot import sacct does; with a partition, only its rows.
func imported(t *testing.T, f files, partition string) *model.Instance {
	t.Helper()
	text, err := os.ReadFile(f.sacct)
	if err != nil {
		t.Fatal(err)
	}
	lines := slices.DeleteFunc(strings.SplitAfter(string(text), "\n"), func(line string) bool {
		return partition != "" && !strings.HasPrefix(line, "JobID") && !strings.Contains(line, "|"+partition+"|")
	})
	reader := slurm.NewTraceReader()
	reader.Nodes, reader.Partitions = f.nodes, f.partitions
	in, _, err := reader.Read(strings.NewReader(strings.Join(lines, "")), "sacct.txt")
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// waits counts the jobs that do not start at their arrivals: without them nothing is compared.
func waits(in *model.Instance, sol *model.Solution) int {
	n := 0
	for k := range sol.Jobs {
		if job, _ := in.JobIndex(sol.Jobs[k].Job); sol.Jobs[k].Start > in.Jobs()[job].Arrival {
			n++
		}
	}
	return n
}

// answer is what site.py would print.
func answer(in *model.Instance, sol *model.Solution) []string {
	starts := map[string]float64{}
	for k := range sol.Jobs {
		starts[sol.Jobs[k].Job] = sol.Jobs[k].Start
	}
	var lines []string
	for k := range in.Jobs() {
		j := &in.Jobs()[k]
		recorded, _ := in.Recorded(k)
		lines = append(lines, fmt.Sprintf("%s %.0f %.0f %.0f", j.ID, j.Arrival, recorded-j.Arrival, starts[j.ID]))
	}
	return lines
}

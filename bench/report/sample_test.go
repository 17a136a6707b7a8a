package report_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/allot-opt/allot/bench"
	"github.com/allot-opt/allot/bench/report"
	"github.com/allot-opt/allot/model"
)

// hostile is a name that would run a script, were it not text.
const hostile = `</script></title><img src=x onerror=alert(1)>"'&{{.}}`

// sample says how many rows to make up.
type sample struct {
	groups, instances, solvers, seeds int
	trace                             bool
	names                             []string // of the first solvers
}

// rows makes rows up: solver k is about k % worse than the best, and as much faster.
func (s sample) rows() []bench.Row {
	random := rand.New(rand.NewPCG(1, 2))
	var rows []bench.Row
	for g := range s.groups {
		for i := range s.instances {
			best := math.Exp(5 + 2*random.Float64())
			for k := range s.solvers {
				for seed := range s.seeds {
					row := bench.Row{
						Key: fmt.Sprintf("%d-%d-%d-%d", g, i, k, seed), Group: fmt.Sprintf("group %d", g+1), Instance: fmt.Sprintf("instance-%d", i+1),
						InstanceSHA256: fmt.Sprintf("%064d", 1000*g+i), Solver: s.name(k), Seed: uint64(seed + 1), TimeLimit: 10, Workers: 1, Version: "v1",
						Minimised: "makespan", Jobs: 100, Status: model.Feasible, Stop: model.StopTime, Bound: model.ProvedBound(0.9 * best),
					}
					skill := float64((k+g)%s.solvers) / float64(s.solvers)
					objective := best * (1 + 0.2*skill*(0.5+random.Float64()))
					row.Elapsed = 10 * math.Pow(0.3, 4*skill) * (0.9 + 0.2*random.Float64())
					row.Evaluations = int64(10000 * row.Elapsed)
					if (k+g)%s.solvers == 0 && i%3 == 0 {
						objective = best
					}
					if s.trace {
						for t, x := row.Elapsed/1000, 2*objective; t < row.Elapsed; t, x = t*1.8, x-(x-objective)*0.4 {
							row.Incumbents = append(row.Incumbents, model.Incumbent{Elapsed: t, Evaluations: int64(1000 * t), Objective: x})
						}
					}
					row.Objective = &objective
					if gap, ok := model.Gap(objective, row.Bound); ok {
						row.Gap = &gap
					}
					rows = append(rows, row)
				}
			}
		}
	}
	return rows
}

// name is that of a solver.
func (s sample) name(k int) string {
	if k < len(s.names) {
		return s.names[k]
	}
	return fmt.Sprintf("solver-%d", k+1)
}

// ordinary is a report like those of suites, with what can go wrong in it.
func ordinary() []report.Run {
	rows := sample{groups: 3, instances: 12, solvers: 7, seeds: 2, trace: true, names: []string{"search", "muscle+titan", "muscle", "dll"}}.rows()
	best, crowd := known(40), spread(1000, 2, 0.05) // 1,000 jobs are too small to draw one by one: their chart holds an image
	for k := range rows {
		switch {
		case rows[k].Group == "group 2" && rows[k].Instance == "instance-1":
			rows[k].InstanceSHA256 = best.Instance.SHA256()
		case rows[k].Group == "group 2" && rows[k].Instance == "instance-2":
			rows[k].InstanceSHA256 = crowd.Instance.SHA256()
		}
		switch {
		case k%41 == 7:
			rows[k].Objective, rows[k].Incumbents, rows[k].Fault = nil, nil, "out of memory: "+hostile
		case k%53 == 11:
			rows[k].Left = 2
		case k%67 == 5:
			rows[k].Bound = model.Bound{}
		}
	}
	return []report.Run{{Name: "sample", Rows: rows, File: &bench.RunFile{
		Suite: bench.Suite{Name: "sample", Doc: "Made up rows: what a report looks like, with faults, jobs left out and missing bounds."},
		Cells: len(rows) + 5, Skipped: []bench.Skipped{{Solver: "exact", Reason: "takes up to 16 jobs", Instances: 36}},
		Instances:    []bench.PlannedInstance{{Group: "group 2"}, {Group: "group 1"}},
		Environments: []bench.Environment{{Date: "2026-01-02T03:04:05Z", Commit: "0123456789ab", CPU: hostile, Cores: 2, Memory: 24 << 30, Load: 1.5}},
	}, Best: []report.Known{best, crowd}}}
}

// known is a solution of an instance that stands for instance-1 of group 2.
func known(jobs int) report.Known {
	b := model.NewBuilder("two").Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Count: 2}}})
	sol := &model.Solution{Solver: "hand"}
	for k := range jobs {
		id := fmt.Sprint(hostile, k)
		b.Job(model.JobSpec{ID: id, Processors: model.Rigid(1), Work: new(4.0)})
		start := float64(4 * (k / 2))
		sol.Jobs = append(sol.Jobs, model.Placement{Job: id, Cluster: "c", Processors: model.Processors(k % 2), Start: start, End: start + 4})
	}
	in, err := b.Build()
	if err != nil {
		panic(err)
	}
	sol.Objective = new(25.0)
	return report.Known{Instance: in, Solution: sol}
}

// spread is a solution of equal jobs of a length up to 4 on processors, one every 4.
func spread(jobs, processors int, length float64) report.Known {
	b := model.NewBuilder("spread").Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Count: processors}}})
	sol := &model.Solution{Solver: "hand", Objective: new(4*float64(jobs/processors-1) + length)}
	for k := range jobs {
		id := fmt.Sprint(k)
		b.Job(model.JobSpec{ID: id, Processors: model.Rigid(1), Work: &length})
		start := float64(4 * (k / processors))
		sol.Jobs = append(sol.Jobs, model.Placement{Job: id, Cluster: "c", Processors: model.Processors(k % processors), Start: start, End: start + length})
	}
	in, err := b.Build()
	if err != nil {
		panic(err)
	}
	return report.Known{Instance: in, Solution: sol}
}

// run is a run of rows alone.
func run(name string, rows []bench.Row) report.Run { return report.Run{Name: name, Rows: rows} }

// write draws a report.
func write(t testing.TB, runs []report.Run, opt report.Options) []byte {
	t.Helper()
	var b buffer
	if err := report.Write(&b, runs, opt); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

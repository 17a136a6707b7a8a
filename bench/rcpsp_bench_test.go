package bench_test

import (
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/allot-opt/allot/bench"
	"github.com/allot-opt/allot/formats/rcpsp"
	"github.com/allot-opt/allot/internal/realdata"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
)

// projectCase is a project with the best known bound and makespan.
type projectCase struct {
	name         string
	in           *model.Instance
	bound, known float64
}

// projectsVariable is the variable of the environment that says how many projects of each set to run: a number, or all. They are evenly spread over the set.
const projectsVariable = "ALLOT_RCPSP"

// longVariable is the variable with the number of projects of each set to run for 300 s too, or all; none if it is not set.
const longVariable = "ALLOT_RCPSP_LONG"

// projectsDefault is the number of projects of each set if the variable is not set, so that both solvers take about eight minutes at 3 s and ten at 30 s.
const projectsDefault = 20

// BenchmarkRCPSP sets search beside OR-Tools' CP-SAT on projects of PSPLIB and of 300 activities, with the same time and workers, one right after the other on each project:
// /data=SET/time=LIMIT/instance=NAME/solver=search or cpsat. It reports the makespan, its percentage above the best known, and whether it was proved.
// instance=mean sums up a set: the mean and the worst percentage above the best known, how many projects reached it, how many are below it, and how many makespans the
// solver proved; for search also fewer-proved, how many CP-SAT proved more. At 30 s there is a quarter as many projects, and no J30. The environment variable
// ALLOT_RCPSP is the number of projects of each set, 20 unless told, or all; ALLOT_RCPSP_LONG is the number of those to run for 300 s too.
//
// The peer returns no schedule, so its figures are its own statement. What search states is checked beside the table: a makespan below a proved bound, or a bound above
// a known makespan, fails. The peer's time does not include the start of Python and the building of its model.
func BenchmarkRCPSP(b *testing.B) {
	most, long := projectsOf(b, projectsVariable, projectsDefault), projectsOf(b, longVariable, 0)
	for _, set := range []string{"J30", "J60", "J120", "RG300"} {
		b.Run("data="+set, func(b *testing.B) {
			cases := projectCases(b, set)
			benchmarkProjects(b, spread(cases, most), 3*time.Second)
			if set == "J30" {
				return // all but one are proved in 3 s
			}
			benchmarkProjects(b, spread(cases, max(1, min(most, len(cases))/4)), 30*time.Second)
			if long > 0 {
				benchmarkProjects(b, spread(cases, long), 300*time.Second)
			}
		})
	}
}

// projectsOf is the number of projects that a variable of the environment states, or the given one if it is not set.
func projectsOf(b *testing.B, variable string, unset int) int {
	switch text := os.Getenv(variable); text {
	case "":
		return unset
	case "all":
		return math.MaxInt
	default:
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			b.Fatalf("%s: expected a number of projects of at least 1, or all, found %q", variable, text)
		}
		return n
	}
}

// projectCases reads the projects of a set.
func projectCases(b *testing.B, set string) []projectCase {
	var cases []projectCase
	for _, row := range realdata.Table(b, "rcpsp", "best_known.csv") {
		if row["set"] != set {
			continue
		}
		in := readData(b, func(r io.Reader) (*model.Instance, *model.ImportReport, error) {
			return rcpsp.NewReader().Read(r, row["file"])
		}, "rcpsp", set, row["file"]+".gz")
		cases = append(cases, projectCase{row["psplib_name"], in, row.Number(b, "lb"), row.Number(b, "ub")})
	}
	return cases
}

// spread returns at most n of the cases, evenly spread over them.
func spread(cases []projectCase, n int) []projectCase {
	if n >= len(cases) {
		return cases
	}
	chosen := make([]projectCase, n)
	for k := range chosen {
		chosen[k] = cases[(2*k+1)*len(cases)/(2*n)]
	}
	return chosen
}

// benchmarkProjects runs both solvers on each project and sums up what they did.
func benchmarkProjects(b *testing.B, cases []projectCase, limit time.Duration) {
	ours, peers := map[string][]outcome{}, map[string][]outcome{}
	b.Run("time="+shortTime(limit), func(b *testing.B) {
		for _, c := range cases {
			b.Run("instance="+c.name+"/solver=search", func(b *testing.B) { c.benchmark(b, ours, c.search, limit) })
			b.Run("instance="+c.name+"/solver=cpsat", func(b *testing.B) {
				realdata.Peer(b, projectPeer)
				needORTools(b)
				path := writtenInstance(b, c.in)
				c.benchmark(b, peers, func(b *testing.B, limit time.Duration) outcome { return askProjectPeer(b, path, limit) }, limit)
			})
		}
		benchmarkOutcomes(b, "instance=mean/solver=search", cases, ours, peers)
		benchmarkOutcomes(b, "instance=mean/solver=cpsat", cases, peers, nil)
	})
}

// outcome is what a solver states of a project. The makespan is infinite if it found no schedule.
type outcome struct{ makespan, bound float64 }

// proved reports whether the bound reaches the makespan.
func (o outcome) proved() bool { return o.bound >= o.makespan*(1-model.Tolerance) }

// benchmark runs a solver on the project and keeps the last outcome.
func (c projectCase) benchmark(b *testing.B, outcomes map[string][]outcome, run func(*testing.B, time.Duration) outcome, limit time.Duration) {
	var found outcome
	for b.Loop() {
		found = run(b, limit)
	}
	outcomes[c.name] = append(outcomes[c.name], found)
	if math.IsInf(found.makespan, 0) {
		b.ReportMetric(0, "solved")
		return
	}
	b.ReportMetric(found.makespan, "objective")
	b.ReportMetric(100*(found.makespan/c.known-1), "%above-best")
	b.ReportMetric(100*(found.makespan-found.bound)/found.makespan, "gap%")
}

// search runs the solver search and checks what it states.
func (c projectCase) search(b *testing.B, limit time.Duration) outcome {
	searchSeeds[b.Name()]++
	row := bench.Measure(b.Context(), bench.Chosen(b, "search"), c.in, bench.Settings{Time: limit, Options: solve.Options{Seed: searchSeeds[b.Name()], Workers: searchWorkers}})
	if row.Fault != "" || row.Objective == nil {
		b.Fatalf("no schedule: %s", row.Fault)
	}
	found := outcome{makespan: *row.Objective}
	if bound, known := row.Bound.Value(); known {
		found.bound = bound
	}
	if found.makespan < c.bound*(1-model.Tolerance) {
		b.Fatalf("a makespan of %v, below the proved bound %v", found.makespan, c.bound)
	}
	if found.bound > c.known*(1+model.Tolerance) {
		b.Fatalf("a bound of %v, above the known makespan %v", found.bound, c.known)
	}
	b.ReportMetric(float64(row.Evaluations)/row.Elapsed, "evals/s")
	return found
}

// projectPeer is the script that runs CP-SAT on a project.
const projectPeer = "cpsat_rcpsp.py"

// askProjectPeer runs the peer once.
func askProjectPeer(b *testing.B, path string, limit time.Duration) outcome {
	fields := peerOutput(b, limit, realdata.Peer(b, projectPeer), path)
	if len(fields) != 3 { // makespan bound seconds
		b.Fatalf("the peer says %q, expected three numbers", fields)
	}
	said := stated(b, fields)
	return outcome{said.value, said.bound}
}

// benchmarkOutcomes sums up the outcomes of the projects, separately for each repetition. If the outcomes of a peer are given, fewer-proved is by how many proofs it has more.
func benchmarkOutcomes(b *testing.B, name string, cases []projectCase, outcomes, peers map[string][]outcome) {
	if len(outcomes) == 0 {
		return // the peer is absent, or no project was selected
	}
	repetition := -1
	b.Run(name, func(b *testing.B) {
		if b.N == 1 { // once a repetition
			repetition++
		}
		above, worst, runs, solved, reached, beaten, proved, peerProved := 0.0, 0.0, 0, 0, 0, 0, 0, 0
		for _, c := range cases {
			if repetition >= len(outcomes[c.name]) {
				continue
			}
			o := outcomes[c.name][repetition]
			runs++
			if repetition < len(peers[c.name]) && peers[c.name][repetition].proved() {
				peerProved++
			}
			if math.IsInf(o.makespan, 0) {
				continue
			}
			solved++
			percent := 100 * (o.makespan/c.known - 1)
			above += percent
			worst = max(worst, percent)
			for _, count := range []struct {
				holds bool
				of    *int
			}{{o.makespan <= c.known*(1+model.Tolerance), &reached}, {o.makespan < c.known*(1-model.Tolerance), &beaten}, {o.proved(), &proved}} {
				if count.holds {
					*count.of++
				}
			}
		}
		b.ReportMetric(above/float64(max(1, solved)), "%above-best")
		b.ReportMetric(worst, "%above-worst")
		b.ReportMetric(float64(runs), "runs")
		b.ReportMetric(float64(solved), "solved")
		b.ReportMetric(float64(reached), "reached")
		b.ReportMetric(float64(beaten), "beaten")
		b.ReportMetric(float64(proved), "proved")
		if len(peers) > 0 {
			b.ReportMetric(float64(peerProved-proved), "fewer-proved")
		}
		b.ReportMetric(0, "ns/op") // no time was measured, so hide it
	})
}

// The projects that are chosen are as many as asked for, each once, evenly spread.
func TestSpread(t *testing.T) {
	var cases []projectCase
	for k := range 95 {
		cases = append(cases, projectCase{name: fmt.Sprint(k)})
	}
	for n := 1; n <= 100; n++ {
		chosen := spread(cases, n)
		last := -1
		for _, c := range chosen {
			k, err := strconv.Atoi(c.name)
			if err != nil || k <= last {
				t.Fatalf("%d of 95: %s after %d", n, c.name, last)
			}
			if n <= 95 && last >= 0 && k-last > (95+n-1)/n {
				t.Errorf("%d of 95: a gap from %d to %d", n, last, k)
			}
			last = k
		}
		if len(chosen) != min(n, 95) {
			t.Errorf("%d of 95: %d chosen", n, len(chosen))
		}
	}
}

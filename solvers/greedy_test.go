package solvers

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/internal/modeltest"
	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/internal/solvecases"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/plan"
	"github.com/allot-opt/allot/solve"
	"github.com/allot-opt/allot/solvers/internal/list"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// aloneLeast is the least cost of the job by trying every set of processors of every cluster that the checker accepts of the job alone; +Inf: none.
func aloneLeast(in *model.Instance, job int) float64 {
	least := math.Inf(1)
	for c := range in.Clusters() {
		cluster := &in.Clusters()[c]
		for bits := 1; bits < 1<<cluster.Processors; bits++ {
			var ids []int
			for p := range cluster.Processors {
				if bits>>p&1 == 1 {
					ids = append(ids, p)
				}
			}
			set := model.Processors(ids...)
			start := in.Jobs()[job].Arrival
			d := in.Duration(job, c, set)
			if math.IsNaN(d) || math.IsInf(d, 1) {
				continue
			}
			s := &model.Solution{Jobs: []model.Placement{{Job: in.Jobs()[job].ID, Cluster: cluster.ID, Processors: set, Start: start, End: model.End(start, d)}}}
			for other := range in.Jobs() {
				if other != job {
					s.Unscheduled = append(s.Unscheduled, model.Unscheduled{Job: in.Jobs()[other].ID, Reason: "not looked at"})
				}
			}
			if report := model.Check(in, s); report.OK() {
				least = min(least, d*cluster.CostRate(set))
			}
		}
	}
	return least
}

// With the objective cost each job runs where it costs least: jobs of one processor on machines of any speeds and costs, and jobs of several, moldable ones too, on
// clusters of equal machines. Every set of processors is tried beside.
func TestGreedyCostsAsEachJobAlone(t *testing.T) {
	cases := 0
	rapid.Check(t, func(t *rapid.T) {
		features := model.Arrivals | model.MemoryLimits
		sequential := rapid.Bool().Draw(t, "sequential")
		if sequential {
			features |= model.MixedMachines | model.BandwidthNeeds
		} else {
			features |= model.ParallelJobs | model.MoldableJobs
		}
		spec := modeltest.Generator{Features: features, Jobs: 4, Clusters: 3, Groups: 2, Machines: 2, Processors: 2}.Spec(t)
		for c := range spec.Clusters {
			machines := spec.Clusters[c].Machines
			for g := range machines {
				machines[g].Cost = float64(rapid.IntRange(0, 4).Draw(t, "cost")) / 4
				if !sequential {
					machines[g].Cost, machines[g].Speed = machines[0].Cost, machines[0].Speed
				}
			}
		}
		for k := range spec.Jobs {
			spec.Jobs[k].DeadlineHard = false
		}
		spec.Objective = map[string]float64{"cost": 1}
		in, err := model.New(spec)
		if err != nil {
			t.Skip(err)
		}
		want := 0.0
		for j := range in.Jobs() {
			least := aloneLeast(in, j)
			if math.IsInf(least, 1) {
				t.Skip("a job that nothing can run")
			}
			want += least
		}
		result, err := new(Greedy).Solve(t.Context(), in, solve.Options{})
		if err != nil {
			t.Fatal(err)
		}
		got, err := model.EvaluateObjective(in, result.Solution)
		if err != nil || math.Abs(got-want) > 1e-9*max(1, want) || len(result.Solution.Unscheduled) > 0 {
			t.Fatalf("costs %v, each job alone %v, %d left out (%v)", got, want, len(result.Solution.Unscheduled), err)
		}
		cases++
	})
	if cases < race.Enough(50) {
		t.Errorf("only %d cases", cases)
	}
}

// naiveGreedy places rigid jobs in order of arrival on clusters of equal processors, each where the weighted sum rises least by the evaluator's metrics of what is
// placed; of equal ones where it ends first.
func naiveGreedy(in *model.Instance, rise func(job int, cost, end float64) float64) float64 {
	free := make([][]float64, len(in.Clusters()))
	for c := range free {
		free[c] = make([]float64, in.Clusters()[c].Processors)
	}
	total := 0.0
	for j := range in.Jobs() {
		n, at, least, end := in.Jobs()[j].Min, -1, math.Inf(1), math.Inf(1)
		var start float64
		for c := range free {
			if n > len(free[c]) {
				continue
			}
			ready := nthFree(free[c], n)
			d := in.DurationOn(j, c, n)
			if up := rise(j, d*float64(n)*in.Clusters()[c].Machines[0].Cost, ready+d); up < least-1e-9 || up <= least+1e-9 && ready+d < end {
				at, least, start, end = c, up, ready, ready+d
			}
		}
		if at < 0 {
			return math.NaN() // a job that nothing can run
		}
		for range n { // those that are free last, as list schedules take them
			last := -1
			for p, f := range free[at] {
				if f <= start && (last < 0 || f > free[at][last]) {
					last = p
				}
			}
			free[at][last] = end
		}
		total += least
	}
	return total
}

// nthFree is when n processors are free.
func nthFree(free []float64, n int) float64 {
	at := math.Inf(1)
	for _, f := range free {
		count := 0
		for _, other := range free {
			if other <= f {
				count++
			}
		}
		if count >= n {
			at = min(at, f)
		}
	}
	return at
}

// Beside the rule in order of arrival the solver is never worse, and the rule itself gives the same sums as a plain one: cost with lateness, and missed deadlines
// with budgets.
func TestGreedyFollowsTheSum(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		b := model.NewBuilder("sum")
		late, over, cost, missed := float64(1+rng.IntN(3))/8, float64(rng.IntN(2)), float64(1+rng.IntN(2)), float64(rng.IntN(3))
		b.Minimise("cost", cost).Minimise("over_deadline", late).Minimise("over_budget", over).Minimise("missed", missed)
		for c := range 1 + rng.IntN(3) {
			b.Cluster(model.ClusterSpec{ID: fmt.Sprint("c", c), Machines: []model.MachineSpec{{ID: "m", Count: 4 + rng.IntN(4), Speed: float64(1 + rng.IntN(2)), Cost: float64(rng.IntN(5)) / 4}}})
		}
		for k := range 1 + rng.IntN(12) {
			b.Job(model.JobSpec{ID: fmt.Sprint("j", k), Work: new(float64(1 + rng.IntN(9))), Processors: model.Rigid(1 + rng.IntN(4)), Deadline: new(float64(1 + rng.IntN(20))), Budget: new(float64(rng.IntN(12)))})
		}
		in, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		want := naiveGreedy(in, func(job int, price, end float64) float64 {
			j := &in.Jobs()[job]
			sum := cost*price + late*max(0, end-j.Deadline)
			if end > j.Deadline {
				sum += missed
			}
			if price > j.Budget {
				sum += over
			}
			return sum
		})
		g := newGreedy(in)
		ruled, err := list.InOrder(t.Context(), in, plan.ArrivalOrder(in), solve.Options{}, list.Rule{}, g.start())
		if err != nil {
			t.Fatal(err)
		}
		got, err := model.EvaluateObjective(in, ruled.Solution)
		if err != nil || math.Abs(got-want) > 1e-9*max(1, want) {
			t.Fatalf("%v, a plain rule %v (%v)", got, want, err)
		}
		result, err := new(Greedy).Solve(t.Context(), in, solve.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if best, err := model.EvaluateObjective(in, result.Solution); err != nil || best > got+1e-9*max(1, got) {
			t.Fatalf("%v after several orders, %v by arrival (%v)", best, got, err)
		}
	})
}

// Where waiting for a slow and cheap cluster costs less than the fast one, the job waits; two jobs that cannot both be on time let the first be. The jobs that were
// late go last in another try.
func TestGreedyByHand(t *testing.T) {
	b := model.NewBuilder("by hand").Minimise("missed", 1).Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Count: 1}}})
	for k, j := range []struct{ work, deadline float64 }{{5, 4}, {3, 5}, {1, 6}} { // j0 is late in any order: first it makes j1 late
		b.Job(model.JobSpec{ID: fmt.Sprint("j", k), Work: new(j.work), Deadline: new(j.deadline)})
	}
	in := solvecases.Built(t, b)
	result, err := new(Greedy).Solve(t.Context(), in, solve.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if missed, _ := model.EvaluateObjective(in, result.Solution); missed != 1 {
		t.Errorf("%v missed: %+v", missed, result.Solution.Jobs)
	}
	if one, err := new(Greedy).Solve(t.Context(), in, solve.Options{MaxEvals: 1}); err != nil || one.Evaluations != 1 {
		t.Errorf("%d evaluations of one (%v)", one.Evaluations, err)
	}
	b = model.NewBuilder("cheap").Minimise("cost", 1).Minimise("makespan", 0.125).
		Cluster(model.ClusterSpec{ID: "cheap", Machines: []model.MachineSpec{{ID: "m", Count: 1, Cost: 1}}}).
		Cluster(model.ClusterSpec{ID: "fast", Machines: []model.MachineSpec{{ID: "m", Count: 1, Speed: 2, Cost: 4}}})
	for k := range 2 {
		b.Job(model.JobSpec{ID: fmt.Sprint("j", k), Work: new(4.0)})
	}
	in = solvecases.Built(t, b)
	result, err = new(Greedy).Solve(t.Context(), in, solve.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got, _ := model.EvaluateObjective(in, result.Solution); got != 9 { // 4 + 4, and 8 · 0.125
		t.Errorf("objective %v: %+v", got, result.Solution.Jobs)
	}
}

// Among the machines of one cluster a job waits for the cheap ones, also where single machines are tracked.
func TestGreedyTakesCheapMachines(t *testing.T) {
	for _, features := range [][]string{nil, {"f"}} {
		b := model.NewBuilder("kinds").Minimise("cost", 1).Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{
			{ID: "dear", Count: 3, Speed: 2, Cost: 5, Features: features}, {ID: "cheap", Count: 1, Speed: 1, Cost: 1}, {ID: "good", Count: 1, Speed: 4, Cost: 3}}})
		for k := range 4 {
			j := model.JobSpec{ID: fmt.Sprint("j", k), Work: new(4.0)}
			if k == 3 && features != nil {
				j.Features = [][]string{{"f"}}
			}
			b.Job(j)
		}
		in := solvecases.Built(t, b)
		result, err := new(Greedy).Solve(t.Context(), in, solve.Options{})
		if err != nil {
			t.Fatal(err)
		}
		want := 4 * 3.0
		if features != nil {
			want = 3*3 + 2*5
		}
		if got, _ := model.EvaluateObjective(in, result.Solution); got != want {
			t.Errorf("features %v: %v, not %v: %+v", features, got, want, result.Solution.Jobs)
		}
	}
}

// On every example auto is no worse than any solver that it may try, and the list of these is a golden file.
func TestAutoIsNoWorseThanItsCandidates(t *testing.T) {
	race.OneGoroutine(t)
	files, err := filepath.Glob("../examples/*.json")
	if err != nil || len(files) == 0 {
		t.Fatal(err)
	}
	var text strings.Builder
	for _, file := range files {
		in, err := model.ReadInstanceFile(file)
		if err != nil {
			continue // a file of another kind
		}
		candidates := new(Auto).candidates(in, solve.Options{})
		rank := func(solver solve.Solver, evals int64) model.Rank {
			result, err := solver.Solve(t.Context(), in, solve.Options{Seed: 1, MaxEvals: evals, Workers: 1})
			if err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			if result.Solution == nil {
				return model.NoRank()
			}
			value, err := model.EvaluateObjective(in, result.Solution)
			if err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			return in.RankOf(result.Solution, value)
		}
		few := race.Fewer(int64(200), 10) // for those that could go on
		auto := rank(new(Auto), 20*few)
		fmt.Fprintf(&text, "%s:", filepath.Base(file))
		for _, info := range candidates {
			fmt.Fprintf(&text, " %s", info.Name)
			if alone := rank(info.New(), few); alone.Better(auto) {
				t.Errorf("%s: %s %+v, auto %+v", file, info.Name, alone, auto)
			}
		}
		text.WriteByte('\n')
	}
	const golden = "testdata/auto-candidates.txt"
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(golden, []byte(text.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil || string(want) != text.String() {
		t.Errorf("auto may try (%v; -update rewrites %s):\n%s", err, golden, text.String())
	}
}

// Where the peak of power counts, jobs run one after another; with what they cost besides, the cheaper of both sums decides.
func TestGreedyLowersThePeak(t *testing.T) {
	for _, c := range []struct{ makespan, want float64 }{{0, 6}, {1, 6 + 8}, {2, 11 + 2*4}} { // the peak is 6 within 8, or 11 within 4
		b := model.NewBuilder("peak").Minimise("peak_power", 1).Minimise("makespan", c.makespan).
			Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Processors: 2, Power: &model.PowerSpec{Idle: 1, Busy: 5}}}})
		b.Spec().Horizon = &model.HorizonSpec{To: 100}
		for k := range 2 {
			b.Job(model.JobSpec{ID: fmt.Sprint("j", k), Work: new(4.0)})
		}
		in := solvecases.Built(t, b)
		result, err := new(Greedy).Solve(t.Context(), in, solve.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got, _ := model.EvaluateObjective(in, result.Solution); got != c.want {
			t.Errorf("makespan at weight %v: %v, expected %v: %+v", c.makespan, got, c.want, result.Solution.Jobs)
		}
		traced, err := solve.Run(t.Context(), solve.With(&Greedy{}), in, solve.Options{Strict: true, Trace: func(solve.Step) {}})
		if err != nil || *traced.Solution.Objective != c.want {
			t.Errorf("with its steps: %v, %v", traced.Solution, err)
		}
	}
}

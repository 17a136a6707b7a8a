package proof_test

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"

	"github.com/allot-opt/allot/bound"
	"github.com/allot-opt/allot/internal/modeltest"
	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/proof"
	"github.com/allot-opt/allot/solve"
	_ "github.com/allot-opt/allot/solvers"
)

// crowded is a batch of a few jobs, most with hard deadlines that not all can meet, with arrivals, precedence, closed times, jobs that run already, devices, features,
// jobs that have their machines to themselves, choices of the number of processors, pools of licences, a horizon and limits of power. Its times are whole, or in
// units such as 0.1, 60.1 and 8e-9, or since 1970.
func crowded(t *testing.T, rng *rand.Rand) *model.Instance {
	t.Helper()
	for {
		spec := crowdedSpec(rng)
		if rng.IntN(3) > 0 {
			modeltest.NewDecimals(rng).Retime(&spec)
		}
		if in, err := model.New(spec); err == nil { // a job that runs already may contradict what it asks for
			return in
		}
	}
}

// crowdedSpec draws such a batch in whole times.
func crowdedSpec(rng *rand.Rand) model.InstanceSpec {
	rarely := func(n int) bool { return rng.IntN(n) == 0 }
	some := func(n int) float64 { return float64(rng.IntN(n)) }
	spec := model.InstanceSpec{Schema: model.InstanceSchema, Name: "crowded"}
	gpus, features, licences, power := rarely(3), rarely(5), rarely(4), rarely(4)
	if gpus {
		spec.Devices = []string{"gpu"}
	}
	if licences {
		spec.Licences = map[string]int{"l": 1 + rng.IntN(2)}
	}
	if power && !rarely(3) || rarely(6) {
		spec.Horizon = &model.HorizonSpec{From: some(3) * some(2), To: 4 + some(6)}
	}
	for c := range 1 + rng.IntN(2) {
		m := model.MachineSpec{ID: "m", Count: 1 + rng.IntN(5)/4, Processors: 1 + rng.IntN(2), Cost: 1 + some(3), Speed: 1 + some(2)}
		if gpus && c == 0 {
			m.Resources = map[string]float64{"gpu": 1}
		}
		if features && !rarely(3) {
			m.Features = []string{"a"}
		}
		if rarely(4) {
			m.Closed = []model.ClosedSpec{{From: some(6)}}
			if !rarely(3) {
				m.Closed[0].To = new(m.Closed[0].From + 1 + some(3))
			}
		}
		cluster := model.ClusterSpec{ID: fmt.Sprint("c", c)}
		if power {
			m.Power = &model.PowerSpec{Idle: some(2), Busy: 1 + some(3)}
			for at := 0.0; at < 6 && !rarely(3); at += 1 + some(3) {
				cluster.PowerCap = append(cluster.PowerCap, []float64{at, m.Power.Idle*float64(m.Count) + 1 + some(4)})
			}
		}
		cluster.Machines = []model.MachineSpec{m}
		spec.Clusters = append(spec.Clusters, cluster)
	}
	for j := range 2 + rng.IntN(3) {
		job := model.JobSpec{ID: fmt.Sprint("j", j), Work: new(some(5)), Arrival: some(3) * some(2), Processors: model.Rigid(1 + rng.IntN(4)/3)}
		if rarely(6) {
			job.Processors, job.Tasks = model.Moldable(1, 2), 2
		}
		if gpus && rarely(2) {
			job.Resources = map[string]float64{"gpu": []float64{1, 1, 0.5}[rng.IntN(3)]}
		}
		if features && rarely(2) {
			job.Features = [][]string{{"a"}}
		}
		if licences && rarely(2) {
			job.Licences = map[string]int{"l": 1}
		}
		job.Exclusive = rarely(10)
		if !rarely(3) {
			job.Deadline, job.DeadlineHard = new(1+some(6)), !rarely(4)
			if rarely(4) {
				job.Deadline = new(1000.0)
			}
		}
		if j > 0 && rarely(4) {
			job.After = []string{fmt.Sprint("j", rng.IntN(j))}
		}
		if j == 0 && rarely(5) {
			job.Running = &model.RunningSpec{Cluster: "c0", Processors: model.Processors(0)}
			job.Arrival, job.Processors, job.Tasks = 0, model.Rigid(1), 0
		}
		spec.Jobs = append(spec.Jobs, job)
	}
	return spec
}

// objectives of all kinds: with and without metrics that count what is left out, of either sign.
var crowdedObjectives = []map[string]float64{
	{"makespan": 1}, {"mean_response": 1}, {"cost": 1}, {"over_deadline": 1}, {"mean_wait": 1}, {"unfinished": 1}, {"missed": 1}, {"miss_rate": 1}, {"finished": 1}, {"work_done": 1},
	{"makespan": 1, "missed": 2}, {"mean_response": 1, "finished": 3}, {"cost": 1, "finished": -1}, {"makespan": 1, "cost": 0.5}, {"makespan": 1, "unfinished": 0}, {"cost": 1, "work_done": -0.5}, {"mean_wait": 1, "missed": 0.25},
}

// On tiny batches of jobs with hard deadlines, all of whose schedules are enumerated: no schedule owes fewer jobs than is proved; those that owe no more place all
// that they have to place and cost at least the bound; certificates are verified; and what is called optimal is best.
func TestWhatIsOwedAndItsBound(t *testing.T) {
	race.OneGoroutine(t)
	seeds := uint64(race.Fewer(500, 60))
	if n, err := strconv.Atoi(os.Getenv("TINY_DUTIES")); err == nil { // for a longer search
		seeds = uint64(n)
	}
	choice, err := solve.Choose("search")
	if err != nil {
		t.Fatal(err)
	}
	counts := map[string]int{}
	for seed := range seeds {
		rng := rand.New(rand.NewPCG(seed, 5757))
		plain := crowded(t, rng)
		in, err := plain.WithObjective(crowdedObjectives[rng.IntN(len(crowdedObjectives))])
		if err != nil {
			t.Fatal(err)
		}
		p := bound.NewCertified(t.Context(), in)
		p.Improve(t.Context(), 1_000_000)
		value, known := p.Bound().Value()
		best, duties := model.NoRank(), p.Duties()
		e := &modeltest.Enumeration{In: in, Most: 40_000}
		if !e.Each(func(report model.Report, sol *model.Solution) {
			rank := in.RankOf(sol, report.Objective)
			if rank.Less(best) {
				best = rank
			}
			if rank.Left < p.Owed() {
				t.Fatalf("seed %d: every schedule owes %d is stated, one owes %d: %+v\n%s", seed, p.Owed(), rank.Left, sol.Jobs, written(in))
			}
			if known && rank.Left == p.Owed() && report.Refutes(p.Bound()) {
				t.Fatalf("seed %d: %v ≥ %v is stated, a schedule that owes %d has %v: %+v\n%s", seed, in.StatedObjective(), value, rank.Left, report.Objective, sol.Jobs, written(in))
			}
			for _, out := range sol.Unscheduled {
				if j, _ := in.JobIndex(out.Job); rank.Left == p.Owed() && duties[j] == bound.MustPlace {
					t.Fatalf("seed %d: job %s has to be placed, and a schedule that owes %d leaves it out\n%s", seed, out.Job, rank.Left, written(in))
				}
			}
			for _, in1 := range sol.Jobs {
				if j, _ := in.JobIndex(in1.Job); duties[j] == bound.MustLeave {
					t.Fatalf("seed %d: job %s is never placed, and a schedule does\n%s", seed, in1.Job, written(in))
				}
			}
		}) || best.None() {
			continue
		}
		counts["enumerated"]++
		if best.Left > 0 && p.Owed() == best.Left {
			counts["some owed, proved"]++
		}
		for kind, has := range map[string]bool{"runs already": in.Features().Has(model.RunningJobs), "horizon": in.Features().Has(model.HorizonLimits), "cap": in.Features().Has(model.PowerCaps),
			"closed": in.Features().Has(model.ClosedTimes), "since 1970": in.FirstArrival() > 1e9} {
			if has && best.Left > 0 {
				counts[kind]++
			}
		}
		if len(p.OwedBy()) > 0 {
			counts["exclude each other"]++
		}
		if best.Left > p.Owed() {
			counts["more owed than is proved"]++
		}
		if c := p.Certificate(); known {
			if r := proof.Check(t.Context(), in, c); r.Verdict == proof.Refuted || r.Verdict != proof.Verified && c.NotCertified == "" {
				t.Fatalf("seed %d: %v ≥ %v: %+v\n%s", seed, in.StatedObjective(), value, r, written(in))
			}
		}
		if seed%2 > 0 || choice.Solver.Supports(in) != nil {
			continue
		}
		result, err := solve.Run(t.Context(), choice, in, solve.Options{MaxEvals: 300, Certify: true, Strict: true})
		if err != nil || result.Solution == nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, written(in))
		}
		sol := result.Solution
		if report := model.Check(in, sol); !report.OK() {
			t.Fatalf("seed %d: %v\n%s", seed, report.Violations, written(in))
		}
		if sol.Owed > best.Left {
			t.Fatalf("seed %d: states %d owed, %d is possible\n%s", seed, sol.Owed, best.Left, written(in))
		}
		if sol.Status != model.Optimal {
			continue
		}
		counts["optimal"]++
		if left := slices.ContainsFunc(sol.Unscheduled, func(u model.Unscheduled) bool { j, _ := in.JobIndex(u.Job); return duties[j] == bound.MayLeave }); left {
			counts["optimal and leaves out what may be placed"]++
		}
		if best.Better(in.RankOf(sol, *sol.Objective)) && *sol.Objective-best.Objective > 1e-9*math.Abs(best.Objective) {
			t.Fatalf("seed %d: optimal at %v owing %d, %v is possible\n%s", seed, *sol.Objective, in.Owed(sol), best, written(in))
		}
		if out := proof.CheckSolution(t.Context(), in, result.Certificate, sol); !out.Optimal && result.Certificate.NotCertified == "" {
			t.Fatalf("seed %d: called optimal, its certificate says %+v\n%s", seed, out, written(in))
		}
	}
	t.Log(counts)
	for _, kind := range []string{"enumerated", "some owed, proved", "exclude each other", "runs already", "horizon", "cap", "closed", "since 1970", "optimal", "optimal and leaves out what may be placed"} {
		if counts[kind] < race.Enough(1) {
			t.Errorf("%s: %d, the test says little", kind, counts[kind])
		}
	}
}

// What a set of jobs that exclude each other may not say is refuted where it says it.
func TestRefusalsOfJobsThatExcludeEachOther(t *testing.T) {
	hard := func(id string, due float64) model.JobSpec {
		j := job(id, 1, 3)
		j.Deadline, j.DeadlineHard = new(due), true
		return j
	}
	in := built(t, model.NewBuilder("conflicts").Cluster(cluster("c", 1, 1)).Job(hard("a", 3), hard("b", 3), job("soft", 1, 2), hard("never", 2), hard("far", 99), hard("d", 3)))
	prices := func(from, to, price float64) *proof.MachinePrices {
		return &proof.MachinePrices{Groups: [][]proof.GroupPrices{{{Processor: price}}}, From: from, To: to}
	}
	right := prices(0, 3+1e-6, 1/3.0)
	for _, c := range []struct {
		name  string
		owed  int
		price float64 // of what is left out
		sets  []proof.OwedSet
		want  proof.Verdict
		step  string
	}{
		{"as it is", 2, 0, []proof.OwedSet{{Jobs: []int{0, 1}, By: right}}, proof.Verified, ""},
		{"three of which one is in time", 3, 0, []proof.OwedSet{{Jobs: []int{0, 1, 5}, By: right}}, proof.Verified, ""},
		{"too many", 3, 0, []proof.OwedSet{{Jobs: []int{0, 1}, By: right}}, proof.Refuted, "owed"},
		{"fewer than are proved", 1, 0, []proof.OwedSet{{Jobs: []int{0, 1}, By: right}}, proof.NotCertified, "owed"},
		{"without a set", 2, 0, nil, proof.Refuted, "owed"},
		{"a job twice", 3, 0, []proof.OwedSet{{Jobs: []int{0, 1}, By: right}, {Jobs: []int{1, 5}, By: right}}, proof.Refuted, "owed_by[1].jobs[0]"},
		{"not in order", 2, 0, []proof.OwedSet{{Jobs: []int{1, 0}, By: right}}, proof.Refuted, "owed_by[0].jobs[1]"},
		{"no such job", 2, 0, []proof.OwedSet{{Jobs: []int{0, 6}, By: right}}, proof.Refuted, "owed_by[0].jobs[1]"},
		{"a negative job", 2, 0, []proof.OwedSet{{Jobs: []int{-1, 1}, By: right}}, proof.Refuted, "owed_by[0].jobs[0]"},
		{"no hard deadline", 2, 0, []proof.OwedSet{{Jobs: []int{0, 2}, By: right}}, proof.Refuted, "owed_by[0].jobs[1]"},
		{"one that is never placed", 2, 0, []proof.OwedSet{{Jobs: []int{0, 3}, By: right}}, proof.Refuted, "owed_by[0].jobs[1]"},
		{"one that is not owed", 1, 1, []proof.OwedSet{{Jobs: []int{0, 1}, By: right}}, proof.Refuted, "owed_by[0].jobs[0]"},
		{"time for both", 2, 0, []proof.OwedSet{{Jobs: []int{0, 4}, By: right}}, proof.Refuted, "owed_by[0].by"},
		{"no interval", 2, 0, []proof.OwedSet{{Jobs: []int{0, 1}, By: prices(3, 3, 1)}}, proof.Refuted, "owed_by[0].by"},
		{"no prices", 2, 0, []proof.OwedSet{{Jobs: []int{0, 1}}}, proof.Refuted, "owed_by[0].by"},
		{"prices of another cluster", 2, 0, []proof.OwedSet{{Jobs: []int{0, 1}, By: &proof.MachinePrices{From: 0, To: 3}}}, proof.Refuted, "owed_by[0].by.groups"},
	} {
		stated := claim(in, "makespan", 2, 0, &proof.Argument{CriticalPath: &proof.CriticalPath{Jobs: []int{2}}})
		if stated.Owed, stated.OwedBy = c.owed, c.sets; c.price > 0 {
			stated.Objective["unfinished"] = c.price
		}
		if r := verdict(t.Context(), in, stated); r.Verdict != c.want || r.Step != c.step {
			t.Errorf("%s: %+v", c.name, r)
		}
	}
	// A job of a set need not be placed, so a bound may not count on it.
	counts := claim(in, "makespan", 3, 0, &proof.Argument{CriticalPath: &proof.CriticalPath{Jobs: []int{0}}})
	counts.Owed, counts.OwedBy = 2, []proof.OwedSet{{Jobs: []int{0, 1}, By: right}}
	if r := verdict(t.Context(), in, counts); r.Verdict != proof.Refuted || r.Step != "parts[0].by.critical_path.jobs[0]" {
		t.Errorf("a job of a set in a chain: %+v", r)
	}
}

// Jobs that cannot follow each other in time exclude each other, and so does a chain that leaves a job before it no time; each choice of the jobs left out is bounded. What is
// said of too few or too many choices, or of windows that are too wide, is refuted.
func TestChoicesOfTheJobsLeftOut(t *testing.T) {
	hard := func(id string, work, due float64, after ...string) model.JobSpec {
		j := job(id, 1, work)
		j.Deadline, j.DeadlineHard, j.After = new(due), true, after
		return j
	}
	for _, c := range []struct {
		name  string
		jobs  []model.JobSpec
		sets  int
		value float64
	}{
		{"two of three, and another", []model.JobSpec{hard("a", 3, 3), hard("b", 3, 3), job("c", 1, 2)}, 2, 5},
		{"neither before the other", []model.JobSpec{hard("a", 2, 3), {ID: "b", Arrival: 1, Work: new(3.0), Deadline: new(4.5), DeadlineHard: true}, job("c", 1, 1)}, 2, 3},
		{"a chain beside a job", []model.JobSpec{job("first", 1, 1), hard("second", 2, 3, "first"), hard("x", 1, 2.5), job("c", 1, 4)}, 2, 6},
	} {
		in := built(t, model.NewBuilder(c.name).Cluster(cluster("c", 1, 1)).Job(c.jobs...))
		p := bound.NewCertified(t.Context(), in)
		p.Improve(t.Context(), 10_000_000)
		stated := p.Certificate()
		value, _ := p.Bound().Value()
		if p.Owed() != 1 || value != c.value || len(p.OwedBy()) != 1 || len(p.OwedBy()[0].Jobs) != c.sets || stated == nil {
			t.Errorf("%s: owes %d by %v, costs %v at least", c.name, p.Owed(), p.OwedBy(), value)
			continue
		}
		for name, change := range map[string]func(c *proof.Certificate){
			"as it is":        func(*proof.Certificate) {},
			"more":            func(c *proof.Certificate) { c.Bound = model.ProvedBound(value + 1) },
			"a choice less":   func(c *proof.Certificate) { c.Choices = c.Choices[1:] },
			"a choice twice":  func(c *proof.Certificate) { c.Choices = append(c.Choices, c.Choices[0]) },
			"another choice":  func(c *proof.Certificate) { c.Choices[0].Left = []int{len(in.Jobs()) - 1} },
			"parts beside it": func(c *proof.Certificate) { c.Parts = c.Choices[0].Parts },
			"no set":          func(c *proof.Certificate) { c.OwedBy = nil },
			"one job": func(c *proof.Certificate) {
				if c.OwedBy[0].Windows != nil {
					c.OwedBy[0].Jobs = c.OwedBy[0].Jobs[1:]
				} else {
					c.OwedBy = nil
				}
			},
			"prices and windows": func(c *proof.Certificate) {
				c.OwedBy[0].By, c.OwedBy[0].Windows = &proof.MachinePrices{}, &proof.Windows{Unit: 1}
			},
			"ends too early": func(c *proof.Certificate) {
				if w := c.OwedBy[0].Windows; w != nil {
					w.Makespan = 0
				} else {
					c.Owed++
				}
			},
		} {
			read, err := proof.Read(bytes.NewReader(stated.Bytes()), name)
			if err != nil {
				t.Fatal(err)
			}
			change(read)
			want := proof.Refuted
			if name == "as it is" {
				want = proof.Verified
			}
			if r := proof.Check(t.Context(), in, read); r.Verdict != want {
				t.Errorf("%s, %s: %+v", c.name, name, r)
			}
		}
	}
}

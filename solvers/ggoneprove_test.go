package solvers_test

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/internal/solvecases"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
	"github.com/allot-opt/allot/solvers"
	"github.com/allot-opt/allot/solvers/internal/solverstest"
	"github.com/allot-opt/allot/workload"
)

// ggoneProve says how many instances the tests below try, and from which seed on: a few by default, more where the environment says so.
func ggoneProve() (first, count uint64) {
	first, _ = strconv.ParseUint(os.Getenv("GGONE_PROVE_SEED"), 10, 64)
	count, _ = strconv.ParseUint(os.Getenv("GGONE_PROVE_COUNT"), 10, 64)
	return first, cmp.Or(count, race.Fewer(uint64(25), 5))
}

// oddGGOne draws 10 to 60 tasks for one to five kinds of machines, without an idle rate, with what is hard in places: equal tasks and machines, whole
// numbers, no work, no time up to the deadline, CVs of 0, times in units of 1e-8 and 1e8, rates that are given or follow from the works,
// machines that are nearly full.
func oddGGOne(seed uint64) *model.Builder {
	rng := rand.New(rand.NewPCG(seed, 6))
	one := func(in int) bool { return rng.IntN(in) == 0 }
	between := func(low, high float64) float64 { return low + (high-low)*rng.Float64() }
	if one(2) { // whole numbers
		between = func(low, high float64) float64 { return math.Ceil(low + (high-low)*rng.Float64()) }
	}
	unit := []float64{1, 1, 1, 1e-8, 1e8}[rng.IntN(5)] // of time
	b := model.NewBuilder(fmt.Sprint("odd-", seed)).Minimise("qos_penalty", 1)
	tasks, arrivals, cv := 10+rng.IntN(51), one(2), []float64{0, 0.1, 0.6, 1.5}[rng.IntN(4)]
	mean, equal, impossible, idle, looseness := 0.0, one(4), one(10), one(20), between(1, 6)
	var last model.JobSpec
	for k := range tasks {
		job := model.JobSpec{Work: new(between(1, 20) * unit), WorkCV: cv * float64(rng.IntN(3))}
		switch {
		case idle || one(20):
			job.Work = new(0.0)
		case k > 0 && (equal || one(5)):
			job = last
		}
		last = job
		job.ID = fmt.Sprint("t", k)
		if arrivals {
			job.Arrival = between(0, 30) * unit
		}
		if !one(6) {
			job.Deadline = new(job.Arrival + between(1, 4)*looseness*unit)
			if impossible && one(20) {
				job.Deadline = new(job.Arrival)
			}
		}
		if !one(6) {
			job.Budget = new(between(1, 4) * looseness / 2)
		}
		mean += *job.Work / float64(tasks)
		b.Job(job)
	}
	mean = max(mean, unit/10)
	all, stated := 0.0, one(2)
	for c := range 1 + rng.IntN(5) {
		m := model.MachineSpec{ID: "m", Count: 1 + rng.IntN(6), Speed: between(1, 6), Cost: between(0, 3) / unit}
		rate := m.Speed / mean
		if stated {
			m.Queue = &model.QueueSpec{ServiceRate: rate * between(1, 2), ArrivalVariance: new(between(0.1, 9) * unit * unit), ServiceVariance: new(between(0.1, 6) * unit * unit)}
			if rate = m.Queue.ServiceRate; one(4) {
				m.Queue.ArrivalVariance, m.Queue.ServiceVariance = new(0.0), new(0.0)
			}
		}
		all += float64(m.Count) * rate
		b.Cluster(model.ClusterSpec{ID: fmt.Sprint("c", c), Machines: []model.MachineSpec{m}})
	}
	rate := all * []float64{0.05, 0.3, 0.5, 0.7, 0.9}[rng.IntN(5)]
	b.Spec().Queueing = &model.QueueingSpec{Rate: rate, Period: float64(tasks) / rate, K: new(between(0, 2)), CV: new(cv),
		Charge: []string{"response", "service"}[rng.IntN(2)]}
	return b
}

// The shortest path of the transportation problem once went in circles where tasks cost nearly the same in many places; the node was closed, and
// 33.2746 called optimal.
func TestGGOneTiesInTheTransportation(t *testing.T) {
	in, err := solverstest.With(workload.Default[workload.GGOne](), func(x *workload.GGOne) { x.Jobs, x.Load, x.ArrivalCv, x.WorkCv, x.Charge = 20, 0.5, 0.1, 1, "service" }).Generate(706649)
	if err != nil {
		t.Fatal(err)
	}
	const optimum = 32.248955 // by HiGHS
	result := runGGOne(t, in, solve.Default[solvers.GGOne](), solve.Options{})
	if result.Status != model.Optimal || math.Abs(*result.Solution.Objective-optimum) > 1e-6 || result.Bound.Or(0) > *result.Solution.Objective {
		t.Errorf("%s, objective %v, bound %v; the optimum is %v", result.Status, *result.Solution.Objective, result.Bound, optimum)
	}
}

// Limits that a given allocation keeps make the optimum 0, which is proved, although no tolerance relative to it is left.
func TestGGOnePlantedZero(t *testing.T) {
	first, count := ggoneProve()
	planted := 0
	for seed := first; seed < first+count; seed++ {
		b := oddGGOne(seed)
		in := solvecases.Built(t, b)
		spread := runGGOne(t, in, solve.Default[solvers.GGOne](), solve.Options{MaxEvals: 3})
		if spread.Solution == nil {
			continue
		}
		view, err := model.Queues(in, spread.Solution)
		if err != nil {
			t.Fatal(err)
		}
		tight := rand.New(rand.NewPCG(seed, 7)).IntN(2) == 0
		loose := 2.0
		if tight { // limits that are just met, but for the rounding of deadline − arrival
			loose = 1 + 1e-12
		}
		for _, r := range view.Jobs {
			job := &b.Spec().Jobs[r.Job]
			job.Deadline, job.Budget = new(job.Arrival+loose*r.Response), new(loose*r.Cost)
			if r.Response > 1e15 { // beyond what an instance may say
				job.Deadline, job.Budget = nil, nil
			} else if job.Arrival > 0 || r.Response == 0 {
				job.Deadline = new(job.Arrival + 2*r.Response)
			}
		}
		in = solvecases.Built(t, b)
		evaluation, err := model.Evaluate(in, spread.Solution)
		if err != nil {
			t.Fatal(err)
		}
		if evaluation.Objective != 0 {
			continue
		}
		planted++
		result := runGGOne(t, in, solve.Default[solvers.GGOne](), solve.Options{MaxEvals: 20000})
		if result.Bound.Or(0) > 0 || result.Status == model.Optimal && *result.Solution.Objective > 1e-12 {
			t.Errorf("%s: %s, objective %v, bound %v; the optimum is 0", in.Name(), result.Status, *result.Solution.Objective, result.Bound)
		}
		if !tight && result.Status != model.Optimal {
			t.Errorf("%s: %s, objective %v: 0 is easy to find", in.Name(), result.Status, *result.Solution.Objective)
		}
	}
	if planted < int(count)/2 {
		t.Errorf("%d planted: the test proves little", planted)
	}
}

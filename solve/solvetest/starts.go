package solvetest

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"sync"

	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/internal/solvecases"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
)

// begun is an instance with schedules that solvers have made, to start others from.
type begun struct {
	testCase
	starts []begin
}

// begin is a schedule that a solver has made.
type begin struct {
	solver     string
	solution   *model.Solution
	evaluation model.Evaluation
}

// allStarts are the instances with the schedules of all registered solvers that support them, without repetition.
var allStarts = sync.OnceValues(func() ([]begun, error) {
	var all []begun
	cases, err := casesOf(startCases())
	for k := range cases {
		b := begun{testCase: cases[k]}
		known := map[string]bool{}
		for _, info := range solve.Solvers() {
			if info.Absent != "" || info.New().Supports(b.in) != nil {
				continue
			}
			result, err := solve.Run(context.Background(), info.Choice(), b.in, solve.Options{Seed: 3, MaxEvals: few, Unbounded: true})
			if err != nil || result.Solution == nil {
				continue // it is that solver's fault, which its own test finds
			}
			sol := solve.Bare(result.Solution)
			if text := string(encoded(sol)); !known[text] {
				evaluation, _ := solve.Checked(b.in, sol)
				known[text] = true
				b.starts = append(b.starts, begin{info.Name, sol, evaluation})
			}
		}
		all = append(all, b)
	}
	return all, err
})

// startCases are small instances of which solvers make schedules of many forms: jobs in pieces over several clusters, pieces that are released early, numbers
// of processors that were chosen, jobs of no time, jobs that wait for others, and jobs that are left out. Each asks for some of it, as solvers refuse much.
func startCases() []recipe {
	var recipes []recipe
	for k := range race.Fewer(48, 12) {
		rng := rand.New(rand.NewPCG(uint64(k), 33))
		asks := func(bit int) bool { return k>>bit&1 == 1 }
		b := model.NewBuilder("start").Minimise([]string{"makespan", "mcp", "mean_response", "over_deadline"}[rng.IntN(4)], 1)
		b.Cluster(model.ClusterSpec{ID: "c0", Machines: []model.MachineSpec{{ID: "m", Count: 2, Processors: 2}}}, solvecases.Machines("c1", 1+rng.IntN(2), float64(1+rng.IntN(2))))
		for j := range 4 + rng.IntN(3) {
			job := model.JobSpec{ID: fmt.Sprint("j", j), Work: new(float64(1 + rng.IntN(5))), Processors: model.Rigid(1 + rng.IntN(3)), Span: "grid"}
			if asks(0) && rng.IntN(2) == 0 {
				job.Arrival = float64(rng.IntN(5))
			}
			if asks(1) && j > 0 && rng.IntN(2) == 0 {
				job.After = []string{fmt.Sprint("j", rng.IntN(j))}
			}
			if asks(2) {
				job.Tasks = 1 + rng.IntN(7)
			}
			if asks(3) && rng.IntN(2) == 0 {
				job.Processors = model.Moldable(1+rng.IntN(2), 3+rng.IntN(3))
			}
			if asks(4) {
				job.Deadline, job.DeadlineHard = new(float64(1+rng.IntN(12))), rng.IntN(3) > 0
			} else {
				job.Deadline = new(float64(1 + rng.IntN(12)))
			}
			if asks(5) || k == 0 { // no job must spread
				job.Processors = model.Rigid(1 + rng.IntN(2))
				if k%8 == 0 {
					job.Processors = model.Rigid(1)
				}
			}
			if rng.IntN(6) == 0 {
				job.Work = new(0.0)
			}
			b.Job(job)
		}
		recipes = append(recipes, recipe{fmt.Sprintf("start/%d", k), b, nil})
	}
	return recipes
}

// startsFromOthers checks that a solver that takes a start takes those of every other solver, and returns nothing worse.
func (c *conformer) startsFromOthers(oneIn int) {
	c.to.Helper()
	if !c.info.Starts {
		return
	}
	all, err := allStarts()
	if err != nil {
		c.to.Errorf("the instances with starts: %v", err)
		return
	}
	for k := 0; k < len(all) && !c.over && c.failures < mostReports; k += oneIn {
		c.at = &all[k].testCase
		if !c.accepts() {
			continue
		}
		for _, from := range all[k].starts {
			c.startsFrom(from, solve.Options{Seed: 7, MaxEvals: few, Workers: 1, Strict: true})
		}
	}
}

// startsFrom checks that the solver returns nothing worse than the start.
func (c *conformer) startsFrom(from begin, opt solve.Options) {
	c.to.Helper()
	opt.Start = from.solution
	o := c.run(context.Background(), opt)
	if o.err != nil {
		c.failf("from a start of %s: %v", from.solver, o.err)
		return
	}
	if !c.ended(o) {
		return
	}
	if o.raw.Solution == nil {
		c.failf("takes a start (Info.Starts) and hands back no schedule, from one of %s", from.solver)
		return
	}
	evaluation, wrong := solve.Checked(c.at.in, o.raw.Solution)
	if wrong != nil {
		c.failf("from a start of %s: %v", from.solver, wrong)
		return
	}
	left, had := c.at.in.Owed(o.raw.Solution), c.at.in.Owed(from.solution)
	tolerance := from.evaluation.Rounding + model.Tolerance*math.Abs(from.evaluation.Objective)
	if left > had || left == had && evaluation.Objective > from.evaluation.Objective+tolerance {
		c.failf("takes a start (Info.Starts) and hands back a worse schedule: objective %v with %d jobs owed, from %v with %d by %s",
			evaluation.Objective, left, from.evaluation.Objective, had, from.solver)
	}
}

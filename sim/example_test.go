package sim_test

import (
	"cmp"
	"context"
	"fmt"
	"log"
	"slices"

	"github.com/allot-opt/allot/sim"
)

// trace hands out jobs from a list.
type trace []sim.Spec

func (t *trace) Next(spec *sim.Spec) (bool, error) {
	if len(*t) == 0 {
		return false, nil
	}
	*spec, *t = (*t)[0], (*t)[1:]
	return true, nil
}

// shortestFirst starts, of the jobs that fit, the one with the shortest estimate first.
type shortestFirst struct{ queue []*sim.Job }

func (p *shortestFirst) Arrive(j *sim.Job)           { p.queue = append(p.queue, j) }
func (p *shortestFirst) Release(*sim.Job, int, bool) {}
func byEstimate(a, b *sim.Job) int                   { return cmp.Compare(a.Estimate, b.Estimate) }
func (p *shortestFirst) start(e *sim.Engine, j *sim.Job) {
	fmt.Printf("%2g: start job %d\n", e.Now(), j.Number)
	e.Start(j)
}

func (p *shortestFirst) Decide(e *sim.Engine) {
	slices.SortStableFunc(p.queue, byEstimate)
	p.queue = slices.DeleteFunc(p.queue, func(j *sim.Job) bool {
		fits := int(j.Processors) <= e.Free()
		if fits {
			p.start(e, j)
		}
		return fits
	})
}

// A policy sees estimates only: job 1 asks for less time than job 2 but takes longer.
func ExampleRun() {
	jobs := &trace{
		{Arrival: 0, Estimate: 4, Runtime: 4, Processors: 2},
		{Arrival: 1, Estimate: 3, Runtime: 9, Processors: 1},
		{Arrival: 2, Estimate: 5, Runtime: 1, Processors: 2},
		{Arrival: 3, Estimate: 2, Runtime: 2, Processors: 1},
	}
	totals, err := sim.Run(context.Background(), jobs, 2, sim.Discipline{General: func(*sim.Platform, uint64) sim.Policy { return &shortestFirst{} }}, sim.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d jobs until %g, mean wait %g\n", totals.Finished, totals.LastEnd, totals.MeanWait())
	// Output:
	//  0: start job 0
	//  4: start job 3
	//  4: start job 1
	// 13: start job 2
	// 4 jobs until 14, mean wait 3.75
}

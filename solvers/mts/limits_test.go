package mts

import (
	"context"
	"fmt"
	"testing"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solvers/internal/grid"
)

// Each pass over all jobs ends soon after the context, also those before the first job is placed.
func TestPassesBeforeTheFirstJobEndWithTheContext(t *testing.T) {
	const jobs = 20_000
	b := model.NewBuilder("many").Minimise("makespan", 1)
	for k := range 4 {
		b.Cluster(model.ClusterSpec{ID: fmt.Sprint("c", k), Machines: []model.MachineSpec{{ID: "m", Speed: 1 + float64(k)}}})
	}
	for k := range jobs {
		b.Job(model.JobSpec{ID: fmt.Sprint("j", k), Work: new(1 + float64(k))})
	}
	in, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	outline := grid.NewOutline(in)
	r := prepare(ctx, in, *newSolver(), len(outline.Resources))
	r.Outline = outline
	if !r.sort() || len(r.kinds) != jobs {
		t.Fatalf("%d kinds of %d jobs", len(r.kinds), jobs)
	}
	r.span = make([]float64, len(r.kinds)*len(r.Resources))
	for k := range r.kinds {
		r.measure(k)
	}
	cancel()
	if r.sort() || len(r.kinds) > jobs/10 {
		t.Errorf("%d of %d jobs are looked at after the end of the context", len(r.kinds), jobs)
	}
	if r.simplify() {
		t.Error("all spans are looked at after the end of the context")
	}
	if newRun(ctx, in, *newSolver()) != nil {
		t.Error("a run begins after the end of the context")
	}
}

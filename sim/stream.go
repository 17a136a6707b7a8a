package sim

import (
	"context"
	"errors"
	"fmt"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/plan"
)

// Batches hands out the jobs of a system batch by batch.
type Batches interface {
	// Next returns the next batch of jobs: an instance with the same clusters and licences. None of its jobs arrives before a job of an
	// earlier batch. It returns nil if there are no more jobs.
	Next() (*model.Instance, error)
}

// Stream runs an unlimited stream of jobs. It keeps no schedule; an observer can watch it. The system is an
// instance with the clusters of all batches; its own jobs do not run. The jobs of a batch must not depend on others, nor ask anything of
// single machines: see [ErrNodes].
//
// It ends as [Run] does.
//
// Complexity: that of [Simulate]. Memory: O(jobs of all batches that have a job in the system).
func Stream(ctx context.Context, system *model.Instance, source Batches, policies Discipline, opt Options) (Totals, error) {
	if policies.General == nil {
		return Totals{}, errNoGeneral
	}
	if policies.byNode(system) {
		return Totals{}, ErrNodes
	}
	if system.Features().Has(model.HorizonLimits) {
		return Totals{}, ErrHorizon
	}
	if policies.Defer != nil {
		return Totals{}, ErrDefers
	}
	w := &world{in: system, platform: newPlatform(system, ^model.Features(0), &policies, opt.Seed), source: source}
	return w.run(ctx, policies.General, opt)
}

// errNoGeneral is the error of a discipline without a policy.
var errNoGeneral = errors.New("sim: expected a policy for the system of an instance, found none")

// ErrNodes is the error of a stream where single machines matter. What a job asks of machines is known by its place in one instance, and so is what a
// platform remembers of them; the batches of a stream are instances of their own. [Simulate] takes such jobs as one instance.
var ErrNodes = errors.New("sim: a stream takes only jobs that ask nothing of single machines, under the rule first")

// ErrDefers is the error of a stream under a policy that keeps jobs out of the queue by what the whole instance says, such as a tariff.
var ErrDefers = errors.New("sim: a stream has no tariff, so no job can wait for a cheaper start: expected a policy without price_budget")

// refill makes the next batch the one whose jobs arrive. It returns false where there is none.
func (w *world) refill() (bool, error) {
	if w.source == nil {
		return false, nil
	}
	batch, err := w.source.Next()
	if batch == nil || err != nil {
		return false, err
	}
	if err := sameSystem(w.platform.in, batch); err != nil {
		return false, err
	}
	if batch.Features()&plan.NodeFeatures != 0 {
		return false, ErrNodes
	}
	if batch.Features().Has(model.Precedence) {
		return false, errors.New("sim: expected a stream of jobs that wait for no other job, found one that does")
	}
	if w.sleep != nil && len(batch.Jobs()) > 0 {
		w.sleep.from(batch.FirstArrival())
	}
	w.in, w.order, w.at = batch, byArrival(batch), 0
	return true, nil
}

// sameSystem refuses a batch for other clusters.
func sameSystem(a, b *model.Instance) error {
	x, y := a.Clusters(), b.Clusters()
	if len(x) != len(y) || len(a.Licences()) != len(b.Licences()) || len(a.Workflows()) != len(b.Workflows()) {
		return fmt.Errorf("sim: expected jobs for %d clusters and %d licences, found %d and %d", len(x), len(a.Licences()), len(y), len(b.Licences()))
	}
	for c := range x {
		if x[c].ID != y[c].ID || x[c].Processors != y[c].Processors || len(x[c].Machines) != len(y[c].Machines) {
			return fmt.Errorf("sim: expected jobs for cluster %s of %d processors, found %s of %d", x[c].ID, x[c].Processors, y[c].ID, y[c].Processors)
		}
	}
	return nil
}

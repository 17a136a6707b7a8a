// Command ownpolicy shows how a module of its own adds an on-line policy to allot. It registers the policy and shows what jobs wait under it and
// under EASY backfilling:
//
//	go -C examples/ownpolicy run . ../four.json
package main

import (
	"cmp"
	"context"
	"fmt"
	"log"
	"os"
	"slices"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/sim"
	"github.com/allot-opt/allot/solve"
	_ "github.com/allot-opt/allot/solvers"
)

// After registration the policy is a solver like any other; it streams traces, forecasts starts and explains them too.
var _ = solve.RegisterPolicy(solve.Info{
	Name:   "my-smallest-first",
	Doc:    "Of the jobs that fit now, the one that asks for the least processors × time starts first, unless a job has waited for too long. O(q log q) an instant for q queued jobs.",
	Source: "D. Carastan-Santos, R. Y. de Camargo (2017), Obtaining dynamic scheduling policies with simulation and machine learning, SC '17, doi:10.1145/3126908.3126955, §3 (SAF)",
}, func() solve.Policy { return &SmallestFirst{Patience: 7 * 24 * 3600} })

// SmallestFirst starts small jobs first. Its exported fields are its parameters.
type SmallestFirst struct {
	Patience float64 `range:"[0, inf)" doc:"waiting time after which no other job may overtake a job"`
}

// Supports implements [solve.Policy]: the platform finds room for whatever it lists here.
func (*SmallestFirst) Supports(in *model.Instance) error {
	return solve.Unsupported(in, model.Arrivals|model.ParallelJobs|model.MemoryLimits|model.LicencePools|model.MixedMachines)
}

// Kills implements [solve.Policy].
func (*SmallestFirst) Kills() bool { return false }

// Discipline implements [solve.Policy]: each run has a queue of its own.
func (p *SmallestFirst) Discipline() sim.Discipline {
	return sim.Discipline{General: func(platform *sim.Platform, _ uint64) sim.Policy {
		return &run{SmallestFirst: *p, platform: platform}
	}}
}

// run is one run of the policy.
type run struct {
	SmallestFirst
	platform *sim.Platform
	queue    []*sim.Job
}

// Arrive implements [sim.Policy].
func (r *run) Arrive(j *sim.Job) { r.queue = append(r.queue, j) }

// Release implements [sim.Policy]: the platform knows what is free.
func (r *run) Release(*sim.Job, int, bool) {}

// Decide implements [sim.Policy].
func (r *run) Decide(e *sim.Engine) {
	overdue := func(j *sim.Job) int {
		if e.Now()-j.Arrival > r.Patience {
			return 0
		}
		return 1
	}
	slices.SortFunc(r.queue, func(a, b *sim.Job) int {
		return cmp.Or(cmp.Compare(overdue(a), overdue(b)), cmp.Compare(a.Estimate*float64(a.Processors), b.Estimate*float64(b.Processors)), cmp.Compare(a.Number, b.Number))
	})
	waits := r.queue[:0]
	for k, j := range r.queue {
		if r.start(e, j) {
			continue
		}
		waits = append(waits, j)
		if overdue(j) == 0 { // it is next, whoever else would fit
			waits = append(waits, r.queue[k+1:]...)
			break
		}
	}
	r.queue = waits
}

// start starts the job on the first cluster that has room for it now.
func (r *run) start(e *sim.Engine, j *sim.Job) bool {
	possible := false
	for cluster := range r.platform.Clusters() {
		if shares, ok := r.platform.Fits(&r.platform.Free, j, cluster, nil); ok {
			e.StartOn(j, sim.Claim{Cluster: cluster, Shares: shares})
			return true
		}
		possible = possible || r.platform.CanRun(j, cluster)
	}
	if !possible {
		e.Drop(j, "no cluster can run the job")
	}
	return !possible
}

// Explain implements [sim.Explainer]: what allot says of the job where it explains a schedule.
func (r *run) Explain(j *sim.Job) []sim.Reason {
	return []sim.Reason{{Rule: "smallest", Text: fmt.Sprintf("asks for %g processors × time", j.Estimate*float64(j.Processors))}}
}

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: ownpolicy INSTANCE")
	}
	if err := compare(os.Args[1], "my-smallest-first", "easy"); err != nil {
		log.Fatal(err)
	}
}

// compare prints the mean wait under each policy on an instance.
func compare(path string, policies ...string) error {
	in, err := model.ReadInstanceFile(path)
	if err != nil {
		return err
	}
	for _, name := range policies {
		choice, err := solve.Choose(name)
		if err != nil {
			return err
		}
		result, err := solve.Run(context.Background(), choice, in, solve.Options{})
		if err != nil {
			return err
		}
		wait, _ := result.Solution.Metrics.Get("mean_wait")
		fmt.Printf("%-18s mean wait %6.2f\n", name, wait)
	}
	return nil
}

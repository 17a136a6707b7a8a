package solvers_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
	"github.com/allot-opt/allot/solvers/internal/solverstest"
)

// onlineJobs are jobs that arrive over time on a few processors, with estimates that are too long, too short or right.
func onlineJobs(rng *rand.Rand) []model.JobSpec {
	var jobs []model.JobSpec
	for k := range 25 {
		work := float64(1 + rng.IntN(9))
		jobs = append(jobs, model.JobSpec{
			ID: fmt.Sprint("j", k), Arrival: float64(rng.IntN(40)), Processors: model.Rigid(1 + rng.IntN(4)),
			Work: new(work), Estimate: new(max(1, work+float64(rng.IntN(9)-3))),
		})
	}
	return jobs
}

// startsBefore are the starts before the instant in the solver's schedule of the jobs, by job.
func startsBefore(t *testing.T, info solve.Info, jobs []model.JobSpec, clusters int, instant float64) map[string]float64 {
	t.Helper()
	b := model.NewBuilder("online")
	for c := range clusters {
		b.Cluster(solverstest.Machines(fmt.Sprint("c", c), 4, 1))
	}
	in := solverstest.Built(t, b.Job(jobs...))
	choice := info.Choice()
	if slices.Contains([]string{"sr", "dr"}, info.Name) { // a job that is killed has no start in the schedule
		var err error
		if choice, err = solve.Choose(info.Name + ":overrun=extend"); err != nil {
			t.Fatal(err)
		}
	}
	result, err := solve.Run(context.Background(), choice, in, solve.Options{Seed: 1, MaxEvals: 300})
	if err != nil {
		t.Fatalf("%s: %v", info.Name, err)
	}
	starts := map[string]float64{}
	for _, p := range result.Solution.Jobs {
		if p.Start < instant {
			starts[p.Job] = p.Start
		}
	}
	return starts
}

// What an on-line solver does before an instant is the same if other jobs arrive later, or none, and if the jobs that have not ended by then run
// for another time, but at least until then. The test finds out that solvers which are not on line look ahead.
func TestOnlineSolversDoNotKnowTheFuture(t *testing.T) {
	looksAhead := map[string]bool{}
	var online []string
	for _, info := range solve.Solvers() {
		if info.Online {
			online = append(online, info.Name)
		} else if !slices.Contains([]string{"minmin", "edd", "search", "fcfs-list"}, info.Name) {
			continue
		}
		parallel := info.New().Supports(solverstest.Built(t, model.NewBuilder("parallel").Cluster(solverstest.Machines("c", 4, 1)).Job(
			model.JobSpec{ID: "wide", Processors: model.Rigid(2), Work: new(1.0)}))) == nil
		for seed := range race.Fewer(uint64(30), 6) {
			rng := rand.New(rand.NewPCG(seed, 17))
			jobs, clusters, instant := onlineJobs(rng), 1+int(seed%2), float64(5+rng.IntN(30))
			for k := range jobs {
				if !parallel {
					jobs[k].Processors = model.Rigid(1)
				}
			}
			var other []model.JobSpec
			for _, job := range jobs {
				if job.Arrival < instant {
					job.Work = new(*job.Work)
					other = append(other, job)
				}
			}
			// Jobs that run at the instant, or wait, may run for longer: at least as long as they did.
			before := startsBefore(t, info, jobs, clusters, instant)
			for k := range other {
				if start, started := before[other[k].ID]; !started || start+*other[k].Work > instant {
					*other[k].Work += float64(rng.IntN(20))
				}
			}
			after := startsBefore(t, info, other, clusters, instant)
			if fmt.Sprint(before) == fmt.Sprint(after) {
				continue
			}
			if info.Online {
				t.Fatalf("%s, seed %d, instant %v: starts %v, with another future %v", info.Name, seed, instant, before, after)
			}
			looksAhead[info.Name] = true
		}
	}
	if fmt.Sprint(online) != fmt.Sprint([]string{"conservative", "dr", "easy", "fcfs", "flexible", "map", "spaceshare", "sr", "twolevel"}) {
		t.Errorf("on line: %v", online)
	}
	for _, name := range []string{"minmin", "edd", "search", "fcfs-list"} {
		if !looksAhead[name] && !race.Enabled && !testing.Short() {
			t.Errorf("%s is not on line, yet the future does not change what it does: the test sees too little", name)
		}
	}
}

package solvers_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/internal/solvecases"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/proof"
	"github.com/allot-opt/allot/solve"
)

// Certificates of exact are verified, and show what the result states, however the checker has to round: fractions, clocks of 1970, weights and times that differ by
// many digits, zero lengths, ties.
func TestExactCertificatesHold(t *testing.T) {
	info, proved, lists, short := mustLookup(t, "exact"), 0, 0, 0
	for seed := range race.Fewer(uint64(400), 40) {
		rng := rand.New(rand.NewPCG(seed, 77))
		clock := []float64{0, 0, 1.7e9, 1.7e9 + 0.3}[seed%4]
		unit := []float64{1, 0.1, 1.0 / 3, 0.25}[rng.IntN(4)]
		b := model.NewBuilder("certified").Cluster(solvecases.Machines("c", 1+rng.IntN(3), 1), solvecases.Machines("d", 1+rng.IntN(2), []float64{1, 1.3, 3}[rng.IntN(3)]))
		b.Spec().Weights = &model.WeightsSpec{OverDeadline: new(4.0), Makespan: new(3.0), IdleTime: new(float64(rng.IntN(2)))}
		for j := range 2 + rng.IntN(4) {
			work := unit * float64(rng.IntN(9))
			job := model.JobSpec{ID: fmt.Sprint("j", j), Arrival: clock + unit*float64(rng.IntN(3)), Processors: model.Rigid(1 + rng.IntN(2)), Work: &work}
			if rng.IntN(2) == 0 {
				job.Deadline = new(clock + unit*float64(1+rng.IntN(15)))
			}
			if seed%5 == 0 { // long on the second cluster
				job.Work, job.Runtime = nil, map[string]float64{"c": work, "d": work * 1e9 / 3}
			}
			if j > 0 && seed%7 == 0 {
				job.After = []string{"j0"}
			}
			b.Job(job)
		}
		objective := map[string]float64{}
		for range 1 + rng.IntN(3) {
			objective[proof.Listed[rng.IntN(len(proof.Listed))]] = []float64{1, 1, 0.1, 3, 1e6, 1e9}[rng.IntN(6)]
		}
		in, err := solvecases.Built(t, b).WithObjective(objective)
		if err != nil {
			t.Fatal(err)
		}
		if info.New().Supports(in) != nil {
			continue
		}
		result, err := solve.Run(t.Context(), info.Choice(), in, solve.Options{Seed: 1, Certify: true})
		if err != nil {
			t.Fatal(err)
		}
		if result.Certificate == nil {
			continue
		}
		for _, part := range result.Certificate.Parts {
			if part.By != nil && part.By.ListSchedules != nil {
				lists++
			}
		}
		out := proof.CheckSolution(t.Context(), in, result.Certificate, result.Solution)
		switch {
		case out.Optimal:
			proved++
		case result.Status != model.Optimal:
		case out.Verdict == proof.NotCertified && result.Certificate.Stated.Known(): // weights and times that differ by too many digits
			short++
		}
		if out.Verdict == proof.Refuted || result.Status == model.Optimal && !out.Optimal && out.Verdict != proof.NotCertified {
			t.Errorf("seed %d, %v: %s (%s %s), optimal %v %s", seed, objective, out.Verdict, out.Step, out.Reason, out.Optimal, out.Why)
		}
	}
	if proved < race.Fewer(260, 10) || lists < race.Fewer(100, 3) || short > 1 {
		t.Errorf("%d optima are certified, %d by list schedules, and %d are not certified: the test says little", proved, lists, short)
	}
}

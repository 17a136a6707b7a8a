package model_test

import (
	"math"
	"testing"

	"github.com/allot-opt/allot/model"
)

// The queueing view of the worked instance says what its penalty is made of.
func TestQueues(t *testing.T) {
	in := ggone(t, 0.3)
	view, err := model.Queues(in, assignment(in, "112", nil))
	if err != nil {
		t.Fatal(err)
	}
	for k, want := range []struct {
		jobs                     int
		rate, mu, kappa, waiting float64
	}{{2, 0.2, 0.5, 4, 4.0 / 3}, {1, 0.1, 0.25, 8, 4.0 / 3}} {
		m := view.Machines[k]
		if m.Jobs != want.jobs || !near(m.Rate, want.rate) || m.ServiceRate != want.mu || m.Kappa != want.kappa || !near(m.Wait, want.waiting) {
			t.Errorf("machine %d: %+v, expected %+v", k, m, want)
		}
	}
	sum := 0.0
	for k, want := range []float64{10.0 / 3, 13.0 / 3, 10.0 / 3} {
		r := view.Jobs[k]
		if !near(r.Response, want) || r.Job != k || !near(r.Cost, want*[]float64{0.2, 0.2, 0.1}[k]) {
			t.Errorf("job %d: %+v, expected a response of %v", k, r, want)
		}
		sum += r.Penalty
	}
	if !near(sum, 1.0/3) {
		t.Errorf("the penalties add up to %v, expected 1/3", sum)
	}
	idle, err := model.Queues(in, nil)
	if err != nil || len(idle.Machines) != 2 || len(idle.Jobs) != 0 || idle.Machines[0].Rate != 0 {
		t.Errorf("idle: %+v, %v", idle, err)
	}
	if _, err := model.Queues(in, &model.Solution{Jobs: []model.Placement{{Job: "none"}}}); err == nil {
		t.Error("no error for an unknown job")
	}
	plain, err := readInstance(document("", oneCluster, oneJob))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := model.Queues(plain, nil); err == nil {
		t.Error("no error without a queueing view")
	}
}

// A machine that is not stable makes the penalty infinite even where none of its tasks has a limit on its response.
func TestUnstableWithoutLimits(t *testing.T) {
	in, err := readInstance(document(`"objective": {"qos_penalty": 1}, "queueing": {"rate": 0.5, "period": 10, "charge": "service"},`,
		`{"id": "g", "machines": [{"id": "m", "queue": {"service_rate": 0.15, "arrival_variance": 1, "service_variance": 1}}, {"id": "n", "queue": {"service_rate": 0.9}}]}`,
		`{"id": "a", "work": 1}, {"id": "b", "work": 1}, {"id": "c", "work": 1, "budget": 1}`))
	if err != nil {
		t.Fatal(err)
	}
	if got := evaluated(t, in, assignment(in, "112", nil)).Objective; !math.IsInf(got, 1) {
		t.Errorf("two tasks in ten on a machine that serves 1.5: %v, expected +Inf", got)
	}
	if got := evaluated(t, in, assignment(in, "122", nil)).Objective; got != 0 {
		t.Errorf("stable: %v, expected 0", got)
	}
}

// A wait without end on a machine that costs nothing costs nothing, and keeps to any budget.
func TestUnstableForNothing(t *testing.T) {
	for charge, cost := range map[string]float64{"response": math.Inf(1), "service": 2} {
		in, err := readInstance(document(`"queueing": {"rate": 0.5, "period": 1, "k": 0, "charge": "`+charge+`"},`,
			`{"id": "g", "machines": [{"id": "m", "queue": {"service_rate": 1}}, {"id": "n", "cost": 2, "queue": {"service_rate": 1}}]}`,
			`{"id": "a", "work": 1, "budget": 0}, {"id": "b", "work": 1}, {"id": "c", "work": 1, "budget": 4}`))
		if err != nil {
			t.Fatal(err)
		}
		view, err := model.Queues(in, assignment(in, "112", []float64{1, 1}))
		if err != nil {
			t.Fatal(err)
		}
		for k, want := range []model.QueueResponse{{Job: 0}, {Job: 1}, {Job: 2, Machine: 1, Cost: cost, Penalty: max(0, cost-4) / 4}} {
			want.Service, want.Response = 1, math.Inf(1)
			if view.Jobs[k] != want {
				t.Errorf("%s: %+v, expected %+v", charge, view.Jobs[k], want)
			}
		}
	}
}

// Tasks of equal mean work with a CV of 2, arrivals at equal distances: all of the wait comes from the service times. λ = 1 on two machines
// of speed 1, work 0.5: μ = 2, σA² = 0, σS² = (2·0.5)² = 1, κ = 1/2, and with two of four tasks in T = 4 a machine has λ_r = 1/2 and
// W = κ·λ_r/(1 − λ_r/μ) = 1/3.
func TestWaitOfVariableWork(t *testing.T) {
	in, err := readInstance(document(`"objective": {"qos_penalty": 1}, "queueing": {"rate": 1, "period": 4, "cv": 0},`,
		`{"id": "g", "machines": [{"id": "m", "count": 2, "speed": 1}]}`,
		`{"id": "a", "work": 0.5, "work_cv": 2}, {"id": "b", "work": 0.5, "work_cv": 2}, {"id": "c", "work": 0.5, "work_cv": 2}, {"id": "d", "work": 0.5, "work_cv": 2}`))
	if err != nil {
		t.Fatal(err)
	}
	view, err := model.Queues(in, assignment(in, "1212", nil))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range view.Machines {
		if !near(m.Kappa, 0.5) || !near(m.Wait, 1.0/3) {
			t.Errorf("%s: κ = %v, W = %v; expected 1/2 and 1/3", m.Machine, m.Kappa, m.Wait)
		}
	}
}

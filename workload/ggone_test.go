package workload_test

import (
	"bytes"
	"math"
	"testing"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/workload"
)

// Tables 2 and 4: rates and variances of the machines follow from the tasks, limits from the workflows.
func TestGGOneWorkloadFollowsTheRecipe(t *testing.T) {
	in, err := with(workload.Default[workload.GGOne](), func(x *workload.GGOne) {
		x.Jobs, x.WorkCv, x.ArrivalCv, x.Load, x.CostExponent = 5000, 0.4, 0.5, 0.7, 0.5
	}).Generate(3)
	if err != nil {
		t.Fatal(err)
	}
	near := func(what string, got, want float64) {
		t.Helper()
		if math.Abs(got-want) > 1e-9*math.Abs(want) {
			t.Errorf("%s: %v, expected %v", what, got, want)
		}
	}
	mean := 0.0
	for k := range in.Jobs() {
		mean += in.Jobs()[k].Work / 5000
	}
	if math.Abs(mean-21250) > 500 {
		t.Errorf("mean work %v, expected about (7500 + 35000)/2", mean)
	}
	for k := 0; k < 5000; k += 5 { // a workflow: eqs. 19 and 20
		work, deadline, budget := 0.0, 0.0, 0.0
		for _, j := range in.Jobs()[k : k+5] {
			work, deadline, budget = work+j.Work, deadline+j.Deadline, budget+j.Budget
			if j.Work < 7500 || j.Work > 35000 || j.WorkCV != 0.4 {
				t.Fatalf("job %s: work %v with CV %v", j.ID, j.Work, j.WorkCV)
			}
		}
		first := in.Jobs()[k]
		near("deadline", first.Deadline, first.Work/work*deadline)
		if deadline < 40 || deadline > 60 || budget < 1 || budget > 5 {
			t.Fatalf("workflow of %s: deadline %v, budget %v", first.ID, deadline, budget)
		}
	}
	q := in.Queueing()
	near("rate", q.Rate, 0.7*6*(14000+10000+5000+3000)/mean)
	near("tasks", q.Rate*q.Period, 5000)
	for c, speed := range []float64{14000, 10000, 5000, 3000} {
		m := in.Clusters()[c].Machines[0]
		near("service rate", m.Queue.ServiceRate, speed/mean)
		near("arrival variance", *m.Queue.ArrivalVariance, math.Pow(0.5*mean/(0.7*speed), 2))
		near("cost", m.Cost, 0.07*math.Sqrt(speed/3000))
		if m.Count != 6 {
			t.Errorf("%d machines", m.Count)
		}
	}
	slack, err := with(workload.Default[workload.GGOne](), func(x *workload.GGOne) { x.Slack, x.Charge = 0.25, "service" }).Generate(3)
	if err != nil {
		t.Fatal(err)
	}
	near("load with slack", slack.Queueing().Rate*slack.Queueing().Period, 125)
}

func TestGGOneWorkloadIsDeterministic(t *testing.T) {
	var texts [2]bytes.Buffer
	for k := range texts {
		in, err := workload.Default[workload.GGOne]().Generate(7)
		if err != nil {
			t.Fatal(err)
		}
		if err := model.WriteInstance(&texts[k], in); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(texts[0].Bytes(), texts[1].Bytes()) {
		t.Error("the same seed gives two instances")
	}
}

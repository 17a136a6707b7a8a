package schedules

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/model"
)

// It is an error if a schedule comes out otherwise than it was decoded: the job is left out, or ends at another time.
func TestSchedulesThatComeOutOtherwise(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in, err := model.NewBuilder("one").Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m"}}}).
			Job(model.JobSpec{ID: "j", Work: new(10.0)}).Build()
		if err != nil {
			t.Fatal(err)
		}
		p := newProblem(context.Background(), in)
		end := rapid.SampledFrom([]float64{10, 10 + 1e-9, 10.001, math.NaN()}).Draw(t, "end")
		_, err = p.schedule([]int32{0}, []result{{end: end, choice: choice{0, 1}}})
		if wrong := !(math.Abs(end-10) <= 1e-8); wrong != (err != nil) || wrong && !strings.Contains(err.Error(), "job j ends at 10") {
			t.Fatalf("end %v: %v", end, err)
		}
	})
}

// After one chain has failed no chain continues, and the best chain returns the error.
func TestSchedulesReturnTheErrorOfAChain(t *testing.T) {
	in := Large(t, 20)
	start := QueueStart(t, in)
	e, err := New(context.Background(), in, start, 1)
	if err != nil {
		t.Fatal(err)
	}
	want := fmt.Errorf("no such schedule")
	e.(*Engine).runs[2].decoder.fail(want)
	never := func() bool { return false }
	for k := range e.Chains() {
		e.Advance(k, e.Round(), never)
	}
	e.Exchange()
	for k := range e.Chains() {
		if made := e.Advance(k, e.Round(), never); made != 0 {
			t.Errorf("chain %d makes %d evaluations after the failure", k, made)
		}
	}
	leader := 0
	for k := range e.Chains() {
		if e.Best(k).Less(e.Best(leader)) {
			leader = k
		}
	}
	if _, err := e.Solution(leader); !errors.Is(err, want) {
		t.Errorf("chain %d, the best, returns %v", leader, err)
	}
}

// The pace falls as a schedule takes longer: with licences, and with more jobs.
func TestSchedulePaceFollowsTheWork(t *testing.T) {
	pace := func(jobs, licences int) int64 {
		b := model.NewBuilder("licences")
		b.Spec().Licences = map[string]int{"a": 8}
		b.Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Count: 64}}})
		for j := range jobs {
			job := model.JobSpec{ID: fmt.Sprint(j), Work: new(float64(1 + j*37%100)), Processors: model.Rigid(1 + j%16)}
			if licences > 0 {
				job.Licences = map[string]int{"a": 1}
			}
			b.Job(job)
		}
		in, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		e, err := New(context.Background(), in, QueueStart(t, in), 1)
		if err != nil {
			t.Fatal(err)
		}
		return e.Pace()
	}
	plain, licensed, many := pace(1000, 0), pace(1000, 1), pace(10_000, 1)
	t.Logf("%d without licences, %d with, %d of ten times the jobs", plain, licensed, many)
	if licensed > plain*3/4 || many > licensed/7 || many < 1 {
		t.Errorf("%d without licences, %d with, %d of ten times the jobs", plain, licensed, many)
	}
}

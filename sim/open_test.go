package sim_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/sim"
)

// opened is a policy that starts every job at once and notes when it is opened and closed.
type opened struct {
	seen   []string
	refuse error // of Open
	decide func(*sim.Engine)
	queue  []*sim.Job
	opt    sim.Options
}

func (p *opened) Open(_ context.Context, opt sim.Options) error {
	p.seen, p.opt = append(p.seen, "open"), opt
	return p.refuse
}

func (p *opened) Close(err error) error {
	p.seen = append(p.seen, "close")
	if err != nil {
		return errors.Join(errClosed, err)
	}
	return nil
}

func (p *opened) Arrive(j *sim.Job)           { p.queue = append(p.queue, j) }
func (p *opened) Release(*sim.Job, int, bool) {}
func (p *opened) Decide(e *sim.Engine) {
	p.seen = append(p.seen, "decide")
	if p.decide != nil {
		p.decide(e)
	}
	for _, j := range p.queue {
		if j.Request == nil {
			e.Start(j)
		} else {
			e.StartOn(j, sim.Claim{Shares: []sim.Share{{Machine: 0, Processors: 1}}})
		}
	}
	p.queue = nil
}

var errClosed, errOwn = errors.New("closed"), errors.New("own")

// A policy that is an Opener is opened before each run and closed after it, in both worlds, and its error is that of the run; a policy may fail.
func TestOpener(t *testing.T) {
	in, err := model.NewBuilder("").Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Count: 2}}}).Job(model.JobSpec{ID: "a", Work: new(1.0)}).Build()
	if err != nil {
		t.Fatal(err)
	}
	whole := []string{"open", "decide", "decide", "close"}
	for _, requests := range []bool{false, true} {
		for _, c := range []struct {
			name   string
			policy opened
			seen   []string
			want   []error
		}{
			{"a run", opened{}, whole, nil},
			{"not opened", opened{refuse: errOwn}, whole[:1], []error{errOwn}},
			{"a policy that fails", opened{decide: func(e *sim.Engine) { e.Fail(errOwn); e.Fail(sim.ErrPolicy) }}, []string{"open", "decide", "close"}, []error{errClosed, errOwn}},
		} {
			p := c.policy
			make := func() sim.Policy { return &p }
			_, _, err := sim.Simulate(t.Context(), in, sim.Discipline{
				General: func(*sim.Platform, uint64) sim.Policy { return make() }, Requests: requests,
			}, sim.Options{Seed: 7})
			if (err == nil) != (c.want == nil) || !slices.Equal(p.seen, c.seen) || p.opt.Seed != 7 {
				t.Errorf("%s, requests %t: %v, %v", c.name, requests, p.seen, err)
			}
			for _, want := range c.want {
				if !errors.Is(err, want) {
					t.Errorf("%s: %v is not %v", c.name, err, want)
				}
			}
			if errors.Is(err, sim.ErrPolicy) {
				t.Errorf("%s: %v: the first error of a policy counts", c.name, err)
			}
		}
	}
	p := &opened{decide: func(*sim.Engine) { panic("bug") }}
	func() {
		defer func() { _ = recover() }()
		_, _, _ = sim.Simulate(t.Context(), in, sim.Discipline{General: func(*sim.Platform, uint64) sim.Policy { return p }}, sim.Options{})
	}()
	if !slices.Equal(p.seen, []string{"open", "decide", "close"}) {
		t.Errorf("a run that panics: %v", p.seen)
	}
}

// To a discipline that looks at requests each job of a trace shows its own.
func TestDisciplineRequests(t *testing.T) {
	in, err := model.NewBuilder("").Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m"}}}).
		Job(model.JobSpec{ID: "a", Work: new(3.0), Estimate: new(8.0), ReferenceSpeed: 2, User: "u"}, model.JobSpec{ID: "b", Work: new(3.0), ReferenceSpeed: 2},
			model.JobSpec{ID: "r", Runtime: map[string]float64{"c": 3}}).Build()
	if err != nil {
		t.Fatal(err)
	}
	for k, want := range []*float64{new(8.0), new(1.5), nil} {
		spec := in.RequestSpec(k)
		if spec.Work != nil || spec.Runtime != nil || (spec.Estimate == nil) != (want == nil) || want != nil && *spec.Estimate != *want {
			t.Errorf("job %d: %+v", k, spec)
		}
	}
	var asked []string
	p := &opened{decide: func(e *sim.Engine) { asked = append(asked, fmt.Sprint(e.Now())) }}
	seen := &requests{}
	jobs := []sim.Spec{{Arrival: 1, Processors: 2, Runtime: 3, Estimate: 4}, {Arrival: 2, Processors: 2, Runtime: 5, Estimate: math.NaN()}}
	_, err = sim.Run(t.Context(), &sim.Trace{Jobs: jobs}, 2, sim.Discipline{General: func(*sim.Platform, uint64) sim.Policy { return p }, Requests: true}, sim.Options{Observer: seen})
	if want := []string{"1: 2 processors, estimate 4", "2: 2 processors, estimate 5"}; !slices.Equal(seen.list, want) || len(asked) == 0 {
		t.Errorf("%v at %v, expected %v: %v", seen.list, asked, want, err)
	}
}

// requests lists what the jobs that arrive ask for.
type requests struct{ list []string }

func (r *requests) Arrived(_ float64, j *sim.Job) {
	spec := j.Request.Spec()
	r.list = append(r.list, fmt.Sprintf("%s: %d processors, estimate %v", spec.ID, spec.Processors.Max, *spec.Estimate))
}
func (*requests) Started(float64, *sim.Job, []sim.Part)       {}
func (*requests) Left(float64, *sim.Job, sim.Outcome, string) {}
func (*requests) Decided(float64)                             {}

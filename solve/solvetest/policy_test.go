package solvetest

import (
	"cmp"
	"slices"
	"testing"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/sim"
	"github.com/allot-opt/allot/solve"
)

// strict is first come, first served on one cluster, with faults.
type strict struct {
	fault string
	works map[string]float64 // of the jobs of the instance
	runs  int
}

func (p *strict) Supports(in *model.Instance) error {
	if len(in.Clusters()) > 1 {
		return solve.ErrUnsupported
	}
	if p.fault == "knows the run times" {
		p.works = map[string]float64{}
		for _, j := range in.Jobs() {
			p.works[j.ID] = j.TotalWork()
		}
	}
	return solve.Unsupported(in, model.Arrivals|model.ParallelJobs)
}

func (p *strict) Kills() bool { return false }

func (p *strict) Discipline() sim.Discipline {
	p.runs++
	return sim.Discipline{
		Requests: p.works != nil,
		General:  func(platform *sim.Platform, _ uint64) sim.Policy { return &strictRun{strict: p, platform: platform} },
	}
}

// strictRun is one run of strict.
type strictRun struct {
	*strict
	platform *sim.Platform
	queue    []*sim.Job
	asked    bool
}

func (r *strictRun) Arrive(j *sim.Job)           { r.queue = append(r.queue, j) }
func (r *strictRun) Release(*sim.Job, int, bool) {}

func (r *strictRun) Explain(*sim.Job) []sim.Reason {
	r.asked = r.fault == "changes what it does when asked"
	return nil
}

func (r *strictRun) Decide(e *sim.Engine) {
	switch {
	case r.fault == "starts nothing after 30" && e.Now() > 30:
		return
	case r.works != nil:
		slices.SortStableFunc(r.queue, func(a, b *sim.Job) int { return cmp.Compare(r.works[a.Request.ID], r.works[b.Request.ID]) })
	case r.fault == "differs in a stream" && r.platform.ClusterID(0) == "cluster", r.fault == "changes what it does when run anew" && r.runs > 1, r.asked:
		slices.SortStableFunc(r.queue, func(a, b *sim.Job) int { return -cmp.Compare(a.Number, b.Number) })
	}
	for len(r.queue) > 0 {
		j := r.queue[0]
		if _, fits := r.platform.Fits(&r.platform.Free, j, 0, nil); !fits {
			return
		}
		e.Start(j)
		r.queue = r.queue[1:]
	}
}

func TestConformPolicyFindsWhatIsWrong(t *testing.T) {
	for fault, want := range map[string][]string{
		"":                                   nil,
		"knows the run times":                {"it knows the future"},
		"starts nothing after 30":            {"jobs never started"},
		"differs in a stream":                {"of the same jobs in a stream"},
		"changes what it does when asked":    {"an observer of the platform changes the starts"},
		"changes what it does when run anew": {"a run before changes the starts"},
	} {
		info := solve.Info{Name: "strict", Doc: "First come, first served.", Source: "a test"}.OfPolicy(func() solve.Policy { return &strict{fault: fault} })
		r := &recorder{}
		conformPolicy(r, info.Choice())
		expect(t, r.texts, want)
	}
	r := &recorder{}
	conformPolicy(r, about(&listing{}).Choice())
	expect(t, r.texts, []string{"is no on-line policy"})
}

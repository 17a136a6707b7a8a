package sim

import (
	"context"
	"fmt"
	"math"

	"github.com/allot-opt/allot/model"
)

// Replay replays a trace on a system with the given number of equal processors. It keeps no schedule; an observer can watch it. It ends when all jobs have left, when
// the source fails, or when ctx ends. In the last two cases it returns the error of the source or of ctx, with the totals of the jobs so far.
//
// Complexity beside that of the policy: O(log r) a job, for r jobs that run at once. Memory: O(jobs in the system at once + different sizes of jobs).
func Replay(ctx context.Context, source Source, processors int, policies Discipline, opt Options) (Totals, error) {
	if policies.General == nil {
		return Totals{}, errNoGeneral
	}
	if policies.Defer != nil && opt.Defer == nil {
		return Totals{}, ErrDefers
	}
	system, err := uniform(processors, 0)
	if err != nil {
		return Totals{}, err
	}
	if policies.byNode(system) {
		return Totals{}, ErrNodes
	}
	w := &world{in: system, platform: newPlatform(system, 0, &policies, opt.Seed), specs: source, requests: map[int32]*Request{}}
	return w.run(ctx, policies.General, opt)
}

// uniform is a system of equal processors, with a job of the given number of them; 0: without one.
func uniform(processors int, width int32) (*model.Instance, error) {
	b := model.NewBuilder("trace").Cluster(model.ClusterSpec{ID: "system", Machines: []model.MachineSpec{{ID: "machine", Count: processors}}})
	if width > 0 {
		b.Job(model.JobSpec{ID: fmt.Sprintf("job of %d processors", width), Processors: model.Rigid(int(width)), Work: new(0.0), Estimate: new(0.0)})
	}
	return b.Build()
}

// request is what the jobs of a trace on the given number of processors ask for: all that they ask for but their time. They share it.
func (w *world) request(width int32) (*Request, error) {
	if r := w.requests[width]; r != nil {
		return r, nil
	}
	if width < 1 || int(width) > w.in.Processors() {
		return nil, fmt.Errorf("sim: expected jobs of 1 to %d processors, found one of %d", w.in.Processors(), width)
	}
	in, err := uniform(w.in.Processors(), width)
	if err != nil {
		return nil, err
	}
	jobs := world{in: in}
	r := jobs.spec(0).Request
	w.requests[width] = r
	return r, nil
}

// nextSpec is [world.Next] of a trace.
func (w *world) nextSpec(s *Spec) (bool, error) {
	more, err := w.specs.Next(s)
	if err != nil || !more {
		return false, err
	}
	if math.IsNaN(s.Estimate) {
		s.Estimate = s.Runtime
	}
	s.expected = s.Estimate
	s.Request, err = w.request(s.Processors)
	return err == nil, err
}

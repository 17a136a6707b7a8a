package sim

import (
	"context"
	"fmt"
	"math"
	"strconv"

	"github.com/allot-opt/allot/model"
)

// Run replays a trace on a system with the given number of equal processors. It keeps no schedule; an observer can watch it. It ends when all jobs have left, when
// the source fails, or when ctx ends. In the last two cases it returns the error of the source or of ctx, with the totals of the jobs so far.
//
// Complexity beside that of the policy: O(log r) a job, for r jobs that run at once. Memory: O(jobs in the system at once + different sizes of jobs).
func Run(ctx context.Context, source Source, processors int, policies Discipline, opt Options) (Totals, error) {
	if policies.General == nil {
		return Totals{}, errNoGeneral
	}
	if policies.Defer != nil && opt.Defer == nil {
		return Totals{}, ErrDefers
	}
	if err := policies.InTraces(); err != nil {
		return Totals{}, err
	}
	system, err := Uniform(processors, nil)
	if err != nil {
		return Totals{}, err
	}
	w := &world{in: system, platform: newPlatform(system, 0, &policies, opt.Seed), specs: source}
	if !policies.Requests {
		w.requests = map[int32]*Request{}
	}
	return w.run(ctx, policies.General, opt)
}

// Uniform is a system of equal processors, with a job; nil: without one.
func Uniform(processors int, job *model.JobSpec) (*model.Instance, error) {
	b := model.NewBuilder("trace").Cluster(model.ClusterSpec{ID: "cluster", Machines: []model.MachineSpec{{ID: "node", Count: processors}}})
	if job != nil {
		b.Job(*job)
	}
	return b.Build()
}

// request is what a job of a trace asks for. Where nobody looks at it, all jobs on as many processors share it: it does not state their times.
func (w *world) request(s *Spec) (*Request, error) {
	if r := w.requests[s.Processors]; r != nil {
		return r, nil
	}
	if s.Processors < 1 || int(s.Processors) > w.in.Processors() {
		return nil, fmt.Errorf("sim: expected jobs of 1 to %d processors, found one of %d", w.in.Processors(), s.Processors)
	}
	job := &model.JobSpec{ID: strconv.FormatInt(w.entered+1, 10), Processors: model.Rigid(int(s.Processors)), Work: new(s.Runtime), Estimate: new(s.Estimate)}
	if w.requests != nil {
		job.ID, job.Work, job.Estimate = fmt.Sprintf("of %d processors", s.Processors), new(0.0), new(0.0)
	}
	in, err := Uniform(w.in.Processors(), job)
	if err != nil {
		return nil, err
	}
	jobs := world{in: in}
	r := jobs.spec(0).Request
	if w.requests != nil {
		w.requests[s.Processors] = r
	}
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
	if err := checkTimes(s); err != nil {
		return false, err
	}
	s.expected = s.Estimate
	s.Request, err = w.request(s)
	w.entered++
	return err == nil, err
}

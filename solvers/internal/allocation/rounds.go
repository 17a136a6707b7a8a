package allocation

import (
	"context"
	"errors"
	"math"
	"slices"
	"time"

	"github.com/allot-opt/allot/internal/kit"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/queueing/ggone"
	"github.com/allot-opt/allot/solve"
)

// Allocator solves a problem within a number of evaluations. The machine of each task is nil where it finds none; of the rest of the result the
// evaluations count, and whether they ran out. The error is that of [ggone.Solve].
type Allocator func(ctx context.Context, p *Problem, evaluations int64) (ggone.Result, error)

// loads are what the machines of a view carry.
type loads struct {
	committed []float64 // rates that are given
	recent    []int     // tasks that earlier rounds gave them
	period    float64
}

// rate is the rate of a machine with a number of tasks more.
func (l *loads) rate(k, more int) float64 { return float64(l.recent[k]+more)/l.period + l.committed[k] }

// round allocates the jobs of a round beside what the machines carry, without an idle rate, and writes the machine of each. Where the program gives a
// job no machine on which it can be, the job, in queue order, goes to that of those on which it can be on which the bound W on the mean wait is then
// least; where no machine is stable, to that with the least λ_r/μ_r. The program gets most of the time of ctx. The result says how it was solved, and why
// it ended.
func (f *farm) round(ctx context.Context, allocate Allocator, jobs []int, l *loads, evaluations int64, machine []int) (found ggone.Result, stop model.Stop, err error) {
	rates := make([]float64, len(f.at))
	for k := range rates {
		rates[k] = l.rate(k, 0)
	}
	p := f.problem(jobs, rates, l.period)
	p.Rate = 0
	timed, cancel := most(ctx)
	defer cancel()
	found, err = allocate(timed, p, evaluations)
	if infeasible := (*ggone.InfeasibleError)(nil); err != nil && !errors.As(err, &infeasible) {
		return found, "", err
	}
	for y, r := range found.Machine {
		if k := p.machines[r]; f.canBe(jobs[y], k) {
			machine[jobs[y]] = k
			l.recent[k]++
		}
	}
	switch stop = model.StopDone; {
	case timed.Err() != nil && !found.Proved:
		stop = model.StopReason(timed)
	case found.Limited && !found.Proved:
		stop = model.StopEvaluations
	}
	left := make(map[int]bool, len(jobs))
	for _, j := range jobs {
		left[j] = machine[j] < 0
	}
	for _, j := range f.order {
		if left[j] && ctx.Err() == nil {
			k := f.leastWait(j, l)
			machine[j] = k
			l.recent[k]++
		}
	}
	return found, stop, nil
}

// most is the context with most of its time: the rest is for the schedule.
func most(ctx context.Context) (context.Context, context.CancelFunc) {
	end, timed := ctx.Deadline()
	if !timed {
		return ctx, func() {}
	}
	const part = 0.7
	limited, cancel := context.WithTimeout(ctx, time.Duration(part*float64(time.Until(end))))
	return kit.YieldAgain(limited), cancel
}

// canBe says whether the job can be on the machine.
func (f *farm) canBe(job, k int) bool {
	return !math.IsInf(f.takes[[2]int{f.at[k].cluster, f.at[k].group}].service[job], 1)
}

// leastWait is the machine with the least bound on the mean wait once it has the job too.
func (f *farm) leastWait(job int, l *loads) int {
	best, wait, use := -1, 0.0, 0.0
	for k := range f.at {
		if !f.canBe(job, k) {
			continue
		}
		m, rate := &f.view.Machines[k], l.rate(k, 1)
		w, u := model.Wait(m.Kappa, rate, m.ServiceRate), rate/m.ServiceRate
		if best < 0 || w < wait || w == wait && u < use {
			best, wait, use = k, w, u
		}
	}
	return best
}

// InRounds solves an instance that the model does not state exactly: the jobs are allocated in rounds of those that wait for jobs of
// earlier rounds alone.
func (s Settings) InRounds(ctx context.Context, in *model.Instance, opt solve.Options, allocate Allocator) (solve.Result, error) {
	f, err := s.newFarm(ctx, in, false)
	if err != nil {
		return solve.Result{}, err
	}
	if f == nil {
		return solve.Stopped(ctx), nil
	}
	l := &loads{recent: make([]int, len(f.at)), period: f.viewed.Queueing().Period}
	if l.committed, err = committedRates(f.viewed, f.view, s.Committed); err != nil {
		return solve.Result{}, err
	}
	rounds, machine := f.depths(), slices.Repeat([]int{-1}, len(in.Jobs()))
	stopped, spent := model.StopDone, int64(0)
	for k, jobs := range rounds {
		by, evaluations, cut := allocate, s.Effort, false
		if opt.MaxEvals > 0 {
			part := within((opt.MaxEvals - spent) / int64(len(rounds)-k))
			if cut = evaluations == 0 || part < evaluations; cut {
				evaluations = part
			}
			if part == 0 {
				by = greedy
			}
		}
		found, stop, err := f.round(ctx, by, jobs, l, evaluations, machine)
		switch {
		case err != nil:
			return solve.Result{}, err
		case ctx.Err() != nil:
			return solve.Stopped(ctx), nil
		case stop == model.StopTime || cut && stop == model.StopEvaluations: // the effort is part of the method
			stopped = stop
		}
		spent += found.Evaluations
	}
	return f.scheduled(ctx, machine, spent, stopped)
}

// within lowers a limit of evaluations so that a search keeps to it: a step of the search may make some more evaluations before it looks at its limit.
func within(evaluations int64) int64 { return max(0, evaluations-evaluations/50-10) }

// greedy is the allocator where no evaluations are left.
func greedy(_ context.Context, p *Problem, _ int64) (ggone.Result, error) {
	return ggone.Greedy(&p.Problem)
}

// depths lists the jobs that can be on some machine by the number of jobs on the longest chain of those that they wait for.
func (f *farm) depths() [][]int {
	depth := make([]int, len(f.order))
	var rounds [][]int
	for _, j := range f.order {
		for _, before := range f.in.Jobs()[j].After {
			depth[j] = max(depth[j], depth[before]+1)
		}
	}
	for j, d := range depth {
		for len(rounds) <= d {
			rounds = append(rounds, nil)
		}
		if !math.IsInf(f.least[j], 1) {
			rounds[d] = append(rounds[d], j)
		}
	}
	return slices.DeleteFunc(rounds, func(jobs []int) bool { return len(jobs) == 0 })
}

// OnLine allocates the ready tasks of a round, with a sliding window of the given number of periods in the place of the period: the load of machine r
// is λ_r = (b_r + n_r)/T, where b_r is the tasks that it was given in the last T and n_r those that it is given now. There is no idle rate. Where that
// is infeasible each task, in queue order, goes to the machine on which the bound W on the mean wait is then least; where no machine is stable, to that
// with the least λ_r/μ_r. Where the model states the round exactly, the first allocator solves it, else the second.
func (s Settings) OnLine(ctx context.Context, round solve.Round, opt solve.Options, window float64, allocate, briefly Allocator) (solve.Result, error) {
	in := round.Batch
	f, err := s.newFarm(ctx, in, StatesJobsNot(in) == nil)
	if err != nil {
		return solve.Result{}, err
	}
	if f == nil {
		return solve.Stopped(ctx), nil
	}
	l := &loads{committed: make([]float64, len(f.at)), period: window * round.Period}
	l.recent = f.recentTasks(round, l.period)
	jobs, machine := make([]int, 0, len(in.Jobs())), slices.Repeat([]int{-1}, len(in.Jobs()))
	for j := range machine {
		if !math.IsInf(f.least[j], 1) {
			jobs = append(jobs, j)
		}
	}
	if !f.stated {
		allocate = briefly
	}
	evaluations := opt.MaxEvals
	if s.Effort > 0 && (evaluations == 0 || evaluations > s.Effort) {
		evaluations = s.Effort
	}
	found, stop := ggone.Result{}, model.StopDone
	if len(jobs) > 0 {
		if found, stop, err = f.round(ctx, allocate, jobs, l, evaluations, machine); err != nil {
			return solve.Result{}, err
		}
	}
	if ctx.Err() != nil {
		return solve.Stopped(ctx), nil
	}
	return f.scheduled(ctx, machine, found.Evaluations, stop)
}

// scheduled is the result with the schedule of jobs on their machines, of a run that took the evaluations and ended for the reason.
func (f *farm) scheduled(ctx context.Context, machine []int, evaluations int64, stop model.Stop) (solve.Result, error) {
	result, err := f.schedule(ctx, machine)
	if result.Evaluations = evaluations; result.Stop == model.StopDone {
		result.Stop = stop
	}
	return result, err
}

// recentTasks counts, by machine, the tasks given in the window.
func (f *farm) recentTasks(round solve.Round, window float64) []int {
	recent := make([]int, len(f.at))
	for _, given := range slices.Backward(round.Given) {
		if given.At <= round.Now-window {
			break
		}
		if k := f.on(given.Cluster, given.Processor); k >= 0 {
			recent[k]++
		}
	}
	return recent
}

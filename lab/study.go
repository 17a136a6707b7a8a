package lab

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/allot-opt/allot/bench/statistics"
	"github.com/allot-opt/allot/model"
)

// study is an instance with the jobs that count and their classes.
type study struct {
	ctx        context.Context // ends when nobody waits for the figures
	in         *model.Instance
	opt        Options
	from, to   float64
	days       int
	counted    []int32 // jobs of the window
	classes    []class
	user       []int32 // by job: number of its user
	userNumber map[string]int
	blocks     *statistics.MovingBlocks
}

// schedule is a solution by job.
type schedule struct {
	start, end  []float64 // NaN: not placed
	processors  []int32
	utilisation *float64 // nil: the window has no length
	devices     *float64 // see [Policy]
	stranded    *float64
	runs        []run     // what takes power, where the instance has power
	taken       *measured // nil: the instance has no power
}

// placed says whether a job has a place.
func (s *schedule) placed(job int32) bool { return !math.IsNaN(s.start[job]) }

// wait is how long a job waits.
func (s *schedule) wait(in *model.Instance, job int32) float64 {
	return s.start[job] - in.Jobs()[job].Arrival
}

// boundedBelow is the least run time that a slowdown is measured against.
const boundedBelow = 10

// slowdown is the bounded slowdown of a job.
func (s *schedule) slowdown(in *model.Instance, job int32) float64 {
	return max(1, (s.end[job]-in.Jobs()[job].Arrival)/max(s.end[job]-s.start[job], boundedBelow))
}

// newStudy finds the window, and the classes of the jobs that arrive in it. The run time of a job, which decides whether it is short, is the least on any
// cluster, so that it does not depend on the schedule.
func newStudy(ctx context.Context, in *model.Instance, opt Options) *study {
	s := &study{ctx: ctx, in: in, opt: opt, userNumber: map[string]int{}, user: make([]int32, len(in.Jobs()))}
	s.from, s.to = window(in, opt)
	all := class{kind: kindAll, name: "all jobs"}
	shapes := make([]class, 4)
	for k, name := range []string{"narrow, short", "narrow, long", "wide, short", "wide, long"} {
		shapes[k] = class{kind: kindShape, name: name}
	}
	users, accounts, queues := map[string]*class{}, map[string]*class{}, map[string]*class{}
	for k := range in.Jobs() {
		j := &in.Jobs()[k]
		number, known := s.userNumber[j.User()]
		if !known {
			number = len(s.userNumber)
			s.userNumber[j.User()] = number
		}
		s.user[k] = int32(number)
		if j.Arrival < s.from || j.Arrival > s.to {
			continue
		}
		job := int32(k)
		all.jobs = append(all.jobs, job)
		width, length := s.shape(k)
		shape := 0
		if width > opt.Narrow {
			shape += 2
		}
		if length > opt.Short {
			shape++
		}
		shapes[shape].jobs = append(shapes[shape].jobs, job)
		enlist(users, kindUser, j.User(), job)
		enlist(accounts, kindAccount, j.Group(), job)
		enlist(queues, kindQueue, j.Queue(), job)
	}
	s.counted = all.jobs
	s.days = int(math.Floor((s.to-s.from)/opt.Day)) + 1
	s.classes = append(s.classes, all)
	for _, c := range shapes {
		if len(c.jobs) > 0 {
			s.classes = append(s.classes, c)
		}
	}
	s.classes = append(s.classes, largest(queues)...)
	if s.groups(accounts, users) {
		s.classes = append(s.classes, largest(accounts)...)
	}
	s.classes = append(append(s.classes, largest(users)...), s.periods()...)
	return s
}

// groups says that accounts put users together. They say nothing of their own where they part the jobs as users do, or where there are more of them than users, as in traces that
// number the pairs of both.
func (s *study) groups(accounts, users map[string]*class) bool {
	if len(users) > 0 && len(accounts) > len(users) {
		return false
	}
	for _, account := range accounts {
		user := users[s.in.Jobs()[account.jobs[0]].User()]
		if user == nil || !slices.Equal(account.jobs, user.jobs) {
			return true
		}
	}
	return len(accounts) != len(users)
}

// window is the time in which the jobs that count arrive.
func window(in *model.Instance, opt Options) (from, to float64) {
	first, last := span(in)
	cut := opt.WarmUp * (last - first)
	return first + cut, last - cut
}

// enlist adds a job to the class of its user, account or queue, if it states one.
func enlist(classes map[string]*class, kind, name string, job int32) {
	if name == "" {
		return
	}
	c := classes[name]
	if c == nil {
		c = &class{kind: kind, name: name}
		classes[name] = c
	}
	c.jobs = append(c.jobs, job)
}

// largest lists classes, those of most jobs first.
func largest(classes map[string]*class) []class {
	var list []class
	for _, c := range classes {
		list = append(list, *c)
	}
	slices.SortFunc(list, func(a, b class) int {
		return cmp.Or(cmp.Compare(len(b.jobs), len(a.jobs)), cmp.Compare(a.name, b.name))
	})
	return list
}

// shape returns the processors and the run time of a job on the cluster where it takes the least time.
func (s *study) shape(job int) (width int, length float64) {
	length = math.Inf(1)
	for c := range s.in.Clusters() {
		if !s.in.CanRun(job, c) {
			continue
		}
		least, _ := s.in.Width(job, c)
		if takes := s.in.DurationOn(job, c, least); takes < length {
			width, length = least, takes
		}
	}
	return width, length
}

// schedule reads a solution, which may be of other machines.
func (s *study) schedule(sol *model.Solution, elsewhere bool) (*schedule, error) {
	r := unplaced(s.in)
	held, powered := 0.0, HasPower(s.in) && !elsewhere
	for k := range sol.Jobs {
		p := &sol.Jobs[k]
		job, ok := s.in.JobIndex(p.Job)
		if !ok {
			return nil, fmt.Errorf("jobs[%d]: expected a job of the instance, found %q", k, p.Job)
		}
		r.start[job], r.end[job] = p.Start, p.End
		p.Parts(s.in.Jobs()[job].Tasks, func(part model.Piece) {
			width := part.Processors.Len()
			r.processors[job] += int32(width)
			held += float64(width) * max(0, min(part.End, s.to)-max(part.Start, s.from))
			if cluster, found := s.in.ClusterIndex(part.Cluster); powered && found {
				r.runs = append(r.runs, run{int32(job), int32(cluster), s.in.RunningPower(job, cluster, part.Processors), part.Start, part.End})
			}
		})
	}
	r.utilisation = s.utilisation(held)
	if elsewhere {
		return r, nil
	}
	return r, r.onDevices(s.in, sol)
}

// onDevices measures how devices are used, where machines have some.
func (s *schedule) onDevices(in *model.Instance, sol *model.Solution) error {
	if !slices.ContainsFunc(in.Resources(), func(r model.Resource) bool { return r.Devices }) {
		return nil
	}
	found, err := model.Evaluate(in, sol)
	if err != nil {
		return err
	}
	if held, measured := found.Metrics["device_utilisation"]; measured {
		s.devices, s.stranded = new(held.Total/100), new(found.Metrics["stranded"].Total)
	}
	return nil
}

// unplaced is a schedule that places no job.
func unplaced(in *model.Instance) *schedule {
	n := len(in.Jobs())
	return &schedule{start: slices.Repeat([]float64{math.NaN()}, n), end: slices.Repeat([]float64{math.NaN()}, n), processors: make([]int32, n)}
}

// utilisation is the processor time held in the window over all processor time in it; nil: the window has no length.
func (s *study) utilisation(held float64) *float64 {
	if !(s.to > s.from) {
		return nil
	}
	return new(held / (float64(s.in.Processors()) * (s.to - s.from)))
}

// figures are the figures of a class under a policy.
func (s *study) figures(c *class, run, first *schedule) (*Class, error) {
	figures := &Class{Kind: c.kind, Name: c.name}
	waits, slowdowns := make([]float64, 0, len(c.jobs)), make([]float64, 0, len(c.jobs))
	response, takes := 0.0, 0.0
	for _, j := range c.jobs {
		if run.placed(j) {
			waits, slowdowns = append(waits, run.wait(s.in, j)), append(slowdowns, run.slowdown(s.in, j))
			response, takes = response+run.end[j]-s.in.Jobs()[j].Arrival, takes+run.end[j]-run.start[j]
		}
	}
	if figures.Jobs = len(waits); figures.Jobs == 0 {
		return figures, nil
	}
	n := float64(figures.Jobs)
	figures.Wait = new(Spread)
	figures.Slowdown = statistics.Sum(slowdowns) / n
	figures.Wait.Mean = statistics.Sum(waits) / n
	if takes > 0 {
		figures.Stretch = response / takes
	}
	slices.Sort(waits)
	for p, to := range map[float64]*float64{0.5: &figures.Wait.Median, 0.95: &figures.Wait.P95, 1: &figures.Wait.Max} {
		at, err := statistics.Quantile(waits, p)
		if err != nil {
			return nil, err
		}
		*to = at
	}
	if first == nil {
		return figures, nil
	}
	var err error
	if figures.WaitDifference, err = s.difference(c, run, first, (*schedule).wait, sameTime); err != nil {
		return nil, err
	}
	figures.SlowdownDifference, err = s.difference(c, run, first, (*schedule).slowdown, sameTime)
	return figures, err
}

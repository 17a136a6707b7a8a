package forecast

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/sim"
)

// moment is what is known at the time T, and from where its futures are simulated.
type moment struct {
	*truth
	opt   *Options
	at    float64      // T
	by    sharing      // which jobs share a draw
	draws map[int]draw // by index of the job: of those that have arrived and not ended
	asked map[int]int  // by index of the job: its place in the list of those whose starts are asked for

	jobs    []int           // the jobs with which a run begins, in queue order
	entries []sim.Entry     // these, as a run takes them
	past    *past           // where the arrivals after T come from; nil: none
	general *model.Instance // where a run cannot begin in the middle: all jobs that have arrived; else nil
}

// momentAt is what is known at a time by the replay and a history.
func (t *truth) momentAt(at float64, asked []int, history *History, opt *Options) *moment {
	m := &moment{truth: t, opt: opt, at: at, draws: map[int]draw{}, asked: make(map[int]int, len(asked))}
	for k, job := range asked {
		m.asked[job] = k
	}
	known := history.knownAt(at, opt)
	if t.whole || t.apart < at {
		m.general = t.arrived(at)
		for k := range m.general.Jobs() {
			at, _ := t.in.JobIndex(m.general.Jobs()[k].ID)
			m.know(at, known)
		}
		return m
	}
	m.begin(known)
	if opt.Arrivals {
		m.past = newPast(m, known)
	}
	return m
}

// arrived returns the instance with the jobs that have arrived by the time at. It leaves out jobs that wait for a job that has not arrived, because
// nobody knows when that job comes.
func (t *truth) arrived(at float64) *model.Instance {
	jobs := t.in.Jobs()
	in, judged := make([]bool, len(jobs)), make([]bool, len(jobs))
	var judge func(k int) bool
	judge = func(k int) bool {
		if !judged[k] {
			judged[k], in[k] = true, jobs[k].Arrival <= at
			for _, before := range jobs[k].After {
				in[k] = in[k] && judge(before)
			}
		}
		return in[k]
	}
	for k := range jobs {
		judge(k)
	}
	var list []int
	var arrivals []float64
	for k := range jobs {
		if in[k] {
			list, arrivals = append(list, k), append(arrivals, jobs[k].Arrival)
		}
	}
	return t.in.Batch(list, arrivals, t.in.Held())
}

// hasEnded says whether a job has ended by T.
func (m *moment) hasEnded(k int) bool { return m.end[k] <= m.at }

// elapsed is how long a job had run before the instance begins.
func (m *moment) elapsed(k int) float64 {
	j := &m.in.Jobs()[k]
	if elapsed, stated := m.opt.Elapsed[j.ID]; stated {
		return elapsed
	}
	if run := j.Node().Running; run != nil {
		return run.Elapsed
	}
	return 0
}

// know finds how to draw the run time of a job that has arrived.
func (m *moment) know(k int, known *known) {
	if m.hasEnded(k) {
		return
	}
	j := &m.in.Jobs()[k]
	estimate := m.expected[k]
	if !(m.start[k] <= m.at) { // where it will start is not known yet
		estimate = m.shortest(k)
	}
	part := -1.0
	if elapsed := m.elapsed(k); elapsed > 0 {
		estimate += elapsed
		part = elapsed / estimate
	}
	if ran := m.at - m.start[k]; ran > 0 {
		part = (ran + m.elapsed(k)) / estimate
	}
	m.draws[k] = known.of(j.User(), j.Min, estimate, part)
}

// length is how long a job runs in a run, for the estimated time that it has from the start; it has not ended by T.
func (m *moment) length(run, k int, estimate float64) float64 {
	elapsed := m.elapsed(k)
	d := m.draws[k]
	length := estimate
	if ratio := d.ratio(m.uniformOf(run, k)); !math.IsNaN(ratio) {
		length = max(0, ratio*(estimate+elapsed)-elapsed)
	}
	if start := m.start[k]; start < m.at { // it runs at T
		least := pastEnd(start, m.at)
		if len(d.ratios) == 0 && length < least {
			least = m.at - start + 1 // it has outlived its estimate, and nobody knows by how much
		}
		length = max(length, least)
	}
	return m.limited(length, estimate)
}

// limited is how long a job runs for its estimate, where a draw says how long it would.
func (t *truth) limited(length, estimate float64) float64 {
	if t.inTime {
		return min(length, estimate)
	}
	return length
}

// begins says from when on a future at a time is simulated: jobs that had started before cut and had not ended by since run then, and the others arrive. It is the last instant by
// then where the policy decides afresh at each instant; else the last moment at which no job waited, or the beginning, where both times are −Inf.
func (t *truth) begins(at float64, last func() float64) (since, cut float64) {
	if t.discipline.Afresh {
		at := last()
		return at, at
	}
	if idle, _ := slices.BinarySearch(t.idle, at); idle > 0 && !t.discipline.Remembers {
		return t.idle[idle-1], math.Nextafter(t.idle[idle-1], math.Inf(1))
	}
	return math.Inf(-1), math.Inf(-1)
}

// begin finds the jobs with which a run begins.
func (m *moment) begin(known *known) {
	t := m.truth
	since, cut := t.begins(m.at, m.lastInstant)
	for number := 0; number < len(t.order) && t.specs[number].Arrival < cut; number++ {
		if k := t.order[number]; t.start[k] < cut && t.end[k] > since {
			m.add(number, since, true, known)
		}
	}
	for number := 0; number < len(t.order) && t.specs[number].Arrival <= m.at; number++ {
		if k := t.order[number]; !(t.start[k] < cut) && !(t.left[k] < cut) {
			m.add(number, max(t.specs[number].Arrival, cut), false, known)
		}
	}
}

// lastInstant is the last time by T at which a job arrived or ended. The policy decides then, and not again before something happens after T.
func (m *moment) lastInstant() float64 {
	last := math.Inf(-1)
	for number := 0; number < len(m.order) && m.truth.specs[number].Arrival <= m.at; number++ {
		last = max(last, m.truth.specs[number].Arrival)
		if end := m.end[m.order[number]]; end <= m.at {
			last = max(last, end)
		}
	}
	return last
}

// add adds a job to those with which a run begins; runs says that it runs then.
func (m *moment) add(number int, arrival float64, runs bool, known *known) {
	k := m.order[number]
	m.jobs = append(m.jobs, k)
	m.know(k, known)
	entry := sim.Entry{Job: k, Arrival: arrival, Waited: arrival - m.truth.specs[number].Arrival}
	if runs {
		entry.Runs, entry.Since, entry.Waited = &m.held[k], m.start[k], max(0, entry.Waited)
	}
	m.entries = append(m.entries, entry)
}

// run simulates one future and returns the starts of the jobs asked for; +Inf: never.
func (m *moment) run(ctx context.Context, run int) ([]float64, error) {
	watch := &starts{moment: m, at: slices.Repeat([]float64{math.Inf(1)}, len(m.asked)), waking: make([]bool, len(m.asked)), left: len(m.asked)}
	opt := sim.Options{Seed: m.seed, Kill: m.policy.Kills(), Observer: watch}
	until := &untilStarted{ctx, watch}
	if m.general == nil {
		later := &later{moment: m, watch: watch, run: run}
		opt.Length = func(j *sim.Job) float64 {
			estimate := j.EstimatedEnd - j.Start
			if j.Number >= int64(len(m.jobs)) {
				return later.length(int(j.Number)-len(m.jobs), estimate)
			}
			k := m.jobs[j.Number]
			if m.hasEnded(k) {
				return m.end[k] - m.start[k]
			}
			return m.length(run, k, estimate)
		}
		_, err := sim.SimulateFrom(until, m.known, &entries{list: m.entries, later: later}, m.discipline, opt)
		return watch.at, until.cause(err)
	}
	opt.Length = func(j *sim.Job) float64 {
		k, _ := m.in.JobIndex(j.Request.ID)
		if m.hasEnded(k) {
			return math.NaN()
		}
		return m.length(run, k, j.EstimatedEnd-j.Start)
	}
	_, _, err := sim.Simulate(until, m.general, m.discipline, opt)
	return watch.at, until.cause(err)
}

// untilStarted is a context that also ends when all jobs asked for have started, so that a run need not go on.
type untilStarted struct {
	context.Context
	watch *starts
}

// Err implements context.Context.
func (u *untilStarted) Err() error {
	if u.watch.left == 0 {
		return context.Canceled
	}
	return u.Context.Err()
}

// cause is the error of a run: none where it only has nothing left to find out.
func (u *untilStarted) cause(err error) error {
	if errors.Is(err, context.Canceled) && u.watch.left == 0 {
		return nil
	}
	return err
}

// isSettled says whether all futures are the same.
func (m *moment) isSettled() bool {
	for _, d := range m.draws {
		if d.varies() {
			return false
		}
	}
	return m.past == nil
}

// starts notes when the jobs asked for start.
type starts struct {
	moment *moment
	at     []float64
	waking []bool // waits for machines that wake, so its start may move on
	left   int    // jobs asked for that have not started
}

// Arrived implements sim.Observer.
func (s *starts) Arrived(float64, *sim.Job) {}

// Started implements sim.Observer.
func (s *starts) Started(now float64, j *sim.Job, _ []sim.Part) {
	if k, asked := s.place(j); asked {
		s.at[k] = j.Start
		if s.waking[k] = j.Start > now; !s.waking[k] {
			s.left--
		}
	}
}

// Left implements sim.Observer.
func (s *starts) Left(_ float64, j *sim.Job, outcome sim.Outcome, _ string) {
	k, asked := s.place(j)
	if !asked {
		return
	}
	if outcome == sim.Dropped {
		s.left--
	} else if s.waking[k] { // it may have waited longer for its machines than it seemed
		s.at[k] = j.Start
		s.left--
	}
}

// Decided implements sim.Observer.
func (s *starts) Decided(float64) {}

// place is the place of a job among those asked for.
func (s *starts) place(j *sim.Job) (int, bool) {
	m := s.moment
	if m.general != nil {
		job, _ := m.in.JobIndex(j.Request.ID)
		k, asked := m.asked[job]
		return k, asked
	}
	if j.Number >= int64(len(m.jobs)) { // it arrives after T
		return 0, false
	}
	k, asked := m.asked[m.jobs[j.Number]]
	return k, asked
}

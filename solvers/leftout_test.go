package solvers_test

import (
	"errors"
	"fmt"
	"iter"
	"maps"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/internal/solvecases"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
)

// counterfactual asks of a small batch when a job could have ended: by the rules as docs/rules.md and docs/power.md state them, at every half unit of time and on every set of processors.
// All machines have one processor, and those of a cluster are alike but for speed, memory, power and closed times.
type counterfactual struct {
	spec   *model.InstanceSpec
	placed map[string]model.Placement
	only   string // the cluster that is looked at; empty: all
}

// earliest is the earliest end of the job beside the placements, or behind them, where a processor is taken only after its last job; +Inf: there is none.
func (f *counterfactual) earliest(job *model.JobSpec, behind bool) float64 {
	first := math.Inf(1)
	if ready, known := f.ready(job); known {
		for p := range f.places(ready, behind) {
			first = min(first, p.End)
		}
	}
	return first
}

// ready is the job as it arrives when all that it waits for has ended; false: some of that is not placed.
func (f *counterfactual) ready(job *model.JobSpec) (*model.JobSpec, bool) {
	moved := *job
	for _, before := range job.After {
		p, ok := f.placed[before]
		if !ok {
			return nil, false
		}
		moved.Arrival = max(moved.Arrival, p.End)
	}
	return &moved, true
}

// places are the earliest placements of the job on each set of processors.
func (f *counterfactual) places(job *model.JobSpec, behind bool) iter.Seq[model.Placement] {
	return func(yield func(model.Placement) bool) {
		from, to := 0.0, 200.0
		if h := f.spec.Horizon; h != nil {
			from, to = h.From, h.To
		}
		for c := range f.spec.Clusters {
			cluster := &f.spec.Clusters[c]
			if f.only != "" && f.only != cluster.ID {
				continue
			}
			for set := 1; set < 1<<len(cluster.Machines); set++ {
				var machines []int
				for m := range cluster.Machines {
					if set>>m&1 == 1 {
						machines = append(machines, m)
					}
				}
				n := len(machines)
				least, most := job.Processors.Min, job.Processors.Max
				if n < least || n > most {
					continue
				}
				takes := *job.Work * slowest(cluster, machines, most)
				for start := math.Ceil(2*max(job.Arrival, from)) / 2; start+takes <= to; start += 0.5 {
					if f.free(cluster, machines, job, start, start+takes, behind) {
						var runs []model.Range
						for _, m := range machines {
							runs = append(runs, model.Range{First: m, Last: m})
						}
						if !yield(model.Placement{Job: job.ID, Cluster: cluster.ID, Processors: model.NewProcessorSet(runs...), Start: start, End: start + takes}) {
							return
						}
						break
					}
				}
			}
		}
	}
}

// slowest is how long the busiest of the machines takes for its share of the tasks, of one unit of work each.
func slowest(cluster *model.ClusterSpec, machines []int, tasks int) float64 {
	with, longest := make([]int, len(machines)), 0.0
	for k := range tasks {
		next := k // each gets one first
		for i := range machines {
			if k >= len(machines) && (next == k || float64(with[i]+1)/cluster.Machines[machines[i]].Speed < float64(with[next]+1)/cluster.Machines[machines[next]].Speed) {
				next = i
			}
		}
		with[next]++
		longest = max(longest, float64(with[next])/cluster.Machines[machines[next]].Speed)
	}
	return longest
}

// fit says whether all the jobs can be in time beside the placements: in some order of their starts each starts as early as those before it allow.
func (f *counterfactual) fit(jobs []*model.JobSpec) bool {
	if len(jobs) == 0 {
		return true
	}
	for k, job := range jobs {
		rest := slices.Delete(slices.Clone(jobs), k, k+1)
		ready, known := f.ready(job)
		if !known {
			continue
		}
		for p := range f.places(ready, false) {
			if job.DeadlineHard && p.End > *job.Deadline {
				continue
			}
			f.placed[job.ID] = p
			ok := f.fit(rest)
			delete(f.placed, job.ID)
			if ok {
				return true
			}
		}
	}
	return false
}

// free says whether the machines have room for the job all the time.
func (f *counterfactual) free(cluster *model.ClusterSpec, machines []int, job *model.JobSpec, start, end float64, behind bool) bool {
	for _, m := range machines {
		spec := &cluster.Machines[m]
		if spec.Memory != nil && job.Memory > *spec.Memory {
			return false
		}
		for _, c := range spec.Closed {
			if c.From < end && start < *c.To {
				return false
			}
		}
		for _, p := range f.placed {
			if p.Cluster == cluster.ID && within(p.Processors, m) && start < p.End && (behind || p.Start < end) {
				return false
			}
		}
	}
	for at := start; cluster.PowerCap != nil && at < end; at += 0.5 {
		limit, busy := math.Inf(1), 0.0
		for _, step := range cluster.PowerCap {
			if step[0] <= at {
				limit = step[1]
			}
		}
		for m := range cluster.Machines {
			if slices.Contains(machines, m) || slices.ContainsFunc(slices.Collect(maps.Values(f.placed)), func(p model.Placement) bool {
				return p.Cluster == cluster.ID && within(p.Processors, m) && p.Start <= at && at < p.End
			}) {
				busy += cluster.Machines[m].Power.Busy
			}
		}
		if busy > limit {
			return false
		}
	}
	return true
}

func within(set model.ProcessorSet, m int) bool {
	return slices.ContainsFunc(set, func(r model.Range) bool { return r.First <= m && m <= r.Last })
}

// drawnTight is a batch of which not all jobs can be placed in time: some by themselves, some beside the others. All durations are half units.
func drawnTight(rng *rand.Rand, seed uint64) *model.Builder {
	b := model.NewBuilder(fmt.Sprint("tight", seed))
	closes, capped, horizon := rng.IntN(4) == 0, rng.IntN(4) == 0, rng.IntN(4) == 0
	for c := range 1 + rng.IntN(3) {
		spec := model.ClusterSpec{ID: fmt.Sprint("c", c)}
		speed, memory := float64(1+rng.IntN(2)), rng.IntN(3) == 0
		for m := range 1 + rng.IntN(3) {
			machine := model.MachineSpec{ID: fmt.Sprint("m", m), Speed: speed}
			if memory {
				machine.Memory = new(float64(1 + rng.IntN(3)))
			}
			if from := float64(rng.IntN(6)); closes && rng.IntN(2) == 0 {
				machine.Closed = []model.ClosedSpec{{From: from, To: new(from + float64(1+rng.IntN(4)))}}
			}
			if capped {
				machine.Power = &model.PowerSpec{Busy: float64(1 + rng.IntN(3))}
			}
			spec.Machines = append(spec.Machines, machine)
		}
		if capped {
			for at := range 1 + rng.IntN(2) {
				spec.PowerCap = append(spec.PowerCap, []float64{float64(4 * at), float64(1 + rng.IntN(2*len(spec.Machines)))})
			}
		}
		b.Cluster(spec)
	}
	if horizon {
		b.Spec().Horizon = &model.HorizonSpec{To: float64(4 + rng.IntN(8))}
	}
	metrics := []string{"makespan", "mean_response", "unfinished", "missed", "over_deadline", "work_done"}
	b.Minimise(metrics[rng.IntN(len(metrics))], 1)
	for j := range 3 + rng.IntN(5) {
		job := model.JobSpec{ID: fmt.Sprint("j", j), Work: new(float64(1 + rng.IntN(6))), Processors: model.Rigid(1 + rng.IntN(2))}
		if rng.IntN(3) == 0 {
			job.Arrival = float64(rng.IntN(4))
		}
		if rng.IntN(4) == 0 {
			job.Processors = model.Moldable(1, 2+rng.IntN(2))
		}
		if rng.IntN(4) == 0 {
			job.Memory = float64(1 + rng.IntN(2))
		}
		if rng.IntN(5) > 0 {
			job.Deadline, job.DeadlineHard = new(job.Arrival+float64(1+rng.IntN(8))), rng.IntN(4) > 0
		}
		if j > 0 && rng.IntN(5) == 0 {
			job.After = []string{fmt.Sprint("j", rng.IntN(j))}
		}
		b.Job(job)
	}
	return b
}

var (
	reasonAlone    = regexp.MustCompile(`^hard deadline \S+ would be missed: even alone it cannot end before (\S+)$`)
	reasonFirst    = regexp.MustCompile(`^hard deadline \S+ would be missed: earliest end (\S+) on \S+$`)
	reasonBeside   = regexp.MustCompile(`^hard deadline \S+ would be missed (beside|behind) the jobs (?:placed|served) before it: earliest end (\S+) on \S+$`)
	reasonChoice   = regexp.MustCompile(`^left out by choice: it could end at (\S+) on \S+$`)
	reasonNoTime   = regexp.MustCompile(`^(?:no time was found for it(?: within the horizon and the limits of power)?|is never given enough machines that are open to it for as long as it takes)( beside the jobs placed before it| behind the jobs placed before it)?$`)
	reasonWaits    = regexp.MustCompile(`^waits for job (\S+), which is not placed$`)
	reasonGrid     = regexp.MustCompile(`^hard deadline \S+ would be missed: earliest end (\S+) on \S+; (?:(speed binds: \S+ if nothing else ran|the wait for the jobs before it binds).*|(memory|bandwidth) binds.*)$`)
	reasonStart    = regexp.MustCompile(`^hard deadline \S+ cannot be met: started at (\S+) (?:on the processors that it gets of the empty system )?it would end at \S+ at the earliest(?: on (\S+))?, by its estimate$`)
	reasonShape    = regexp.MustCompile(`^hard deadline \S+ cannot be met: started at (\S+) on \d+ processors it would end at (\S+), by its estimate$`)
	reasonPassed   = regexp.MustCompile(`^(?:hard deadline \S+ has passed|its (?:turn|slot) .* after its hard deadline \S+|it waited at the broker until no resource could meet its hard deadline|when it arrived no resource could take it and meet its hard deadline|no reservation meets its hard deadline|ended at its hard deadline \S+, which it had not met: started at \S+|no reservation ends, by the estimates, before its machines are closed to it(?:, or lack power,)? for good|hard deadline \S+ cannot be met(?:: started at \S+ or later it would end after that)?(?: on \S+)? on the processors that it gets(?: under the power caps)?, by its estimate|takes more power on the processors that it gets than the power cap still leaves for its estimated time|the slot for task .* after the deadline .*|it ran on \S+ until \S+, after its hard deadline \S+)$`)
	reasonOpen     = regexp.MustCompile(`^hard deadline \S+ cannot be met: started at (\S+) or later it would end after that(?: on (\S+))? on all machines open to it, by its estimate$`)
	reasonTogether = regexp.MustCompile(`^(?:hard deadline \S+ cannot be met|cannot end within the horizon, by \S+,) together with (.*)$`)
	reasonAtOnce   = regexp.MustCompile(`^it would miss its hard deadline, no machine is open to it at (\S+), or the objective is better without it$`)
	reasonRound    = regexp.MustCompile(`^in the round at (\S+?)(, by the estimates)?: (.*)$`)
	reasonRoom     = "no room is left on machines that can run it in time"
)

// What is said of a job that is left out is true: a statement about the job alone holds where nothing else is placed, and one about the jobs before it holds beside all that is placed. Where a
// solver leaves out by choice, the job could have been in time.
func TestReasonsOfJobsLeftOutAreTrue(t *testing.T) {
	race.OneGoroutine(t)
	seen := map[string]int{}
	for seed := range race.Fewer(uint64(60), 20) {
		judgeReasons(t, drawnTight(rand.New(rand.NewPCG(seed, 57)), seed), seed, seen)
	}
	t.Log(seen)
	for kind, least := range map[string]int{"alone": 300, "beside": 150, "choice": 5, "no time": 50, "waits": 100, "grid": 10, "shape": 20, "start": 100} {
		if seen[kind] < race.Enough(least) {
			t.Errorf("%s: only %d of %v", kind, seen[kind], seen)
		}
	}
}

// judgeReasons counts the kinds of the reasons that all solvers give for a batch, and says which are false.
func judgeReasons(t *testing.T, b *model.Builder, seed uint64, seen map[string]int) {
	t.Helper()
	in := solvecases.Built(t, b)
	for _, info := range solve.Solvers() {
		result, err := solve.Run(t.Context(), info.Choice(), in, solve.Options{Seed: seed, MaxEvals: 300, Strict: true})
		if errors.Is(err, solve.ErrUnsupported) {
			continue
		}
		if err != nil {
			t.Fatalf("seed %d, %s: %v", seed, info.Name, err)
		}
		if result.Solution == nil {
			continue
		}
		f, empty := &counterfactual{spec: b.Spec(), placed: map[string]model.Placement{}}, &counterfactual{spec: b.Spec()}
		for _, p := range result.Solution.Jobs {
			f.placed[p.Job] = p
		}
		for _, u := range result.Solution.Unscheduled {
			kind, wrong := f.judge(t, empty, in, u)
			seen[kind]++
			if wrong != "" {
				t.Errorf("seed %d, %s: %s: %q: %s", seed, info.Name, u.Job, u.Reason, wrong)
			}
		}
	}
}

// Where machines of a cluster differ in speed, a job that may choose its number of processors can end earlier on fewer: what is said of all machines holds for any number.
func TestReasonsOfMoldableJobsAreTrue(t *testing.T) {
	race.OneGoroutine(t)
	seen := map[string]int{}
	for seed := range race.Fewer(uint64(100), 25) {
		rng := rand.New(rand.NewPCG(seed, 58))
		b := model.NewBuilder(fmt.Sprint("mixed", seed))
		spec := model.ClusterSpec{ID: "c"}
		for m := range 2 + rng.IntN(3) {
			spec.Machines = append(spec.Machines, model.MachineSpec{ID: fmt.Sprint("m", m), Speed: 0.5 + 1.5*float64(rng.IntN(2))})
		}
		if seed%4 == 3 {
			for m := range spec.Machines {
				spec.Machines[m].Power = &model.PowerSpec{Busy: spec.Machines[m].Speed}
			}
			spec.PowerCap = [][]float64{{0, float64(2 + rng.IntN(2))}}
		}
		b.Cluster(spec)
		for j := range 2 {
			job := model.JobSpec{ID: fmt.Sprint("j", j), Arrival: float64(j), Work: new(float64(1 + rng.IntN(6))), Processors: model.Rigid(1 + rng.IntN(2)), DeadlineHard: true}
			if rng.IntN(3) > 0 {
				job.Processors = model.Moldable(1, 2+rng.IntN(3))
			}
			job.Deadline = new(job.Arrival + float64(1+rng.IntN(12)))
			b.Job(job)
		}
		judgeReasons(t, b, seed, seen)
	}
	if t.Log(seen); seen["alone"] < race.Enough(100) || seen["passed"] < race.Enough(10) {
		t.Errorf("too few of some kinds: %v", seen)
	}
}

// In rolling use a job that is left out could often have ended in time if it had started when it arrived, or by its run time if the estimate is longer: what a round knows is said of the round.
func TestReasonsOfRoundsAreTrue(t *testing.T) {
	race.OneGoroutine(t)
	seen := map[string]int{}
	for seed := range race.Fewer(uint64(40), 15) {
		b := drawnTight(rand.New(rand.NewPCG(seed, 59)), seed)
		estimated := seed%4 == 3
		for k := range b.Spec().Jobs {
			if job := &b.Spec().Jobs[k]; estimated {
				job.Estimate = new(2 * *job.Work)
			}
		}
		in := solvecases.Built(t, b)
		for _, info := range solve.Solvers() {
			rolling, err := solve.NewRolling(info.Choice(), 3, 0)
			if err != nil {
				t.Fatal(err)
			}
			result, err := solve.Run(t.Context(), solve.Choice{Info: info, Solver: rolling}, in, solve.Options{Seed: seed, MaxEvals: 300, Strict: true})
			if errors.Is(err, solve.ErrUnsupported) {
				continue
			}
			if err != nil {
				t.Fatalf("seed %d, %s: %v", seed, info.Name, err)
			}
			if result.Solution == nil {
				continue
			}
			for _, u := range result.Solution.Unscheduled {
				kind, wrong := judgeRound(t, b, in, result.Solution, estimated, u)
				seen[kind]++
				if wrong != "" {
					t.Errorf("seed %d, %s: %s: %q: %s", seed, info.Name, u.Job, u.Reason, wrong)
				}
			}
		}
	}
	t.Log(seen)
	for kind, least := range map[string]int{"round, alone": 100, "round, beside": 50, "round, estimates": 100} {
		if seen[kind] < race.Enough(least) {
			t.Errorf("%s: only %d of %v", kind, seen[kind], seen)
		}
	}
}

// judgeRound judges a reason of rolling use: one of a round holds of the job as it arrives at the round.
func judgeRound(t *testing.T, b *model.Builder, in *model.Instance, sol *model.Solution, estimated bool, u model.Unscheduled) (kind, wrong string) {
	t.Helper()
	spec, of := *b.Spec(), reasonRound.FindStringSubmatch(u.Reason)
	if of != nil {
		if estimated != (of[2] != "") {
			return "round", "it speaks of estimates, or does not"
		}
		if estimated {
			return "round, estimates", ""
		}
		k, _ := in.JobIndex(u.Job)
		spec.Jobs = slices.Clone(spec.Jobs)
		spec.Jobs[k].Arrival, u.Reason = max(spec.Jobs[k].Arrival, number(t, of[1])), of[3]
	}
	f, empty := &counterfactual{spec: &spec, placed: map[string]model.Placement{}}, &counterfactual{spec: &spec}
	for _, p := range sol.Jobs {
		f.placed[p.Job] = p
	}
	if kind, wrong = f.judge(t, empty, in, u); of != nil {
		kind = "round, " + kind
	}
	return kind, wrong
}

// judge is the kind of a reason, and what is wrong with it.
func (f *counterfactual) judge(t *testing.T, empty *counterfactual, in *model.Instance, u model.Unscheduled) (kind, wrong string) {
	t.Helper()
	k, _ := in.JobIndex(u.Job)
	job := f.spec.Jobs[k]
	deadline := math.Inf(1)
	if job.DeadlineHard {
		deadline = *job.Deadline
	}
	lone := job
	lone.After = nil
	alone := empty.earliest(&lone, false)
	is := func(pattern *regexp.Regexp) []string { return pattern.FindStringSubmatch(u.Reason) }
	if m := is(reasonAlone); m != nil {
		if end := number(t, m[1]); !(deadline < end && end <= alone) {
			wrong = fmt.Sprintf("alone it ends at %v", alone)
		}
		return "alone", wrong
	}
	if m := is(reasonFirst); m != nil {
		if end := number(t, m[1]); len(job.After) > 0 || end != alone || !(deadline < end) {
			wrong = fmt.Sprintf("alone it ends at %v", alone)
		}
		return "first", wrong
	}
	if m := is(reasonBeside); m != nil {
		now := f.earliest(&job, m[1] == "behind")
		if end := number(t, m[2]); !(deadline < end && alone <= end && end <= now) {
			wrong = fmt.Sprintf("%s all jobs it ends at %v, alone at %v", m[1], now, alone)
		}
		return "beside", wrong
	}
	if m := is(reasonChoice); m != nil {
		if end := number(t, m[1]); !(alone <= end && end <= deadline) {
			wrong = fmt.Sprintf("alone it ends at %v", alone)
		}
		return "choice", wrong
	}
	if m := is(reasonNoTime); m != nil {
		switch now := f.earliest(&job, strings.HasPrefix(m[1], " behind")); {
		case m[1] == "" && !math.IsInf(alone, 1):
			wrong = fmt.Sprintf("alone it ends at %v", alone)
		case !math.IsInf(now, 1):
			wrong = fmt.Sprintf("beside all jobs it ends at %v", now)
		}
		return "no time", wrong
	}
	if m := is(reasonWaits); m != nil {
		if _, placed := f.placed[m[1]]; placed || !slices.Contains(job.After, m[1]) {
			wrong = "it does not"
		}
		return "waits", wrong
	}
	if m := is(reasonGrid); m != nil {
		now := f.earliest(&job, true)
		if end := number(t, m[1]); !(deadline < end && end <= now) || strings.HasPrefix(m[2], "speed") != (alone > deadline) && m[3] == "" {
			wrong = fmt.Sprintf("behind all jobs it ends at %v, alone at %v", now, alone)
		}
		return "grid", wrong
	}
	m := is(reasonStart)
	if m != nil && slices.ContainsFunc(f.spec.Clusters[0].Machines, func(m model.MachineSpec) bool { return m.Speed != f.spec.Clusters[0].Machines[0].Speed }) {
		return "passed", "" // on others than it gets it may end earlier
	}
	if m == nil {
		m = is(reasonOpen)
	}
	if m != nil {
		late := job
		on := *empty
		if on.only, late.After, late.Arrival = m[2], nil, max(job.Arrival, number(t, m[1])); on.earliest(&late, false) <= deadline {
			wrong = "at that time it could"
		}
		return "start", wrong
	}
	if m := is(reasonShape); m != nil {
		if !(number(t, m[2]) > deadline) {
			wrong = "it is in time"
		}
		return "shape", wrong
	}
	if m := is(reasonTogether); m != nil {
		names := append(slices.Clone(job.After), u.Job)
		for name := range strings.SplitSeq(m[1], ", ") {
			names = append(names, name)
			if _, placed := f.placed[name]; !placed {
				wrong = name + " is not placed"
			}
		}
		var jobs []*model.JobSpec // with all that they wait for
		for k := 0; k < len(names); k++ {
			if slices.Contains(names[:k], names[k]) {
				continue
			}
			at, _ := in.JobIndex(names[k])
			jobs = append(jobs, &f.spec.Jobs[at])
			names = append(names, jobs[len(jobs)-1].After...)
		}
		if len(jobs) > 4 {
			return "together, many", wrong
		}
		if (&counterfactual{spec: f.spec, placed: map[string]model.Placement{}}).fit(jobs) {
			wrong = "all of them can be in time"
		}
		return "together", wrong
	}
	if m := is(reasonAtOnce); m != nil {
		_, counts := in.StatedObjective()["unfinished"]
		_, works := in.StatedObjective()["work_done"]
		if start := number(t, m[1]); (counts || works) && empty.earliest(&lone, false) <= deadline && alone-start <= deadline {
			wrong = "it could be in time, which is better"
		}
		return "at once", wrong
	}
	switch {
	case reasonPassed.MatchString(u.Reason):
		return "passed", ""
	case u.Reason == reasonRoom:
		if now := f.earliest(&job, false); now <= deadline {
			wrong = "it could end at " + strconv.FormatFloat(now, 'g', -1, 64)
		}
		return "room", wrong
	case u.Reason == in.WhyNowhere(k):
		if !math.IsInf(empty.earliest(&lone, false), 1) {
			wrong = "it runs"
		}
		return "nowhere", wrong
	}
	return "unknown", "no test knows this reason"
}

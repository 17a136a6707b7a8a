package proof_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/proof"
)

// naive is what certificates are about, computed in float64 in the plainest way from docs/proofs.md. Its instances have data that no sum rounds.
type naive struct {
	in    *model.Instance
	specs []model.JobSpec
	must  []int // jobs that have to be placed
	has   []bool
	never []bool // no schedule places the job
	all   bool
	owed  int  // jobs that every schedule owes
	omits bool // the objective has a metric that counts what a schedule leaves out
	first float64

	least, head, tail []float64        // by job; +Inf: nothing can run it
	costs             map[gKey]float64 // see g
	rounds            bool             // a head is that of what others hold before it, which rounds
}

// odd is a random instance of all that arguments about single jobs and areas cover: several speeds, whole machines, stated run times, moldable jobs, jobs
// with more tasks than processors, hard deadlines, licences, jobs that nothing can run.
func odd(t testing.TB, rng *rand.Rand) *naive {
	t.Helper()
	b, n := model.NewBuilder("odd"), &naive{}
	plain, memory := rng.IntN(2) == 0, rng.IntN(2) == 0 // rigid jobs on equal processors; machines of limited memory
	b.Spec().Workflows = []model.WorkflowSpec{{ID: "w", Deadline: new(float64(8 + rng.IntN(30))), Budget: new(float64(20 + rng.IntN(150)))}, {ID: "free"}}
	if rng.IntN(2) == 0 {
		b.Spec().Licences = map[string]int{"l": 1 + rng.IntN(4)}
	}
	clusters := 1 + rng.IntN(3)
	for c := range clusters {
		spec := model.ClusterSpec{ID: fmt.Sprint("c", c)}
		for g := range 1 + rng.IntN(2) {
			m := model.MachineSpec{ID: fmt.Sprint("m", g), Count: 1 + rng.IntN(2), Processors: 1 + rng.IntN(3), Speed: 2}
			if m.Cost = float64(rng.IntN(4)) / 2; memory && rng.IntN(6) > 0 {
				m.Memory = new(1 + float64(rng.IntN(8))/2)
			}
			if !plain {
				m.Speed, m.Bandwidth = []float64{1, 2, 4}[rng.IntN(3)], []float64{0, 0, 2, 4}[rng.IntN(4)]
			}
			spec.Machines = append(spec.Machines, m)
		}
		if rng.IntN(6) == 0 {
			spec.Allocation = "machine"
		}
		if rng.IntN(2) == 0 {
			spec.Weights = &model.WeightsSpec{OverDeadline: new(float64(rng.IntN(3))), Makespan: new(float64(rng.IntN(4))), IdleTime: new(float64(rng.IntN(3)))}
		}
		if rng.IntN(3) == 0 {
			spec.Licences = map[string]int{"l": rng.IntN(3)}
		}
		b.Cluster(spec)
	}
	for j := range 1 + rng.IntN(6) {
		spec := model.JobSpec{ID: fmt.Sprint("j", j), Arrival: 3 + float64(rng.IntN(3)*rng.IntN(4))/2, Processors: model.Rigid(1 + rng.IntN(3)), Work: new(float64(rng.IntN(9)) * 15 / 2)}
		if !plain {
			n.vary(rng, &spec, clusters)
		}
		if rng.IntN(3) == 0 {
			spec.Deadline = new(float64(rng.IntN(16)))
			spec.DeadlineHard = rng.IntN(4) == 0
		}
		if rng.IntN(3) == 0 {
			spec.Licences = map[string]int{"l": rng.IntN(3)}
		}
		if rng.IntN(2) == 0 {
			spec.Budget = new(float64(rng.IntN(60)))
		}
		spec.Memory, spec.Workflow = float64(rng.IntN(5))/2, []string{"", "w", "free"}[rng.IntN(3)]
		gathers := j > 2 && rng.IntN(2) == 0
		for before := range j {
			if gathers || rng.IntN(5) == 0 {
				spec.After = append(spec.After, fmt.Sprint("j", before))
			}
		}
		b.Job(spec)
		n.specs = append(n.specs, spec)
	}
	n.in = built(t, b)
	n.look()
	return n
}

// vary makes a job odd.
func (n *naive) vary(rng *rand.Rand, spec *model.JobSpec, clusters int) {
	switch rng.IntN(4) {
	case 0:
		spec.Processors = model.Moldable(1+rng.IntN(2), 2+rng.IntN(3))
	case 1:
		spec.Span = "grid"
	}
	if rng.IntN(2) == 0 {
		spec.Tasks = spec.Processors.Max * (1 + rng.IntN(3))
		if rng.IntN(2) == 0 {
			spec.Tasks = spec.Processors.Max + rng.IntN(4)
		}
	}
	if rng.IntN(4) == 0 {
		spec.Input, spec.Output = float64(rng.IntN(3)), float64(rng.IntN(3))
	}
	if rng.IntN(4) == 0 {
		spec.Work, spec.Input, spec.Output, spec.Runtime = nil, 0, 0, map[string]float64{}
		for c := range clusters {
			if rng.IntN(3) > 0 || c == 0 {
				spec.Runtime[fmt.Sprint("c", c)] = float64(rng.IntN(9)) * 15
			}
		}
	}
}

// look computes what is known of the jobs. A job waits for those before it in the file alone.
func (n *naive) look() {
	jobs := n.in.Jobs()
	n.first = n.in.FirstArrival()
	for j := range jobs {
		least, head := math.Inf(1), jobs[j].Arrival-n.first
		for c := range n.in.Clusters() {
			least = min(least, n.shortest(j, c))
		}
		never := math.IsInf(least, 1)
		for _, before := range jobs[j].After {
			never, head = never || n.never[before], max(head, n.head[before]+n.least[before])
		}
		if all := n.afterAll(j); all > head {
			head, n.rounds = all, true
		}
		n.never = append(n.never, never || jobs[j].DeadlineHard && head+least+n.first > jobs[j].Deadline+1e-6)
		n.least, n.head = append(n.least, least), append(n.head, head)
	}
	n.oblige()
}

// omitting is what is known where the objective says what it costs to leave out a job with a hard deadline.
func (n *naive) omitting() *naive {
	other := *n
	other.omits = true
	other.oblige()
	return &other
}

// oblige computes which jobs have to be placed: those that are owed, and those that they wait for, unless no schedule can place them.
func (n *naive) oblige() {
	jobs := n.in.Jobs()
	n.has, n.tail, n.must, n.all, n.owed = make([]bool, len(jobs)), make([]float64, len(jobs)), nil, true, 0
	for j := len(jobs) - 1; j >= 0; j-- {
		owed := !n.omits || !jobs[j].DeadlineHard || n.specs[j].Deadline == nil
		if owed && n.never[j] {
			n.owed++
		}
		n.has[j] = (n.has[j] || owed) && !n.never[j]
		for _, before := range jobs[j].After {
			if n.has[j] {
				n.has[before] = true
				n.tail[before] = max(n.tail[before], n.least[j]+n.tail[j])
			}
		}
	}
	for j, has := range n.has {
		if n.all = n.all && has; has {
			n.must = append(n.must, j)
		}
	}
}

// afterAll is the time by which what the jobs that the job waits for hold, from the least of some of their heads on, has been held.
func (n *naive) afterAll(j int) (latest float64) {
	var before []int
	for k := j; k >= 0; k-- {
		waits := func(later int) bool { return slices.Contains(n.in.Jobs()[later].After, k) }
		if waits(j) || slices.ContainsFunc(before, waits) {
			before = append(before, k)
		}
	}
	if len(n.in.Jobs()[j].After) < 2 {
		return 0
	}
	speed := func(c int) (most float64) {
		for _, m := range n.in.Clusters()[c].Machines {
			most = max(most, m.Speed)
		}
		return most
	}
	for _, first := range before {
		ones, fast, sizes, speeds, licences := 0.0, 0.0, 0.0, 0.0, 0.0
		for c, cluster := range n.in.Clusters() {
			sizes, speeds = sizes+float64(cluster.Processors), speeds+speed(c)*float64(cluster.Processors)
		}
		for _, b := range before {
			if n.head[b] < n.head[first] {
				continue
			}
			one, fastest := math.Inf(1), math.Inf(1)
			for c := range n.in.Clusters() {
				one, fastest = min(one, n.area(b, c)), min(fastest, speed(c)*n.area(b, c))
			}
			ones, fast, licences = ones+one, fast+fastest, licences+n.needs(b)*n.least[b]
		}
		held := max(ones/sizes, fast/speeds)
		if copies := n.copies(); copies > 0 {
			held = max(held, licences/float64(copies))
		}
		latest = max(latest, n.head[first]+held)
	}
	return latest
}

// grid says that the job may hold processors of several clusters.
func (n *naive) grid(j int) bool { return n.in.SpreadOver(j) != nil }

// spreads says that the cluster may be one of these.
func (n *naive) spreads(j, c int) bool { return n.grid(j) && n.in.SpreadOver(j)[c] }

// time is how long the job takes on the cluster if its fullest processor has the given number of tasks, and has the given speed and bandwidth.
func (n *naive) time(j, c, tasks int, speed, bandwidth float64) float64 {
	job, spec := &n.in.Jobs()[j], &n.specs[j]
	if spec.Runtime != nil {
		stated, known := spec.Runtime[n.in.Clusters()[c].ID]
		if !known {
			return math.Inf(1)
		}
		_, most := n.in.Width(j, c)
		return stated * float64(tasks) / math.Ceil(float64(job.Tasks)/float64(most))
	}
	return float64(tasks)*job.Work/speed + (job.Input+job.Output)/bandwidth
}

// shortest is a time below which the job does not run on the cluster. Of processors of several speeds one at least has a task, and the fastest may.
func (n *naive) shortest(j, c int) float64 {
	job, cluster := &n.in.Jobs()[j], &n.in.Clusters()[c]
	if !n.spreads(j, c) && !n.in.CanRun(j, c) {
		return math.Inf(1)
	}
	speed, bandwidth := 0.0, 0.0
	for _, m := range cluster.Machines {
		speed, bandwidth = max(speed, m.Speed), max(bandwidth, m.Bandwidth)
	}
	tasks := 1
	if cluster.WholeMachines && !n.spreads(j, c) {
		tasks = job.Tasks
	} else if cluster.Uniform && !n.spreads(j, c) {
		tasks = int(math.Ceil(float64(job.Tasks) / float64(min(job.Max, cluster.Processors))))
	}
	return n.time(j, c, tasks, speed, bandwidth)
}

// on is the number of processors and the time of a rigid job on a cluster of equal processors.
func (n *naive) on(j, c int) (size int, time float64) {
	size, _ = n.in.Width(j, c)
	m := &n.in.Clusters()[c].Machines[0]
	return size, n.time(j, c, int(math.Ceil(float64(n.in.Jobs()[j].Tasks)/float64(size))), m.Speed, m.Bandwidth)
}

// rectangle says that the job holds a fixed number of processors to its end.
func (n *naive) rectangle(j int) bool {
	job := &n.in.Jobs()[j]
	for c := range n.in.Clusters() {
		if size, _ := n.in.Width(j, c); !n.in.Clusters()[c].Uniform || n.in.CanRun(j, c) && size > 1 && job.Tasks > size {
			return false
		}
	}
	return job.Min == job.Max && !n.grid(j)
}

// area is the processor time that the job holds at least on the cluster; +Inf: it cannot run there.
func (n *naive) area(j, c int) float64 {
	job, cluster := &n.in.Jobs()[j], &n.in.Clusters()[c]
	if !n.spreads(j, c) && !n.in.CanRun(j, c) {
		return math.Inf(1)
	}
	if size, time := n.on(j, c); cluster.Uniform && job.Min == job.Max && !n.spreads(j, c) && (job.Tasks < size || job.Tasks%size == 0) {
		return float64(size) * time
	}
	speed := 0.0
	for _, m := range cluster.Machines {
		speed = max(speed, m.Speed)
	}
	return float64(job.Tasks) * n.time(j, c, 1, speed, math.Inf(1))
}

// around is the least head and the least tail of jobs.
func (n *naive) around(jobs []int) float64 {
	head, tail := math.Inf(1), math.Inf(1)
	for _, j := range jobs {
		head, tail = min(head, n.head[j]), min(tail, n.tail[j])
	}
	return head + tail
}

// some are jobs that have to be placed, ascending, at least one of them.
func (n *naive) some(rng *rand.Rand) (jobs []int) {
	for len(jobs) == 0 {
		for _, j := range n.must {
			if rng.IntN(2) == 0 {
				jobs = append(jobs, j)
			}
		}
	}
	return jobs
}

// copies is the number of copies of the licence in all pools; −1: it is not limited.
func (n *naive) copies() (sum int) {
	if len(n.in.Licences()) == 0 || n.in.Licences()[0].Copies == model.Unlimited {
		return -1
	}
	sum = n.in.Licences()[0].Copies
	for c := range n.in.Clusters() {
		if own, has := n.in.Pool(c, 0); has {
			sum += own
		}
	}
	return sum
}

// needs is the number of copies that the job needs.
func (n *naive) needs(j int) float64 { return float64(n.specs[j].Licences["l"]) }

// tally counts what a test has looked at.
type tally map[string]int

// proves verifies that the argument proves exactly the value.
func (n *naive) proves(t *testing.T, seen tally, kind, metric string, value float64, by proof.Argument) {
	t.Helper()
	below := value * (1 - 1e-12)
	if kind == "chain" || kind == "pigeonhole" || kind == "over" { // sums that nothing rounds
		if n.rounds {
			seen["raised "+kind]++
		} else if math.Trunc(value*(1<<20)) == value*(1<<20) {
			below = value
		}
	}
	for _, c := range []struct {
		bound float64
		want  proof.Verdict
	}{{below, proof.Verified}, {value*(1+1e-9) + 1e-9, proof.Refuted}} {
		if r := n.verdict(t, metric, c.bound, &by); r.Verdict != c.want || r.Verdict == proof.Refuted && r.Step == "" {
			t.Fatalf("%s ≥ %v by %s, which proves %v: %v\n%s", metric, c.bound, kind, value, r, written(n.in))
		}
	}
	seen[kind]++
}

// verdict is the verdict on a bound of the schedules that owe as few jobs as any. Those that owe more or fewer jobs are not what it is of.
func (n *naive) verdict(t *testing.T, metric string, bound float64, by *proof.Argument) proof.Report {
	t.Helper()
	c := claim(n.in, metric, bound, 0, by)
	if n.omits && !slices.Contains(omission, metric) {
		c.Objective["missed"] = 1
	}
	for _, other := range []struct {
		owed int
		want proof.Verdict
	}{{n.owed + 1, proof.Refuted}, {n.owed - 1, proof.NotCertified}} {
		if c.Owed = other.owed; c.Owed < 0 {
			continue
		}
		if r := verdict(t.Context(), n.in, c); r.Verdict != other.want || r.Step != "owed" {
			t.Fatalf("%s of those that owe %d: %v, expected that all owe %d\n%s", metric, c.Owed, r, n.owed, written(n.in))
		}
	}
	c.Owed = n.owed
	return verdict(t.Context(), n.in, c)
}

// says verifies the verdict of an argument.
func (n *naive) says(t *testing.T, seen tally, kind, metric string, bound float64, want proof.Verdict, by proof.Argument) {
	t.Helper()
	if r := n.verdict(t, metric, bound, &by); r.Verdict != want {
		t.Fatalf("%s ≥ %v by %s: %v, expected %s\n%s", metric, bound, kind, r, want, written(n.in))
	}
	seen[kind+" "+string(want)]++
}

// written is the file of an instance.
func written(in *model.Instance) string {
	var text strings.Builder
	if err := model.WriteInstance(&text, in); err != nil {
		return err.Error()
	}
	return text.String()
}

package model

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// The time rule. A processor of speed v that gets b of the job's tasks is busy for b·work/v, plus the overheads that the cluster declares.
// The job lasts as long as its longest processor is busy, plus (input+output)/bandwidth. Two points that this leaves open are fixed here:
//
//   - The tasks are shared so that the busiest processor is done as early as possible. Each processor gets at least one task while there are
//     enough: a rigid job with as many tasks as processors runs one on each.
//   - The overheads are the context switch, for every job, and latency + message/bandwidth of the cluster's network, for
//     jobs that have a message.
//
// A stated run time is the whole execution time: it replaces the rule, transfers and overheads included.

// Width returns the smallest and the largest number of processors of the cluster that the job may hold. It is exactly
// one if the cluster allocates whole machines.
func (in *Instance) Width(job, cluster int) (least, most int) {
	if in.clusters[cluster].WholeMachines {
		return 1, 1
	}
	return in.jobs[job].Min, in.jobs[job].Max
}

// Busy is the time that a processor of the given speed in the cluster is busy with b of the job's tasks, transfers
// apart. It is NaN where the job states run times and none for this cluster.
func (in *Instance) Busy(job, cluster int, speed float64, b int) float64 {
	j := &in.jobs[job]
	if j.runtimes != nil {
		_, most := in.Width(job, cluster)
		return j.runtimes[cluster] * float64(b) / float64(ceilDiv(j.Tasks, most))
	}
	return float64(b)*j.Work/speed + in.overhead(j, cluster)
}

// overhead is the time that a processor of the cluster spends on the job besides its work.
func (in *Instance) overhead(j *Job, cluster int) float64 {
	c := &in.clusters[cluster]
	if j.Message == 0 {
		return c.ContextSwitch
	}
	return c.ContextSwitch + c.Latency + j.Message/c.NetBandwidth
}

// Transfer is the time to move the job's input and output at the given bandwidth; 0 for a job with a stated run time.
func (in *Instance) Transfer(job int, bandwidth float64) float64 {
	j := &in.jobs[job]
	if j.runtimes != nil {
		return 0
	}
	return (j.Input + j.Output) / bandwidth
}

// Duration is the execution time of the job on the given processors of the cluster, by the time rule. It is NaN where
// the job cannot run on the cluster.
func (in *Instance) Duration(job, cluster int, set ProcessorSet) float64 {
	tasks := in.jobs[job].Tasks
	return in.Longest(job, cluster, set, tasks) + in.Transfer(job, in.SlowestLink(cluster, set))
}

// DurationOn is [Instance.Duration] on any n processors of a uniform cluster (see [Cluster]).
func (in *Instance) DurationOn(job, cluster, n int) float64 {
	m := &in.clusters[cluster].Machines[0]
	return in.Busy(job, cluster, m.Speed, ceilDiv(in.jobs[job].Tasks, n)) + in.Transfer(job, m.Bandwidth)
}

// SlowestLink is the least bandwidth of the machines that hold the processors.
func (in *Instance) SlowestLink(cluster int, set ProcessorSet) float64 {
	c := &in.clusters[cluster]
	slowest := math.Inf(1)
	for _, r := range set {
		for g := c.GroupOf(r.First); g < len(c.Machines) && c.Machines[g].First <= r.Last; g++ {
			slowest = min(slowest, c.Machines[g].Bandwidth)
		}
	}
	return slowest
}

// slowest is the least speed of the machines that hold the processors.
func (c *Cluster) slowest(set ProcessorSet) float64 {
	least := math.Inf(1)
	for _, r := range set {
		for g := c.GroupOf(r.First); g < len(c.Machines) && c.Machines[g].First <= r.Last; g++ {
			least = min(least, c.Machines[g].Speed)
		}
	}
	return least
}

// speedClass is a number of processors of one speed with the tasks given to them.
type speedClass struct {
	speed      float64
	processors int
	tasks      int
}

// most is the number of tasks of the fullest processor if extra more tasks go to the class.
func (s *speedClass) most(extra int) int { return ceilDiv(s.tasks+extra, s.processors) }

// next is when one more task of the class would end, at work 1.
func (s *speedClass) next() float64 { return float64(s.most(1)) / s.speed }

// Longest is the time that the longest of the processors is busy when they share the given number of the job's tasks.
//
// Complexity: O(g·log g + p·log s) for g groups of machines that the set touches, s distinct speeds and p processors; O(g)
// where all speeds are the same, or where each processor has one task.
func (in *Instance) Longest(job, cluster int, set ProcessorSet, tasks int) float64 {
	if in.jobs[job].runtimes == nil && tasks == set.Len() {
		return in.Busy(job, cluster, in.clusters[cluster].slowest(set), 1)
	}
	classes := in.speedClasses(cluster, set)
	if len(classes) == 1 || in.jobs[job].runtimes != nil {
		return in.Busy(job, cluster, classes[0].speed, ceilDiv(tasks, set.Len()))
	}
	shareTasks(classes, tasks)
	longest := 0.0
	for k := range classes {
		longest = max(longest, in.Busy(job, cluster, classes[k].speed, classes[k].most(0)))
	}
	return longest
}

// speedClasses counts the processors of the set by speed.
func (in *Instance) speedClasses(cluster int, set ProcessorSet) []speedClass {
	c := &in.clusters[cluster]
	var classes []speedClass
	for _, r := range set {
		for g := c.GroupOf(r.First); g < len(c.Machines) && c.Machines[g].First <= r.Last; g++ {
			m := &c.Machines[g]
			n := min(r.Last, m.Last()) - max(r.First, m.First) + 1
			if last := len(classes) - 1; last >= 0 && classes[last].speed == m.Speed {
				classes[last].processors += n
			} else {
				classes = append(classes, speedClass{speed: m.Speed, processors: n})
			}
		}
	}
	if len(classes) < 2 {
		return classes
	}
	slices.SortFunc(classes, func(a, b speedClass) int { return cmp.Compare(a.speed, b.speed) })
	merged := classes[:1]
	for _, s := range classes[1:] {
		if last := &merged[len(merged)-1]; last.speed == s.speed {
			last.processors += s.processors
		} else {
			merged = append(merged, s)
		}
	}
	return merged
}

// shareTasks gives the tasks to the classes so that the busiest processor is done as early as possible; each processor gets one while there
// are enough. To give each further task to the processor with the least (b+1)/speed is optimal. Every processor ends with at least its quota
// rounded down, so the count starts there.
func shareTasks(classes []speedClass, tasks int) {
	processors, capacity := 0, 0.0
	for _, s := range classes {
		processors += s.processors
		capacity += s.speed * float64(s.processors)
	}
	left := tasks
	for k := range classes {
		s := &classes[k]
		each := 0
		if tasks >= processors {
			each = max(1, int(float64(tasks-processors)*s.speed/capacity))
		}
		s.tasks = each * s.processors
		left -= s.tasks
	}
	for k := len(classes)/2 - 1; k >= 0; k-- {
		sink(classes, k)
	}
	for left > 0 {
		s := &classes[0]
		level := s.processors*s.most(1) - s.tasks // tasks until every processor of the class is at the same level
		given := min(left, level)
		s.tasks += given
		left -= given
		sink(classes, 0)
	}
}

// sink restores the order of a heap from element k down. The class whose next task would end first is at the top.
func sink(classes []speedClass, k int) {
	for {
		least := k
		for child := 2*k + 1; child <= 2*k+2 && child < len(classes); child++ {
			if classes[child].next() < classes[least].next() {
				least = child
			}
		}
		if least == k {
			return
		}
		classes[k], classes[least] = classes[least], classes[k]
		k = least
	}
}

// CanRun says whether the job can run on the cluster when nothing else runs there; [Instance.CannotRun] says why not. It
// looks at one cluster only: a job that is too wide for each of the clusters may spread over several, see [Instance.SpreadOver].
func (in *Instance) CanRun(job, cluster int) bool {
	j, c := &in.jobs[job], &in.clusters[cluster]
	if run := j.Node().Running; run != nil {
		return run.Cluster == cluster
	}
	if j.runtimes != nil && math.IsNaN(j.runtimes[cluster]) {
		return false
	}
	least, _ := in.Width(job, cluster)
	return least <= c.Processors && in.shortOf(j, cluster) < 0 && in.usableUpTo(j, c, least) >= least
}

// shortOf is the index in the job's licences of the first of which the cluster can never use as many copies as the job
// needs; −1: none.
func (in *Instance) shortOf(j *Job, cluster int) int {
	for k, need := range j.Licences {
		if copies, _ := in.Pool(cluster, need.Licence); need.Copies > copies {
			return k
		}
	}
	return -1
}

// Usable is the number of processors of the cluster, when nothing else runs there, that the job can hold at once as far as machines
// decide: of one machine if it must stay on one.
func (in *Instance) Usable(job, cluster int) int {
	return in.usable(&in.jobs[job], &in.clusters[cluster])
}

// usable is the number of processors of the cluster that the job can hold at once: of one machine if it must stay on one.
func (in *Instance) usable(j *Job, c *Cluster) int { return in.usableUpTo(j, c, math.MaxInt) }

// usableUpTo is usable, or a number of at least enough if that is smaller: it looks at no more machines than that takes.
func (in *Instance) usableUpTo(j *Job, c *Cluster, enough int) int {
	if j.node != nil {
		return in.usableByNode(j, c, false, enough)
	}
	all := 0
	for g := 0; g < len(c.Machines) && all < enough; g++ {
		units, _ := in.processorsFor(j, &c.Machines[g])
		if j.Span == SpanMachine {
			all = max(all, units)
		} else {
			all += units * c.Machines[g].Count
		}
	}
	return all
}

// CannotRun says why the job can never run on the cluster, whatever else runs there, naming the attribute that forbids
// it; the empty text means that it can: see [Instance.CanRun].
func (in *Instance) CannotRun(job, cluster int) string {
	if in.CanRun(job, cluster) {
		return ""
	}
	j, c := &in.jobs[job], &in.clusters[cluster]
	if j.runtimes != nil && math.IsNaN(j.runtimes[cluster]) {
		return fmt.Sprintf("no run time is stated for %s", shown(c.ID))
	}
	least, _ := in.Width(job, cluster)
	if least > c.Processors {
		return fmt.Sprintf("needs %d processors, %s has %d", least, shown(c.ID), c.Processors)
	}
	if k := in.shortOf(j, cluster); k >= 0 {
		need := j.Licences[k]
		copies, _ := in.Pool(cluster, need.Licence)
		return fmt.Sprintf("needs %d copies of licence %s, %s can use %d", need.Copies, shown(in.licences[need.Licence].ID), shown(c.ID), copies)
	}
	for g := len(c.Machines) - 1; g >= 0; g-- {
		if why := in.whyFewer(j, &c.Machines[g]); why != "" {
			return fmt.Sprintf("%s on %s", why, c.ID)
		}
	}
	if j.Span == SpanMachine {
		return fmt.Sprintf("needs %d processors of one machine, the largest of %s has %d", least, c.ID, in.usable(j, c))
	}
	return fmt.Sprintf("needs %d processors, %s has %d that it can use", least, c.ID, in.usable(j, c))
}

// obstacle is the reason that keeps a job from holding processors of a machine.
type obstacle int

// The obstacles, in the order of the checks.
const (
	noObstacle obstacle = iota
	tooSlowLink
	missingLicence
	tooLittleMemory
	missingFeature
	neverOpen
	tooLittleResource
)

// processorsFor is the number of processors of one machine of the group that the job can hold at once, and the obstacle that
// keeps it from holding all of them.
func (in *Instance) processorsFor(j *Job, m *Machine) (processors int, why obstacle) {
	if m.Bandwidth < j.MinBandwidth {
		return 0, tooSlowLink
	}
	if in.missing(j, m) >= 0 {
		return 0, missingLicence
	}
	processors = roomFor(m.Memory, j.Memory, m.Units)
	if processors < m.Units {
		why = tooLittleMemory
	}
	switch {
	case j.node != nil:
		return in.processorsByNode(j, m, processors, why)
	case m.closed != nil && !m.everOpenTo("", j.MayTakeNoTime()):
		return 0, neverOpen
	}
	return processors, why
}

// ProcessorsFor returns the number of processors of one machine of group m that job j can hold at once. It is 0 if the machine
// lacks the bandwidth or a licence, otherwise as many as its memory allows. O(licences of the job).
func (in *Instance) ProcessorsFor(j *Job, m *Machine) int {
	processors, _ := in.processorsFor(j, m)
	return processors
}

// missing is the first licence that the job needs and the machine does not run; −1: none.
func (in *Instance) missing(j *Job, m *Machine) int {
	for _, need := range j.Licences {
		if !m.Runs(need.Licence) {
			return need.Licence
		}
	}
	return -1
}

// whyFewer says, for people, what keeps job j from holding all processors of one machine of group m at once; it is empty where
// nothing does. See [Instance.ProcessorsFor].
func (in *Instance) whyFewer(j *Job, m *Machine) string {
	switch _, obstacle := in.processorsFor(j, m); obstacle {
	case tooSlowLink:
		return fmt.Sprintf("needs bandwidth %g, no machine with enough processors offers it", j.MinBandwidth)
	case missingLicence:
		return fmt.Sprintf("needs licence %s, too few machines run it", in.licences[in.missing(j, m)].ID)
	case tooLittleMemory:
		return fmt.Sprintf("needs memory %g a task, too few machines hold it", j.Memory)
	case missingFeature, neverOpen, tooLittleResource:
		return in.whyNotNode(j.Node(), m, obstacle)
	}
	return ""
}

// ceilDiv is ⌈a/b⌉ of positive whole numbers.
func ceilDiv(a, b int) int { return (a + b - 1) / b }

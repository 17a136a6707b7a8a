package kubernetes

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/allot-opt/allot/formats/lines"
	"github.com/allot-opt/allot/internal/numtext"
	"github.com/allot-opt/allot/model"
)

// year is the run time, in seconds, that the instance has where none is known.
const year = 365 * 86400

// mostDevices is the most pieces of a resource on a node that are told apart as devices. What comes in more pieces is a plain amount.
const mostDevices = 64

// maxCopies is the most copies of a licence.
const maxCopies = math.MaxInt32

// instance makes the instance of all files.
func (q *queue) instance(name string) (*model.Instance, *model.ImportReport, error) {
	q.units()
	q.quotas()
	find := newFinder(q.nodes, q.faults)
	for _, u := range q.waiting {
		u.features = find.of(q.withFlavors(u))
	}
	if err := q.faults.Err(); err != nil {
		return nil, nil, err
	}
	slices.SortStableFunc(q.waiting, func(a, b *unit) int {
		return cmp.Or(cmp.Compare(b.priority, a.priority), cmp.Compare(a.created, b.created), cmp.Compare(a.id, b.id))
	})
	spec := model.InstanceSpec{
		Name: lines.Title(name, ".json", ".yaml", ".yml"), Units: &model.Units{Time: "s", Memory: "MiB"}, Licences: map[string]int{}, UserClasses: map[string]float64{},
	}
	if q.now > 0 {
		spec.TimeZero = &q.now
	}
	devices := q.resources(&spec)
	q.addMachines(&spec, find, devices)
	first := 0 // processor of the node
	firsts := make([]int, len(q.machines))
	for k := range q.machines {
		firsts[k] = first
		first += spec.Clusters[0].Machines[k].Processors
	}
	unknown := [2]int{}
	for _, u := range q.running {
		s, known := q.job(u)
		if !known {
			unknown[0]++
		}
		m := &q.machines[u.node]
		hold := model.RunningSpec{Cluster: q.Cluster, Processors: model.Processors(firsts[u.node]), Elapsed: u.elapsed}
		firsts[u.node]++
		if len(s.Resources) > 0 {
			id := q.nodes[u.node].name
			hold.Holds = map[string]map[string]float64{id: s.Resources}
			for _, r := range sortedKeys(s.Resources) {
				if n := int(s.Resources[r]); devices[r] && n > 0 {
					if hold.Devices == nil {
						hold.Devices = model.DevicesHeld{}
					}
					hold.Devices[r] = map[string]model.ProcessorSet{id: {{First: m.devices[r], Last: m.devices[r] + n - 1}}}
					m.devices[r] += n
				}
			}
		}
		s.Running = &hold
		spec.Jobs = append(spec.Jobs, s)
	}
	least := 0.0
	for _, u := range q.waiting {
		least = min(least, u.priority)
	}
	prioritised := slices.ContainsFunc(q.waiting, func(u *unit) bool { return u.priority != q.waiting[0].priority })
	for _, u := range q.waiting {
		s, known := q.job(u)
		if !known {
			unknown[1]++
		}
		s.Processors, s.Features = model.Rigid(u.count), u.features
		if prioritised {
			s.UserClass = "priority " + strconv.FormatFloat(u.priority, 'f', -1, 64)
			spec.UserClasses[s.UserClass] = u.priority - least
		}
		q.circumstances(u)
		spec.Jobs = append(spec.Jobs, s)
	}
	q.licences(&spec)
	for _, name := range sortedKeys(q.clusterQueues) {
		spec.Partitions = append(spec.Partitions, model.PartitionSpec{ID: lines.Name(name), Closed: q.clusterQueues[name].stopped})
	}
	q.report.Kept = len(spec.Jobs)
	q.warn(unknown)
	q.missing()
	spec.Caveats = q.report.Warnings
	units := slices.Concat(q.running, q.waiting)
	return q.faults.Import(spec, q.report, func(k int) string { return units[k].at })
}

// resources finds the resources that the instance has, and which of them are devices.
func (q *queue) resources(spec *model.InstanceSpec) map[string]bool {
	most, devices := map[string]int64{}, map[string]bool{}
	for k := range q.machines {
		m, n := &q.machines[k], &q.nodes[k]
		for name, held := range m.held {
			if held > m.free[name] {
				m.free[name] = held
				q.report.Note(model.ImportRepaired, "pods hold more than their node has: it has what they hold", n.at)
			}
		}
		for name, amount := range m.free {
			if extended(name) {
				most[name] = max(most[name], amount)
			}
		}
	}
	for name, n := range most {
		if n > 0 && n <= mostDevices {
			devices[name] = true
		}
	}
	spec.Devices = sortedKeys(devices)
	if len(devices) == 0 {
		spec.Devices = nil
	}
	return devices
}

// amount is an amount of a resource as the instance states it: of what the node has (up false) or of what a pod needs.
func amount(name string, n int64, up bool) float64 {
	if name == "cpu" {
		return float64(n) / 1000
	}
	return float64(quotaUnit(name, n, up))
}

// addMachines states the nodes.
func (q *queue) addMachines(spec *model.InstanceSpec, find *finder, devices map[string]bool) {
	asked := map[string]bool{"cpu": true}
	for _, u := range slices.Concat(q.running, q.waiting) {
		for name := range u.spec.needs {
			asked[name] = true
		}
	}
	cluster := model.ClusterSpec{ID: q.Cluster}
	for k := range q.nodes {
		n, m := &q.nodes[k], &q.machines[k]
		s := model.MachineSpec{ID: n.name, Processors: max(1, m.slots, m.pods), Memory: new(float64(m.free["memory"]) / mebibyte), Resources: map[string]float64{}}
		for name, free := range m.free {
			if name == "memory" || !asked[name] && !devices[name] {
				continue
			}
			if x := amount(name, free, free == m.held[name]); x > 0 { // what is held is rounded up, so that it finds room
				s.Resources[name] = x
			}
		}
		q.roundedUp(k, s.Resources)
		for _, key := range sortedKeys(n.labels) {
			s.Features = append(s.Features, label(key, n.labels[key]))
		}
		s.Features = slices.Compact(slices.Sorted(slices.Values(slices.Concat(s.Features, find.features[k]))))
		if n.closed != "" {
			s.Closed = []model.ClosedSpec{{}}
		}
		if m.slots < 1 && m.pods == 0 {
			s.Closed = []model.ClosedSpec{{}}
			q.report.Note(model.ImportKept, "node without room for any pod: it is closed", n.at)
		}
		cluster.Machines = append(cluster.Machines, s)
	}
	spec.Clusters = []model.ClusterSpec{cluster}
}

// roundedUp makes room for what the pods of a node hold of resources that are stated in MiB: each pod's part was rounded up.
func (q *queue) roundedUp(k int, has map[string]float64) {
	if q.heldMiB == nil {
		q.heldMiB = make([]map[string]float64, len(q.machines))
		for _, u := range q.running {
			for name, n := range u.spec.needs {
				if inBytes(name) && name != "memory" {
					if q.heldMiB[u.node] == nil {
						q.heldMiB[u.node] = map[string]float64{}
					}
					q.heldMiB[u.node][name] += amount(name, n, true)
				}
			}
		}
	}
	for name, held := range q.heldMiB[k] {
		has[name] = max(has[name], held)
	}
}

// job is a job as the model takes it, but for where it runs. Known says whether its run time, or a limit of it, is known.
func (q *queue) job(u *unit) (s model.JobSpec, known bool) {
	s = model.JobSpec{ID: u.id, Memory: float64(u.spec.needs["memory"]) / mebibyte, User: lines.Name(u.namespace)}
	if u.queue != "" {
		s.Queue = lines.Name(u.namespace + "/" + u.queue)
	}
	if cq := q.queueOf(u); cq != nil {
		s.Queue, s.Group = lines.Name(cq.name), s.Queue
	}
	for name, n := range u.spec.needs {
		if name == "memory" || name == "pods" {
			continue
		}
		if s.Resources == nil {
			s.Resources = map[string]float64{}
		}
		s.Resources[name] = amount(name, n, true)
	}
	known = q.length(u, &s)
	for _, c := range u.claims {
		for _, p := range q.poolsOf(c) {
			if s.Licences == nil {
				s.Licences = map[string]int{}
			}
			s.Licences[p.name] = int(min(int64(s.Licences[p.name])+quotaUnit(c.resource, c.amount, true), maxCopies))
		}
	}
	return s, known
}

// length states how long a job runs, or, of one that runs, how long it will run on. A run time that is known is the work, and a limit the estimate.
func (q *queue) length(u *unit, s *model.JobSpec) (known bool) {
	run, known := runTime(u.stated)
	if u.stated != "" && !known {
		q.faults.At(u.at, "annotation %s: expected a run time in seconds or such as 1h30m, found %s", q.annotation, lines.Quote(u.stated))
	}
	if !known {
		run, known = q.past.of(u.namespace, u.names, u.elapsed)
	}
	limit := u.limit
	if limit > 0 {
		run = min(run, limit)
	}
	isRunning := u.elapsed > 0
	left := func(length float64, what string) *float64 {
		rest := length - u.elapsed
		if isRunning && rest < 1 {
			rest = 1
			q.report.Note(model.ImportRepaired, "the pod runs beyond its "+what+": it is assumed to end in 1 s", u.at)
		}
		return &rest
	}
	ends := u.gone > 0 && u.gone-q.now < year
	switch {
	case ends: // it is being deleted
		s.Estimate = new(max(1, u.gone-q.now))
		return true
	case known:
		s.Work = left(run, "run time")
		if limit > 0 {
			s.Estimate = new(max(*s.Work, limit-u.elapsed))
		}
		return true
	case limit > 0:
		s.Estimate = left(limit, "limit")
		return true
	}
	s.Estimate = new(float64(year))
	q.report.Note(model.ImportRepaired, "run time not known (no annotation, no history, no limit): a year is assumed", u.at)
	return false
}

// circumstances counts what a waiting job asks for that the instance leaves out.
func (q *queue) circumstances(u *unit) {
	lowest := math.Inf(1)
	if q.lowest == nil {
		for _, r := range q.running {
			lowest = min(lowest, r.priority)
		}
		q.lowest = &lowest
	}
	if u.priority > *q.lowest && !u.spec.never {
		u.beside = append(u.beside, "its priority is above that of pods that run: it may preempt them and start earlier")
	}
	if q.cordoned && slices.ContainsFunc(u.spec.tolerations, func(x toleration) bool { return x.tolerates(cordon) }) {
		u.beside = append(u.beside, "tolerates that a node is cordoned: it may run there, where the instance has the node closed")
	}
	for _, what := range u.beside {
		q.report.Note(model.ImportKept, what, u.at)
		q.left.Note(model.ImportKept, what, u.at)
	}
	if len(u.beside) > 0 {
		q.touched++
	}
}

// cordon is the taint of cordoned nodes.
var cordon = taint{key: "node.kubernetes.io/unschedulable", effect: "NoSchedule"}

// hundredths is the share of the waiting jobs above which what touches them must be read first.
const hundredths = 2

// warn states what must be read first: unknown run times of running and waiting jobs, and what touches more than 2 % of those that wait.
func (q *queue) warn(unknown [2]int) {
	of := func(n int, all []*unit, what string) string {
		return fmt.Sprintf("%d of %d %s jobs", n, len(all), what)
	}
	var parts []string
	if unknown[0] > 0 {
		parts = append(parts, of(unknown[0], q.running, "running"))
	}
	if unknown[1] > 0 {
		parts = append(parts, of(unknown[1], q.waiting, "waiting"))
	}
	if len(parts) > 0 {
		q.report.Warnings = append(q.report.Warnings, "the run times of "+strings.Join(parts, " and ")+" are not known (no annotation, no history, no limit): each is taken as a year, so a start that waits for one of them is not known either")
	}
	const mostShown = 6
	if q.touched*100 <= hundredths*len(q.waiting) {
		return
	}
	notes := slices.Clone(q.left.Notes)
	slices.SortStableFunc(notes, func(a, b model.ImportNote) int { return b.Count - a.Count })
	parts = nil
	for k, n := range notes {
		if k == mostShown {
			parts = append(parts, fmt.Sprintf("and %d more", len(notes)-k))
			break
		}
		parts = append(parts, fmt.Sprintf("%d %s", n.Count, n.Reason))
	}
	q.report.Warnings = append(q.report.Warnings, fmt.Sprintf("%d of %s (%.1f %%) are touched by what the instance leaves out: %s", q.touched, numtext.Counted(len(q.waiting), "waiting job"),
		100*float64(q.touched)/float64(len(q.waiting)), strings.Join(parts, "; ")))
}

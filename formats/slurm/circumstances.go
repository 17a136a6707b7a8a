package slurm

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/allot-opt/allot/formats/lines"
	"github.com/allot-opt/allot/internal/numtext"
	"github.com/allot-opt/allot/model"
)

// held reads the memory and the generic resources that a job held.
func (t *trace) held(j *past, value fields) error {
	requested := value("ReqTRES", "Tres")
	tres := cmp.Or(value("AllocTRES"), requested)
	if tres != "" {
		j.memory = memoryOf(tres)
	} else if text := value("ReqMem"); text != "" {
		memory, err := requestedMemory(text, float64(j.processors), max(float64(j.nodes), 1))
		if err != nil {
			return err
		}
		j.memory = memory
	}
	counts, _ := genericOf(tres)
	if tres == "" {
		for name, n := range countsOf(gresOf(value("AllocGRES", "ReqGRES"))) {
			counts[name] = float64(n)
		}
	}
	if t.sys != nil {
		_, asked := genericOf(requested)
		counts = t.sys.byType(counts, asked)
	}
	j.generic = t.text(amountsText(counts))
	if n, err := lines.Whole(tresOf(requested)["node"], 0); err == nil {
		j.asked = int32(min(n, math.MaxInt32))
	}
	types := typesOf(requested)
	if t.sys != nil {
		types = slices.DeleteFunc(types, t.sys.mixes)
	}
	j.types = t.text(strings.Join(types, ","))
	if constraints := value("Constraints"); constraints != "" && constraints != "(null)" {
		j.features = t.text(constraints)
	}
	return nil
}

// genericOf are the generic resources of a text such as cpu=8,gres/gpu=4,gres/gpu:h100=4: by name, and by name and type.
func genericOf(tres string) (counts, typed map[string]float64) {
	counts, typed = map[string]float64{}, map[string]float64{}
	for name, value := range tresOf(tres) {
		name, isGeneric := strings.CutPrefix(name, "gres/")
		n, err := lines.NonNegative(value)
		switch {
		case !isGeneric || err != nil:
		case strings.Contains(name, ":"):
			typed[name] = n
		default:
			counts[name] = n
		}
	}
	sums := map[string]float64{}
	for name, n := range typed {
		base, _, _ := strings.Cut(name, ":")
		sums[base] += n // whole numbers: their order does not matter
	}
	for name, n := range sums {
		counts[name] = max(counts[name], n)
	}
	return counts, typed
}

// typesOf are the types of generic resources that a text asks for, such as gpu:h100, sorted.
func typesOf(tres string) []string {
	var types []string
	for name, value := range tresOf(tres) {
		if name, isGeneric := strings.CutPrefix(name, "gres/"); isGeneric && strings.Contains(name, ":") && value != "0" {
			types = append(types, name)
		}
	}
	slices.Sort(types)
	return types
}

// requestedMemory reads ReqMem, in MB: 16G, or up to 20.11 4000Mc of each processor and 16Gn of each node.
func requestedMemory(text string, processors, nodes float64) (float64, error) {
	times := 1.0
	amount := strings.TrimRight(text, "cn?")
	switch {
	case strings.HasSuffix(text, "c"):
		times = processors
	case strings.HasSuffix(text, "n"):
		times = nodes
	}
	if strings.Trim(amount, "0KMGTP.") == "" {
		return 0, nil
	}
	memory := memoryOf("mem=" + amount)
	if memory == 0 {
		return 0, fmt.Errorf("ReqMem: expected a memory such as 16G or 4000Mc, found %s", lines.Quote(text))
	}
	return memory * times, nil
}

// circumstances notes what the record says of a job that an instance cannot express.
func (t *trace) circumstances(id string, value fields) {
	out := func(what string) { t.note(model.ImportKept, true, what) }
	states := strings.Fields(value("State", "JobState"))
	for word, what := range map[string]string{
		"PREEMPTED": "preempted: the policies preempt no job, so this run counts as a job of its own",
		"REQUEUED":  "requeued: each run counts as a job of its own",
		"NODE_FAIL": "ended by a node that failed: for the policies no node fails",
		"SUSPENDED": "suspended: it counts as running all the time",
	} {
		if len(states) > 0 && states[0] == word { // one at most
			out(what)
		}
	}
	if strings.Trim(value("Suspended"), "0:-.") != "" && (len(states) == 0 || states[0] != "SUSPENDED") {
		out("suspended for a while: it counts as running all the time")
	}
	if strings.Trim(value("Restarts"), "0") != "" {
		out("restarted: without sacct -D its earlier runs are not in the file")
	}
	if strings.Contains(id, "+") {
		out("part of a heterogeneous job, whose parts start together: each counts as a job of its own")
	}
	if cmp.Or(value("Reservation", "ReservationName"), strings.Trim(value("ReservationId"), "0")) != "" {
		out("ran in a reservation: no file says when and where it was, so the job competes with all others")
	}
	if value("Licenses") != "" {
		out("held licences: no file says how many copies there were")
	}
	if value("McsLabel") != "" {
		out("with an MCS label, for which nodes may be kept: it runs on any")
	}
	if strings.Trim(value("SegmentSize"), "0") != "" {
		out("asked for nodes that are close to each other: it runs on any")
	}
	if text := value("Reason"); slices.ContainsFunc(outsideReasons, func(begin string) bool { return strings.HasPrefix(text, begin) }) {
		note, known := t.reasons[text]
		if !known {
			if note = "waited, reason " + lines.Quote(text) + ": no file says what that allowed"; len(t.reasons) >= mostReasons {
				note = "waited, for another reason that no file explains"
			} else {
				t.reasons[strings.Clone(text)] = note
			}
		}
		out(note)
	}
}

// mostReasons is the most reasons told apart: a file may hold any text.
const mostReasons = 20

// quality counts the jobs of another quality of service than most have.
func (t *trace) quality() {
	if len(t.qos) < 2 || t.limits != nil && t.limits.qos != nil {
		return
	}
	usual := ""
	for _, name := range slices.Sorted(maps.Keys(t.qos)) {
		if usual == "" || t.qos[name] > t.qos[usual] {
			usual = name
		}
	}
	reason := "quality of service other than " + lines.Quote(usual) + ", which most have: its limits and its preemption are in no file"
	for k := range t.jobs {
		if j := &t.jobs[k]; j.qos != usual {
			t.report.NoteLine(model.ImportKept, reason, j.line)
			t.out.note(reason, atLine(j.line), !j.touched)
			j.touched = true
		}
	}
}

// settings notes what slurm.conf and the partitions say that an instance cannot express.
func (t *trace) settings() {
	if kind := t.sys.settings["preempttype"]; preemption(kind) {
		t.report.Note(model.ImportKept, "setting PreemptType="+lines.Name(kind)+": the policies preempt no job", "slurm.conf")
	}
	if kind := t.sys.settings["selecttypeparameters"]; kind != "" && !strings.Contains(strings.ToLower(kind), "memory") && t.memory {
		t.report.Note(model.ImportKept, "setting SelectTypeParameters="+lines.Name(kind)+": memory is not allocated, so it is not taken into account", "slurm.conf")
		t.memory = false
	}
	for _, p := range t.sys.parts {
		if p.qos != "" && (t.limits == nil || t.limits.qos == nil) {
			t.report.Note(model.ImportKept, "partition with a quality of service, whose limits are in no file", lines.Quote(p.name))
		}
	}
}

// warnings say what is too large to stand in the last lines of a report.
func (t *trace) warnings() []string {
	var list []string
	if t.sys == nil {
		held := map[string]int{}
		for _, name := range t.queues() {
			held[name] = busiest(t.jobs, func(j *past) bool { return j.queue == name })
		}
		if len(held) > 1 {
			var parts []string
			for k, name := range t.queues() {
				if k == mostShown {
					parts = append(parts, fmt.Sprintf("and %d more", len(held)-k))
					break
				}
				parts = append(parts, fmt.Sprintf("%s (at most %d at one time)", name, held[name]))
			}
			list = append(list, fmt.Sprintf("partitions %s are merged into one pool of %s, and GPUs, memory and nodes are left out; give --nodes and --partitions (what scontrol show node and scontrol show partition print, or slurm.conf) to keep them apart",
				strings.Join(parts, ", "), numtext.Counted(t.pool(), "processor")))
		}
	}
	if warning := t.out.warning(t.report.Kept+t.report.Count(model.ImportDropped), "job"); warning != "" {
		list = append(list, warning)
	}
	met, ranked := tiers{}, false
	for k := range t.jobs {
		if j := &t.jobs[k]; j.layout != nil {
			met.add(j.layout.place)
			ranked = ranked || j.priority > 0
		}
	}
	made := "no policy does, as the trace does not state the priority of jobs"
	if ranked {
		made = "of the orders of policies only priority does"
	}
	if warning := met.warning(made); warning != "" {
		list = append(list, warning)
	}
	return list
}

// mostShown is the most partitions or reasons that a warning lists.
const mostShown = 6

// queues are the partitions of the jobs, sorted.
func (t *trace) queues() []string {
	found := map[string]bool{}
	for k := range t.jobs {
		found[t.jobs[k].queue] = true
	}
	delete(found, "")
	return slices.Sorted(maps.Keys(found))
}

package wfformat

import (
	"cmp"
	"fmt"
	"math"

	"github.com/allot-opt/allot/formats/lines"
	"github.com/allot-opt/allot/model"
)

// measure joins the measurements of the execution to the tasks of the specification.
func (w *workflow) measure(execution []task) {
	const where = "workflow.execution.tasks"
	measured := newMarks(len(w.tasks))
	for k := range execution {
		e := &execution[k]
		at, ok := w.index[e.ID]
		if !ok {
			w.faults.At(fmt.Sprintf("%s[%d].id", where, k), "expected a task of the specification, found %s", lines.Quote(e.ID))
			continue
		}
		if !measured.add(at) {
			w.faults.At(fmt.Sprintf("%s[%d].id", where, k), "expected each task once, found %s again", lines.Quote(e.ID))
			continue
		}
		t := &w.tasks[at]
		t.RuntimeInSeconds, t.Runtime = e.RuntimeInSeconds, nil
		t.CoreCount, t.Cores = e.CoreCount, nil
		t.MemoryInBytes, t.Memory = e.MemoryInBytes, nil
	}
}

// jobs makes the jobs of the tasks.
func (w *workflow) jobs(spec *model.InstanceSpec, workflow string, processors int) {
	dropped := w.missing()
	if !w.faults.None() {
		return
	}
	w.report.Read = len(w.tasks)
	for k := range w.tasks {
		if dropped != nil && dropped[k] {
			w.report.Note(model.ImportDropped, "run time missing: the children wait for the parents", w.ids[k])
			continue
		}
		cores := w.cores(k)
		if cores > processors {
			w.report.Note(model.ImportKept, "more cores than the system has", w.ids[k])
		}
		work := 0.0
		if given := w.runtime(k); given != nil {
			work = *given
			w.check(k, "runtimeInSeconds", work)
		} else {
			w.report.Note(model.ImportKept, "run time missing: it is taken as 0", w.ids[k])
		}
		job := model.JobSpec{ID: w.ids[k], Processors: model.Rigid(cores), Work: &work, Memory: w.memory(k, cores), Workflow: workflow}
		for _, before := range w.after[k] {
			job.After = append(job.After, w.ids[before])
		}
		spec.Jobs = append(spec.Jobs, job)
	}
	w.report.Kept = len(spec.Jobs)
}

// runtime returns a task's run time in seconds, or nil if it is missing.
func (w *workflow) runtime(k int) *float64 {
	return cmp.Or(w.tasks[k].RuntimeInSeconds, w.tasks[k].Runtime)
}

// missing decides which tasks are dropped for want of a run time; nil: none.
func (w *workflow) missing() (dropped []bool) {
	without := 0
	for k := range w.tasks {
		if w.runtime(k) == nil {
			without++
		}
	}
	if without == len(w.tasks) {
		w.faults.At("", "expected run times (workflow.execution.tasks[].runtimeInSeconds), found none")
		return nil
	}
	if without == 0 || w.opt.MissingRuntime != dropTask {
		return nil
	}
	dropped = make([]bool, len(w.tasks))
	for k := range w.tasks {
		dropped[k] = w.runtime(k) == nil
	}
	if !w.bypass(dropped) {
		return nil // there is a cycle, which the model will list
	}
	return dropped
}

// bypass makes the children of dropped tasks depend on the parents of these tasks instead. It returns false if there
// is a cycle.
//
// Complexity: O(tasks + dependencies before and after), which the budget of the reading bounds: n parents and m children of a dropped task make n·m.
func (w *workflow) bypass(dropped []bool) bool {
	order := w.topological()
	if len(order) < len(w.tasks) {
		return false
	}
	seen := newMarks(len(w.tasks))
	for _, k := range order {
		seen.clear()
		var after []int
		wait := func(parent int) {
			if seen.add(parent) {
				after = append(after, parent)
			}
		}
		for _, parent := range w.after[k] {
			if !dropped[parent] {
				wait(parent)
				continue
			}
			if !w.faults.Names("", len(w.after[parent])) {
				return true
			}
			for _, beyond := range w.after[parent] { // already without dropped tasks
				wait(beyond)
			}
		}
		w.after[k] = after
	}
	return true
}

// topological lists the tasks so that each comes after those it waits for; tasks on a cycle, and those after it, are left out.
func (w *workflow) topological() []int {
	children := make([][]int, len(w.tasks))
	waits := make([]int, len(w.tasks))
	var order []int
	for k, after := range w.after {
		waits[k] = len(after)
		if len(after) == 0 {
			order = append(order, k)
		}
		for _, parent := range after {
			children[parent] = append(children[parent], k)
		}
	}
	for done := 0; done < len(order); done++ {
		for _, child := range children[order[done]] {
			if waits[child]--; waits[child] == 0 {
				order = append(order, child)
			}
		}
	}
	return order
}

// cores is a task's number of cores.
func (w *workflow) cores(k int) int {
	t := &w.tasks[k]
	given := cmp.Or(t.CoreCount, t.Cores)
	if given == nil {
		return 1
	}
	n := math.Ceil(*given)
	if *given <= 0 || n > math.MaxInt32 {
		w.faults.At("task "+lines.Quote(w.ids[k])+": coreCount", "expected a number above 0 and up to %d, found %v", math.MaxInt32, *given)
		return 1
	}
	if n != *given {
		w.report.Note(model.ImportRepaired, "cores that are no whole number: they are rounded up", w.ids[k])
	}
	return int(n)
}

// memory returns a task's memory in bytes per core, or 0 if it is missing or not asked for.
func (w *workflow) memory(k, cores int) float64 {
	if !w.opt.Memory {
		return 0
	}
	var bytes float64
	switch t := &w.tasks[k]; {
	case t.MemoryInBytes != nil:
		bytes = *t.MemoryInBytes
	case t.Memory != nil:
		bytes = 1000 * *t.Memory
	default:
		w.report.Note(model.ImportKept, "memory missing: it is taken as 0", w.ids[k])
		return 0
	}
	w.check(k, "memoryInBytes", bytes)
	return bytes / float64(cores)
}

// check lists a value that is out of the model's range.
func (w *workflow) check(k int, field string, x float64) {
	if x != 0 && !(x >= model.Smallest && x <= model.Largest) {
		w.faults.At("task "+lines.Quote(w.ids[k])+": "+field, "expected 0 or a number in [%g, %g], found %v",
			model.Smallest, model.Largest, x)
	}
}

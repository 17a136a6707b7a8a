//go:build highs && cgo

package milp

// #cgo pkg-config: highs
// #include <stdlib.h>
// #include "highs_shim.h"
import "C"

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"runtime"
	"slices"
	"time"
	"unsafe"

	"github.com/lanl/highs"

	"github.com/allot-opt/allot/model"
)

var missing error

const (
	look  = 20 * time.Millisecond // time between two looks at a running solver
	grace = 30 * time.Millisecond // time that a run has to end by itself after it was told to
)

// The statuses of a model, the same in all versions.
const (
	highsLoadError             = 1
	highsModelError            = 2
	highsPresolveError         = 3
	highsSolveError            = 4
	highsPostsolveError        = 5
	highsEmpty                 = 6
	highsOptimal               = 7
	highsInfeasible            = 8
	highsUnboundedOrInfeasible = 9
	highsUnbounded             = 10
	highsObjectiveBound        = 11
	highsSolutionLimit         = 16
)

// run is one run of HiGHS. All memory that HiGHS uses is C's or is kept alive by the run.
type run struct {
	raw    *highs.RawModel
	handle unsafe.Pointer // the raw model's
	watch  *C.milp_watch
	model  *Model
	cutoff float64       // +Inf: none
	done   chan struct{} // closed when HiGHS is at rest
	status C.int         // the status that HiGHS returned
	err    error         // error of passing the model to HiGHS
}

// solve runs HiGHS on a thread of its own and waits for it or for ctx.
func solve(ctx context.Context, m *Model, opt Options) (Result, error) {
	r, err := newRun(m)
	if err != nil {
		return Result{}, err
	}
	if opt.Cutoff != nil {
		r.cutoff = *opt.Cutoff
	}
	given := newColumns(m) // a copy: a run that goes on after Solve has returned must not use the caller's model
	opt.Start = slices.Clone(opt.Start)
	if opt.Cutoff != nil {
		opt.Cutoff = new(*opt.Cutoff)
	}
	deadline, limited := ctx.Deadline()
	go func() {
		// HiGHS has one scheduler per thread. This thread is never unlocked, so it ends with the goroutine, and the scheduler ends with it. Thus no
		// two runs share a scheduler.
		runtime.LockOSThread()
		defer close(r.done)
		if r.err = errors.Join(r.set(opt), r.load(given)); r.err != nil || ctx.Err() != nil {
			return
		}
		if limited { // ctx ends the run, but some parts of HiGHS only watch the clock
			if r.err = r.raw.SetFloat64Option("time_limit", max(0.001, time.Until(deadline).Seconds())); r.err != nil {
				return
			}
		}
		if opt.Start != nil {
			C.milp_start(r.handle, (*C.double)(&opt.Start[0])) // if HiGHS rejects the values, it starts without them
		}
		r.status = C.milp_run(r.handle, r.watch)
	}()
	if r.await(ctx, opt.Progress) {
		defer r.free()
		return r.result(opt)
	}
	result := r.incumbent()
	go func() {
		<-r.done
		r.free()
	}()
	return result, nil
}

// newRun makes an empty model of HiGHS.
func newRun(m *Model) (*run, error) {
	r := &run{raw: highs.NewRawModel(), model: m, cutoff: math.Inf(1), done: make(chan struct{})}
	// The package hides the handle and destroys it in a finalizer. That may be too early, while a run uses only the handle, or too late, when many
	// runs need memory. So the run takes over the handle.
	field := reflect.ValueOf(r.raw).Elem().FieldByName("obj")
	if !field.IsValid() || field.Kind() != reflect.UnsafePointer {
		return nil, errors.New("highs: the package has another layout than that of its version 1.0.0")
	}
	r.handle = field.UnsafePointer()
	runtime.SetFinalizer(r.raw, nil)
	if r.watch = C.milp_watch_new(C.int64_t(len(m.variables))); r.watch == nil {
		C.milp_destroy(r.handle)
		return nil, errors.New("highs: no memory")
	}
	return r, nil
}

// free gives back the memory.
func (r *run) free() {
	C.milp_destroy(r.handle)
	C.milp_watch_free(r.watch)
	runtime.KeepAlive(r.raw)
}

// set sets the options. It keeps HiGHS's tolerances, because HiGHS aborted with tolerances of 1e-9.
func (r *run) set(opt Options) error {
	errs := []error{
		r.raw.SetBoolOption("output_flag", false),
		r.raw.SetIntOption("threads", 1), // so that the result does not depend on the machine
		r.raw.SetFloat64Option("mip_rel_gap", opt.Gap),
		r.raw.SetFloat64Option("mip_abs_gap", 0),
	}
	if opt.Nodes > 0 {
		errs = append(errs, r.raw.SetIntOption("mip_max_nodes", int(min(opt.Nodes, math.MaxInt32))))
	}
	if opt.Cutoff != nil {
		errs = append(errs, r.raw.SetFloat64Option("objective_bound", *opt.Cutoff))
	}
	return errors.Join(errs...)
}

// columns is a model as HiGHS takes it.
type columns struct {
	lower, upper, cost []float64 // of variables
	kinds              []highs.VariableType
	least, most        []float64 // of rows
	start, index       []int
	value              []float64
}

// newColumns copies a model.
func newColumns(m *Model) *columns {
	n := len(m.variables)
	c := &columns{
		lower: make([]float64, n), upper: make([]float64, n), cost: make([]float64, n), kinds: make([]highs.VariableType, n),
		least: make([]float64, len(m.rows)), most: make([]float64, len(m.rows)),
		start: slices.Clone(m.start), index: make([]int, len(m.terms)), value: make([]float64, len(m.terms)),
	}
	for k := range m.variables {
		v := &m.variables[k]
		c.cost[k] = v.Cost
		c.lower[k], c.upper[k] = v.limits() // whole numbers for integers: with fractional limits HiGHS missed optima
		if v.Integer {
			c.kinds[k] = highs.IntegerType
		}
	}
	for k := range m.rows {
		c.least[k], c.most[k] = m.rows[k].lower, m.rows[k].upper
	}
	for k, t := range m.terms {
		c.index[k], c.value[k] = int(t.Var), t.Coefficient
	}
	if len(m.terms) == 0 { // the package cannot state rows without terms, so each row gets a term with coefficient 0
		c.index, c.value = make([]int, len(m.rows)), make([]float64, len(m.rows))
		for k := range c.start {
			c.start[k] = k
		}
	}
	return c
}

// load passes the model to HiGHS.
func (r *run) load(c *columns) error {
	errs := []error{
		fatal(r.raw.AddColumnBounds(c.lower, c.upper)),
		fatal(r.raw.SetColumnCosts(c.cost)),
		fatal(r.raw.SetIntegrality(c.kinds)),
	}
	if len(c.least) > 0 {
		errs = append(errs, fatal(r.raw.AddCompSparseRows(c.least, c.start, c.index, c.value, c.most)))
	}
	return errors.Join(errs...)
}

// fatal returns the error, but drops warnings, such as the one that a coefficient is tiny.
func fatal(err error) error {
	var status highs.CallStatus
	if errors.As(err, &status) && status.IsWarning() {
		return nil
	}
	return err
}

// await waits until HiGHS has returned, or until a short time after the end of ctx. It reports whether HiGHS has returned.
func (r *run) await(ctx context.Context, progress func(Progress)) bool {
	var last Progress
	ticker := time.NewTicker(look)
	defer ticker.Stop()
	for {
		select {
		case <-r.done:
			return true
		case <-ctx.Done():
			C.milp_stop(r.watch)
			select {
			case <-r.done:
				return true
			case <-time.After(grace):
				return false
			}
		case <-ticker.C:
			if progress == nil {
				continue
			}
			p, _ := r.look(false)
			if p.Objective != last.Objective || p.Bound != last.Bound || last == (Progress{}) {
				progress(p)
				last = p
			}
		}
	}
}

// look asks a running solver for its incumbent and bound, and for the incumbent's values if wanted; nil: there is no incumbent.
func (r *run) look(wanted bool) (p Progress, values []float64) {
	var objective, bound C.double
	var nodes C.int64_t
	var at *C.double
	if wanted {
		values = make([]float64, len(r.model.variables))
		at = (*C.double)(&values[0])
	}
	if C.milp_look(r.watch, &objective, &bound, &nodes, at) == 0 {
		values = nil
	}
	return Progress{int64(nodes), float64(objective), r.proved(float64(bound))}, values
}

// proved turns the bound that HiGHS states into a bound of the model. HiGHS bounds only solutions that cost less than the cutoff; −1e30 stands
// for −∞.
func (r *run) proved(bound float64) model.Bound {
	if bound = min(bound, r.cutoff); bound <= -1e30 {
		return model.Bound{}
	}
	return model.ProvedBound(bound)
}

// incumbent returns the result so far of a run that has not ended.
func (r *run) incumbent() Result {
	p, values := r.look(true)
	result := Result{Status: model.Unknown, Objective: math.Inf(1), Bound: p.Bound, Nodes: p.Nodes}
	if values != nil {
		result.accept(r.model, values)
	}
	result.settle()
	return result
}

// accept takes values from HiGHS into the result if they are a solution. It rounds integers and computes the objective.
func (r *Result) accept(m *Model, values []float64) {
	for k := range m.variables {
		v := &m.variables[k]
		if v.Integer {
			values[k] = math.Round(values[k])
		}
		lower, upper := v.limits()
		values[k] = min(max(values[k], lower), upper)
	}
	if !(m.Violation(values) <= Tolerance) {
		return
	}
	if objective := m.Objective(values); r.Values == nil || objective < r.Objective {
		r.Values, r.Objective = values, objective
	}
}

// settle sets the status of a run that was stopped.
func (r *Result) settle() {
	if r.Values != nil {
		r.Status = model.Feasible
	}
}

// result returns the result of a run that has ended.
func (r *run) result(opt Options) (Result, error) {
	switch {
	case r.err != nil:
		return Result{}, fmt.Errorf("highs: %w", r.err)
	case r.status == -1:
		return Result{}, errors.New("highs: the run failed")
	}
	result := r.incumbent()
	if C.milp_has_solution(r.handle) != 0 {
		values := make([]float64, len(r.model.variables))
		if C.milp_solution(r.handle, (*C.double)(&values[0])) != -1 {
			result.accept(r.model, values)
		}
	}
	result.settle()
	var nodes C.int64_t
	if r.info64("mip_node_count", &nodes); nodes > 0 {
		result.Nodes = int64(nodes)
	}
	mixed := r.model.Integers() > 0
	if bound, ok := r.info("mip_dual_bound"); ok && mixed {
		result.Bound = result.Bound.Max(r.proved(bound))
	}
	switch status := C.milp_model_status(r.handle); status {
	case highsOptimal, highsEmpty:
		switch {
		case result.Values == nil && opt.Cutoff == nil:
			return Result{}, errors.New("highs: it calls a solution optimal that breaks the model")
		case result.Values == nil:
			result.Status, result.Bound = model.Infeasible, r.proved(math.Inf(1))
		default:
			result.Status = model.Optimal
			if !mixed {
				result.Bound = model.ProvedBound(result.Objective)
			}
		}
	case highsInfeasible, highsObjectiveBound:
		result.Status, result.Bound = model.Infeasible, r.proved(math.Inf(1))
	case highsUnboundedOrInfeasible, highsUnbounded:
		result.Status, result.Unbounded, result.Bound = model.Unknown, true, model.Bound{}
	case highsSolutionLimit: // HiGHS reports the limit of nodes as this status
		result.Limited = true
	case highsLoadError, highsModelError, highsPresolveError, highsSolveError, highsPostsolveError:
		return Result{}, fmt.Errorf("highs: the run failed with model status %d", status)
	}
	return result, nil
}

// info reads a figure of the run.
func (r *run) info(name string) (float64, bool) {
	text := C.CString(name)
	defer C.free(unsafe.Pointer(text))
	var value C.double
	ok := C.milp_double_info(r.handle, text, &value) == 0
	return float64(value), ok
}

// info64 reads a whole figure of the run.
func (r *run) info64(name string, value *C.int64_t) {
	text := C.CString(name)
	defer C.free(unsafe.Pointer(text))
	C.milp_int64_info(r.handle, text, value)
}

// solveFile solves the model in a file and returns HiGHS's status and objective. Tests use it to check written files, because test files
// cannot use cgo.
func solveFile(path string) (status int, objective float64, err error) {
	one := &Model{}
	one.Add(Variable{})
	r, err := newRun(one)
	if err != nil {
		return 0, 0, err
	}
	defer r.free()
	if err := errors.Join(r.set(Options{}), r.load(newColumns(one))); err != nil {
		return 0, 0, err
	}
	text := C.CString(path)
	defer C.free(unsafe.Pointer(text))
	if C.milp_read(r.handle, text) == -1 {
		return 0, 0, errors.New("highs: it cannot read the file")
	}
	if C.milp_run(r.handle, nil) == -1 { // the watch has room for one variable only
		return 0, 0, errors.New("highs: the run failed")
	}
	objective, _ = r.info("objective_function_value")
	return int(C.milp_model_status(r.handle)), objective, nil
}

// Package bound computes lower bounds of the objective of an instance, and the number of jobs that every schedule owes. No schedule that owes no more can cost
// less. So each result can show its gap to a proved bound.
//
// [Lower] gives a quick bound. A [Portfolio] runs all methods that apply to an instance and keeps the best bound so far. You can stop
// it at any time, and what it has proved stays valid. If nothing interrupts it, the bound depends on the instance and the work
// alone.
//
// A [Method] bounds one metric. Each method is registered in its own file; [Register] adds one of your own.
package bound

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/allot-opt/allot/bound/internal/gate"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/proof"
)

// Method is a way to compute a lower bound of one metric; or, if Lacks is set, of what a metric that is better when high lacks of its largest value.
type Method struct {
	Name   string
	Metric string // the metric it bounds
	Lacks  bool   // it bounds what the metric lacks of its largest value, see [model.Instance.Most], over the jobs that a schedule may place
	Doc    string
	Source string
	New    func(r *Relaxation, proved *Gate) Prover // makes a prover, which hands its bounds to the gate

	Certifies bool // the prover shows what proves its bounds, so that a certificate can hold it
}

// Prover is a method at work on one instance. Only one goroutine at a time may use it.
type Prover interface {
	// Improve continues for the given work and says whether more work may raise the bound. A unit of work takes about 1 ns on a
	// core of today. When ctx ends, Improve returns within some milliseconds. If ctx does not end, the bound after a sequence of
	// calls depends on the instance and the work of each call alone.
	//
	// A prover hands each bound to the [Gate] that it was made with. The bound must hold for every schedule that places all
	// jobs of [Relaxation.MustPlace]. If a subroutine fails, the prover hands over nothing.
	Improve(ctx context.Context, work int64) (more bool)
}

// Limited is a prover that can ignore schedules that cost more than a known one.
type Limited interface {
	Prover
	// Limit tells the prover that schedules that cost more than the value do not matter. From then on the prover may stop at the
	// value. What it proves holds whether or not there is a schedule of that value.
	Limit(value float64)
}

// Finder is a prover that may come upon a schedule on its way.
type Finder interface {
	Prover
	// Order returns all jobs of the instance in an order that gives a schedule of about the cost that the prover has proved. It returns
	// false if the prover has come upon no such schedule. The instance has one cluster. To make the schedule, take the jobs in this order
	// and start each as early as the jobs before it allow. The order is only a hint: the caller must have the schedule checked and
	// evaluated like any other.
	Order() ([]int, bool)
}

// methods holds the registered methods, by metric.
var methods = map[bounded][]Method{}

// bounded is what a method bounds: a metric, or what it lacks of its largest value.
type bounded struct {
	metric string
	lacks  bool
}

// Register adds a method to the registry. Call it in a package-level variable declaration in the file of the method. Every [Portfolio] then uses
// the method. So a method in a program of your own serves all solvers and Run of package solve, and results name it like the methods here.
//
// Register panics if the metric is unknown or has one value for each cluster, if Lacks is set for one that is not better when high, if New is missing, or if the name is missing or taken by another
// method of the metric. These are bugs in the program.
func Register(m Method) Method {
	metric, ok := model.MetricNamed(m.Metric)
	of := bounded{m.Metric, m.Lacks}
	taken := slices.ContainsFunc(methods[of], func(other Method) bool { return other.Name == m.Name })
	if !ok || metric.PerCluster || m.Lacks && !metric.HighBetter || taken || m.Name == "" || m.New == nil {
		panic(fmt.Sprintf("bound: method %q for the metric %q", m.Name, m.Metric))
	}
	methods[of] = append(methods[of], m)
	return m
}

// Methods lists the registered methods, sorted by metric and name.
func Methods() []Method {
	var list []Method
	for _, of := range methods {
		list = append(list, of...)
	}
	slices.SortFunc(list, func(a, b Method) int { return cmp.Or(cmp.Compare(a.Metric, b.Metric), cmp.Compare(a.Name, b.Name)) })
	return list
}

// Once makes provers for a method that proves all it can in one call of prove. When ctx ends, prove returns what it has proved by
// then; it returns false if it has proved nothing.
func Once(prove func(ctx context.Context, r *Relaxation) (Sum, bool)) func(*Relaxation, *Gate) Prover {
	return OnceShown(func(ctx context.Context, r *Relaxation) (Sum, func() *proof.Argument, bool) {
		sum, ok := prove(ctx, r)
		return sum, nil, ok
	})
}

// OnceShown is like [Once], for a method that can show what proves its bound. The function show is called only if a certificate is asked for. If
// it is nil there is no certificate.
func OnceShown(prove func(ctx context.Context, r *Relaxation) (sum Sum, show func() *proof.Argument, ok bool)) func(*Relaxation, *Gate) Prover {
	return func(r *Relaxation, proved *Gate) Prover { return &once{r, proved, prove} }
}

// once is a prover that does all its work in one call.
type once struct {
	r      *Relaxation
	proved *Gate
	prove  func(ctx context.Context, r *Relaxation) (Sum, func() *proof.Argument, bool)
}

// Improve implements [Prover].
func (o *once) Improve(ctx context.Context, _ int64) bool {
	if sum, show, ok := o.prove(ctx, o.r); ok && o.proved.Prove(sum) && show != nil {
		o.proved.Show(show)
	}
	return false
}

// Sum is the result of some arithmetic, with the figures that limit its rounding error.
//
//	Value float64                      the result
//	Size  float64                      sum of the magnitudes of all numbers that went into it
//	Terms int                          how many numbers these are; a chain of operations counts as many as it is long
//	func (*Sum) Add(x float64)         adds a number
//	func (*Sum) Low() (float64, bool)  a lower bound of the exact result; false: the arithmetic came to NaN or an overflow
//	func (*Sum) Margin() float64       limits the rounding error
type Sum = gate.Sum

// Gate takes the bounds that a prover proves. There is no other way to state a bound. The gate rounds every bound down by its
// rounding error.
//
//	func (*Gate) Prove(proved Sum) bool               takes a lower bound of the metric; true: a certificate of it is asked for
//	func (*Gate) Show(func() *proof.Argument)         takes what proves the bound that Prove took last, for its certificate
//	func (*Gate) Bound() model.Bound  the best bound of the metric so far
//	func (*Gate) Close()              says that the prover has failed: the gate ignores all later results
//	func (*Gate) Drop()               says that what the prover claimed is false: the gate forgets all of it
//	func (*Gate) Closed() bool        whether it has failed
type Gate = gate.Gate

// Package bound proves lower bounds of the objective of an instance: how low no schedule can be.
//
// A [Method] bounds one metric in one way and is registered in the file that holds it, as a solver is. A [Proof] runs all of
// those that say something of an instance and holds the best of what they have proved so far. It can be stopped at any time
// and stays valid; without that, what it has proved depends on the instance and the work put in alone.
package bound

import (
	"context"
	"fmt"
	"slices"

	"github.com/allot-opt/allot/model"
)

// Method is a way to prove how low a metric can be.
type Method struct {
	Name   string
	Metric string // the metric it bounds
	Doc    string
	Source string
	New    func(r *Relaxation, proved *Gate) Prover // that hands what it proves to the gate
}

// Prover is a method at work on one instance. It is for one goroutine at a time.
type Prover interface {
	// Improve goes on for about so much work, a unit of which takes about 1 ns on one core of today, and says whether more
	// may improve the bound further. When ctx ends it returns within some ms. Without that, the bound after a sequence of calls
	// depends on the instance and the work of each alone.
	//
	// What it proves it hands to the [Gate] that it was made with: what the metric is not below in any schedule that places
	// every job it has to. A subroutine that fails proves nothing.
	Improve(ctx context.Context, work int64) (more bool)
}

// Limited is a prover that need not look at what is dearer than a schedule at hand.
type Limited interface {
	Prover
	// Limit says that schedules of more than the value are of no interest: from then on the bound may end there. It holds all the
	// same, whether or not there is a schedule of the value.
	Limit(value float64)
}

// methods holds the registered methods by metric.
var methods = map[string][]Method{}

// Register adds a method to the registry, from where every [Proof] takes it: one in a program of your own is used by all solvers and by Run of
// package solve, and named beside ours. It is called from the file of the method, in a package-level variable declaration;
// a metric without one value, and a method without New or with a name that another of the metric has, are bugs in the program and panic.
func Register(m Method) Method {
	metric, ok := model.MetricNamed(m.Metric)
	taken := slices.ContainsFunc(methods[m.Metric], func(other Method) bool { return other.Name == m.Name })
	if !ok || metric.PerCluster || taken || m.Name == "" || m.New == nil {
		panic(fmt.Sprintf("bound: method %q for the metric %q", m.Name, m.Metric))
	}
	methods[m.Metric] = append(methods[m.Metric], m)
	return m
}

// Once makes the provers of a method that proves all it can in one go, which returns what it has when ctx ends; false: nothing.
func Once(prove func(ctx context.Context, r *Relaxation) (Sum, bool)) func(*Relaxation, *Gate) Prover {
	return func(r *Relaxation, proved *Gate) Prover { return &once{r, proved, prove} }
}

// once is a prover of one go.
type once struct {
	r      *Relaxation
	proved *Gate
	prove  func(ctx context.Context, r *Relaxation) (Sum, bool)
}

// Improve implements [Prover].
func (o *once) Improve(ctx context.Context, _ int64) bool {
	if sum, ok := o.prove(ctx, o.r); ok {
		o.proved.Prove(sum)
	}
	return false
}

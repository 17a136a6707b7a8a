// Package modeltest draws random instances for property tests, with [pgregory.net/rapid]. It belongs in
// tests only.
//
//	rapid.Check(t, func(t *rapid.T) {
//		in := modeltest.Instance(t, model.Arrivals|model.ParallelJobs)
//		…
//	})
//
// Every field of the wire types occurs, unless it would ask for a feature that is not wanted.
package modeltest

import (
	"fmt"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/model"
)

// AllFeatures are all features that a file can ask for but those of single machines, see NodeFeatures, and of power, see PowerFeatures; and but model.Commitments, which Instance.Batch
// makes.
const AllFeatures = model.BackgroundLoad<<1 - 1

// Instance draws a small valid instance that asks for none but the given features; see [Generator] for larger ones.
func Instance(t *rapid.T, features model.Features) *model.Instance {
	return Generator{Features: features}.Instance(t)
}

// Generator states what random instances to draw. The zero value draws small ones with plain numbers and no
// features.
//
// Some things that do not count as features occur in all of them: clusters that allocate whole machines, a queueing
// view, any objective, jobs too wide for every cluster, no jobs at all.
type Generator struct {
	Features   model.Features // what the instance may ask for
	Jobs       int            // at most; 0: 6
	Clusters   int            // at most; 0: 3
	Groups     int            // of identical machines in a cluster, at most; 0: 3
	Machines   int            // in a group, at most; 0: 3
	Processors int            // of a machine, at most; 0: 4
	// Wild draws numbers of any magnitude the format allows and names of any characters, instead of small multiples of 1/4
	// and plain words.
	Wild bool
}

// Instance draws a valid instance.
func (g Generator) Instance(t *rapid.T) *model.Instance {
	in, err := model.New(g.Spec(t))
	if err != nil {
		t.Fatalf("modeltest drew an invalid instance: %v", err)
	}
	return in
}

// Spec draws the spec of a valid instance.
func (g Generator) Spec(t *rapid.T) model.InstanceSpec {
	d := &drawer{T: t, g: g.withDefaults()}
	d.spec.Schema = model.InstanceSchema
	d.header()
	for c := range d.count("clusters", 1, d.g.Clusters) {
		d.spec.Clusters = append(d.spec.Clusters, d.cluster(c))
	}
	for j := range d.count("jobs", 0, d.g.Jobs) {
		d.spec.Jobs = append(d.spec.Jobs, d.job(j))
	}
	if d.g.Features&PowerFeatures != 0 {
		d.power()
	}
	d.objective()
	if !d.may(model.GridSpan) || d.g.Features&NodeFeatures != 0 && !d.may(model.NodesBeside) {
		d.stayTogether()
	}
	return d.spec
}

// stayTogether keeps jobs on one cluster that would have to spread over the grid, as memory or licences leave them too few processors of each.
func (d *drawer) stayTogether() {
	in, err := model.New(d.spec)
	for k := range d.spec.Jobs {
		if err == nil && in.MustSpread(k) {
			d.spec.Jobs[k].Span = "cluster"
		}
	}
}

// withDefaults fills in the sizes that are 0.
func (g Generator) withDefaults() Generator {
	for _, size := range []struct {
		of    *int
		small int
	}{{&g.Jobs, 6}, {&g.Clusters, 3}, {&g.Groups, 3}, {&g.Machines, 3}, {&g.Processors, 4}} {
		if *size.of == 0 {
			*size.of = size.small
		}
	}
	return g
}

// drawer draws one spec.
type drawer struct {
	*rapid.T
	g         Generator
	spec      model.InstanceSpec
	licences  []string // named by a pool or a machine
	arrival   float64  // of every job, without the feature Arrivals
	bandwidth float64  // of every machine, without BandwidthNeeds; 0: unlimited
	memory    bool     // machines limit memory

	restricted bool // a machine lists the licences that it runs
	widest     int  // processors of the largest cluster
}

// may says whether the instance may ask for the features.
func (d *drawer) may(features model.Features) bool { return d.g.Features.Has(features) }

// chance is true now and then.
func (d *drawer) chance(label string) bool { return rapid.Bool().Draw(d.T, label) }

// rarely is true one time in eight.
func (d *drawer) rarely(label string) bool { return rapid.IntRange(0, 7).Draw(d.T, label) == 7 }

// count is a whole number in [least, most].
func (d *drawer) count(label string, least, most int) int {
	return rapid.IntRange(least, max(least, most)).Draw(d.T, label)
}

// positive is a number that the check "positive" passes.
func (d *drawer) positive(label string) float64 {
	if d.g.Wild {
		return rapid.Float64Range(model.Smallest, model.Largest).Draw(d.T, label)
	}
	return float64(rapid.IntRange(1, 40).Draw(d.T, label)) / 4
}

// nonnegative is a number that the check "nonnegative" passes.
func (d *drawer) nonnegative(label string) float64 {
	if d.rarely(label + " is 0") {
		return 0
	}
	return d.positive(label)
}

// sometimes is a number of at least 0, or absent (0).
func (d *drawer) sometimes(label string) float64 {
	if d.chance(label + " given") {
		return d.nonnegative(label)
	}
	return 0
}

// positiveSometimes is a number above 0, or absent (0).
func (d *drawer) positiveSometimes(label string) float64 {
	if d.chance(label + " given") {
		return d.positive(label)
	}
	return 0
}

// optional is a number of at least 0, or nil.
func (d *drawer) optional(label string) *float64 {
	if !d.chance(label + " given") {
		return nil
	}
	x := d.nonnegative(label)
	return &x
}

// id is a name that no other of its kind has.
func (d *drawer) id(kind string, k int) string {
	id := fmt.Sprintf("%s%d", kind, k)
	if d.g.Wild {
		return rapid.StringN(0, 20, 900).Draw(d.T, kind) + id
	}
	return id
}

// text is any text.
func (d *drawer) text(label string) string {
	if d.g.Wild {
		return rapid.StringN(0, 20, -1).Draw(d.T, label)
	}
	return rapid.SampledFrom([]string{"", label}).Draw(d.T, label)
}

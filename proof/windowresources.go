package proof

import (
	"fmt"
	"math"
	"math/big"
	"slices"

	"github.com/allot-opt/allot/model"
)

// This file finds what jobs hold of the resources of a problem in whole units of time, and which jobs cannot overlap.

// Limits of the work to find what fits together.
const (
	mostApart   = 1 << 26 // pairs of jobs, on pairs of clusters
	mostClosure = 1 << 13 // jobs of an instance with sets of jobs of which no two overlap
)

// prepare looks at the pairs and the resources.
func (w *windows) prepare() error {
	if len(w.a.Pairs)%2 != 0 {
		return refute(w.step+".pairs", "expected two jobs for each pair")
	}
	K := len(w.in.Clusters())
	pairs := len(w.a.Pairs) / 2
	for k := range w.a.Resources {
		n := len(w.a.Resources[k].Jobs)
		pairs = min(mostApart, pairs+min(n, mostClosure)*min(n, mostClosure))
	}
	if pairs*min(K, mostClosure)*min(K, mostClosure) > mostApart {
		return doubt(w.step, "too many pairs of jobs that cannot overlap")
	}
	for k := 0; k < len(w.a.Pairs); k += 2 {
		a, b := w.a.Pairs[k], w.a.Pairs[k+1]
		at := fmt.Sprintf("%s.pairs[%d]", w.step, k)
		if err := w.placed(a, at); err != nil {
			return err
		}
		if err := w.placed(b, at); err != nil {
			return err
		}
		if !w.apart(a, b) {
			return refute(at, "jobs %d and %d may overlap", a, b)
		}
	}
	for k := range w.a.Resources {
		at := fmt.Sprintf("%s.resources[%d]", w.step, k)
		r, err := w.resource(&w.a.Resources[k], at)
		if err != nil {
			return err
		}
		needs := int64(0)
		for _, u := range r.uses {
			if needs += u.need; u.need > mostNeeds || needs > mostNeeds || r.capacity > mostNeeds {
				return doubt(at, "the jobs need too much together")
			}
		}
		w.resources = append(w.resources, r)
	}
	return nil
}

// resource is what the jobs need of a resource, and its capacity.
func (w *windows) resource(r *WindowResource, at string) (windowResource, error) {
	kinds := 0
	for _, set := range []bool{r.Licence != "", r.Memory > 0, len(r.Jobs) > 0, len(r.Weights) > 0} {
		if set {
			kinds++
		}
	}
	switch {
	case kinds > 1 || len(r.Clusters) > 0 && len(r.Jobs)+len(r.Weights) > 0:
		return windowResource{}, refute(at, "expected one kind of resource")
	case len(r.Jobs) > 0:
		return w.clique(r.Jobs, at+".jobs")
	case len(r.Weights) > 0:
		return w.changed(r, at)
	case r.Licence != "" && len(r.Clusters) == 0:
		l, copies, err := w.licence(r.Licence, at+".licence")
		if err != nil {
			return windowResource{}, err
		}
		return w.holds(copies, func(j int) int64 { return w.needs(j, l) }), nil
	}
	listed := make([]bool, len(w.in.Clusters()))
	for k, c := range r.Clusters {
		if c >= len(listed) || listed[c] {
			return windowResource{}, refute(fmt.Sprintf("%s.clusters[%d]", at, k), "expected each cluster once, found %d", c)
		}
		listed[c] = true
	}
	switch {
	case r.Licence != "":
		return w.pools(r.Licence, listed, at+".licence")
	case r.Memory > 0:
		return w.memory(int64(r.Memory), listed, at)
	}
	capacity := int64(0)
	for c := range listed {
		if listed[c] {
			capacity += int64(w.in.Clusters()[c].Processors)
		}
	}
	return w.holds(capacity, func(j int) int64 {
		return w.leastOn(j, listed, func(c int) int64 { size, _ := w.in.Width(j, c); return int64(size) })
	}), nil
}

// holds is a resource of which jobs hold what the function says, if they take time.
func (w *windows) holds(capacity int64, need func(j int) int64) windowResource {
	r := windowResource{capacity: capacity}
	for _, j := range w.must {
		if w.length[j] == 0 {
			continue
		}
		if n := need(j); n > 0 {
			r.uses = append(r.uses, windowUse{j, n})
		}
	}
	return r
}

// leastOn is the least that job j holds, on any cluster where it can run; nothing on clusters that are not listed.
func (w *windows) leastOn(j int, listed []bool, need func(c int) int64) int64 {
	least := int64(math.MaxInt64)
	for c, runs := range w.alone[j] {
		switch {
		case runs && listed[c]:
			least = min(least, need(c))
		case runs:
			return 0
		}
	}
	return least
}

// pools is a licence in the pools from which jobs draw on the listed clusters. Jobs that can run elsewhere do not count.
func (w *windows) pools(id string, listed []bool, at string) (windowResource, error) {
	l := slices.IndexFunc(w.in.Licences(), func(l model.Licence) bool { return l.ID == id })
	if l < 0 {
		return windowResource{}, refute(at, "the instance has no licence %s", quoted(id))
	}
	capacity, grid := int64(0), false
	for c := range listed {
		copies, own := w.in.Pool(c, l)
		switch {
		case !listed[c] || !own && grid:
			continue
		case copies == model.Unlimited:
			return windowResource{}, refute(at, "the licence is not limited")
		}
		grid = grid || !own
		capacity += int64(copies)
	}
	return w.holds(capacity, func(j int) int64 { return w.leastOn(j, listed, func(int) int64 { return w.needs(j, l) }) }), nil
}

// memory is the memory of the listed clusters, in parts: each cluster has as many.
func (w *windows) memory(parts int64, listed []bool, at string) (windowResource, error) {
	whole, capacity := make([]*big.Rat, len(listed)), int64(0)
	for c := range listed {
		if !listed[c] {
			continue
		}
		whole[c] = new(big.Rat)
		for g := range w.in.Clusters()[c].Machines {
			m := &w.in.Clusters()[c].Machines[g]
			if math.IsInf(m.Memory, 1) {
				return windowResource{}, refute(at, "the memory of cluster %d is not limited", c)
			}
			whole[c].Add(whole[c], new(big.Rat).Mul(number(m.Memory), big.NewRat(int64(m.Count), 1)))
		}
		capacity += parts
	}
	return w.holds(capacity, func(j int) int64 {
		return w.leastOn(j, listed, func(c int) int64 {
			size, _ := w.in.Width(j, c)
			if w.in.Jobs()[j].Memory == 0 || whole[c].Sign() == 0 {
				return 0
			}
			share := new(big.Rat).Mul(number(w.in.Jobs()[j].Memory), big.NewRat(int64(size)*parts, 1))
			share.Quo(share, whole[c])
			if share.Cmp(big.NewRat(parts, 1)) > 0 {
				return parts
			}
			return new(big.Int).Quo(share.Num(), share.Denom()).Int64()
		})
	}), nil
}

// changed is a resource before, with weights in place of needs: that of the largest size that is at most the need. The capacity is the most that fits.
func (w *windows) changed(r *WindowResource, at string) (windowResource, error) {
	if r.Of >= len(w.resources) {
		return windowResource{}, refute(at+".of", "expected the position of a resource before, found %d", r.Of)
	}
	of := &w.resources[r.Of]
	for k := range r.Weights {
		if r.Weights[k].Size < 1 || k > 0 && r.Weights[k].Size <= r.Weights[k-1].Size {
			return windowResource{}, refute(fmt.Sprintf("%s.weights[%d]", at, k), "expected ascending sizes of at least 1")
		}
	}
	if of.capacity > mostKnapsack/int64(len(r.Weights)+1) {
		return windowResource{}, doubt(at, "too large a capacity and too many sizes to find what fits")
	}
	out := windowResource{capacity: heaviest(r.Weights, int(of.capacity))}
	for _, u := range of.uses {
		k, exact := slices.BinarySearchFunc(r.Weights, u.need, func(x Weight, need int64) int { return int(int64(x.Size) - need) })
		if !exact {
			k--
		}
		if k >= 0 && r.Weights[k].Weight > 0 {
			out.uses = append(out.uses, windowUse{u.job, int64(r.Weights[k].Weight)})
		}
	}
	return out, nil
}

// clique is a set of jobs of which no two overlap: a resource of which each holds all.
func (w *windows) clique(jobs []int, at string) (windowResource, error) {
	if len(w.in.Jobs()) > mostClosure {
		return windowResource{}, doubt(at, "too many jobs to find what waits for what")
	}
	if _, err := w.set(jobs, at); err != nil {
		return windowResource{}, err
	}
	for k, a := range jobs {
		for _, b := range jobs[:k] {
			if !w.waits(a, b) && !w.waits(b, a) && !w.apart(a, b) {
				return windowResource{}, refute(fmt.Sprintf("%s[%d]", at, k), "jobs %d and %d may overlap", b, a)
			}
		}
	}
	return w.holds(1, func(j int) int64 {
		if _, listed := slices.BinarySearch(jobs, j); listed {
			return 1
		}
		return 0
	}), nil
}

// waits says whether job a waits for job b, perhaps by way of others.
func (w *windows) waits(a, b int) bool {
	if w.follows == nil {
		words := (len(w.in.Jobs()) + 63) / 64
		w.follows = make([][]uint64, len(w.in.Jobs()))
		for _, j := range w.order {
			w.follows[j] = make([]uint64, words)
			for _, before := range w.in.Jobs()[j].After {
				w.follows[j][before/64] |= 1 << (before % 64)
				for k, bits := range w.follows[before] {
					w.follows[j][k] |= bits
				}
			}
		}
	}
	return w.follows[a][b/64]&(1<<(b%64)) != 0
}

// apart says whether the jobs, which take time, cannot run at the same time, whatever clusters they run on.
func (w *windows) apart(a, b int) bool {
	if a == b || w.length[a] == 0 || w.length[b] == 0 {
		return false
	}
	for c, runs := range w.alone[a] {
		for d, other := range w.alone[b] {
			if runs && other && w.together(a, c, b, d) {
				return false
			}
		}
	}
	return true
}

// together says whether job a on cluster c may run beside job b on cluster d.
func (w *windows) together(a, c, b, d int) bool {
	for _, need := range w.in.Jobs()[a].Licences {
		copies, own := w.in.Pool(c, need.Licence)
		_, others := w.in.Pool(d, need.Licence)
		if own == others && (!own || c == d) && copies != model.Unlimited && int64(need.Copies)+w.needs(b, need.Licence) > int64(copies) {
			return false
		}
	}
	if c != d {
		return true
	}
	wide, _ := w.in.Width(a, c)
	other, _ := w.in.Width(b, c)
	return wide+other <= w.in.Clusters()[c].Processors && w.remember(a, wide, b, other, c)
}

// remember says whether the memory of the cluster may suffice for tasks of both jobs. If no machine has memory for one of each, they need machines of their own.
func (w *windows) remember(a, wide, b, other, c int) bool {
	most, machines := 0.0, 0
	first, second := 0, 0 // tasks on one machine
	for g := range w.in.Clusters()[c].Machines {
		m := &w.in.Clusters()[c].Machines[g]
		most, machines = max(most, m.Memory), machines+m.Count
		first, second = max(first, room(&w.in.Jobs()[a], m)), max(second, room(&w.in.Jobs()[b], m))
	}
	if math.IsInf(most, 1) || first == 0 || second == 0 {
		return true
	}
	whole := number(most)
	whole.Add(whole, new(big.Rat).Mul(whole, last))
	if both := new(big.Rat).Add(number(w.in.Jobs()[a].Memory), number(w.in.Jobs()[b].Memory)); both.Cmp(whole) <= 0 {
		return true
	}
	return (wide+first-1)/first+(other+second-1)/second <= machines
}

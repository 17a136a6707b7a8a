package kubernetes

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// A run time is the median of those above what has elapsed, of the first name that is known, a whole name before its family and the job's namespace before none; the lower one of two.
func TestRunTimesOfAHistoryByTheLetter(t *testing.T) {
	shorter, unknown := 0, 0
	for seed := range uint64(2000) {
		rng := rand.New(rand.NewPCG(seed, 57))
		h := history{}
		name := func() string { return []string{"a", "a-7", "b", "b-x2x3x", ""}[rng.IntN(5)] }
		for range rng.IntN(8) {
			if n := name(); n != "" {
				h.add([]string{"", "x"}[rng.IntN(2)], n, float64(rng.IntN(9)))
			}
		}
		for _, list := range h {
			slices.Sort(list)
		}
		names, elapsed := []string{name(), name()}, float64(rng.IntN(6))
		var keys []string
		for _, n := range names {
			if n != "" {
				keys = append(keys, "x/"+n, "x/"+family(n), "/"+n, "/"+family(n))
			}
		}
		want, known := 0.0, false
		for _, key := range keys {
			if len(h[key]) == 0 {
				continue
			}
			var above []float64
			for _, run := range h[key] {
				if elapsed == 0 || run > elapsed {
					above = append(above, run)
				}
			}
			if want, known = elapsed, true; len(above) > 0 {
				want = above[(len(above)-1)/2]
			} else {
				shorter++
			}
			break
		}
		if !known {
			unknown++
		}
		if got, ok := h.of("x", names, elapsed); got != want || ok != known {
			t.Fatalf("seed %d: %v after %v of %v: %v %v, want %v %v", seed, names, elapsed, h, got, ok, want, known)
		}
	}
	if shorter < 100 || unknown < 100 {
		t.Errorf("%d jobs have run for longer than any, of %d nothing is known", shorter, unknown)
	}
}

// Pods may take a flavor where a node with its labels, and any others, may meet their selector and one of their terms, and where they or the flavor tolerate its taints: by trying all nodes.
func TestFlavorsOfPodsByTryingNodes(t *testing.T) {
	keys, values := []string{"a", "b"}, []string{"", "1", "2"} // an empty value: no such label
	taken, not := 0, 0
	for seed := range uint64(2000) {
		rng := rand.New(rand.NewPCG(seed, 58))
		labels := func() map[string]string {
			some := map[string]string{}
			for _, key := range keys {
				if v := values[rng.IntN(3)]; v != "" {
					some[key] = v
				}
			}
			return some
		}
		tolerations := func() (list []toleration) {
			for range rng.IntN(2) {
				list = append(list, toleration{key: keys[rng.IntN(2)], exists: true})
			}
			return list
		}
		o, group := objects{flavors: map[string]*flavor{}}, resourceGroup{}
		for f := range 3 {
			of := &flavor{labels: labels(), tolerations: tolerations()}
			if rng.IntN(3) == 0 {
				of.taints = []taint{{key: keys[rng.IntN(2)], effect: "NoSchedule"}}
			}
			id := fmt.Sprint("f", f)
			o.flavors[id], group.flavors = of, append(group.flavors, quotas{flavor: id})
		}
		group.flavors = append(group.flavors, quotas{flavor: "not described"})
		spec := podSpec{tolerations: tolerations()}
		if rng.IntN(2) == 0 {
			spec.selector = labels()
		}
		for range rng.IntN(3) {
			var one term
			for _, key := range keys { // at most one requirement of each label, so that what a flavor leaves open can be met
				switch rng.IntN(5) {
				case 0:
					one = append(one, requirement{key: key, operator: "In", values: []string{values[1+rng.IntN(2)]}})
				case 1:
					one = append(one, requirement{key: key, operator: "NotIn", values: []string{values[1+rng.IntN(2)]}})
				case 2:
					one = append(one, requirement{key: key, operator: []string{"Exists", "DoesNotExist"}[rng.IntN(2)]})
				case 3:
					one = append(one, requirement{key: key, operator: []string{"Gt", "Lt"}[rng.IntN(2)], values: []string{[]string{"0", "1", "2", "3"}[rng.IntN(4)]}})
				}
			}
			if len(one) > 0 {
				spec.terms = append(spec.terms, one)
			}
		}
		var want []string
		for _, of := range group.flavors {
			f := o.flavors[of.flavor]
			if f == nil {
				f = &flavor{}
			}
			selected, affine := false, len(spec.terms) == 0
			for _, a := range []string{"", "1", "2", "0", "3", "9", "-1"} {
				for _, b := range []string{"", "1", "2", "0", "3", "9", "-1"} {
					n := node{meta: meta{labels: map[string]string{}}}
					for key, value := range map[string]string{"a": a, "b": b} {
						if own, stated := f.labels[key]; stated {
							value = own
						}
						if value != "" {
							n.labels[key] = value
						}
					}
					meets := true
					for key, value := range spec.selector {
						meets = meets && n.labels[key] == value
					}
					selected = selected || meets
					affine = affine || slices.ContainsFunc(spec.terms, func(one term) bool { return one.holds(&n) })
				}
			}
			tolerated := true
			for _, x := range f.taints {
				tolerated = tolerated && slices.ContainsFunc(slices.Concat(spec.tolerations, f.tolerations), func(y toleration) bool { return y.tolerates(x) })
			}
			if selected && affine && tolerated {
				want = append(want, of.flavor)
			}
		}
		if got := o.candidates(&group, &spec); !slices.Equal(got, want) {
			t.Fatalf("seed %d: flavors %v, want %v, for %+v", seed, got, want, spec)
		}
		taken, not = taken+len(want), not+len(group.flavors)-len(want)
	}
	if taken < 1000 || not < 1000 {
		t.Errorf("%d flavors that pods may take, %d not", taken, not)
	}
}

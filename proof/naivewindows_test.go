package proof_test

import (
	"context"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/allot-opt/allot/bound"
	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/proof"
)

// naiveWindows follows docs/proofs.md start by start and unit by unit. All jobs of its instances have to be placed, and memories are whole numbers.
type naiveWindows struct {
	in        *model.Instance
	a         *proof.Windows
	L, lo, hi []int
	resources []naiveResource
	wrong     bool // a step is none
	empty     bool
}

// naiveResource is what each job holds of a resource, by job.
type naiveResource struct {
	capacity int
	amount   []int
}

// newNaiveWindows sets the windows and looks at resources and pairs.
func newNaiveWindows(in *model.Instance, a *proof.Windows) *naiveWindows {
	n := len(in.Jobs())
	w := &naiveWindows{in: in, a: a, lo: make([]int, n+1), hi: make([]int, n+1), L: make([]int, n+1)}
	round := func(x, less float64) int {
		exact := func(x float64) *big.Rat { return new(big.Rat).SetFloat64(x) }
		units := exact(x)
		if units.Quo(units.Sub(units, exact(less)), exact(a.Unit)); a.Nearest {
			units.Add(units, big.NewRat(1, 2))
		}
		return int(new(big.Int).Quo(units.Num(), units.Denom()).Int64())
	}
	w.hi[n] = a.Makespan
	for j := range n {
		least := math.Inf(1)
		for c := range in.Clusters() {
			if in.CanRun(j, c) {
				size, _ := in.Width(j, c)
				least = min(least, in.DurationOn(j, c, size))
			}
		}
		w.L[j] = round(least, 0)
		w.lo[j] = round(in.Jobs()[j].Arrival, in.FirstArrival())
		for _, b := range in.Jobs()[j].After { // of jobs before it in the file
			w.lo[j] = max(w.lo[j], w.lo[b]+w.L[b])
		}
		w.lo[n] = max(w.lo[n], w.lo[j]+w.L[j])
	}
	for j := n - 1; j >= 0; j-- {
		w.hi[j] = a.Makespan - w.L[j]
		for s := range n {
			if slices.Contains(in.Jobs()[s].After, j) {
				w.hi[j] = min(w.hi[j], w.hi[s]-w.L[j])
			}
		}
		w.empty = w.empty || w.lo[j] > w.hi[j]
	}
	for k := 0; k+1 < len(a.Pairs); k += 2 {
		if x, y := a.Pairs[k], a.Pairs[k+1]; x >= n || y >= n || !w.apart(x, y) {
			w.wrong = true
		}
		w.lo, w.hi, w.L = append(w.lo, 0), append(w.hi, 1), append(w.L, 0)
	}
	w.wrong = w.wrong || len(a.Pairs)%2 != 0
	for k := range a.Resources {
		if !w.wrong {
			w.resources = append(w.resources, w.resource(&a.Resources[k]))
		}
	}
	return w
}

// copies is what a job needs of the one licence.
func (w *naiveWindows) copies(j int) int {
	for _, need := range w.in.Jobs()[j].Licences {
		return need.Copies
	}
	return 0
}

// apart says that two jobs never run at the same time.
func (w *naiveWindows) apart(x, y int) bool {
	in := w.in
	for c := range in.Clusters() {
		for d := range in.Clusters() {
			if !in.CanRun(x, c) || !in.CanRun(y, d) {
				continue
			}
			first, _ := in.Width(x, c)
			second, _ := in.Width(y, d)
			clash := false
			if c == d {
				m := &in.Clusters()[c].Machines[0]
				clash = first+second > in.Clusters()[c].Processors
				if on := func(j, size int) int { // machines for its tasks, each with as many as have room
					room := m.Units
					if mem := in.Jobs()[j].Memory; mem > 0 {
						room = min(room, int(m.Memory/mem))
					}
					return (size + room - 1) / room
				}; in.Jobs()[x].Memory+in.Jobs()[y].Memory > m.Memory && on(x, first)+on(y, second) > m.Count {
					clash = true
				}
			}
			if len(in.Licences()) > 0 {
				copies, own := in.Pool(c, 0)
				_, other := in.Pool(d, 0)
				if own == other && (c == d || !own) && w.copies(x)+w.copies(y) > copies && w.copies(x) > 0 {
					clash = true
				}
			}
			if !clash {
				return false
			}
		}
	}
	return x != y && w.L[x] > 0 && w.L[y] > 0
}

// waits says that job x waits for job y, perhaps by way of others.
func (w *naiveWindows) waits(x, y int) bool {
	return slices.ContainsFunc(w.in.Jobs()[x].After, func(b int) bool { return b == y || w.waits(b, y) })
}

// resource is what jobs hold.
func (w *naiveWindows) resource(r *proof.WindowResource) (out naiveResource) {
	in, n := w.in, len(w.in.Jobs())
	out.amount = make([]int, n)
	kinds := 0
	for _, set := range []bool{r.Licence != "", r.Memory > 0, r.Jobs != nil, r.Weights != nil} {
		if set {
			kinds++
		}
	}
	seen := map[int]bool{}
	for _, c := range r.Clusters {
		w.wrong = w.wrong || c >= len(in.Clusters()) || seen[c]
		seen[c] = true
	}
	if w.wrong = w.wrong || kinds > 1 || len(r.Clusters) > 0 && (r.Jobs != nil || r.Weights != nil) || r.Licence != "" && (r.Licence != "l" || len(in.Licences()) == 0); w.wrong {
		return out
	}
	switch {
	case r.Jobs != nil:
		out.capacity = 1
		w.wrong = w.wrong || len(r.Jobs) == 0
		for k, x := range r.Jobs {
			if w.wrong = w.wrong || x >= n || k > 0 && x <= r.Jobs[k-1]; w.wrong {
				return out
			}
			for _, y := range r.Jobs[:k] {
				w.wrong = w.wrong || !w.waits(x, y) && !w.waits(y, x) && !w.apart(x, y)
			}
			out.amount[x] = 1
		}
		return out
	case r.Weights != nil:
		if r.Of >= len(w.resources) {
			w.wrong = true
			return out
		}
		var most func(k, room int) int
		most = func(k, room int) int { // with the sizes from k on
			if k == len(r.Weights) {
				return 0
			}
			best := most(k+1, room)
			if r.Weights[k].Size > 0 && r.Weights[k].Size <= room {
				best = max(best, r.Weights[k].Weight+most(k, room-r.Weights[k].Size))
			}
			return best
		}
		for k := range r.Weights {
			w.wrong = w.wrong || r.Weights[k].Size < 1 || k > 0 && r.Weights[k].Size <= r.Weights[k-1].Size
			for j, held := range w.resources[r.Of].amount {
				if held >= r.Weights[k].Size {
					out.amount[j] = r.Weights[k].Weight
				}
			}
		}
		out.capacity = most(0, w.resources[r.Of].capacity)
		return out
	case r.Licence != "" && len(r.Clusters) == 0:
		out.capacity = in.Licences()[0].Copies
		for c := range in.Clusters() {
			if copies, own := in.Pool(c, 0); own {
				out.capacity += copies
			}
		}
	case r.Licence != "":
		grid := false
		for _, c := range r.Clusters {
			if copies, own := in.Pool(c, 0); own || !grid {
				out.capacity += copies
				grid = grid || !own
			}
		}
	case r.Memory > 0:
		out.capacity = r.Memory * len(r.Clusters)
		w.wrong = w.wrong || len(r.Clusters) > 0 && math.IsInf(in.Clusters()[0].Machines[0].Memory, 1)
	default:
		for _, c := range r.Clusters {
			out.capacity += in.Clusters()[c].Processors
		}
	}
	for j := range n {
		least := math.MaxInt
		for c := range in.Clusters() {
			if !in.CanRun(j, c) {
				continue
			}
			size, _ := in.Width(j, c)
			held := size
			switch {
			case r.Licence != "":
				held = w.copies(j)
			case r.Memory > 0:
				whole := 0
				for _, m := range in.Clusters()[c].Machines {
					whole += m.Count * int(min(m.Memory, 1e6))
				}
				held = min(r.Memory, r.Memory*size*int(in.Jobs()[j].Memory)/max(1, whole))
			}
			if !seen[c] && (r.Licence == "" || len(r.Clusters) > 0) {
				held = 0
			}
			least = min(least, held)
		}
		if w.L[j] > 0 {
			out.amount[j] = least
		}
	}
	return out
}

// verdict is what the checker should say.
func (w *naiveWindows) verdict() proof.Verdict {
	for k := range w.a.Lemmas {
		if w.wrong || w.empty {
			break
		}
		if !w.lemma(k) {
			w.wrong = true
		}
	}
	if w.empty && !w.wrong {
		return proof.Verified
	}
	return proof.Refuted
}

// lemma takes one lemma. It returns false if the lemma is wrong.
func (w *naiveWindows) lemma(k int) bool {
	lemma := &w.a.Lemmas[k]
	if len(lemma.Clause) == 0 {
		return w.take(lemma.Steps, k)
	}
	lo, hi := slices.Clone(w.lo), slices.Clone(w.hi)
	if len(lemma.Clause)%2 != 0 {
		return false
	}
	for i := 0; i < len(lemma.Clause); i += 2 {
		x, v := lemma.Clause[i]/2, lemma.Clause[i+1]
		if x >= len(w.lo) {
			return false
		}
		if lemma.Clause[i]%2 == 0 {
			w.set(x, w.lo[x], min(w.hi[x], v-1))
		} else {
			w.set(x, max(w.lo[x], v+1), w.hi[x])
		}
	}
	right := w.take(lemma.Steps, k) && w.empty
	w.lo, w.hi, w.empty = lo, hi, false
	return right
}

func (w *naiveWindows) set(x, lo, hi int) {
	w.lo[x], w.hi[x] = lo, hi
	w.empty = w.empty || lo > hi
}

// before lets number x end before number y starts: it takes each value away for which the other has none.
func (w *naiveWindows) before(x, y int) {
	lo, hi := w.lo[x], w.hi[y]
	for low := w.lo[y]; low <= w.hi[y] && low < lo+w.L[x]; {
		low++
		w.set(y, low, w.hi[y])
	}
	for high := w.hi[x]; high >= w.lo[x] && high+w.L[x] > hi; {
		high--
		w.set(x, w.lo[x], high)
	}
}

// inside is for how long a job that starts at s runs from x to y.
func (w *naiveWindows) inside(j, s, x, y int) (n int) {
	for t := s; t < s+w.L[j]; t++ {
		if t >= x && t < y {
			n++
		}
	}
	return n
}

// least is for how long a job runs from x to y at least.
func (w *naiveWindows) least(j, x, y int) int {
	n := math.MaxInt
	for s := w.lo[j]; s <= w.hi[j]; s++ {
		n = min(n, w.inside(j, s, x, y))
	}
	return n
}

// take takes steps. It returns false if one is wrong.
func (w *naiveWindows) take(steps []int, lemma int) bool {
	n := len(w.in.Jobs())
	for len(steps) > 0 && !w.empty {
		size := []int{2, 1, 1, 2, 3}
		if steps[0] >= len(size) || len(steps) <= size[steps[0]] {
			return false
		}
		code, x := steps[0], steps[1:1+size[steps[0]]]
		steps = steps[1+size[code]:]
		switch code {
		case 0:
			if x[0] >= n || x[1] > n || x[1] < n && !slices.Contains(w.in.Jobs()[x[1]].After, x[0]) {
				return false
			}
			w.before(x[0], x[1])
		case 1:
			if x[0] >= len(w.a.Pairs)/2 {
				return false
			}
			a, b, p := w.a.Pairs[2*x[0]], w.a.Pairs[2*x[0]+1], n+1+x[0]
			if w.lo[a]+w.L[a] > w.hi[b] {
				w.set(p, w.lo[p], 0)
			}
			if w.lo[b]+w.L[b] > w.hi[a] {
				w.set(p, 1, w.hi[p])
			}
			if !w.empty && w.lo[p] == 1 {
				w.before(a, b)
			} else if !w.empty && w.hi[p] == 0 {
				w.before(b, a)
			}
		case 2:
			if x[0] >= lemma || len(w.a.Lemmas[x[0]].Clause) == 0 {
				return false
			}
			w.clause(w.a.Lemmas[x[0]].Clause)
		default:
			if x[0] >= len(w.resources) || code == 4 && x[1] >= x[2] {
				return false
			}
			if code == 3 {
				x = append(slices.Clone(x), x[1]+1)
			}
			w.interval(&w.resources[x[0]], x[1], x[2], code == 3)
		}
	}
	return true
}

// clause makes the one literal true that is left.
func (w *naiveWindows) clause(literals []int) {
	open := 0
	var last func()
	for i := 0; i < len(literals); i += 2 {
		x, v, holds := literals[i]/2, literals[i+1], func(y, v int) bool { return y >= v }
		if literals[i]%2 == 1 {
			holds = func(y, v int) bool { return y <= v }
		}
		lo, hi := math.MaxInt, math.MinInt
		for y := w.lo[x]; y <= w.hi[x]; y++ {
			if holds(y, v) {
				lo, hi = min(lo, y), max(hi, y)
			}
		}
		if lo <= hi {
			open++
			last = func() { w.set(x, lo, hi) }
		}
	}
	switch open {
	case 0:
		w.empty = true
	case 1:
		last()
	}
}

// interval takes starts away from both ends at which a job would hold more than the others leave. With sure set only jobs count that hold the resource for the whole of it, which is one unit.
func (w *naiveWindows) interval(r *naiveResource, x, y int, sure bool) {
	spare := r.capacity * (y - x)
	least := make([]int, len(r.amount))
	for j := range r.amount {
		least[j] = w.least(j, x, y)
		spare -= r.amount[j] * least[j]
	}
	if spare < 0 {
		w.empty = true
		return
	}
	lo, hi := slices.Clone(w.lo), slices.Clone(w.hi)
	for j, amount := range r.amount {
		if amount == 0 || sure && least[j] > 0 {
			continue
		}
		much := func(s int) bool { return amount*w.inside(j, s, x, y) > spare+amount*least[j] }
		for lo[j] <= w.hi[j] && much(lo[j]) {
			lo[j]++
		}
		for hi[j] >= w.lo[j] && much(hi[j]) {
			hi[j]--
		}
	}
	for j := range r.amount {
		w.set(j, lo[j], hi[j])
	}
}

// drawn draws an argument by windows: resources, pairs, and lemmas of which most are right, as the naive form finds out.
func drawn(rng *rand.Rand, in *model.Instance, unit float64, makespan int) *proof.Windows {
	n, clusters := len(in.Jobs()), len(in.Clusters())
	a := &proof.Windows{Unit: unit, Nearest: rng.IntN(2) == 0, Makespan: makespan}
	for range 1 + rng.IntN(4) {
		r := proof.WindowResource{Clusters: rng.Perm(clusters)[:1+rng.IntN(clusters)]}
		switch rng.IntN(6) {
		case 0:
			r = proof.WindowResource{Licence: "l"}
		case 1:
			r.Licence = "l"
		case 2:
			r.Memory = 1 + rng.IntN(12)
		case 3:
			r = proof.WindowResource{Jobs: slices.Sorted(slices.Values(rng.Perm(n)[:1+rng.IntN(n)]))}
		case 4:
			r = proof.WindowResource{Of: rng.IntN(2), Weights: []proof.Weight{{Size: 1 + rng.IntN(2), Weight: rng.IntN(4)}, {Size: 2 + rng.IntN(2), Weight: rng.IntN(4)}}[:1+rng.IntN(2)]}
		}
		a.Resources = append(a.Resources, r)
		if w := newNaiveWindows(in, a); w.wrong && rng.IntN(30) > 0 {
			a.Resources = a.Resources[:len(a.Resources)-1]
		}
	}
	for x := range n {
		for y := range n {
			if w := newNaiveWindows(in, a); !w.wrong && (w.apart(x, y) && rng.IntN(2) == 0 || rng.IntN(200) == 0) {
				a.Pairs = append(a.Pairs, x, y)
			}
		}
	}
	number := func() int {
		if rng.IntN(60) == 0 {
			return rng.IntN(100)
		}
		return rng.IntN(n + 1 + len(a.Pairs)/2)
	}
	steps := func(most int) (list []int) {
		for range 1 + rng.IntN(most) {
			switch rng.IntN(6) {
			case 0:
				y := rng.IntN(n + 1)
				if x := rng.IntN(n); y == n || slices.Contains(in.Jobs()[y].After, x) {
					list = append(list, 0, x, y)
				}
			case 1:
				if len(a.Pairs) > 1 {
					list = append(list, 1, rng.IntN(len(a.Pairs)/2))
				}
			case 2:
				if k := rng.IntN(len(a.Lemmas) + 1); k < len(a.Lemmas) && len(a.Lemmas[k].Clause) > 0 {
					list = append(list, 2, k)
				}
			case 3, 4:
				if len(a.Resources) > 0 {
					list = append(list, 3, rng.IntN(len(a.Resources)), rng.IntN(makespan+2))
				}
			case 5:
				if from := rng.IntN(makespan + 1); len(a.Resources) > 0 {
					list = append(list, 4, rng.IntN(len(a.Resources)), from, from+1+rng.IntN(makespan+1))
				}
			}
			if rng.IntN(300) == 0 {
				list = append(list, rng.IntN(7))
			}
		}
		return list
	}
	for range rng.IntN(12) {
		lemma := proof.Lemma{}
		if rng.IntN(5) > 0 {
			for range 1 + rng.IntN(3) {
				lemma.Clause = append(lemma.Clause, 2*number()+rng.IntN(2), rng.IntN(makespan+1))
			}
		}
		lemma.Steps = steps(8)
		a.Lemmas = append(a.Lemmas, lemma)
		w := newNaiveWindows(in, a)
		if w.verdict(); w.wrong && rng.IntN(40) > 0 {
			a.Lemmas = a.Lemmas[:len(a.Lemmas)-1]
		}
	}
	a.Lemmas = append(a.Lemmas, proof.Lemma{Steps: steps(20)})
	return a
}

// The checker says of drawn arguments, and of changed arguments of provers, what the naive form says. None of them proves more than the best schedule.
func TestWindowsProveWhatTheyShould(t *testing.T) {
	race.OneGoroutine(t)
	rng, seen := rand.New(rand.NewPCG(4, 44)), tally{}
	for k := range race.Fewer(1500, 150) {
		in, unit := windowed(t, rng)
		best := math.Inf(1)
		if in.Features()&model.MemoryLimits == 0 {
			best = optima(in)["makespan"]
		}
		p := bound.NewCertified(context.Background(), in)
		p.Improve(t.Context(), 3_000_000)
		var shown []*proof.Windows
		for _, c := range p.Certificates() {
			if len(c.Parts) == 0 { // choices
				continue
			}
			if by := c.Parts[0].By; by != nil && by.Windows != nil {
				if r := verdict(t.Context(), in, c); r.Verdict != proof.Verified {
					t.Fatalf("instance %d: %s: %v: %+v", k, c.Parts[0].Method, r, by.Windows)
				}
				seen["shown by "+c.Parts[0].Method]++
				shown = append(shown, by.Windows)
			}
		}
		for range 4 {
			most := 8
			if !math.IsInf(best, 1) {
				most = int(math.Round(best/unit)) + 1
			}
			a := drawn(rng, in, unit, min(60, max(0, most-rng.IntN(6))))
			if len(shown) > 0 && rng.IntN(3) == 0 {
				a = changedWindows(rng, shown[rng.IntN(len(shown))])
			}
			w := newNaiveWindows(in, a)
			want := w.verdict()
			value := float64(a.Makespan+1) * a.Unit
			r := verdict(t.Context(), in, claim(in, "makespan", value*(1-1e-9), 0, &proof.Argument{Windows: a}))
			if r.Verdict != want {
				t.Fatalf("instance %d: %v, expected %s of %+v\n%s", k, r, want, *a, written(in))
			}
			if want == proof.Verified && value > best*(1+1e-9) {
				t.Fatalf("instance %d: %v is verified, a schedule takes %v: %+v\n%s", k, value, best, *a, written(in))
			}
			seen[string(want)]++
			if want == proof.Verified && len(a.Lemmas) > 0 {
				seen["verified by lemmas"]++
			}
			if want == proof.Verified && slices.ContainsFunc(a.Lemmas, func(l proof.Lemma) bool { return len(l.Clause) > 0 }) {
				seen["verified with clauses"]++
			}
		}
	}
	t.Log(seen)
	for _, kind := range []string{"refuted", "verified", "verified by lemmas", "verified with clauses", "shown by destructive"} {
		if seen[kind] < race.Fewer(300, 10) {
			t.Errorf("%s: %d cases, the test says little: %v", kind, seen[kind], seen)
		}
	}
}

// changedWindows is an argument with a change or two.
func changedWindows(rng *rand.Rand, a *proof.Windows) *proof.Windows {
	out := *a
	out.Lemmas, out.Pairs, out.Resources = slices.Clone(a.Lemmas), slices.Clone(a.Pairs), slices.Clone(a.Resources)
	for range 1 + rng.IntN(2) {
		change := func(list []int) []int {
			list = slices.Clone(list)
			if len(list) > 0 {
				k := rng.IntN(len(list))
				if list[k] = max(0, list[k]+rng.IntN(5)-2); rng.IntN(4) == 0 {
					list = slices.Delete(list, k, k+1)
				}
			}
			return list
		}
		switch rng.IntN(5) {
		case 0:
			out.Makespan += rng.IntN(3)
		case 1:
			out.Pairs = change(out.Pairs)
		case 2:
			if len(out.Resources) > 0 {
				r := &out.Resources[rng.IntN(len(out.Resources))]
				r.Clusters, r.Jobs, r.Weights = change(r.Clusters), change(r.Jobs), slices.Clone(r.Weights)
				if r.Of = max(0, r.Of+rng.IntN(3)-1); len(r.Weights) > 0 {
					r.Weights[rng.IntN(len(r.Weights))].Weight += rng.IntN(2)
				}
				if len(r.Jobs) == 0 {
					r.Jobs = nil
				}
				if len(r.Clusters) == 0 {
					r.Clusters = nil
				}
			}
		default:
			if len(out.Lemmas) > 0 {
				l := &out.Lemmas[rng.IntN(len(out.Lemmas))]
				if l.Steps = change(l.Steps); len(l.Clause) > 2 {
					l.Clause = change(l.Clause)
				}
			}
		}
	}
	return &out
}

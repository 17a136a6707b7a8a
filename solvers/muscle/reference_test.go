package muscle

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/allot-opt/allot/internal/kit"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
)

// literal is MUSCLE as the paper words it with the repairs of [Solver]'s doc comment, and as dumb as can be: the
// table holds lists of jobs, a search looks at all of it, and a cluster is the release time of each processor.
type literal struct {
	Solver
	in      *model.Instance
	widest  int
	order   []int     // the queue: jobs of the instance
	sizes   []int     // in queue order, as all that follows
	table   [][][]int // by row: compositions
	done    map[int]bool
	visited map[[2]int]bool
	began   float64     // when the batch is complete
	release [][]float64 // by cluster and processor
	placed  map[int]model.Placement
	packs   []packedSpace

	searched, found int // calls of Algorithm 2, and how many found jobs
}

func newLiteral(in *model.Instance, m Solver) *literal {
	ref := &literal{Solver: m, in: in, done: map[int]bool{}, placed: map[int]model.Placement{}}
	for j := range in.Jobs() {
		ref.began = max(ref.began, in.Jobs()[j].Arrival)
	}
	for c := range in.Clusters() {
		ref.release = append(ref.release, nil)
		for p := range in.Clusters()[c].Processors {
			ref.release[c] = append(ref.release[c], max(ref.began, heldUntil(in, c, p)))
		}
		ref.widest = max(ref.widest, in.Clusters()[c].Processors)
	}
	for j := range in.Jobs() {
		if in.Jobs()[j].Min <= ref.widest {
			ref.order = append(ref.order, j)
		}
	}
	slices.SortStableFunc(ref.order, func(a, b int) int {
		due := 0
		if m.Queue == "edd" {
			due = cmp.Compare(in.Jobs()[a].Deadline, in.Jobs()[b].Deadline)
		}
		return cmp.Or(due, cmp.Compare(in.Jobs()[a].Arrival, in.Jobs()[b].Arrival))
	})
	for _, j := range ref.order {
		ref.sizes = append(ref.sizes, in.Jobs()[j].Min)
	}
	ref.algorithm1()
	return ref
}

// heldUntil is the last end of what earlier jobs hold of the processor.
func heldUntil(in *model.Instance, cluster, processor int) (end float64) {
	for _, h := range in.Held() {
		for _, piece := range h.Pieces {
			for _, r := range piece.Processors {
				if piece.Cluster == cluster && r.First <= processor && processor <= r.Last {
					end = max(end, piece.End)
				}
			}
		}
	}
	return end
}

// algorithm1 constructs the composition table.
func (ref *literal) algorithm1() {
	ref.table = make([][][]int, ref.widest+1)
	for i, s := range ref.sizes {
		for j := 1; j <= ref.widest; j++ {
			if s == j {
				ref.table[j] = append(ref.table[j], []int{i})
			}
			if s < j {
				for _, composition := range ref.table[j-s] {
					if !slices.Contains(composition, i) && !ref.inRow(composition, j) {
						ref.table[j] = append(ref.table[j], append([]int{i}, composition...))
						break
					}
				}
			}
		}
	}
}

// inRow says whether a job of the composition is in row j.
func (ref *literal) inRow(composition []int, j int) bool {
	for _, other := range ref.table[j] {
		for _, job := range composition {
			if slices.Contains(other, job) {
				return true
			}
		}
	}
	return false
}

// taken counts the jobs that are allocated or in q.
func (ref *literal) taken(composition, q []int) int {
	n := 0
	for _, job := range composition {
		if ref.done[job] || slices.Contains(q, job) {
			n++
		}
	}
	return n
}

// algorithm2 calculates the alternatives for the composition at (r, l); it returns the longer q.
func (ref *literal) algorithm2(r, l int, q []int) ([]int, bool) {
	ref.visited[[2]int{r, l}] = true
	for _, job := range ref.table[r][l] {
		if ref.taken([]int{job}, q) == 0 {
			q = append(q, job)
			continue
		}
		s := ref.sizes[job]
		best := -1
		for k, composition := range ref.table[s] {
			itself := len(composition) == 1 && composition[0] == job
			if !itself && !ref.visited[[2]int{s, k}] && (best < 0 || ref.taken(composition, q) < ref.taken(ref.table[s][best], q)) {
				best = k
			}
		}
		if best < 0 {
			return q, false
		}
		if ref.taken(ref.table[s][best], q) == 0 {
			q = append(q, ref.table[s][best]...)
			continue
		}
		var ok bool
		if q, ok = ref.algorithm2(s, best, q); !ok {
			return q, false
		}
	}
	return q, true
}

// algorithm3 finds jobs for a space of r processors.
func (ref *literal) algorithm3(r int) []int {
	for rc := r; rc > 0; rc-- {
		if len(ref.table[rc]) == 0 {
			continue
		}
		best := 0
		for k, composition := range ref.table[rc] {
			if ref.taken(composition, nil) < ref.taken(ref.table[rc][best], nil) {
				best = k
			}
		}
		if ref.taken(ref.table[rc][best], nil) == 0 {
			return ref.table[rc][best]
		}
		ref.visited = map[[2]int]bool{}
		ref.searched++
		if q, ok := ref.algorithm2(rc, best, nil); ok {
			ref.found++
			return q
		}
	}
	return nil
}

// epsilon is eq. 3 from what is left of the jobs that hold processors of the cluster and from the jobs placed on it so far.
func (ref *literal) epsilon(c int) float64 {
	p, times, sizes, slacks := 0.0, 0.0, 0.0, 0.0
	for _, h := range ref.in.Held() {
		for _, piece := range h.Pieces {
			left := min(piece.End-h.Start, piece.End-ref.began)
			if piece.Cluster != c || left <= 0 {
				continue
			}
			p, times, sizes = p+1, times+left, sizes+float64(piece.Processors.Len())
			if h.Job.HasDeadline() {
				slacks += h.Job.Deadline - h.Job.Arrival - (piece.End - h.Start)
			}
		}
	}
	for _, pack := range ref.packs { // in the order of the sums
		for _, j := range pack.jobs {
			if pack.cluster != c {
				continue
			}
			length := ref.in.DurationOn(j, c, ref.in.Jobs()[j].Min)
			p, times, sizes = p+1, times+length, sizes+float64(ref.in.Jobs()[j].Min)
			if ref.in.Jobs()[j].HasDeadline() {
				slacks += ref.in.Jobs()[j].Deadline - ref.in.Submitted(j) - length
			}
		}
	}
	if p == 0 {
		return 0
	}
	due := false
	for k := range ref.in.Jobs() {
		due = due || ref.in.Jobs()[k].HasDeadline()
	}
	for _, h := range ref.in.Held() {
		due = due || h.Job.HasDeadline()
	}
	if !due {
		slacks = p * p
	}
	return p * times * sizes / (max(slacks, 1e-9) * float64(len(ref.release[c])))
}

// solve is Algorithm 4; it returns the placements in the order of the instance.
func (ref *literal) solve(seed uint64) []model.Placement {
	rng := rand.New(rand.NewPCG(seed, 0))
	closed := map[int]bool{}
	for len(ref.done) < len(ref.sizes) {
		c := ref.chooseCluster(closed, rng)
		if ref.fillEarliest(c) {
			continue
		}
		t, next := slices.Min(ref.release[c]), math.Inf(1)
		for _, at := range ref.release[c] {
			if at > t {
				next = min(next, at)
			}
		}
		closed[c] = math.IsInf(next, 1)
		for k, at := range ref.release[c] {
			if at == t && !closed[c] {
				ref.release[c][k] = next
			}
		}
	}
	var list []model.Placement
	for j := range ref.in.Jobs() {
		if p, ok := ref.placed[j]; ok {
			list = append(list, p)
		}
	}
	return list
}

// chooseCluster is steps 5 to 7 of Algorithm 4.
func (ref *literal) chooseCluster(closed map[int]bool, rng *rand.Rand) int {
	key := func(c int) []float64 {
		k := []float64{ref.epsilon(c), -float64(len(ref.release[c]))}
		if ref.Reading == "b" {
			k = append([]float64{slices.Min(ref.release[c])}, k...)
		}
		return k
	}
	var tied []int
	for c := range ref.release {
		if closed[c] {
			continue
		}
		if len(tied) > 0 && slices.Compare(key(c), key(tied[0])) < 0 {
			tied = nil
		}
		if len(tied) == 0 || slices.Equal(key(c), key(tied[0])) {
			tied = append(tied, c)
		}
	}
	if len(tied) == 1 {
		return tied[0]
	}
	return tied[rng.IntN(len(tied))]
}

// fillEarliest tries the spaces at the cluster's earliest release time from the left.
func (ref *literal) fillEarliest(c int) bool {
	release := ref.release[c]
	t := slices.Min(release)
	for cp := 0; cp < len(release); cp++ {
		r := 0
		for cp+r < len(release) && release[cp+r] == t {
			r++
		}
		if jobs := ref.algorithm3(r); jobs != nil {
			ref.place(c, t, r, cp, jobs)
			return true
		}
		cp += r
	}
	return false
}

// place puts the jobs on the processors from cp on.
func (ref *literal) place(c int, t float64, r, cp int, jobs []int) {
	pack := packedSpace{cluster: c, t: t, r: r, cp: cp}
	for k := range ref.release {
		pack.epsilon = append(pack.epsilon, ref.epsilon(k))
	}
	for _, job := range jobs {
		j := ref.order[job]
		pack.jobs = append(pack.jobs, j)
		ref.done[job] = true
		end := t + ref.in.DurationOn(j, c, ref.sizes[job])
		set := model.Range{First: cp, Last: cp + ref.sizes[job] - 1}
		ref.placed[j] = model.Placement{Job: ref.in.Jobs()[j].ID, Cluster: ref.in.Clusters()[c].ID, Processors: model.ProcessorSet{set}, Start: t, End: end}
		for ; cp <= set.Last; cp++ {
			ref.release[c][cp] = end
		}
	}
	ref.packs = append(ref.packs, pack)
}

// compareWithReference solves with the solver and the literal algorithms and counts what Algorithm 2 did.
func compareWithReference(t interface {
	Helper()
	Fatal(...any)
	Fatalf(string, ...any)
}, in *model.Instance, m Solver, seed uint64, searched, found *int) {
	t.Helper()
	reference := newLiteral(in, m)
	want := reference.solve(seed)
	var packs []packedSpace
	result, err := m.Solve(context.Background(), in, solve.Options{Seed: seed, Trace: spacesOf(in, &packs)})
	if err != nil {
		t.Fatal(err)
	}
	table := newCompositionTable(int32s(reference.sizes), reference.widest, kit.NewPoll(context.Background()))
	table.build()
	rows := table.contents()
	if diff := gocmp.Diff(reference.table[:len(rows)], rows, cmpopts.EquateEmpty()); diff != "" {
		t.Fatalf("composition table: %s", diff)
	}
	if diff := gocmp.Diff(reference.packs, packs, gocmp.AllowUnexported(packedSpace{})); diff != "" {
		t.Fatalf("spaces: %s", diff)
	}
	if diff := gocmp.Diff(want, result.Solution.Jobs, cmpopts.EquateEmpty()); diff != "" {
		t.Fatalf("schedule: %s", diff)
	}
	if report := model.Check(in, result.Solution); !report.OK() {
		t.Fatalf("the schedule is wrong: %v", report.Violations[0])
	}
	for _, p := range result.Solution.Jobs {
		c, _ := in.ClusterIndex(p.Cluster)
		for at := p.Processors.Min(); at <= p.Processors.Max(); at++ {
			if end := heldUntil(in, c, at); p.Start < end {
				t.Fatalf("job %s starts at %v on processor %d of %s, which is held until %v", p.Job, p.Start, at, p.Cluster, end)
			}
		}
	}
	*searched, *found = *searched+reference.searched, *found+reference.found
}

package model_test

import (
	"maps"
	"math"
	"math/big"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/internal/modeltest"
	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/model"
)

// rules checks placements as docs/rules.md reads: a table of all processors, tasks given one by one, durations in exact numbers. The checks of what is held at
// once are those of naive.
type rules struct {
	in      *model.Instance
	spec    model.InstanceSpec // whose run times the instance hides
	at      [][]*model.Machine // the group of each processor, by cluster
	machine [][]int            // the machine of each processor, by cluster
	found   map[string]bool    // violations: code, job, cluster
	pieces  map[int][]model.Piece
	placed  map[int]*model.Placement
}

func newRules(in *model.Instance, spec model.InstanceSpec) *rules {
	r := &rules{in: in, spec: spec, found: map[string]bool{}, pieces: map[int][]model.Piece{}, placed: map[int]*model.Placement{}}
	for c := range in.Clusters() {
		var at []*model.Machine
		var machine []int
		n := 0
		for g := range in.Clusters()[c].Machines {
			m := &in.Clusters()[c].Machines[g]
			for range m.Count {
				for range m.Units {
					at, machine = append(at, m), append(machine, n)
				}
				n++
			}
		}
		r.at, r.machine = append(r.at, at), append(r.machine, machine)
	}
	return r
}

// members are the processors of a set, in order.
func members(set model.ProcessorSet) (list []int) {
	for _, run := range set {
		for p := run.First; p <= run.Last; p++ {
			list = append(list, p)
		}
	}
	return list
}

// quotient is ⌈a/b⌉.
func quotient(a, b int) int { return int(math.Ceil(float64(a) / float64(b))) }

// duration is D of a piece, where the slowest link of the whole job is known; NaN: it cannot run there.
func (r *rules) duration(job int, p model.Piece, link float64) float64 {
	c, _ := r.in.ClusterIndex(p.Cluster)
	j, cluster, on := &r.in.Jobs()[job], &r.in.Clusters()[c], members(p.Processors)
	if runtime := r.spec.Jobs[job].Runtime; len(runtime) > 0 {
		alone, ok := runtime[p.Cluster]
		if !ok {
			return math.NaN()
		}
		most := j.Max
		if cluster.WholeMachines {
			most = 1
		}
		return alone * float64(quotient(p.Tasks, len(on))) / float64(quotient(j.Tasks, most))
	}
	overhead := cluster.ContextSwitch
	if j.Message > 0 {
		overhead = cluster.ContextSwitch + cluster.Latency + j.Message/cluster.NetBandwidth
	}
	tasks, longest := make([]int, len(on)), 0.0
	given := 0
	if p.Tasks >= len(on) {
		for k := range tasks {
			tasks[k], given = 1, given+1
		}
	}
	for ; given < p.Tasks; given++ {
		best := 0
		for k := range tasks {
			if float64(tasks[k]+1)/r.at[c][on[k]].Speed < float64(tasks[best]+1)/r.at[c][on[best]].Speed {
				best = k
			}
		}
		tasks[best]++
	}
	for k := range tasks {
		if tasks[k] > 0 {
			longest = max(longest, float64(tasks[k])*j.Work/r.at[c][on[k]].Speed+overhead)
		}
	}
	if data := j.Input + j.Output; data > 0 {
		longest += data / link
	}
	return longest
}

// link is the slowest link of a job.
func (r *rules) link(pieces []model.Piece) float64 {
	least := math.Inf(1)
	for _, p := range pieces {
		c, _ := r.in.ClusterIndex(p.Cluster)
		for _, q := range members(p.Processors) {
			least = min(least, r.at[c][q].Bandwidth)
		}
	}
	return least
}

// shared says whether a processor of the piece has background load.
func (r *rules) shared(p model.Piece) bool {
	c, _ := r.in.ClusterIndex(p.Cluster)
	return slices.ContainsFunc(members(p.Processors), func(q int) bool { b := r.at[c][q].Background; return b != nil && b.Load > 0 })
}

// ulp is the distance to the next larger number.
func ulp(t float64) float64 { return math.Nextafter(t, math.Inf(1)) - t }

// exactly is a sum of products in exact numbers.
func exactly(terms ...[]float64) *big.Rat {
	sum := new(big.Rat)
	for _, factors := range terms {
		term := big.NewRat(1, 1)
		for _, x := range factors {
			term.Mul(term, new(big.Rat).SetFloat64(x))
		}
		sum.Add(sum, term)
	}
	return sum
}

// rightEnd applies the rule of durations, and says whether rounding of double precision decides.
func rightEnd(start, end, d float64, shared bool) (right, close bool) {
	length := exactly([]float64{end}, []float64{-1, start})
	slack := func(d float64) *big.Rat {
		return exactly([]float64{1e-9, d}, []float64{0.5, ulp(start)}, []float64{0.5, ulp(end)})
	}
	longest := d
	if shared {
		longest = 2 * d
	}
	over := new(big.Rat).Sub(new(big.Rat).Sub(length, exactly([]float64{longest})), slack(longest))
	under := new(big.Rat).Sub(new(big.Rat).Sub(exactly([]float64{d}), length), slack(d))
	for _, x := range []*big.Rat{over, under} {
		if f, _ := x.Float64(); d > 0 && math.Abs(f) <= 1e-14*d {
			close = true
		}
	}
	return over.Sign() <= 0 && under.Sign() <= 0 && (d == 0 || end > start), close
}

// says records a violation.
func (r *rules) says(code, job, cluster string) { r.found[code+" "+job+" "+cluster] = true }

// interval says whether it is one.
func interval(start, end float64) bool { return 0 <= start && start <= end && !math.IsInf(end, 1) }

// resolve finds what is placed.
func (r *rules) resolve(sol *model.Solution) {
	for k := range sol.Jobs {
		p := &sol.Jobs[k]
		job, ok := r.in.JobIndex(p.Job)
		switch {
		case !ok:
			r.says("unknown-job", p.Job, "")
			continue
		case len(r.pieces[job]) > 0:
			r.says("duplicate-job", p.Job, "")
			continue
		case !interval(p.Start, p.End):
			r.says("bad-time", p.Job, "")
			continue
		}
		all := p.Pieces
		if len(all) == 0 {
			all = []model.Piece{{Cluster: p.Cluster, Processors: p.Processors, Tasks: r.in.Jobs()[job].Tasks, Start: p.Start, End: p.End}}
		}
		for _, piece := range all {
			c, ok := r.in.ClusterIndex(piece.Cluster)
			on := members(piece.Processors)
			switch {
			case !ok:
				r.says("unknown-cluster", p.Job, piece.Cluster)
			case !interval(piece.Start, piece.End):
				r.says("bad-time", p.Job, piece.Cluster)
			case len(on) == 0:
				r.says("processor-count", p.Job, piece.Cluster)
			case on[len(on)-1] >= len(r.at[c]):
				r.says("foreign-processor", p.Job, piece.Cluster)
			case piece.Tasks < 1 || piece.Tasks > r.in.Jobs()[job].Tasks:
				r.says("tasks", p.Job, piece.Cluster)
			default:
				r.pieces[job] = append(r.pieces[job], piece)
				r.placed[job] = p
			}
		}
	}
}

// listed checks that each job is placed or left out once.
func (r *rules) listed(sol *model.Solution) {
	named := map[string]bool{}
	for _, u := range sol.Unscheduled {
		job, ok := r.in.JobIndex(u.Job)
		switch {
		case !ok:
			r.says("unknown-job", u.Job, "")
		case named[u.Job] || len(r.pieces[job]) > 0:
			r.says("duplicate-job", u.Job, "")
		case u.Reason == "":
			r.says("no-reason", u.Job, "")
		}
		named[u.Job] = true
	}
	for _, p := range sol.Jobs {
		named[p.Job] = true
		if len(p.Pieces) > 0 && (p.Cluster != "" || len(p.Processors) > 0) {
			r.says("pieces", p.Job, p.Cluster)
		}
	}
	if len(sol.Jobs) > 0 && sol.Status == model.Infeasible {
		r.says("wrong-status", "", "")
	}
	if sol.Status == model.Optimal && !sol.Bound.Known() {
		r.says("wrong-status", "", "")
	}
	for k := range r.in.Jobs() {
		if id := r.in.Jobs()[k].ID; !named[id] && !(sol.Status == model.Infeasible && len(sol.Jobs) == 0) {
			r.says("missing-job", id, "")
		}
	}
}

// check checks a solution. It returns false where rounding decides.
func (r *rules) check(sol *model.Solution) bool {
	r.resolve(sol)
	r.listed(sol)
	clear := true
	for job, pieces := range r.pieces {
		j, p := &r.in.Jobs()[job], r.placed[job]
		home := pieces[0].Cluster
		if p.Start < j.Arrival {
			r.says("early-start", j.ID, home)
		}
		if j.DeadlineHard && !math.IsInf(j.Deadline, 1) && exactly([]float64{p.End}).Cmp(exactly([]float64{j.Deadline}, []float64{2, ulp(p.End)})) > 0 {
			r.says("hard-deadline", j.ID, home)
		}
		for _, before := range j.After {
			if other := r.placed[before]; other == nil || p.Start < other.End {
				r.says("precedence", j.ID, home)
			}
		}
		for _, piece := range pieces {
			clear = r.piece(job, piece) && clear
		}
		if len(pieces) == max(1, len(p.Pieces)) {
			r.whole(job)
		}
	}
	return clear
}

// piece checks a piece by itself.
func (r *rules) piece(job int, p model.Piece) (clear bool) {
	j := &r.in.Jobs()[job]
	c, _ := r.in.ClusterIndex(p.Cluster)
	d := r.duration(job, p, r.link(r.pieces[job]))
	if math.IsNaN(d) {
		r.says("ineligible", j.ID, p.Cluster)
		return true
	}
	for _, q := range members(p.Processors) {
		if r.at[c][q].Bandwidth < j.MinBandwidth {
			r.says("bandwidth", j.ID, p.Cluster)
		}
		for _, need := range j.Licences {
			if !r.at[c][q].Runs(need.Licence) {
				r.says("licence", j.ID, p.Cluster)
			}
		}
	}
	right, close := rightEnd(p.Start, p.End, d, r.shared(p))
	if !right {
		r.says("wrong-end", j.ID, p.Cluster)
	}
	return !close
}

// whole checks a job of which every piece is there.
func (r *rules) whole(job int) {
	j, p, pieces := &r.in.Jobs()[job], r.placed[job], r.pieces[job]
	home := pieces[0].Cluster
	last, machines, tasks, processors, held, all := 0.0, map[int]bool{}, map[string]int{}, map[string]int{}, 0, 0
	for _, piece := range pieces {
		c, _ := r.in.ClusterIndex(piece.Cluster)
		on := members(piece.Processors)
		last = max(last, piece.End)
		tasks[piece.Cluster] += piece.Tasks
		processors[piece.Cluster] += len(on)
		held, all = held+len(on), all+piece.Tasks
		for _, q := range on {
			machines[r.machine[c][q]] = true
		}
		if piece.Start != p.Start {
			r.says("pieces", j.ID, home)
		}
	}
	if last != p.End {
		r.says("pieces", j.ID, home)
	}
	uneven := all != j.Tasks
	for _, piece := range pieces {
		b, n, here := tasks[piece.Cluster], processors[piece.Cluster], piece.Processors.Len()
		uneven = uneven || b >= n && piece.Tasks < here || b <= n && piece.Tasks > here
	}
	if uneven {
		r.says("tasks", j.ID, home)
	}
	least, most := j.Min, j.Max
	if c, _ := r.in.ClusterIndex(home); len(tasks) == 1 && r.in.Clusters()[c].WholeMachines {
		least, most = 1, 1
	}
	if held < least || held > most {
		r.says("processor-count", j.ID, home)
	}
	if len(tasks) > 1 && j.Span != model.SpanGrid || (len(machines) > 1 || len(tasks) > 1) && j.Span == model.SpanMachine {
		r.says("span", j.ID, home)
	}
}

// reportedRules are the violations of a report that rules finds too.
func reportedRules(report model.Report) map[string]bool {
	found := map[string]bool{}
	for _, v := range report.Violations {
		cluster := v.Cluster
		switch v.Code {
		case "overlap", "memory", "loads", "wrong-objective", "wrong-metric", "wrong-bound", model.CodeWrongInstance:
			continue
		case "licence":
			if !strings.HasPrefix(v.Message, "the machine does not run") {
				continue
			}
		}
		found[string(v.Code)+" "+v.Job+" "+cluster] = true
	}
	return found
}

// clocked draws an instance, on a clock that may have run for long.
func clocked(t *rapid.T) (*model.Instance, model.InstanceSpec) {
	spec := modeltest.Generator{Features: modeltest.AllFeatures, Jobs: 5, Clusters: 3, Groups: 2, Machines: 2, Processors: 3}.Spec(t)
	origin := rapid.SampledFrom([]float64{0, 0, 1.7e9, 1.7e15}).Draw(t, "origin")
	for k := range spec.Jobs {
		spec.Jobs[k].Arrival += origin
		if d := spec.Jobs[k].Deadline; d != nil {
			*d += origin
		}
	}
	in, err := model.New(spec)
	if err != nil {
		t.Fatal(err)
	}
	return in, spec
}

// off moves a number by some of its spacings, or by some of a length.
func off(t *rapid.T, x, length float64) float64 {
	if math.IsInf(x, 0) {
		return x
	}
	switch rapid.IntRange(0, 15).Draw(t, "off") {
	case 0:
		return math.Nextafter(x, 0)
	case 1:
		return math.Nextafter(x, math.Inf(1))
	case 2:
		return x + 4*ulp(x)
	case 3:
		return x + length*rapid.SampledFrom([]float64{9e-10, -9e-10, 2e-9, -2e-9, 0.5, 1, 1 + 1.5e-9, 1 + 3e-9, -1}).Draw(t, "by")
	case 4:
		return x + rapid.SampledFrom([]float64{1, -1, math.Inf(1), math.NaN(), -1e300}).Draw(t, "wild")
	}
	return x
}

// some draws processors of a cluster, as many as the job may hold as a rule.
func (r *rules) some(t *rapid.T, job, cluster int) model.ProcessorSet {
	there := len(r.at[cluster])
	first := rapid.IntRange(0, there-1).Draw(t, "first")
	n := rapid.IntRange(1, there-first).Draw(t, "n")
	if j := &r.in.Jobs()[job]; rapid.IntRange(0, 3).Draw(t, "fits") > 0 {
		n = min(max(n, j.Min), j.Max, there)
		first = min(first, there-n)
	}
	switch rapid.IntRange(0, 11).Draw(t, "odd") {
	case 0:
		return nil
	case 1:
		n = there - first + 1
	case 2:
		return model.Processors(slices.Compact([]int{0, there - 1})...)
	}
	return model.NewProcessorSet(model.Range{First: first, Last: first + n - 1})
}

// solution draws a schedule in which a few things may be wrong.
func (r *rules) solution(t *rapid.T) *model.Solution {
	rare := func(what string) bool { return rapid.IntRange(0, 15).Draw(t, what) == 15 }
	sol := &model.Solution{Status: rapid.SampledFrom([]model.Status{model.Feasible, model.Feasible, model.Feasible, model.Infeasible, model.Optimal}).Draw(t, "status")}
	if rapid.Bool().Draw(t, "bound") {
		sol.Bound = model.ProvedBound(0)
	}
	sol.Owed = rapid.SampledFrom([]int{0, 0, 1}).Draw(t, "owed")
	ends := map[int]float64{}
	for k := range r.in.Jobs() {
		j := &r.in.Jobs()[k]
		if rare("left out") {
			sol.Unscheduled = append(sol.Unscheduled, model.Unscheduled{Job: j.ID, Reason: rapid.SampledFrom([]string{"", "no"}).Draw(t, "reason")})
			if rapid.IntRange(0, 3).Draw(t, "alone") > 0 {
				continue
			}
		}
		if rare("missing") {
			continue
		}
		p := model.Placement{Job: j.ID, Start: j.Arrival + float64(rapid.IntRange(0, 8).Draw(t, "wait"))/4*float64(rapid.IntRange(0, 1).Draw(t, "waits"))}
		for _, before := range j.After {
			p.Start = max(p.Start, ends[before])
		}
		p.Start = off(t, p.Start, 1)
		pieces := []model.Piece{}
		left := j.Tasks
		for n := min(left, rapid.SampledFrom([]int{1, 1, 1, 2, 3}).Draw(t, "pieces")); n > 0; n-- {
			c := rapid.IntRange(0, len(r.at)-1).Draw(t, "cluster")
			piece := model.Piece{Cluster: r.in.Clusters()[c].ID, Processors: r.some(t, k, c), Tasks: left, Start: p.Start}
			if n > 1 {
				piece.Tasks = rapid.IntRange(1, max(1, left-1)).Draw(t, "tasks")
			}
			left -= piece.Tasks
			if rare("odd tasks") {
				piece.Tasks = rapid.SampledFrom([]int{0, 1, j.Tasks, j.Tasks + 1}).Draw(t, "tasks")
			}
			if rare("odd cluster") {
				piece.Cluster = "x"
			}
			pieces = append(pieces, piece)
		}
		r.lengths(t, k, &p, pieces)
		ends[k] = p.End
		if p.End = off(t, p.End, 1e-3); len(pieces) == 1 && left == 0 && pieces[0].Tasks == j.Tasks {
			p.Cluster, p.Processors = pieces[0].Cluster, pieces[0].Processors
			if p.End == ends[k] {
				p.End = pieces[0].End
			}
		}
		if len(pieces) > 1 || p.Cluster == "" || rare("beside") {
			p.Pieces = pieces
			switch rapid.IntRange(0, 2).Draw(t, "without") {
			case 0:
				p.Cluster = ""
			case 1:
				p.Processors = nil
			}
		}
		if sol.Jobs = append(sol.Jobs, p); rare("twice") {
			p.End++
			sol.Jobs = append(sol.Jobs, p)
		}
	}
	if rare("unknown") {
		sol.Jobs = append(sol.Jobs, model.Placement{Job: "x"})
		sol.Unscheduled = append(sol.Unscheduled, model.Unscheduled{Job: "y"}, model.Unscheduled{Job: "job0", Reason: "no"}, model.Unscheduled{Job: "job0", Reason: "no"})
	}
	return sol
}

// lengths gives each piece its duration, or one that is off.
func (r *rules) lengths(t *rapid.T, job int, p *model.Placement, pieces []model.Piece) {
	known := func(piece model.Piece) bool {
		c, ok := r.in.ClusterIndex(piece.Cluster)
		on := members(piece.Processors)
		return ok && len(on) > 0 && on[len(on)-1] < len(r.at[c]) && piece.Tasks > 0
	}
	var there []model.Piece
	for _, piece := range pieces {
		if known(piece) {
			there = append(there, piece)
		}
	}
	p.End = p.Start
	for k := range pieces {
		piece := &pieces[k]
		d := 1.0
		if known(*piece) {
			if x := r.duration(job, *piece, r.link(there)); !math.IsNaN(x) {
				d = x
			}
		}
		piece.End = off(t, p.Start+d, d)
		p.End = max(p.End, piece.End)
		if len(pieces) > 1 {
			piece.Start = off(t, piece.Start, 0)
		}
	}
}

// On random schedules in which a little is wrong, at three clocks.
func TestCheckAgreesWithTheRulesAsTheyRead(t *testing.T) {
	seen := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		in, spec := clocked(t)
		for k := range 40 {
			if k%8 == 7 {
				in, spec = clocked(t)
			}
			sol := newRules(in, spec).solution(t)
			r := newRules(in, spec)
			if !r.check(sol) {
				continue // rounding decides
			}
			sol.Minimised = map[string]float64{"makespan": 1}
			report := model.Check(in, sol)
			other := func(v model.Violation) bool { return v.Code != "wrong-status" }
			ended := func(p model.Placement) bool { return p.End > in.FirstArrival() }
			if sol.Status == model.Optimal && !slices.ContainsFunc(report.Violations, other) && slices.ContainsFunc(sol.Jobs, ended) {
				r.says("wrong-status", "", "") // a makespan above its bound, 0
			}
			if sol.Status == model.Optimal && !slices.ContainsFunc(report.Violations, other) && sol.Bound.Known() && len(sol.Unscheduled) > sol.Owed {
				r.says("wrong-status", "", "")
			}
			stated := slices.ContainsFunc(report.Violations, func(v model.Violation) bool { return v.Code == "wrong-bound" }) // no other bound than 0 is stated
			if lies := sol.Owed > len(sol.Unscheduled) && sol.Status != model.Infeasible; lies && report.OK() || stated && !lies {
				t.Fatalf("%d jobs are left out, stated to be owed %d, and found %v", len(sol.Unscheduled), sol.Owed, report.Violations)
			}
			got := reportedRules(report)
			if !maps.Equal(got, r.found) {
				t.Fatalf("found %v, expected %v", slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(r.found)))
			}
			for v := range got {
				code, _, _ := strings.Cut(v, " ")
				seen[code]++
			}
			if len(got) == 0 {
				seen["right"]++
			}
		}
	})
	if len(seen) < 19 || seen["right"] < race.Enough(30) {
		t.Errorf("the schedules were too few for a comparison: %v", seen)
	}
}

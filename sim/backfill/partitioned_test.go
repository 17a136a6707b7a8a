package backfill

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/sim"
)

// site is a system of partitions that the slow form simulates: clusters of processors, partitions that have some of them, and one pool of licences. It looks at everything at each instant.
type site struct {
	clusters []int
	parts    []sitePart
	jobs     []siteJob
	pool     int // 0: no licences
	step     float64
	depth    int // 0: FCFS
	shortest bool

	now     float64
	met     map[string]*metQueue
	regions [][]string // by name, in any order
}

// sitePart is a partition.
type sitePart struct {
	name     string
	tier     float64
	clusters []int
}

// siteJob is a job.
type siteJob struct {
	arrival, runtime, estimate float64
	size, copies               int
	parts                      []int // those that it names; none: it names no partition
	clusters                   []int // on which it can run
	start, end                 float64
	where                      int
	arrived, left              bool
}

// metQueue is what is known of a queue.
type metQueue struct {
	clusters map[int]bool
	licences bool
}

// siteHold is what a plan holds.
type siteHold struct {
	from, to     float64
	where        int
	size, copies int
	by           *siteJob // the waiting job whose reservation it is; nil: one that runs
}

// queues are the names of a job's queues.
func (s *site) queues(j *siteJob) []string {
	if len(j.parts) == 0 {
		return []string{""}
	}
	var names []string
	for _, k := range j.parts {
		names = append(names, s.parts[k].name)
	}
	return names
}

// of are the clusters on which a job may run as one of a queue.
func (s *site) of(j *siteJob, queue string) []int {
	if len(j.parts) < 2 {
		return j.clusters
	}
	for _, p := range s.parts {
		if p.name == queue {
			return p.clusters
		}
	}
	return nil
}

// tier is that of a queue.
func (s *site) tier(queue string) float64 {
	for _, p := range s.parts {
		if p.name == queue {
			return p.tier
		}
	}
	return 0
}

// meet notes the queues of a job that arrives, and finds the regions.
func (s *site) meet(j *siteJob) {
	for _, name := range s.queues(j) {
		q := s.met[name]
		if q == nil {
			q = &metQueue{clusters: map[int]bool{}}
			for _, p := range s.parts {
				for _, c := range p.clusters {
					q.clusters[c] = q.clusters[c] || p.name == name
				}
			}
			s.met[name] = q
		}
		q.licences = q.licences || j.copies > 0
		if len(j.parts) < 2 {
			for _, c := range j.clusters {
				q.clusters[c] = q.clusters[c] || s.clusters[c] >= j.size
			}
		}
		s.regions = append(s.regions, []string{name})
	}
	if len(j.parts) > 1 {
		s.regions = append(s.regions, s.queues(j))
	}
	for again := true; again; { // join whatever has something in common
		again = false
		for a := 0; a < len(s.regions); a++ {
			for b := a + 1; b < len(s.regions); b++ {
				if s.common(s.regions[a], s.regions[b]) {
					s.regions[a] = append(s.regions[a], s.regions[b]...)
					slices.Sort(s.regions[a])
					s.regions[a] = slices.Compact(s.regions[a])
					s.regions = slices.Delete(s.regions, b, b+1)
					again = true
					b--
				}
			}
		}
	}
}

// common says whether two regions belong together.
func (s *site) common(a, b []string) bool {
	for _, x := range a {
		for _, y := range b {
			p, q := s.met[x], s.met[y]
			if x == y || p.licences && q.licences {
				return true
			}
			for c, has := range p.clusters {
				if has && q.clusters[c] {
					return true
				}
			}
		}
	}
	return false
}

// expected is when a running job ends as far as a policy knows.
func (s *site) expected(j *siteJob) float64 {
	if end := j.start + j.estimate; end > s.now {
		return end
	}
	return max(s.now+s.step, math.Nextafter(s.now, math.Inf(1)))
}

// free is what the running jobs leave of a cluster and of the licences now.
func (s *site) free(cluster int) (processors, copies int) {
	processors, copies = s.clusters[cluster], s.pool
	for k := range s.jobs {
		if j := &s.jobs[k]; !math.IsNaN(j.start) && !j.left {
			if copies -= j.copies; j.where == cluster {
				processors -= j.size
			}
		}
	}
	return processors, copies
}

// fitsNow is the first of the clusters on which a job fits now; −1: none.
func (s *site) fitsNow(j *siteJob, clusters []int, shut map[int]bool) int {
	for c := range s.clusters {
		if n, copies := s.free(c); slices.Contains(clusters, c) && !shut[c] && n >= j.size && copies >= j.copies {
			return c
		}
	}
	return -1
}

// launch starts a job.
func (s *site) launch(j *siteJob, where int) {
	j.start, j.end, j.where = s.now, s.now+j.runtime, where
}

// run simulates the site.
func (s *site) run() {
	s.met = map[string]*metQueue{}
	for k := range s.parts {
		s.meet(&siteJob{parts: []int{k}})
	}
	for k := range s.jobs {
		s.jobs[k].start, s.jobs[k].end = math.NaN(), math.NaN()
	}
	for {
		next := math.Inf(1)
		for k := range s.jobs {
			switch j := &s.jobs[k]; {
			case !j.arrived:
				next = min(next, j.arrival)
			case !math.IsNaN(j.start) && !j.left:
				next = min(next, j.end)
			}
		}
		if math.IsInf(next, 1) {
			return
		}
		s.now = next
		happened := map[string]bool{} // by queue
		for k := range s.jobs {
			if j := &s.jobs[k]; !math.IsNaN(j.start) && j.end <= s.now {
				j.left, happened[s.queues(j)[0]] = true, true
			}
		}
		for k := range s.jobs {
			if j := &s.jobs[k]; !j.arrived && j.arrival <= s.now {
				j.arrived, happened[s.queues(j)[0]] = true, true
				s.meet(j)
			}
		}
		for _, r := range s.regions {
			if slices.ContainsFunc(r, func(name string) bool { return happened[name] }) {
				s.decide(r)
			}
		}
	}
}

// waiting are the queued jobs of a region in order.
func (s *site) waiting(region []string) []*siteJob {
	var queue []*siteJob
	for k := range s.jobs {
		if j := &s.jobs[k]; j.arrived && math.IsNaN(j.start) && slices.Contains(region, s.queues(j)[0]) {
			queue = append(queue, j)
		}
	}
	if s.shortest {
		slices.SortStableFunc(queue, func(a, b *siteJob) int { return cmp.Compare(a.estimate, b.estimate) })
	}
	return queue
}

// decide is a decision for a region.
func (s *site) decide(region []string) {
	queue := s.waiting(region)
	if len(region) == 1 {
		s.alone(region[0], queue)
		return
	}
	tiers := []float64{}
	for _, name := range region {
		tiers = append(tiers, s.tier(name))
	}
	slices.SortFunc(tiers, func(a, b float64) int { return cmp.Compare(b, a) })
	var held []siteHold
	for k := range s.jobs {
		if j := &s.jobs[k]; !math.IsNaN(j.start) && !j.left {
			held = append(held, siteHold{s.now, s.expected(j), j.where, j.size, j.copies, nil})
		}
	}
	reserved, closed, shut := map[string]int{}, map[string]bool{}, map[int]bool{}
	kept := map[*siteJob]bool{} // what jobs kept something from others
	for _, tier := range slices.Compact(tiers) {
		for _, j := range queue {
			for _, name := range s.queues(j) {
				if s.tier(name) != tier || !math.IsNaN(j.start) {
					continue
				}
				if s.depth == 0 {
					if closed[name] {
						continue
					}
					if c := s.fitsNow(j, s.of(j, name), shut); c >= 0 {
						if s.launch(j, c); kept[j] { // no more
							s.decide(region)
							return
						}
						continue
					}
					closed[name], kept[j] = true, true
					for c, has := range s.met[name].clusters {
						shut[c] = shut[c] || has
					}
					continue
				}
				others := slices.DeleteFunc(slices.Clone(held), func(h siteHold) bool { return h.by == j })
				if c := s.fitsBeside(j, s.of(j, name), others, s.now, s.now+j.estimate, true); c >= 0 {
					if s.launch(j, c); kept[j] {
						s.decide(region)
						return
					}
					held = append(others, siteHold{s.now, s.now + j.estimate, c, j.size, j.copies, nil})
					continue
				}
				if reserved[name] == s.depth {
					continue
				}
				reserved[name]++
				times := []float64{s.now}
				for _, h := range held {
					times = append(times, h.from, h.to)
				}
				slices.Sort(times)
				for _, t := range times {
					end := t + j.estimate
					if end <= t {
						end = max(t+s.step, math.Nextafter(t, math.Inf(1)))
					}
					if c := s.fitsBeside(j, s.of(j, name), held, t, end, false); t >= s.now && c >= 0 {
						held, kept[j] = append(held, siteHold{t, end, c, j.size, j.copies, j}), true
						break
					}
				}
			}
		}
	}
}

// fitsBeside is the first of the clusters on which a job fits from one time to another beside what is held, and now beside what runs; −1: none.
func (s *site) fitsBeside(j *siteJob, clusters []int, held []siteHold, from, to float64, now bool) int {
	for c := range s.clusters {
		if !slices.Contains(clusters, c) || now && s.fitsNow(j, []int{c}, nil) < 0 {
			continue
		}
		times := []float64{from}
		for _, h := range held {
			times = append(times, h.from)
		}
		fits := true
		for _, t := range times {
			if t < from || t >= to {
				continue
			}
			n, copies := s.clusters[c], s.pool
			for _, h := range held {
				if h.from <= t && t < h.to {
					if copies -= h.copies; h.where == c {
						n -= h.size
					}
				}
			}
			fits = fits && n >= j.size && copies >= j.copies
		}
		if fits {
			return c
		}
	}
	return -1
}

// alone is a decision for a queue that shares nothing: FCFS or EASY with depth reservations.
func (s *site) alone(name string, queue []*siteJob) {
	for len(queue) > 0 {
		c := s.fitsNow(queue[0], s.of(queue[0], name), nil)
		if c < 0 {
			break
		}
		s.launch(queue[0], c)
		queue = queue[1:]
	}
	if len(queue) == 0 || s.depth == 0 {
		return
	}
	var held []siteHold
	for k := range s.jobs {
		if j := &s.jobs[k]; !math.IsNaN(j.start) && !j.left {
			held = append(held, siteHold{s.now, s.expected(j), j.where, j.size, j.copies, nil})
		}
	}
	if s.depth > 1 { // as in a region of several queues
		left := s.depth
		for _, j := range queue {
			if c := s.fitsBeside(j, s.of(j, name), held, s.now, s.now+j.estimate, true); c >= 0 {
				s.launch(j, c)
				held = append(held, siteHold{s.now, s.now + j.estimate, c, j.size, j.copies, nil})
				continue
			}
			if left == 0 {
				continue
			}
			left--
			times := []float64{s.now}
			for _, h := range held {
				times = append(times, h.from, h.to)
			}
			slices.Sort(times)
			for _, t := range times {
				end := t + j.estimate
				if end <= t {
					end = max(t+s.step, math.Nextafter(t, math.Inf(1)))
				}
				if c := s.fitsBeside(j, s.of(j, name), held, t, end, false); t >= s.now && c >= 0 {
					held = append(held, siteHold{t, end, c, j.size, j.copies, j})
					break
				}
			}
		}
		return
	}
	head := queue[0]
	shadow, at := math.Inf(1), -1
	for _, h := range held { // the earliest estimated end at which the head fits, and there the first cluster
		for c := range s.clusters {
			n, copies := s.clusters[c], s.pool
			for _, other := range held {
				if other.to > h.to {
					if copies -= other.copies; other.where == c {
						n -= other.size
					}
				}
			}
			if slices.Contains(s.of(head, name), c) && n >= head.size && copies >= head.copies && (h.to < shadow || h.to == shadow && c < at) {
				shadow, at = h.to, c
			}
		}
	}
	room := make([]int, len(s.clusters))
	left := s.pool
	copy(room, s.clusters)
	for _, h := range held {
		if h.to > shadow {
			room[h.where] -= h.size
			left -= h.copies
		}
	}
	for _, j := range queue[1:] {
		for c := range s.clusters {
			if s.fitsNow(j, []int{c}, nil) < 0 || !slices.Contains(s.of(j, name), c) {
				continue
			}
			late := s.now+j.estimate > shadow
			if at >= 0 && late {
				n := room[at]
				if c == at {
					n -= j.size
				}
				if n < head.size || left-j.copies < head.copies {
					continue
				}
			}
			s.launch(j, c)
			if late {
				room[c] -= j.size
				left -= j.copies
			}
			break
		}
	}
}

// instance is the site as an instance; only a subset of the jobs where some are asked for.
func (s *site) instance(tb testing.TB, only func(*siteJob) bool, named bool) (*model.Instance, []int) {
	spec := model.NewBuilder("site").Spec()
	for c, n := range s.clusters {
		spec.Clusters = append(spec.Clusters, model.ClusterSpec{ID: fmt.Sprint("c", c), Machines: []model.MachineSpec{{ID: fmt.Sprint("m", c), Count: n}}})
	}
	if s.pool > 0 {
		spec.Licences = map[string]int{"l": s.pool}
	}
	if named {
		for _, p := range s.parts {
			var ids []string
			for _, c := range p.clusters {
				ids = append(ids, fmt.Sprint("c", c))
			}
			spec.Partitions = append(spec.Partitions, model.PartitionSpec{ID: p.name, Tier: p.tier, Clusters: ids})
		}
	}
	var order []int
	for k := range s.jobs {
		j := &s.jobs[k]
		if only != nil && !only(j) {
			continue
		}
		times := map[string]float64{}
		for _, c := range j.clusters {
			times[fmt.Sprint("c", c)] = j.runtime
		}
		job := model.JobSpec{ID: fmt.Sprint(k), Arrival: j.arrival, Processors: model.Rigid(j.size), Runtime: times, Estimate: &j.estimate, Queue: strings.Join(s.queues(j), ",")}
		if j.copies > 0 {
			job.Licences = map[string]int{"l": j.copies}
		}
		spec.Jobs = append(spec.Jobs, job)
		order = append(order, k)
	}
	in, err := model.New(*spec)
	if err != nil {
		tb.Fatal(err)
	}
	return in, order
}

// randomSite draws a site. Disjoint: no two partitions have a cluster in common, and nothing else is shared.
func randomSite(rng *rand.Rand, disjoint bool) *site {
	s := &site{step: 1, depth: rng.IntN(4), shortest: rng.IntN(3) == 0}
	clusters := 2 + rng.IntN(3)
	if !disjoint && rng.IntN(4) == 0 {
		clusters = 1 // of equal processors: the platform is flat, unless there are licences
	}
	for range clusters {
		s.clusters = append(s.clusters, 1+rng.IntN(6))
	}
	if !disjoint && rng.IntN(3) == 0 {
		s.pool = 1 + rng.IntN(3)
	}
	for k := range 2 + rng.IntN(3) {
		p := sitePart{name: fmt.Sprint("p", k), tier: float64(rng.IntN(6) / 4)}
		for c := range s.clusters {
			if disjoint && c%2 == k%2 && k < 2 || !disjoint && rng.IntN(2) == 0 {
				p.clusters = append(p.clusters, c)
			}
		}
		if len(p.clusters) > 0 {
			s.parts = append(s.parts, p)
		}
	}
	if len(s.parts) < 2 {
		return randomSite(rng, disjoint)
	}
	arrival := 0.0
	for range 1 + rng.IntN(25) {
		arrival += float64(rng.IntN(4))
		j := siteJob{arrival: arrival, runtime: float64(rng.IntN(12)), parts: []int{rng.IntN(len(s.parts))}}
		j.estimate = j.runtime + float64(max(0, rng.IntN(12)-6))
		if rng.IntN(8) == 0 {
			j.estimate = max(0, j.runtime-float64(rng.IntN(3))) // it outlives its estimate
		}
		if other := rng.IntN(len(s.parts)); !disjoint && rng.IntN(5) == 0 && other != j.parts[0] {
			j.parts = append(j.parts, other)
		}
		for _, k := range j.parts {
			j.clusters = append(j.clusters, s.parts[k].clusters...)
		}
		if !disjoint && rng.IntN(12) == 0 {
			j.parts, j.clusters = nil, []int{rng.IntN(len(s.clusters))}
		}
		if !disjoint && len(j.parts) == 1 && rng.IntN(20) == 0 {
			j.clusters = append(j.clusters, rng.IntN(len(s.clusters)))
		}
		slices.Sort(j.clusters)
		j.clusters = slices.Compact(j.clusters)
		most := math.MaxInt // it fits in each of its partitions
		for _, k := range j.parts {
			most = min(most, slices.Max(s.of2(s.parts[k].clusters)))
		}
		if len(j.parts) == 0 {
			most = s.clusters[j.clusters[0]]
		}
		j.size = 1 + rng.IntN(most)
		if s.pool > 0 && rng.IntN(3) == 0 {
			j.copies = 1 + rng.IntN(s.pool)
		}
		s.jobs = append(s.jobs, j)
	}
	return s
}

// of2 are the sizes of clusters.
func (s *site) of2(clusters []int) (sizes []int) {
	for _, c := range clusters {
		sizes = append(sizes, s.clusters[c])
	}
	return sizes
}

// discipline is the policy of the site.
func (s *site) discipline() sim.Discipline {
	order := DefaultRanking()
	if s.shortest {
		order.Order = byShortest
	}
	if s.depth == 0 {
		return FCFS(order)
	}
	return EASY(s.step, s.depth, order)
}

// starts are the starts of the jobs by number.
func siteStarts(tb testing.TB, in *model.Instance, d sim.Discipline) map[string]float64 {
	sol, _, err := sim.Simulate(context.Background(), in, d, sim.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	if report := model.Check(in, sol); !report.OK() || len(sol.Unscheduled) > 0 {
		tb.Fatal(report.Violations, sol.Unscheduled)
	}
	starts := map[string]float64{}
	for _, p := range sol.Jobs {
		starts[p.Job] = p.Start
	}
	return starts
}

// TestPartitionedNaive compares policies that serve a queue a partition with a form that looks at everything at each instant.
func TestPartitionedNaive(t *testing.T) {
	for seed := range race.Fewer(uint64(4000), 1000) {
		s := randomSite(rand.New(rand.NewPCG(seed, 59)), false)
		in, _ := s.instance(t, nil, true)
		s.run()
		got := siteStarts(t, in, s.discipline())
		for k := range s.jobs {
			if got[fmt.Sprint(k)] != s.jobs[k].start {
				t.Fatalf("seed %d: job %d starts at %v, in the slow form at %v", seed, k, got[fmt.Sprint(k)], s.jobs[k].start)
			}
		}
	}
}

// TestPartitionsApart: where partitions share nothing, each decides as on a site of its own.
func TestPartitionsApart(t *testing.T) {
	policies := []func(*site) sim.Discipline{
		(*site).discipline,
		func(s *site) sim.Discipline { return Conservative(s.step, DefaultRanking()) },
		func(s *site) sim.Discipline { return EASY(s.step, 1, Ranking{Order: byWFP3}) },
	}
	for seed := range race.Fewer(uint64(4000), 1000) {
		s := randomSite(rand.New(rand.NewPCG(seed, 60)), true)
		in, _ := s.instance(t, nil, true)
		d := policies[seed%3](s)
		got := siteStarts(t, in, d)
		for part := range s.parts {
			piece, order := s.instance(t, func(j *siteJob) bool { return j.parts[0] == part }, false)
			if len(order) == 0 {
				continue
			}
			for id, at := range siteStarts(t, piece, d) {
				if got[id] != at {
					t.Fatalf("seed %d: job %s starts at %v, and at %v in partition %s alone", seed, id, got[id], at, s.parts[part].name)
				}
			}
		}
	}
}

// promises watches conservative backfilling, under which no job outlives its estimate: a reservation never moves to a later time.
type promises struct {
	of     *partitioned
	queued map[int64]*sim.Job
	starts map[int64]float64 // reservations
	broken string
}

func (p *promises) Watch(_ *sim.Platform, policy sim.Policy) {
	p.of = policy.(partitionedConservative).partitioned
}

func (p *promises) Arrived(_ float64, j *sim.Job) { p.queued[j.Number] = j }

func (p *promises) Started(now float64, j *sim.Job, _ []sim.Part) {
	p.hold(j, now)
	delete(p.queued, j.Number)
}

func (p *promises) Left(_ float64, j *sim.Job, _ sim.Outcome, _ string) { delete(p.queued, j.Number) }

func (p *promises) Decided(float64) {
	for _, j := range p.queued {
		p.hold(j, p.of.of[j.Handle].policy.(sim.Reserver).Reserved(j))
	}
}

// hold compares a reservation with the one that the job had before.
func (p *promises) hold(j *sim.Job, at float64) {
	if before, has := p.starts[j.Number]; has && at > before {
		p.broken = fmt.Sprintf("job %d has a reservation at %v, and had one at %v", j.Number, at, before)
	}
	p.starts[j.Number] = at
}

// TestPartitionsKeepPromises: no job loses its reservation under conservative backfilling, also where jobs arrive that join queues which had nothing in common, on processors and on single machines.
func TestPartitionsKeepPromises(t *testing.T) {
	for seed := range race.Fewer(uint64(2000), 500) {
		s := randomSite(rand.New(rand.NewPCG(seed, 61)), false)
		for k := range s.jobs {
			s.jobs[k].runtime++
			s.jobs[k].estimate = max(s.jobs[k].estimate, s.jobs[k].runtime)
		}
		in, _ := s.instance(t, nil, true)
		d := Conservative(1, Ranking{Order: []string{byArrival, byShortest}[seed%2]})
		if seed%4 > 1 {
			d.Place = "best"
		}
		p := &promises{queued: map[int64]*sim.Job{}, starts: map[int64]float64{}}
		if _, _, err := sim.Simulate(context.Background(), in, d, sim.Options{Observer: p}); err != nil {
			t.Fatal(err)
		}
		if p.broken != "" {
			t.Fatalf("seed %d: %s", seed, p.broken)
		}
	}
}

// nodeSite is a cluster whose machines are in partitions by a feature, with memory, devices and hard deadlines; of one partition alone where its number is not negative.
func nodeSite(rng *rand.Rand, only int) model.InstanceSpec {
	parts := 2 + rng.IntN(2)
	spec := *model.NewBuilder("nodes").Spec()
	var cluster model.ClusterSpec
	cluster.ID = "c"
	var cores, memory []int
	for k := range parts {
		cores, memory = append(cores, 2+rng.IntN(4)), append(memory, 8+rng.IntN(8))
		m := model.MachineSpec{ID: fmt.Sprint("m", k), Count: 1 + rng.IntN(4), Processors: cores[k], Memory: new(float64(memory[k])), Features: []string{fmt.Sprint("f", k)}, Resources: map[string]float64{"gpu": float64(1 + rng.IntN(2))}}
		if only < 0 || only == k {
			cluster.Machines = append(cluster.Machines, m)
		}
		if only < 0 {
			spec.Partitions = append(spec.Partitions, model.PartitionSpec{ID: fmt.Sprint("p", k), Feature: fmt.Sprint("f", k)})
		}
	}
	spec.Clusters = []model.ClusterSpec{cluster}
	arrival := 0.0
	for k := range 1 + rng.IntN(25) {
		arrival += float64(rng.IntN(4))
		part, run := rng.IntN(parts), float64(rng.IntN(12))
		j := model.JobSpec{
			ID: fmt.Sprint(k), Arrival: arrival, Processors: model.Rigid(1 + rng.IntN(cores[part])), Work: &run, Estimate: new(run + float64(rng.IntN(8))),
			Memory: float64(1 + rng.IntN(2)), Features: [][]string{{fmt.Sprint("f", part)}}, Queue: fmt.Sprint("p", part), User: fmt.Sprint("u", rng.IntN(3)),
		}
		if rng.IntN(3) == 0 {
			j.Resources = map[string]float64{"gpu": 1}
			j.Processors = model.Rigid(1)
		}
		if rng.IntN(6) == 0 {
			j.Deadline, j.DeadlineHard = new(arrival+*j.Estimate+float64(rng.IntN(15))), true
		}
		if only < 0 || only == part {
			spec.Jobs = append(spec.Jobs, j)
		}
	}
	return spec
}

// TestPartitionsOfNodesApart: partitions of the machines of one cluster decide as if each were a cluster of its own.
func TestPartitionsOfNodesApart(t *testing.T) {
	placed, dropped := 0, 0
	for seed := range race.Fewer(uint64(1000), 250) {
		draw := func(only int) *model.Instance {
			spec := nodeSite(rand.New(rand.NewPCG(seed, 61)), only)
			if len(spec.Jobs) == 0 {
				return nil
			}
			in, err := model.New(spec)
			if err != nil {
				t.Fatal(err)
			}
			return in
		}
		whole := draw(-1)
		for name, d := range map[string]sim.Discipline{
			"fcfs": FCFS(Ranking{}), "easy": EASY(1, 1, Ranking{}), "deep": EASY(1, 3, Ranking{Order: byShortest}), "conservative": Conservative(1, Ranking{}), "flexible": Flexible(1, DefaultPriorities()),
		} {
			got := outcomes(t, whole, d)
			for part := range whole.Partitions() {
				piece := draw(part)
				if piece == nil {
					continue
				}
				for id, at := range outcomes(t, piece, d) {
					if placed++; math.IsNaN(at) {
						dropped++
					}
					if got[id] != at && !(math.IsNaN(at) && math.IsNaN(got[id])) {
						t.Fatalf("seed %d, %s: job %s starts at %v, and at %v in partition %d alone", seed, name, id, got[id], at, part)
					}
				}
			}
		}
	}
	if dropped == 0 || dropped > placed/2 {
		t.Errorf("%d of %d jobs are dropped: expected some, and not most", dropped, placed)
	}
}

// outcomes are the starts of the jobs; NaN: it did not start or was ended.
func outcomes(tb testing.TB, in *model.Instance, d sim.Discipline) map[string]float64 {
	sol, _, err := sim.Simulate(context.Background(), in, d, sim.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	if report := model.Check(in, sol); !report.OK() {
		tb.Fatal(report.Violations)
	}
	starts := map[string]float64{}
	for _, p := range sol.Jobs {
		starts[p.Job] = p.Start
	}
	for _, u := range sol.Unscheduled {
		starts[u.Job] = math.NaN()
	}
	return starts
}

package modeltest

import (
	"maps"
	"math/rand/v2"
	"slices"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/model"
)

// Mixed is a small instance: of plain parts, or with everything at once. Some have whole machines only, or jobs that arrive long after 0.
func Mixed(rng *rand.Rand) *model.Instance {
	var in *model.Instance
	switch rng.IntN(3) {
	case 0:
		in = TinyTogether(rng)
	case 1:
		in = TinyNodes(rng)
	default:
		in = rapid.Custom(func(t *rapid.T) *model.Instance {
			features := AllFeatures | NodeFeatures | PowerFeatures
			for range rng.IntN(20) {
				features &^= 1 << rng.IntN(25)
			}
			return Generator{Features: features, Jobs: 4, Clusters: 2, Groups: 2}.Instance(t)
		}).Example(rng.Int())
	}
	spec := in.Spec()
	switch rng.IntN(4) {
	case 0:
		for c := range spec.Clusters {
			spec.Clusters[c].Allocation = "machine"
		}
	case 1:
		for k := range spec.Jobs {
			if spec.Jobs[k].Running == nil {
				spec.Jobs[k].Arrival += 50
			}
		}
	}
	if other, err := model.New(spec); err == nil { // jobs that run already may not fit
		in = other
	}
	return in
}

// Schedule draws a schedule of a small instance that is right most often: it places the jobs in a random order, each at a place and a time that the checker accepts beside
// those before it, or, now and then, at one that it may not accept. Starts are arrivals, ends of others and times near them. Jobs for which it finds no place are left out.
func Schedule(rng *rand.Rand, in *model.Instance) *model.Solution {
	s := &scheduler{rng, in, &model.Solution{Jobs: []model.Placement{}}, []float64{0}, rng.IntN(3) == 0}
	jobs := in.Jobs()
	for k := range jobs {
		s.times = append(s.times, jobs[k].Arrival)
		if run := jobs[k].Node().Running; run != nil {
			cluster := &in.Clusters()[run.Cluster]
			s.keep(model.Placement{Job: jobs[k].ID, Cluster: cluster.ID, Processors: run.Processors, Devices: run.Devices, End: model.End(0, in.Duration(k, run.Cluster, run.Processors))})
		}
	}
	for _, k := range rng.Perm(len(jobs)) {
		if jobs[k].Node().Running == nil {
			s.place(k)
		}
	}
	s.solution.Unscheduled = s.leftOut()
	return s.solution
}

// scheduler places jobs.
type scheduler struct {
	*rand.Rand
	in       *model.Instance
	solution *model.Solution
	times    []float64 // at which jobs may start
	careless bool
}

// keep adds a placement.
func (s *scheduler) keep(p model.Placement) {
	s.solution.Jobs = append(s.solution.Jobs, p)
	s.times = append(s.times, p.Start, p.End)
}

// leftOut lists the jobs that are not placed.
func (s *scheduler) leftOut() (list []model.Unscheduled) {
	placed := map[string]bool{}
	for k := range s.solution.Jobs {
		placed[s.solution.Jobs[k].Job] = true
	}
	for k := range s.in.Jobs() {
		if id := s.in.Jobs()[k].ID; !placed[id] {
			list = append(list, model.Unscheduled{Job: id, Reason: "no place was found"})
		}
	}
	return list
}

// place tries places for a job.
func (s *scheduler) place(job int) {
	const tries = 12
	for range tries {
		p := s.draw(job)
		if p.End != p.End {
			continue // no run time is stated
		}
		if s.careless && s.IntN(4) == 0 {
			s.keep(p)
			return
		}
		trial := *s.solution
		trial.Jobs = append(slices.Clone(s.solution.Jobs), p)
		before := s.solution
		s.solution = &trial
		trial.Unscheduled = s.leftOut()
		s.solution = before
		if model.Check(s.in, &trial).OK() {
			s.keep(p)
			return
		}
	}
}

// draw draws a placement.
func (s *scheduler) draw(job int) model.Placement {
	j := &s.in.Jobs()[job]
	start := s.times[s.IntN(len(s.times))]
	if s.IntN(3) > 0 {
		start = max(start, j.Arrival)
	}
	if s.IntN(6) == 0 {
		start += (s.times[s.IntN(len(s.times))] - start) / 2
	}
	start = max(start, 0)
	clusters := s.in.Clusters()
	c := s.IntN(len(clusters))
	if j.Span == model.SpanGrid && len(clusters) > 1 && j.Tasks > 1 && j.Max > 1 && s.IntN(2) == 0 {
		return s.spread(job, start)
	}
	least, most := s.in.Width(job, c)
	set := s.processors(c, least+s.IntN(most-least+1))
	return model.Placement{Job: j.ID, Cluster: clusters[c].ID, Processors: set, Start: start, End: model.End(start, s.in.Duration(job, c, set)), Devices: s.devices(j, c, set)}
}

// spread draws a placement on the first two clusters.
func (s *scheduler) spread(job int, start float64) model.Placement {
	j, clusters := &s.in.Jobs()[job], s.in.Clusters()
	p := model.Placement{Job: j.ID, Start: start}
	width := max(2, j.Min+s.IntN(j.Max-j.Min+1))
	first := s.processors(0, 1+s.IntN(width-1))
	second := s.processors(1, max(1, width-first.Len()))
	tasks := 1 + s.IntN(j.Tasks-1)
	link := min(s.in.SlowestLink(0, first), s.in.SlowestLink(1, second))
	for k, piece := range []model.Piece{{Processors: first, Tasks: tasks}, {Processors: second, Tasks: j.Tasks - tasks}} {
		piece.Cluster, piece.Start = clusters[k].ID, start
		piece.End = model.End(start, s.in.Longest(job, k, piece.Processors, piece.Tasks)+s.in.Transfer(job, link))
		piece.Devices = s.devices(j, k, piece.Processors)
		p.End = max(p.End, piece.End)
		if piece.End != piece.End {
			p.End = piece.End
		}
		p.Pieces = append(p.Pieces, piece)
	}
	return p
}

// processors draws processors of a cluster: a run of them, or any.
func (s *scheduler) processors(cluster, n int) model.ProcessorSet {
	there := s.in.Clusters()[cluster].Processors
	n = min(n, there)
	if s.IntN(2) == 0 {
		first := s.IntN(there - n + 1)
		return model.NewProcessorSet(model.Range{First: first, Last: first + n - 1})
	}
	return model.Processors(s.Perm(there)[:n]...)
}

// devices draws the devices that a job holds on the processors.
func (s *scheduler) devices(j *model.Job, cluster int, set model.ProcessorSet) (held model.DevicesHeld) {
	c := &s.in.Clusters()[cluster]
	blocks := map[string]int{}
	amount := map[string]func(resource int) int{}
	for _, run := range set {
		for p := run.First; p <= run.Last; p++ {
			_, g := c.MachineOf(p)
			m := &c.Machines[g]
			name := m.Name((p - m.First) / m.Units)
			blocks[name]++
			amount[name] = func(resource int) int { return int(m.Amount(resource) / model.WholeAmount) }
		}
	}
	for _, need := range j.Node().Resources {
		resource := s.in.Resources()[need.Resource]
		if !resource.Devices {
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(blocks)) {
			n := blocks[name]
			if !c.WholeMachines {
				n /= j.Node().Block
			}
			if need.Amount >= model.WholeAmount {
				n *= int(need.Amount / model.WholeAmount)
			}
			there := amount[name](need.Resource)
			if n == 0 || n > there {
				continue
			}
			if held == nil {
				held = model.DevicesHeld{}
			}
			if held[resource.ID] == nil {
				held[resource.ID] = map[string]model.ProcessorSet{}
			}
			held[resource.ID][name] = model.Processors(s.Perm(there)[:n]...)
		}
	}
	return held
}

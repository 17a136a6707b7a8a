package plan

import (
	"fmt"
	"math"

	"github.com/allot-opt/allot/model"
)

// Schedule is a schedule under construction: jobs are placed one at a time behind those placed before, on processors whose
// last job has ended (holes are not filled, unless [Placing] asks for it), see [Resources]. Where jobs ask something of single machines it tracks what is free of each over time. It
// honours every feature, see docs/rules.md: a moldable job gets the number of processors with which it ends first, or one that the caller chooses, and a job wider than every cluster is spread over several.
//
// Earliest, EarliestOn and Spread look, Place commits.
type Schedule struct {
	*Resources
	sets     [][]plainSets // by cluster and part of it, see [generalCluster]; nil: Resources names the processors
	unnamed  []unnamed     // placements whose processors are named at the end
	solution *model.Solution
	end      []float64          // by job; NaN: not placed
	spread   []int              // see spreadFrom
	ranges   model.ProcessorSet // scratch
}

// RigidFeatures are those of independent rigid jobs without resources beside processors: what counting the processors that are released
// over time suffices for, see [Releases].
const RigidFeatures = model.Arrivals | model.ParallelJobs | model.UnrelatedTimes | model.RestrictedTimes | model.BackgroundLoad

// ScheduleFeatures are the features that a [Schedule] honours if its caller uses only Earliest and Place.
const ScheduleFeatures = RigidFeatures | model.HardDeadlines | model.Precedence | model.MemoryLimits | model.LicencePools |
	model.BandwidthNeeds | model.MixedMachines | model.MachineSpan | model.Commitments | model.MoldableJobs | model.GridSpan | NodeFeatures

// NewSchedule starts an empty schedule for a caller that leaves the number of processors of a job to Earliest. The error names a feature that it cannot
// honour.
func NewSchedule(in *model.Instance) (*Schedule, error) { return NewPlacedSchedule(in, Placing{}) }

// NewPlacedSchedule is [NewSchedule] with a choice of machines, and of whether holes are filled.
func NewPlacedSchedule(in *model.Instance, placing Placing) (*Schedule, error) {
	if missing := in.Features() &^ ScheduleFeatures; missing != 0 {
		return nil, fmt.Errorf("plan: a list schedule cannot honour %s", missing)
	}
	if placing.Holes && in.Features().Has(model.GridSpan) {
		return nil, fmt.Errorf("plan: a list schedule that fills holes cannot honour %s", model.GridSpan)
	}
	return startSchedule(in, newResources(in, false, placing)), nil
}

// NewCheapSchedule is [NewPlacedSchedule] for a caller that can do with slots that are the cheapest instead of the earliest, see [StartsCheap] and
// [CheapFeatures].
func NewCheapSchedule(in *model.Instance, placing Placing) (*Schedule, error) {
	switch {
	case !StartsCheap(in):
		return NewPlacedSchedule(in, placing)
	case placing.ByNode(in):
		return nil, fmt.Errorf("plan: where power counts, a list schedule cannot choose among machines by the rule %s", placing.Rule)
	}
	if missing := in.Features() &^ (ScheduleFeatures | CheapFeatures(in)); missing != 0 {
		return nil, fmt.Errorf("plan: a list schedule cannot honour %s", missing)
	}
	return startSchedule(in, newCheapResources(in)), nil
}

// NewChosenSchedule starts an empty schedule for a caller that chooses the number of processors of each job with EarliestOn, and whether it spreads over
// clusters.
func NewChosenSchedule(in *model.Instance) *Schedule {
	return startSchedule(in, NewResources(in))
}

func startSchedule(in *model.Instance, r *Resources) *Schedule {
	s := &Schedule{Resources: r, sets: make([][]plainSets, len(in.Clusters())), end: make([]float64, len(in.Jobs())), spread: spreadFrom(in)}
	s.begin()
	for c := range s.clusters {
		switch g := s.clusters[c].(type) {
		case *plainCluster:
			s.sets[c] = []plainSets{newPlainSets(freeSteps(in, c, nil, 0, in.Clusters()[c].Processors), 0, in.Clusters()[c].Processors)}
		case *generalCluster:
			for k := range g.parts {
				if p := &g.parts[k]; !g.named {
					s.sets[c] = append(s.sets[c], newPlainSets(freeSteps(in, c, g.kept, int(p.first), int(p.processors)), int(p.first), int(p.processors)))
				}
			}
		}
	}
	return s
}

// Restart makes the schedule the empty one again, of which empty is another copy on which nothing was placed. It takes less time than a new schedule. The
// Solution so far stays as it is.
//
// Complexity: that of [Resources.Assign], and O(n) for n jobs.
func (s *Schedule) Restart(empty *Schedule) {
	s.Assign(empty.Resources)
	for c, sets := range empty.sets {
		for k := range sets {
			s.sets[c][k].assign(&sets[k])
		}
	}
	s.begin()
}

// begin starts an empty solution.
func (s *Schedule) begin() {
	s.solution, s.unnamed = &model.Solution{Jobs: make([]model.Placement, 0, len(s.end))}, s.unnamed[:0]
	for j := range s.end {
		s.end[j] = math.NaN()
	}
}

// Ready is the earliest time at which the job may start: its arrival, or the end of the last job it waits for; false where a job it
// waits for is not placed.
func (s *Schedule) Ready(job int) (float64, bool) {
	ready := s.in.Jobs()[job].Arrival
	for _, before := range s.in.Jobs()[job].After {
		if math.IsNaN(s.end[before]) {
			return 0, false
		}
		ready = max(ready, s.end[before])
	}
	return ready, true
}

// Earliest returns the slot on the cluster in which the job ends first: of the numbers of processors that it may hold, it takes that with
// which it ends first, and of equal ends the fewest. A job that fits no cluster alone has one slot over several, which belongs to the first cluster that
// can hold a piece of it, whichever the pieces are on. It returns false if the job can never run there or depends on a job that is not placed.
func (s *Schedule) Earliest(job, cluster int) (Slot, bool) {
	ready, ok := s.Ready(job)
	switch {
	case !ok:
		return Slot{}, false
	case s.spread != nil && s.spread[job] == cluster:
		return s.firstSpread(job, ready)
	case !s.in.CanRun(job, cluster):
		return Slot{}, false
	}
	return s.firstOn(job, cluster, ready)
}

// EarliestOn is the slot on n processors of the cluster, which must be a number that the job may hold there, in which it ends first.
func (s *Schedule) EarliestOn(job, cluster, n int) (Slot, bool) {
	ready, ok := s.Ready(job)
	if !ok || !s.in.CanRun(job, cluster) {
		return Slot{}, false
	}
	return s.Resources.Earliest(job, cluster, n, ready)
}

// Spread is [Resources.Spread] for the job. It also returns false if the job depends on a job that is not
// placed.
func (s *Schedule) Spread(job, n int) (Slot, bool) {
	ready, ok := s.Ready(job)
	if !ok {
		return Slot{}, false
	}
	return s.Resources.Spread(job, n, ready)
}

// Place puts the job into a slot that was found after the last job was placed. Where the slot ends after the job's hard deadline, see
// [model.Late], it leaves the job out instead, as [Schedule.LeaveOut] does.
func (s *Schedule) Place(job int, slot Slot) {
	j := &s.in.Jobs()[job]
	if j.DeadlineHard && model.Late(slot.End, j.Deadline) {
		s.Leave(job, s.whyOut(job, slot))
		return
	}
	s.Take(job, &slot)
	s.end[job] = slot.End
	p := model.Placement{Job: j.ID, Start: slot.Start, End: slot.End}
	if cheap, ok := s.clusters[slot.Cluster].(*cheapCluster); ok {
		s.placeCheap(cheap, job, &slot, p)
		return
	}
	if slot.shares != nil {
		s.placeOnNodes(job, &slot, p)
		return
	}
	if len(slot.pieces) == 1 { // it did not have to spread
		p.Cluster, p.Processors = s.in.Clusters()[slot.Cluster].ID, slot.pieces[0].set
		s.solution.Jobs = append(s.solution.Jobs, p)
		return
	}
	for _, piece := range slot.pieces {
		p.Pieces = append(p.Pieces, model.Piece{Cluster: s.in.Clusters()[piece.cluster].ID, Processors: piece.set, Tasks: piece.tasks,
			Start: slot.Start, End: piece.end})
	}
	if len(p.Pieces) == 0 {
		p.Cluster, p.Processors = s.in.Clusters()[slot.Cluster].ID, slot.set
		if s.sets[slot.Cluster] != nil && !slot.instant {
			p.Processors = s.name(&slot)
		}
	}
	s.solution.Jobs = append(s.solution.Jobs, p)
}

// name names the processors of a slot on one cluster, of which so far only the number in each part of the cluster is known.
func (s *Schedule) name(slot *Slot) model.ProcessorSet {
	sets := s.sets[slot.Cluster]
	g, ok := s.clusters[slot.Cluster].(*generalCluster)
	if !ok {
		return sets[0].place(slot.Processors, slot)
	}
	all := s.ranges[:0]
	g.eachPart(slot.set, func(part, n int32) {
		if c := &sets[part]; c.times != nil {
			all = c.placeFew(all, int(n), slot)
		} else {
			all = append(all, c.place(int(n), slot)...)
		}
	})
	s.ranges = all
	return model.NewProcessorSet(all...)
}

// Last is the placement that was made last; nil: there is none. Where NamesLate holds its processors stand for others of the same machines:
// Solution names them.
func (s *Schedule) Last() *model.Placement {
	if len(s.solution.Jobs) == 0 {
		return nil
	}
	return &s.solution.Jobs[len(s.solution.Jobs)-1]
}

// NamesLate says whether Solution names the processors of the jobs that were placed.
func (s *Schedule) NamesLate() bool { return s.placing.Holes || s.cheap() }

// Solution is the schedule so far. The Schedule must not be used afterwards, but by Restart.
func (s *Schedule) Solution() *model.Solution {
	if s.cheap() {
		nameInBanks(s.Resources, s.solution.Jobs, s.unnamed)
	} else {
		nameOnMachines(s.in, s.site, s.solution.Jobs, s.unnamed)
	}
	s.unnamed = s.unnamed[:0]
	return s.solution
}

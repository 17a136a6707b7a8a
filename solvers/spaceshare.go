package solvers

import (
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/sim"
	"github.com/allot-opt/allot/solve"
	"github.com/allot-opt/allot/solvers/internal/spaceshare"
)

var _ = solve.RegisterPolicy(solve.Info{
	Name:   "spaceshare",
	Doc:    "Dynamic space-sharing of moldable jobs, on line: a job gets its share of the processors when it starts, and releases each processor when the tasks on it end. O(machines) an event.",
	Source: "J. H. Abawajy (2004), Dynamic parallel job scheduling in multi-cluster computing systems, ICCS 2004, LNCS 3036, 27–34",
}, func() solve.Policy {
	return &SpaceShare{Start: string(spaceshare.Available), Rounding: string(spaceshare.Nearest), Alpha: 2}
})

// SpaceShare is dynamic space-sharing as an on-line policy; package spaceshare states the rules, the complexity and the deviations from the
// paper.
//
// Source: J. H. Abawajy (2004), Dynamic parallel job scheduling in multi-cluster computing systems, ICCS 2004, LNCS 3036, 27–34.
type SpaceShare struct {
	Start    string `enum:"available,wait" doc:"available: the first job starts when min(target, alpha) processors are free; wait: it starts when all processors of its target are free"`
	Rounding string `enum:"nearest,ceil,floor" doc:"how the partition size is rounded"`
	Alpha    int    `range:"[0, inf)" doc:"number of free processors with which a job may start, and from which on the scheduler also runs when processors are released"`
}

// spaceSharing are the features that the space-sharing policies honour.
const spaceSharing = model.Arrivals | model.HardDeadlines | model.Precedence | model.MemoryLimits | model.BandwidthNeeds | model.ParallelJobs |
	model.MoldableJobs | model.MixedMachines | model.MachineSpan | model.GridSpan | model.BackgroundLoad

// Supports implements [solve.Policy].
func (s *SpaceShare) Supports(in *model.Instance) error { return supportsPower(in, spaceSharing, s) }

// Kills implements [solve.Policy].
func (*SpaceShare) Kills() bool { return false }

// Discipline implements [solve.Policy].
func (s *SpaceShare) Discipline() sim.Discipline {
	return spaceshare.Dynamic(spaceshare.Options{Start: spaceshare.Start(s.Start), Rounding: spaceshare.Rounding(s.Rounding), Alpha: s.Alpha})
}

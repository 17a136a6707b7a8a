package solvers

import (
	"context"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/sim"
	"github.com/allot-opt/allot/sim/spaceshare"
	"github.com/allot-opt/allot/solve"
)

var _ = solve.Register(solve.Info{
	Name:   "map",
	Doc:    "Static space-sharing of moldable jobs, on line: a job waits until its whole share of the processors is free and holds it until the job ends. O(machines) an event.",
	Source: "the rival in J. H. Abawajy (2004), ICCS 2004, LNCS 3036, 27–34, after T. Thyagaraj, S. P. Dandamudi (2001), An efficient adaptive scheduling scheme for distributed memory multicomputers, IEEE Trans. Parallel Distrib. Syst. 12(7)",
	New:    func() solve.Solver { return NewMAP() },
	Online: true,
	Traces: true,
})

// MAP is static space-sharing, the rival of [SpaceShare], with the same partition sizes; package spaceshare states the rules, the complexity
// and the deviations from the papers.
//
// Source: the rival in J. H. Abawajy (2004), Dynamic parallel job scheduling in multi-cluster computing systems, ICCS 2004, LNCS 3036, 27–34,
// which is after T. Thyagaraj, S. P. Dandamudi (2001), An efficient adaptive scheduling scheme for distributed memory multicomputers, IEEE
// Trans. Parallel Distrib. Syst. 12(7), 758–768.
type MAP struct {
	Rounding string `enum:"nearest,ceil,floor" doc:"how the partition size is rounded"`
}

// NewMAP is the solver with its defaults.
func NewMAP() *MAP { return &MAP{Rounding: string(spaceshare.Nearest)} }

// Supports implements [solve.Solver].
func (*MAP) Supports(in *model.Instance) error { return solve.Unsupported(in, spaceSharing) }

// Solve implements [solve.Solver].
func (s *MAP) Solve(ctx context.Context, in *model.Instance, opt solve.Options) (solve.Result, error) {
	return online(ctx, in, s, opt)
}

// Simulate implements [Online].
func (s *MAP) Simulate(ctx context.Context, in *model.Instance, opt sim.Options) (*model.Solution, sim.Totals, error) {
	return simulate(ctx, in, s, opt)
}

// Kills implements [Online].
func (*MAP) Kills() bool { return false }

// Discipline implements [Online].
func (s *MAP) Discipline() sim.Discipline { return spaceshare.MAP(spaceshare.Rounding(s.Rounding)) }

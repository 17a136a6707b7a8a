package solvers

import (
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/sim"
	"github.com/allot-opt/allot/solve"
	"github.com/allot-opt/allot/solvers/internal/spaceshare"
)

var _ = solve.RegisterPolicy(solve.Info{
	Name:   "map",
	Doc:    "Static space-sharing of moldable jobs, on line: a job waits until its whole share of the processors is free and holds it until the job ends. O(machines) an event.",
	Source: "the rival in J. H. Abawajy (2004), ICCS 2004, LNCS 3036, 27–34, after T. Thyagaraj, S. P. Dandamudi (2001), An efficient adaptive scheduling scheme for distributed memory multicomputers, IEEE Trans. Parallel Distrib. Syst. 12(7)",
}, func() solve.Policy { return &MAP{Rounding: string(spaceshare.Nearest)} })

// MAP is static space-sharing, the rival of [SpaceShare], with the same partition sizes; package spaceshare states the rules, the complexity
// and the deviations from the papers.
//
// Source: the rival in J. H. Abawajy (2004), Dynamic parallel job scheduling in multi-cluster computing systems, ICCS 2004, LNCS 3036, 27–34,
// which is after T. Thyagaraj, S. P. Dandamudi (2001), An efficient adaptive scheduling scheme for distributed memory multicomputers, IEEE
// Trans. Parallel Distrib. Syst. 12(7), 758–768.
type MAP struct {
	Rounding string `enum:"nearest,ceil,floor" doc:"how the partition size is rounded"`
}

// Supports implements [solve.Policy].
func (s *MAP) Supports(in *model.Instance) error { return supportsPower(in, spaceSharing, s) }

// Kills implements [solve.Policy].
func (*MAP) Kills() bool { return false }

// Discipline implements [solve.Policy].
func (s *MAP) Discipline() sim.Discipline { return spaceshare.MAP(spaceshare.Rounding(s.Rounding)) }

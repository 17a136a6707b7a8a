package sim_test

import (
	"errors"
	"testing"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/sim"
	"github.com/allot-opt/allot/sim/backfill"
)

// watcher looks at the platform, which only the general world has.
type watcher struct{}

func (watcher) Arrived(float64, *sim.Job)                   {}
func (watcher) Started(float64, *sim.Job, []sim.Part)       {}
func (watcher) Left(float64, *sim.Job, sim.Outcome, string) {}
func (watcher) Decided(float64)                             {}
func (watcher) Watch(*sim.Platform, sim.Policy)             {}

// Under limits of power only traces in the plain world run: not those that somebody watches, that jobs make more than a trace, or that a policy has no form for. It is
// said so, and without the limits all of them run.
func TestPowerLimitsOutsideThePlainWorld(t *testing.T) {
	for _, capped := range []bool{false, true} {
		for _, watched := range []bool{false, true} {
			for _, general := range []bool{false, true} {
				for _, grid := range []bool{false, true} {
					cluster := model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Count: 2, Power: &model.PowerSpec{Idle: 1, Busy: 2}}}}
					if capped {
						cluster.PowerCap = [][]float64{{0, 100}}
					}
					b := model.NewBuilder("").Cluster(cluster)
					if grid {
						b.Cluster(model.ClusterSpec{ID: "d", Machines: []model.MachineSpec{{ID: "m"}}})
					}
					in, err := b.Job(model.JobSpec{ID: "a", Work: new(3.0)}, model.JobSpec{ID: "b", Work: new(3.0)}).Build()
					if err != nil {
						t.Fatal(err)
					}
					d := backfill.EASY(1, 1, backfill.Ranking{})
					if general {
						_ = d
					}
					var opt sim.Options
					if watched {
						opt.Observer = watcher{}
					}
					_, _, err = sim.Simulate(t.Context(), in, d, opt)
					if refused := capped && (watched || general || grid); errors.Is(err, sim.ErrPower) != refused || !refused && err != nil {
						t.Errorf("capped %v, watched %v, general only %v, two clusters %v: %v", capped, watched, general, grid, err)
					}
				}
			}
		}
	}
}

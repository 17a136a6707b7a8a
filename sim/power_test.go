package sim_test

import (
	"errors"
	"testing"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/sim"
	"github.com/allot-opt/allot/sim/backfill"
)

// watcher looks at the platform.
type watcher struct{}

func (watcher) Arrived(float64, *sim.Job)                   {}
func (watcher) Started(float64, *sim.Job, []sim.Part)       {}
func (watcher) Left(float64, *sim.Job, sim.Outcome, string) {}
func (watcher) Decided(float64)                             {}
func (watcher) Watch(*sim.Platform, sim.Policy)             {}

// Under power caps and with machines that sleep by a rule everything runs, watched or not, on several clusters and where a policy has no plain form. Under a horizon nothing does, and it is said so.
func TestPowerLimitsOnLine(t *testing.T) {
	for _, limit := range []string{"", "cap", "horizon", "sleep"} {
		for _, watched := range []bool{false, true} {
			for _, general := range []bool{false, true} {
				for _, grid := range []bool{false, true} {
					cluster := model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Count: 2, Power: &model.PowerSpec{Idle: 1, Busy: 2}}}}
					b := model.NewBuilder("")
					switch limit {
					case "cap":
						cluster.PowerCap = [][]float64{{0, 4}}
					case "horizon":
						b.Spec().Horizon = &model.HorizonSpec{To: 100}
					case "sleep":
						cluster.Machines[0].Power.Off, cluster.Machines[0].Power.SuspendAfter = []model.OffSpec{{Name: "off"}}, new(1.0)
					}
					b.Cluster(cluster)
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
					sol, _, err := sim.Simulate(t.Context(), in, d, opt)
					refused := limit == "horizon"
					if errors.Is(err, sim.ErrHorizon) != refused || !refused && err != nil {
						t.Errorf("%s, watched %v, general only %v, two clusters %v: %v", limit, watched, general, grid, err)
					}
					if err == nil {
						if report := model.Check(in, sol); !report.OK() || len(sol.Jobs) != 2 {
							t.Errorf("%s, watched %v, general only %v, two clusters %v: %v", limit, watched, general, grid, report.Violations)
						}
					}
				}
			}
		}
	}
}

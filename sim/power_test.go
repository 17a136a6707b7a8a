package sim_test

import (
	"errors"
	"strings"
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

// Under power caps and with machines that sleep by a rule everything runs, watched or not, on one cluster or two. Under a horizon nothing does, and it is said so.
func TestPowerLimitsOnLine(t *testing.T) {
	for _, limit := range []string{"", "cap", "horizon", "sleep"} {
		for _, watched := range []bool{false, true} {
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
				var opt sim.Options
				if watched {
					opt.Observer = watcher{}
				}
				sol, _, err := sim.Simulate(t.Context(), in, backfill.EASY(1, 1, backfill.Ranking{}), opt)
				refused := limit == "horizon"
				if errors.Is(err, sim.ErrHorizon) != refused || !refused && err != nil {
					t.Errorf("%s, watched %v, two clusters %v: %v", limit, watched, grid, err)
				}
				if err == nil {
					if report := model.Check(in, sol); !report.OK() || len(sol.Jobs) != 2 {
						t.Errorf("%s, watched %v, two clusters %v: %v", limit, watched, grid, report.Violations)
					}
				}
			}
		}
	}
}

// A policy that starts a job which takes more than a power cap allows, now or by its estimate under a cap to come, has made a mistake: the run ends with an error.
func TestAPolicyThatBreaksACapIsCaught(t *testing.T) {
	for name, c := range map[string]struct {
		processors int32
		work       float64
		breaks     bool
	}{
		"keeps to both caps":         {1, 5, false},
		"too much now":               {2, 1, true},
		"too much under a later cap": {1, 5.5, true},
	} {
		in, err := model.NewBuilder("").Cluster(model.ClusterSpec{ID: "c", PowerCap: [][]float64{{0, 9}, {5, 4}}, Machines: []model.MachineSpec{{ID: "m", Count: 2, Power: &model.PowerSpec{Busy: 5}}}}).
			Job(model.JobSpec{ID: "a", Work: new(c.work * float64(c.processors)), Processors: model.Rigid(int(c.processors))}).Build()
		if err != nil {
			t.Fatal(err)
		}
		_, _, err = sim.Simulate(t.Context(), in, sim.Discipline{General: func(platform *sim.Platform, _ uint64) sim.Policy {
			return placing{&scripted{platform: platform, claims: func(*sim.Job) []sim.Claim { return []sim.Claim{{Shares: []sim.Share{{Processors: c.processors}}}} }}}
		}}, sim.Options{})
		if (err != nil) != c.breaks || err != nil && !strings.Contains(err.Error(), "job a cannot start at 0: it would take more than a power cap before it ends by its estimate") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// placing is a policy that finds out itself what may start.
type placing struct{ *scripted }

func (placing) FindsPlaces() {}

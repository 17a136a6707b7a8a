package solvers_test

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/internal/testkit"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
)

// powerLimits are limits of power that bind: each changes what schedules of an instance are right.
var powerLimits = map[string]func(s *model.InstanceSpec){
	"a power cap": func(s *model.InstanceSpec) {
		stating(s, func(m *model.MachineSpec) { m.Power = &model.PowerSpec{Idle: 1, Busy: 3} })
		for c := range s.Clusters {
			most := 0.0
			for _, m := range s.Clusters[c].Machines {
				most += float64(max(1, m.Count) * max(1, m.Processors))
			}
			s.Clusters[c].PowerCap = [][]float64{{0, most + 2}}
		}
	},
	"a horizon": func(s *model.InstanceSpec) {
		last := 0.0
		for k := range s.Jobs {
			last = max(last, s.Jobs[k].Arrival)
		}
		s.Horizon = &model.HorizonSpec{From: 0, To: last + 10}
	},
	"machines that are off at first": func(s *model.InstanceSpec) {
		s.Horizon = &model.HorizonSpec{From: 0, To: 1e7}
		stating(s, func(m *model.MachineSpec) {
			m.Power = &model.PowerSpec{Idle: 1, Busy: 3, Off: []model.OffSpec{{Name: "off"}}, Begin: "off"}
		})
	},
	"machines that are suspended": func(s *model.InstanceSpec) {
		stating(s, func(m *model.MachineSpec) {
			m.Power = &model.PowerSpec{Idle: 1, Busy: 3, Off: []model.OffSpec{{Name: "off"}}, SuspendAfter: new(5.0)}
		})
	},
}

// stating changes all machines, without what no machine with power may have.
func stating(s *model.InstanceSpec, change func(m *model.MachineSpec)) {
	s.Clusters = slices.Clone(s.Clusters)
	for c := range s.Clusters {
		s.Clusters[c].PowerCap = nil
		s.Clusters[c].Machines = slices.Clone(s.Clusters[c].Machines)
		for g := range s.Clusters[c].Machines {
			m := &s.Clusters[c].Machines[g]
			m.Background = nil
			change(m)
		}
	}
}

// Limits of power are accepted beside whatever cannot bind just as without it, by every solver and policy. A hard deadline is no such thing, however late: it says that
// a job may be left out for which caps and horizons leave no room; and a policy, which does not know true times, cannot tell that nobody misses it.
func TestPowerLimitsBesideWhatCannotBind(t *testing.T) {
	race.OneGoroutine(t)
	t.Parallel()
	asked, refused, rng := 0, 0, rand.New(rand.NewPCG(*inertSeed, 2))
	additions := testkit.Inert()
	instances := inertInstances(t)
	for _, name := range slices.Sorted(maps.Keys(instances)) {
		for _, limit := range slices.Sorted(maps.Keys(powerLimits)) {
			spec := instances[name].Spec()
			powerLimits[limit](&spec)
			in, err := model.New(spec)
			if err != nil {
				continue
			}
			for _, k := range rng.Perm(len(additions))[:race.Fewer(6, 2)] {
				a := &additions[k]
				more := testkit.With(in, *a)
				if more == nil || a.Rule == "hard deadlines" {
					continue
				}
				for _, info := range solve.Solvers() {
					if info.Absent != "" || asksFor(info.Name, a.Name) {
						continue
					}
					before, after := solve.Supports(info.New(), in, false), solve.Supports(info.New(), more, false)
					asked++
					if before != nil {
						refused++
					}
					if (before == nil) != (after == nil) {
						t.Errorf("%s with %s, %s: %s without %v, with %v", name, limit, a.Name, info.Name, before, after)
					}
				}
			}
		}
	}
	if refused == 0 || refused == asked {
		t.Errorf("%d of %d limits are refused: the test proves little", refused, asked)
	}
}

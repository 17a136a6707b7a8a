package solvers_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
)

// renamed is the instance with other names for clusters, machines and jobs, in the same order.
func renamed(s *model.InstanceSpec) {
	cluster, job := map[string]string{}, map[string]string{}
	for c := range s.Clusters {
		cluster[s.Clusters[c].ID] = fmt.Sprintf("x%03d", c)
		s.Clusters[c].ID = cluster[s.Clusters[c].ID]
		for m := range s.Clusters[c].Machines {
			s.Clusters[c].Machines[m].ID = fmt.Sprintf("y%03d", m)
		}
	}
	for k := range s.Jobs {
		job[s.Jobs[k].ID] = fmt.Sprintf("z%05d", k)
	}
	for k := range s.Jobs {
		j := &s.Jobs[k]
		j.ID = job[j.ID]
		after := slices.Clone(j.After)
		for i := range after {
			after[i] = job[after[i]]
		}
		j.After = after
		if j.Runtime != nil {
			times := map[string]float64{}
			for id, time := range j.Runtime {
				times[cluster[id]] = time
			}
			j.Runtime = times
		}
	}
}

// stretched is the instance in another unit of time, a power of two of the old one; false: it states what scales otherwise.
func stretched(s *model.InstanceSpec, by float64) bool {
	if s.Queueing != nil || s.Overheads != nil || s.Tariff != nil || s.Horizon != nil || s.Objective["bounded_slowdown"] != 0 {
		return false
	}
	scale := func(x *float64) *float64 {
		if x == nil {
			return nil
		}
		return new(*x * by)
	}
	for c := range s.Clusters {
		cluster := &s.Clusters[c]
		if cluster.Network != nil || cluster.Overheads != nil || len(cluster.PowerCap) > 0 || cluster.Tariff != nil {
			return false
		}
		for m := range cluster.Machines {
			machine := &cluster.Machines[m]
			if machine.Background != nil || machine.Queue != nil || machine.Power != nil || len(machine.Closed) > 0 {
				return false
			}
			machine.Bandwidth /= by
		}
	}
	for k := range s.Jobs {
		j := &s.Jobs[k]
		if j.Running != nil || j.Budget != nil || j.Message > 0 || j.MinBandwidth > 0 {
			return false
		}
		j.Arrival *= by
		j.Work, j.Estimate, j.Deadline = scale(j.Work), scale(j.Estimate), scale(j.Deadline)
		if j.Runtime != nil {
			times := map[string]float64{}
			for id, time := range j.Runtime {
				times[id] = time * by
			}
			j.Runtime = times
		}
	}
	return true
}

// Solvers decide alike whatever clusters, machines and jobs are called, and in whatever unit times are stated, a power of two apart.
func TestSolversIgnoreNamesAndUnits(t *testing.T) {
	t.Parallel()
	fixed := map[string]string{ // what counts in a unit of its own
		"flexible": "weighs waits and deadlines", "twolevel": "weighs waits and deadlines", "easy": "steps on by one unit", "fcfs": "", "conservative": "steps on by one unit", "backfill": "cycles by seconds",
		"sr": "slots", "dr": "slots", "map": "slots", "spaceshare": "steps on by one unit", "mts": "", "ggone": "a search for balance", "titan": "", "broker": "", "auto": "runs the policies",
	}
	instances, rng := inertInstances(t), rand.New(rand.NewPCG(5, 5))
	var names []string
	for name := range instances {
		names = append(names, name)
	}
	slices.Sort(names)
	var list []solve.Info
	for _, info := range solve.Solvers() {
		if info.Absent == "" {
			list = append(list, info)
		}
	}
	tried := map[string]int{}
	for range race.Enough(250) {
		in, info := instances[names[rng.IntN(len(names))]], list[rng.IntN(len(list))]
		by, kind := 1.0, "names"
		spec := in.Spec()
		if _, not := fixed[info.Name]; rng.IntN(2) == 0 && !not {
			if by, kind = 4, "units"; !stretched(&spec, by) {
				continue
			}
		} else {
			renamed(&spec)
		}
		other, err := model.New(spec)
		if err != nil {
			continue // partitions name clusters, loads and running jobs too
		}
		run := func(in *model.Instance) (solve.Result, error) {
			return solve.Run(t.Context(), info.Choice(), in, solve.Options{Seed: 2, MaxEvals: 200, Unbounded: true})
		}
		a, refused := run(in)
		if refused != nil || a.Solution == nil {
			continue
		}
		b, err := run(other)
		if err != nil || b.Solution == nil {
			t.Errorf("%s, %s, %s: %v", in.Name(), info.Name, kind, err)
			continue
		}
		tried[kind]++
		if !samePlaces(in, other, a.Solution, b.Solution, by) {
			t.Errorf("%s, %s: another schedule with other %s", in.Name(), info.Name, kind)
		}
	}
	for _, kind := range []string{"names", "units"} {
		if tried[kind] < race.Enough(15) {
			t.Errorf("%d with other %s", tried[kind], kind)
		}
	}
}

// samePlaces says whether two schedules are alike but for names and a factor of all times.
func samePlaces(in, other *model.Instance, a, b *model.Solution, by float64) bool {
	if len(a.Jobs) != len(b.Jobs) || len(a.Unscheduled) != len(b.Unscheduled) {
		return false
	}
	place := func(in *model.Instance, p *model.Placement, by float64) string {
		j, _ := in.JobIndex(p.Job)
		text := fmt.Sprint(j, p.Start*by, p.End*by, p.Processors)
		for _, id := range append([]string{p.Cluster}, each(p.Pieces)...) {
			c, _ := in.ClusterIndex(id)
			text += fmt.Sprint(" ", c)
		}
		return text
	}
	var x, y []string
	for k := range a.Jobs {
		x, y = append(x, place(in, &a.Jobs[k], by)), append(y, place(other, &b.Jobs[k], 1))
	}
	slices.Sort(x)
	slices.Sort(y)
	return slices.Equal(x, y)
}

// each are the clusters of pieces.
func each(pieces []model.Piece) []string {
	var list []string
	for _, piece := range pieces {
		list = append(list, piece.Cluster)
	}
	return list
}

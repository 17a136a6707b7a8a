package packing_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/allot-opt/allot/model"
)

// drawer draws instances whose jobs all start at once, with everything that jobs can ask of machines.
type drawer struct{ *rand.Rand }

// one draws one of the values.
func one[T any](d *drawer, values ...T) T { return values[d.IntN(len(values))] }

// instance draws an instance of at most so many machines and jobs.
func (d *drawer) instance(t testing.TB, machines, jobs int) *model.Instance {
	spec := model.InstanceSpec{Devices: []string{"gpu", "nic"}}
	spec.Objective = one(d, map[string]float64{"work_done": 1}, map[string]float64{"unfinished": 1}, map[string]float64{"missed": 1, "work_done": 0.25},
		map[string]float64{"finished": 2}, map[string]float64{"miss_rate": 1, "makespan": 0}, map[string]float64{"data_moved": 1, "work_done": 1})
	if d.IntN(3) == 0 {
		spec.Licences = map[string]int{"l": 1 + d.IntN(2*jobs)}
	}
	left := 1 + d.IntN(machines)
	for c := 0; left > 0; c++ {
		cluster := model.ClusterSpec{ID: fmt.Sprint("c", c)}
		if spec.Licences != nil && d.IntN(3) == 0 {
			cluster.Licences = map[string]int{"l": d.IntN(3)}
		}
		here := left
		if c == 0 && d.IntN(3) == 0 {
			here = 1 + d.IntN(left)
		}
		for g := 0; here > 0; g++ {
			m := d.machine(g)
			m.Count = 1 + d.IntN(here)
			here, left = here-m.Count, left-m.Count
			cluster.Machines = append(cluster.Machines, m)
		}
		spec.Clusters = append(spec.Clusters, cluster)
	}
	for k := range jobs {
		spec.Jobs = append(spec.Jobs, d.job(k, &spec))
	}
	in, err := model.New(spec)
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// machine draws a group of machines.
func (d *drawer) machine(g int) model.MachineSpec {
	m := model.MachineSpec{ID: fmt.Sprint("m", g), Processors: 1 + d.IntN(6), Resources: map[string]float64{}}
	m.Resources["gpu"], m.Resources["nic"], m.Resources["cpu"] = one(d, 0.0, 1, 2, 3), one(d, 0.0, 0, 1), one(d, 1.5, 3, 0.7)
	if d.IntN(2) == 0 {
		m.Memory = new(one(d, 0.3, 2, 5, 1e13))
	}
	for _, f := range []string{"a", "b"} {
		if d.IntN(2) == 0 {
			m.Features = append(m.Features, f)
		}
	}
	for range d.IntN(3) / 2 {
		m.Closed = append(m.Closed, model.ClosedSpec{From: one(d, 0, 0, 0.5, 1), To: new(3.0), For: one(d, "", "r", "r")})
	}
	return m
}

// job draws a job.
func (d *drawer) job(k int, spec *model.InstanceSpec) model.JobSpec {
	block := one(d, 1, 1, 1, 2)
	blocks := 1 + d.IntN(3)
	j := model.JobSpec{ID: fmt.Sprint("j", k), Processors: model.Rigid(block * blocks), Block: block, Work: new(float64(1 + d.IntN(4))), Input: float64(d.IntN(2)), Resources: map[string]float64{},
		Deadline: new(1.0), DeadlineHard: true, Runtime: map[string]float64{}, Memory: one(d, 0, 0.1, 0.15, 1), Exclusive: d.IntN(8) == 0, Reservation: one(d, "", "", "", "", "r")}
	for c := range spec.Clusters {
		if d.IntN(6) > 0 {
			j.Runtime[spec.Clusters[c].ID] = one(d, 0.6, 0.9, 1, 1, 1.5)
		}
	}
	if d.IntN(2) == 0 {
		j.Resources["gpu"] = one(d, 0.25, 0.4, 0.6, 1, 2)
	}
	if d.IntN(4) == 0 {
		j.Resources["nic"] = one(d, 0.5, 1)
	}
	if d.IntN(2) == 0 {
		j.Resources["cpu"] = one(d, 0.1, 0.7, 1)
	}
	switch d.IntN(6) {
	case 0:
		n := 1 + d.IntN(blocks)
		j.Machines = model.Moldable(n, min(blocks, n+d.IntN(2)))
	case 1:
		j.PerMachine = one(d, 1, blocks)
	case 2:
		j.Span = "machine"
	}
	if d.IntN(4) == 0 {
		j.Features = append(j.Features, one(d, []string{"a"}, []string{"a", "b"}))
	}
	if spec.Licences != nil && d.IntN(2) == 0 {
		j.Licences = map[string]int{"l": 1 + d.IntN(2)}
	}
	if d.IntN(8) == 0 {
		j.Estimate = new(one(d, 0.25, 2))
	}
	return j
}

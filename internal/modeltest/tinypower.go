package modeltest

import (
	"fmt"
	"math/rand/v2"

	"github.com/allot-opt/allot/model"
)

// TinyPower has one to three jobs on one or two clusters, with states, ways, prices of either sign, moldable jobs, hard deadlines, chains and clocks that begin
// long ago. All times are whole units
// from the begin of the horizon on.
func TinyPower(rng *rand.Rand) (in *model.Instance, unit float64) {
	pick := func(list ...float64) float64 { return list[rng.IntN(len(list))] }
	unit = pick(1, 1, 0.5, 900, 3600, 1.0/1024)
	from := unit * pick(0, 0, 3, 17)
	if unit >= 900 {
		from += pick(0, 1_764_288_000)
	}
	length := 3 + rng.IntN(5)
	least := pick(0, 0, -3) // of a price
	value := func() float64 { return least + float64(rng.IntN(7)) }
	tariff := &model.TariffSpec{Per: pick(1, 3.6e6)}
	for k := 0; k < length; k += 1 + rng.IntN(3) {
		tariff.Price = append(tariff.Price, []float64{from + unit*float64(k), value()})
		tariff.Carbon = append(tariff.Carbon, []float64{from + unit*float64(k), value()})
	}
	if rng.IntN(4) == 0 {
		tariff.Period = unit * float64(length)
	}
	b := model.NewBuilder("tiny power").Minimise("energy", 1)
	b.Spec().Tariff, b.Spec().Horizon = tariff, &model.HorizonSpec{From: from, To: from + unit*float64(length)}
	whole := rng.IntN(6) == 0
	clusters := 1 + rng.IntN(2)
	for c := range clusters {
		power := &model.PowerSpec{Idle: pick(0, 1, 2, 5), Busy: pick(0, 1, 2, 3)}
		for s := range rng.IntN(3) {
			power.Off = append(power.Off, model.OffSpec{Name: fmt.Sprint("off", s), Power: pick(0, 0.5, 1),
				Down: model.WaySpec{Time: unit * float64(rng.IntN(3)), Power: pick(0, 1, 3)}, Up: model.WaySpec{Time: unit * float64(rng.IntN(3)), Power: pick(0, 2, 6)}})
		}
		if len(power.Off) > 0 && rng.IntN(3) == 0 {
			power.Begin, power.End = "off0", []string{"", "off0"}[rng.IntN(2)]
		}
		cluster := model.ClusterSpec{ID: fmt.Sprint("c", c), Machines: []model.MachineSpec{{ID: "m", Count: 1 + rng.IntN(2)*(2-clusters), Processors: 1 + rng.IntN(2), Power: power, Speed: pick(1, 1, 2)}}}
		if whole {
			cluster.Allocation = "machine"
		}
		if rng.IntN(3) == 0 && clusters == 1 {
			cluster.Machines = append(cluster.Machines, model.MachineSpec{ID: "n", Speed: cluster.Machines[0].Speed, Power: &model.PowerSpec{Idle: pick(0, 2), Busy: pick(0, 4)}})
			if rng.IntN(3) == 0 {
				cluster.Machines[1].Speed *= 2
			}
		}
		if clusters == 2 && rng.IntN(4) == 0 {
			cluster.Tariff = &model.TariffSpec{Per: pick(1, 7), Price: [][]float64{{from, value()}, {from + unit, value()}}, Carbon: [][]float64{{from, value()}}}
		}
		b.Cluster(cluster)
	}
	for j := range 1 + rng.IntN(3) {
		job := model.JobSpec{ID: fmt.Sprint("j", j), Work: new(unit * 2 * float64(rng.IntN(3))), Arrival: from + unit*float64(rng.IntN(3)*rng.IntN(2)), Processors: model.Rigid(1 + rng.IntN(2))}
		switch {
		case whole:
			job.Processors, job.Work = model.ProcessorRange{}, new(unit*4*float64(rng.IntN(3)))
		case rng.IntN(4) == 0:
			job.Processors, job.Tasks = model.Moldable(1, 2), 1+rng.IntN(2)
		}
		if rng.IntN(4) == 0 {
			job.Power = new(pick(0, 1, 5))
		}
		if rng.IntN(3) == 0 {
			job.Deadline, job.DeadlineHard = new(from+unit*float64(rng.IntN(6))), rng.IntN(3) == 0
		} else if j > 0 && rng.IntN(5) == 0 && b.Spec().Jobs[0].Deadline == nil {
			job.After = []string{"j0"}
		}
		b.Job(job)
	}
	in, err := b.Build()
	if err != nil {
		panic(err)
	}
	return in, unit
}

// LeastPower is the best rank over the schedules whose starts are whole units from the begin of the horizon on, on all sets of processors. It
// returns false if there is none or they are too many.
func LeastPower(in *model.Instance, unit float64, most int) (best model.Rank, ok bool) {
	from, to, _ := in.Horizon()
	best, tried := model.NoRank(), 0
	s := &model.Solution{Schema: model.SolutionSchema}
	var place func(j int) bool
	place = func(j int) bool {
		if j == len(in.Jobs()) {
			if tried++; tried > most {
				return false
			}
			if report := model.Check(in, s); report.OK() {
				if rank := in.RankOf(s, report.Objective); rank.Less(best) {
					best = rank
				}
				ok = true
			}
			return true
		}
		job := &in.Jobs()[j]
		s.Unscheduled = append(s.Unscheduled, model.Unscheduled{Job: job.ID, Reason: "left out"})
		more := place(j + 1)
		s.Unscheduled = s.Unscheduled[:len(s.Unscheduled)-1]
		if !more {
			return false
		}
		for c := range in.Clusters() {
			cluster := &in.Clusters()[c]
			fewest, widest := in.Width(j, c)
			for bits := 1; bits < 1<<cluster.Processors; bits++ {
				var ids []int
				for k := range cluster.Processors {
					if bits&(1<<k) != 0 {
						ids = append(ids, k)
					}
				}
				set := model.Processors(ids...)
				if set.Len() < fewest || set.Len() > widest {
					continue
				}
				length := in.Duration(j, c, set)
				for start := max(from, job.Arrival); start+length <= to; start += unit {
					s.Jobs = append(s.Jobs, model.Placement{Job: job.ID, Cluster: cluster.ID, Processors: set, Start: start, End: start + length})
					more := place(j + 1)
					s.Jobs = s.Jobs[:len(s.Jobs)-1]
					if !more {
						return false
					}
				}
			}
		}
		return true
	}
	return best, place(0) && ok
}

package model

// MachineState is what a machine that can be off does for a time in which it serves nobody.
type MachineState struct {
	Cluster, Group, Machine int // the number of the machine counts in its group
	From, To                float64
	State                   int       // index in Off, or [On]
	Way                     Direction // on a way between on and State
}

// Direction is that of a way between on and off.
type Direction int8

// The directions.
const (
	Stays Direction = iota // in the state
	Down                   // from on
	Up                     // to on
)

// States lists what the machines that can be off do while they serve nobody, by cluster, group, machine and time: the ways that the metrics of power count. It is false if these
// are not known, because a machine cannot be in a state that it must be in, or because a tariff has too many steps. The error is that of [Evaluate].
func States(in *Instance, sol *Solution) ([]MachineState, bool, error) {
	var report Report
	s := resolve(in, sol, &report)
	if len(report.Violations) > 0 {
		return nil, false, report.Violations[0]
	}
	var list []MachineState
	from, to := s.counted()
	used := s.sleepersUsed(from, to)
	for c := range in.clusters {
		cluster := &in.clusters[c]
		view, few := cluster.Tariff.view(from, to)
		if !few {
			return nil, false, nil
		}
		find := wayFinder{view: view, price: in.wayPrice(view.per)}
		for g := range cluster.Machines {
			m := &cluster.Machines[g]
			for machine := range m.Count {
				if !m.Power.Sleeps() {
					break
				}
				n := 0
				for n < len(used) && used[n].cluster == c && used[n].group == g && used[n].machine == machine {
					n++
				}
				known := m.Power.eachGap(used[:n], from, to, func(gap *gap, _ int) bool {
					way, known := find.find(m.Power, gap)
					for _, d := range way {
						list = append(list, MachineState{c, g, machine, d.from, d.to, d.state, d.way})
					}
					return known
				}, nil)
				if !known {
					return nil, false, nil
				}
				used = used[n:]
			}
		}
	}
	return list, true, nil
}

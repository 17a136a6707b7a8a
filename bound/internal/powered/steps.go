package powered

import "github.com/allot-opt/allot/model/exactsteps"

// rounded is a step where a number stands for a time, or several times so near to each other that one number does.
type rounded struct {
	first, last *exactsteps.Step
	rate        float64 // from it on
	at          float64
}

// round finds numbers for the steps of a cluster between which it has its rates, so that the rates of buckets between these numbers and prices that change there
// are never less at a time than both are at a time near by. A number is no later than the time where the rate falls, no earlier where it rises: between the two
// the higher rate meets a price that was enough for the lower one. What a job that looks for the least price finds is then exact.
func (c *Cluster) round() (list []rounded) {
	for k := range c.Steps {
		s := rounded{first: &c.Steps[k], last: &c.Steps[k], rate: c.Rates[k]}
		for {
			switch before := len(list) - 1; {
			case before < 0:
				s.at = s.first.Near
			case s.rate < list[before].rate:
				s.at = s.first.Below()
			case s.rate > list[before].rate:
				s.at = s.last.Above()
			default:
				s.at = s.last.Near
			}
			if n := len(list); n > 1 && s.at <= list[n-1].at { // what was between is no lower than what is on both sides
				s.first = list[n-1].first
				list = list[:n-1]
				continue
			}
			break
		}
		list = append(list, s)
	}
	return list
}

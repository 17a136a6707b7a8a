package lab

import (
	"cmp"
	"math"
	"slices"
)

// ShareCurve is received/entitled of one user over time, under each policy of a group. The window is cut into stretches of the same number of days.
type ShareCurve struct {
	User   string
	Shares [][]float64 // by policy and stretch; NaN: the user had no jobs in the system
}

// ShareCurves are the curves of the users who were entitled to most under the first policy of a group, each cut into at most the given number of stretches of
// time, and the time at which the last stretch ends. The shares must have been asked for.
func (r *Report) ShareCurves(group, users, stretches int, day float64) (curves []ShareCurve, to float64) {
	g := &r.Groups[group]
	each := (r.Days + stretches - 1) / stretches // days in a stretch
	stretches = (r.Days + each - 1) / each
	var list []*Class
	for c := range g.Policies[0].Classes {
		if class := &g.Policies[0].Classes[c]; class.Kind == kindUser && *class.Entitled > 0 {
			list = append(list, class)
		}
	}
	slices.SortStableFunc(list, func(a, b *Class) int { return cmp.Compare(*b.Entitled, *a.Entitled) })
	for _, class := range list[:min(users, len(list))] {
		curve := ShareCurve{User: class.Name}
		for k := range g.Policies {
			entitled, received := make([]float64, stretches), make([]float64, stretches)
			for _, share := range g.Policies[k].Shares {
				if share.User == class.Name {
					entitled[share.Day/each] += share.Entitled
					received[share.Day/each] += share.Received
				}
			}
			for i := range received {
				if received[i] /= entitled[i]; entitled[i] == 0 {
					received[i] = math.NaN()
				}
			}
			curve.Shares = append(curve.Shares, received)
		}
		curves = append(curves, curve)
	}
	return curves, r.From + float64(stretches*each)*day
}

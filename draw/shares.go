package draw

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/allot-opt/allot/internal/picture"
	"github.com/allot-opt/allot/model"
)

// SharePanel is what one user received of what the user was entitled to, under each policy.
type SharePanel struct {
	User   string
	Shares [][]float64 // by policy and stretch of the time; NaN: the user was entitled to nothing then
}

// Shares draws what users received of what they were entitled to, over stretches of equal length from one time of the instance to another: a panel for each user with a
// curve for each policy.
func Shares(in *model.Instance, from, to float64, policies []string, users []SharePanel, opt CurveOptions) (*Picture, error) {
	if in == nil || len(policies) == 0 || len(users) == 0 {
		return nil, errors.New("draw: expected an instance, policies and users")
	}
	opt.Quantity, opt.View = Utilisation, OverTime
	if opt.Title == "" {
		opt.Title = "Received of entitled processor time, by user" + titleEnd(in)
	}
	opt, err := opt.withDefaults(len(users))
	if err != nil {
		return nil, fmt.Errorf("draw: %w", err)
	}
	for k := range users {
		if len(users[k].Shares) != len(policies) {
			return nil, fmt.Errorf("draw: users[%d]: expected shares under %d policies, found %d", k, len(policies), len(users[k].Shares))
		}
	}
	return &Picture{layOut: panelLimits.sized(opt.Width, opt.Height, func(width, height float64) (*picture.Drawing, error) {
		if err := checkPanels(opt, len(users)); err != nil {
			return nil, err
		}
		chart := &picture.Chart{Title: panelName(opt.Title), Width: width, Height: height, Dots: 2}
		for k, name := range policies {
			chart.Key = append(chart.Key, picture.LineEntry(panelName(name), picture.StyleOf(k).Pen(1.8), nil))
		}
		for k := range users {
			chart.Panels = append(chart.Panels, users[k].panel(in, from, to))
		}
		return chart.Drawing(), nil
	})}, nil
}

// panel draws the curves of one user. A curve has a gap where the user was entitled to nothing.
func (u *SharePanel) panel(in *model.Instance, from, to float64) *picture.Panel {
	most := 1.0
	for _, shares := range u.Shares {
		for _, share := range shares {
			if share > most { // false for NaN
				most = share
			}
		}
	}
	return &picture.Panel{
		Title: "user " + panelName(u.User), X: times(in, from, to), Y: Utilisation.values(in, "received (% of entitled)", 0, 105*most),
		Draw: func(p *picture.Plot) {
			for k, shares := range u.Shares {
				step := (to - from) / float64(len(shares))
				var curve []picture.Point
				for n, share := range append(slices.Clone(shares), math.NaN()) {
					at := from + float64(n)*step
					if !math.IsNaN(share) {
						curve = append(curve, picture.Point{X: at, Y: 100 * share})
						continue
					}
					if len(curve) > 0 {
						p.Stroke(p.Path(append(curve, picture.Point{X: at, Y: curve[len(curve)-1].Y}), true), picture.StyleOf(k).Pen(1.8))
					}
					curve = nil
				}
			}
		},
	}
}

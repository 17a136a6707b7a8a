package draw

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"

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
	return &Picture{layOut: func() (drawing, error) {
		width, height, err := panelLimits.check(opt.Width, opt.Height)
		if err != nil {
			return nil, err
		}
		if err := checkPanels(opt, len(users)); err != nil {
			return nil, err
		}
		whole := &panels{title: panelName(opt.Title), width: width, height: height}
		for k, name := range policies {
			whole.legend = append(whole.legend, legendEntry{name: panelName(name), line: curveStyle(k)})
		}
		for k := range users {
			p, err := newSharePanel(&users[k], in, from, to, opt, width)
			if err != nil {
				return nil, err
			}
			if k+1 < len(users) {
				p.X.Label.Text = ""
			}
			whole.plots = append(whole.plots, p)
		}
		return whole, nil
	}}, nil
}

// newSharePanel draws the curves of one user. A curve has a gap where the user was entitled to nothing.
func newSharePanel(user *SharePanel, in *model.Instance, from, to float64, opt CurveOptions, width float64) (*plot.Plot, error) {
	p, most := newPanel(), 100.0
	p.Title.Text = "user " + panelName(user.User)
	for k, shares := range user.Shares {
		step := (to - from) / float64(len(shares))
		for begin := 0; begin < len(shares); begin++ {
			if math.IsNaN(shares[begin]) {
				continue
			}
			var curve plotter.XYs
			end := begin
			for ; end < len(shares) && !math.IsNaN(shares[end]); end++ {
				curve = append(curve, plotter.XY{X: from + float64(end)*step, Y: 100 * shares[end]})
				most = max(most, 100*shares[end])
			}
			curve = append(curve, plotter.XY{X: from + float64(end)*step, Y: curve[len(curve)-1].Y})
			line, err := plotter.NewLine(curve)
			if err != nil {
				return nil, err
			}
			line.StepStyle = plotter.PostStep
			line.LineStyle = curveStyle(k)
			p.Add(line)
			begin = end
		}
	}
	labelAxes(p, in, from, to, opt, width)
	p.Y.Label.Text, p.Y.Max = "received (% of entitled)", 1.05*most
	return p, nil
}

package draw

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/allot-opt/allot/model"
)

// Quantity is what a curve shows.
type Quantity string

// The quantities.
const (
	Queue       Quantity = "queue"       // jobs that have arrived and not started
	Utilisation Quantity = "utilisation" // processors held, in % of all
	Wait        Quantity = "wait"        // start − arrival
)

// Quantities lists all quantities.
func Quantities() []Quantity { return []Quantity{Queue, Utilisation, Wait} }

// View is how a curve shows its quantity.
type View string

// The views.
const (
	OverTime   View = "time" // the mean in each column of the picture; of the waits, that of the jobs that arrive then
	Cumulative View = "cdf"  // share of the time, or of the jobs, with at most each value
)

// Views lists all views.
func Views() []View { return []View{OverTime, Cumulative} }

// CurveOptions say what to draw and how. The zero value draws the queue over time.
type CurveOptions struct {
	Quantity Quantity
	View     View
	Width    int    // pixels of 1/96 inch; 0: 1,000
	Height   int    // 0: 500, or more for the panels of several schedules over time
	Title    string // empty: by quantity and instance

	against string // name of the schedule whose waits are taken off
}

// withDefaults fills in the defaults. It returns an error for an unknown quantity or view.
func (o CurveOptions) withDefaults(schedules int) (CurveOptions, error) {
	if o.Quantity == "" {
		o.Quantity = Queue
	}
	if o.View == "" {
		o.View = OverTime
	}
	if o.Height == 0 {
		o.Height = 500
		if o.View == OverTime {
			o.Height = min(max(500, 90+220*schedules), panelLimits.mostSide)
		}
	}
	switch {
	case !slices.Contains(Quantities(), o.Quantity):
		return o, fmt.Errorf("unknown quantity %q: expected queue, utilisation or wait", o.Quantity)
	case !slices.Contains(Views(), o.View):
		return o, fmt.Errorf("unknown view %q: expected time or cdf", o.View)
	}
	return o, nil
}

// Curves draws the queue, the utilisation or the waits in schedules of the instance. Each curve is named after its schedule's solver. Over time,
// each schedule has a panel of its own, all on the same scales; distributions share one panel with a legend. The schedules must place jobs of the
// instance only. Curves does not check them otherwise; [model.Check] does. The text format is not available for curves.
//
// Complexity: O(n log n) for n placements.
func Curves(in *model.Instance, schedules []*model.Solution, opt CurveOptions) (*Picture, error) {
	opt, err := opt.withDefaults(len(schedules))
	if err != nil {
		return nil, fmt.Errorf("draw: %w", err)
	}
	if len(schedules) == 0 {
		return nil, errors.New("draw: no schedule")
	}
	if in == nil {
		return nil, errors.New("draw: no instance")
	}
	list, names := make([]*series, len(schedules)), make([]string, len(schedules))
	for k, sol := range schedules {
		if sol == nil {
			return nil, fmt.Errorf("draw: schedules[%d]: no schedule", k)
		}
		if list[k], err = newSeries(in, sol, opt.Quantity); err != nil {
			return nil, fmt.Errorf("draw: %w", err)
		}
		names[k] = cmp.Or(panelName(sol.Solver), fmt.Sprint("schedule ", k+1))
	}
	return &Picture{layOut: func() (drawing, error) {
		width, height, err := panelLimits.check(opt.Width, opt.Height)
		if err != nil {
			return nil, err
		}
		return newPanels(in, list, names, opt, width, height)
	}}, nil
}

// panelName shortens a name for a panel and makes it printable.
func panelName(name string) string {
	const most = 80
	return clip(printable(name), most)
}

// WaitDifferences draws how much longer jobs wait in schedules of the instance than in the first of them, over the time of their arrivals: a panel
// for each schedule but the first, each on a scale of its own. It looks at the jobs that both schedules place. The quantity and the view of the options do not
// count. For the rest see [Curves].
func WaitDifferences(in *model.Instance, schedules []*model.Solution, opt CurveOptions) (*Picture, error) {
	if len(schedules) < 2 {
		return nil, errors.New("draw: expected two schedules at least")
	}
	if in == nil || slices.Contains(schedules, nil) {
		return nil, errors.New("draw: expected an instance and its schedules")
	}
	opt.Quantity, opt.View, opt.against = Wait, OverTime, cmp.Or(panelName(schedules[0].Solver), "schedule 1")
	opt, err := opt.withDefaults(len(schedules) - 1)
	if err != nil {
		return nil, fmt.Errorf("draw: %w", err)
	}
	base := make(map[string]float64, len(schedules[0].Jobs))
	for k := range schedules[0].Jobs {
		base[schedules[0].Jobs[k].Job] = schedules[0].Jobs[k].Start
	}
	var list []*series
	var names []string
	for k, sol := range schedules[1:] {
		if _, err := newSeries(in, sol, Wait); err != nil { // checks the schedule
			return nil, fmt.Errorf("draw: %w", err)
		}
		s := &series{waits: []change{}, last: in.FirstArrival()}
		for i := range sol.Jobs {
			p := &sol.Jobs[i]
			start, both := base[p.Job]
			if job, known := in.JobIndex(p.Job); both && known {
				s.waits = append(s.waits, change{in.Jobs()[job].Arrival, p.Start - start})
				s.last = max(s.last, in.Jobs()[job].Arrival)
			}
		}
		slices.SortStableFunc(s.waits, byTime)
		list, names = append(list, s), append(names, cmp.Or(panelName(sol.Solver), fmt.Sprint("schedule ", k+2)))
	}
	return &Picture{layOut: func() (drawing, error) {
		width, height, err := panelLimits.check(opt.Width, opt.Height)
		if err != nil {
			return nil, err
		}
		return newPanels(in, list, names, opt, width, height)
	}}, nil
}

package draw

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/allot-opt/allot/internal/numtext"
	"github.com/allot-opt/allot/internal/picture"
	"github.com/allot-opt/allot/model"
)

// Quantity is what a curve shows: one of those below, or the name of a metric that is a mean over jobs, such as bounded_slowdown.
type Quantity string

// The quantities that are no metrics of jobs.
const (
	Queue       Quantity = "queue"       // jobs that have arrived and not started
	Utilisation Quantity = "utilisation" // processors held, in % of all
	Wait        Quantity = "wait"        // start − arrival
	Power       Quantity = "power"       // power that machines take, by [model.Power]
)

// Quantities lists all quantities, the metrics last.
func Quantities() []Quantity {
	list := []Quantity{Queue, Utilisation, Wait, Power}
	for _, m := range model.MetricTable() {
		if m.IsMean() {
			list = append(list, Quantity(m.Name))
		}
	}
	return list
}

// ofJobs reports whether each job has a value of the quantity.
func (q Quantity) ofJobs() bool { return q != Queue && q != Utilisation && q != Power }

// ofJob is what a job has of the quantity, and whether it counts.
func (q Quantity) ofJob(j *model.Job, start, end float64) (value float64, counts bool) {
	if q == Wait {
		return start - j.Arrival, true
	}
	m, _ := model.MetricNamed(string(q))
	return m.OfJob(j, start, end)
}

// isTime reports whether the quantity is a length of time.
func (q Quantity) isTime() bool {
	m, _ := model.MetricNamed(string(q))
	return q == Wait || q.ofJobs() && m.Unit == "time"
}

// title is the quantity at the beginning of a title.
func (q Quantity) title() string {
	switch q {
	case Queue:
		return "Jobs in the queue"
	case Utilisation:
		return "Utilisation"
	case Wait:
		return "Wait"
	case Power:
		return "Power"
	}
	return strings.ReplaceAll(strings.ToUpper(string(q[:1]))+string(q[1:]), "_", " ")
}

// View is how a curve shows its quantity.
type View string

// The views. The last two are of quantities of jobs.
const (
	OverTime   View = "time"       // the mean in each column of the picture; of jobs, that of those that arrive then
	Cumulative View = "cdf"        // share of the time, or of the jobs, with at most each value
	Quantiles  View = "quantiles"  // quantiles and mean of the jobs that arrive in each period
	Difference View = "difference" // by period, quantiles and mean of how much more each job has than in the first schedule
)

// Views lists all views.
func Views() []View { return []View{OverTime, Cumulative, Quantiles, Difference} }

// byPeriod reports whether the view divides jobs by the period of their arrival.
func (v View) byPeriod() bool { return v == Quantiles || v == Difference }

// CurveOptions say what to draw and how. The zero value draws the queue over time.
type CurveOptions struct {
	Quantity Quantity
	View     View
	Width    int      // pixels of 1/96 inch; 0: 1,000
	Height   int      // 0: 500, or more for the panels of several schedules over time
	Title    string   // empty: by quantity and instance
	Period   float64  // length of the periods of quantiles and differences, in the unit of the instance; 0: a week, or less for short schedules
	Window   Window   // the part of the time to show, from the first arrival; of jobs, those that arrive then
	Names    []string // of the schedules; nil: those of their solvers
	Watts    bool     // power is in W, and a price is for a kWh where its unit is as much; an instance does not say so

	against string // name of the schedule that the others are compared with
}

// withDefaults fills in the defaults. It returns an error for an unknown quantity or view.
func (o CurveOptions) withDefaults(schedules int) (CurveOptions, error) {
	if o.Quantity == "" {
		o.Quantity = Queue
	}
	if o.View == "" {
		o.View = OverTime
	}
	if o.Height == 0 && !(o.Quantity == Power && o.View == OverTime) {
		o.Height = 500
		if o.View != Cumulative {
			o.Height = heightOf(schedules, 0)
		}
	}
	switch {
	case !slices.Contains(Quantities(), o.Quantity):
		return o, fmt.Errorf("unknown quantity %q: expected queue, utilisation, wait, power or a metric that is a mean over jobs", o.Quantity)
	case !slices.Contains(Views(), o.View):
		return o, fmt.Errorf("unknown view %q: expected time, cdf, quantiles or difference", o.View)
	case o.View.byPeriod() && !o.Quantity.ofJobs():
		return o, fmt.Errorf("view %q: expected a quantity of jobs, such as wait; found %s", o.View, o.Quantity)
	case o.Period < 0 || math.IsNaN(o.Period) || math.IsInf(o.Period, 0):
		return o, fmt.Errorf("period %v: expected a time above 0", o.Period)
	}
	return o, nil
}

// heightOf is the usual height of a picture of panels, some of them low.
func heightOf(panels, low int) int {
	return min(max(500, 110+220*panels+110*low), panelLimits.mostSide)
}

// Curves draws a quantity in schedules of the instance. Each curve is named after its schedule's solver, unless Names are given. Over time, each schedule has a panel of its own, all on
// the same scales; distributions share one panel. Differences are those from the first schedule, of the jobs that both place, and each panel has its own
// scale: one scale would hide small differences beside a large one. Power over time has its parts on
// each other, caps, the horizon and the tariff; where clusters have caps or tariffs of their own, each has a panel. The schedules must place jobs of the instance only. Curves does not check them otherwise;
// [model.Check] does. The text format is not available for curves.
//
// Complexity: O(n log n) for n placements.
func Curves(in *model.Instance, schedules []*model.Solution, opt CurveOptions) (*Picture, error) {
	c, err := newCurves(in, schedules, opt)
	if err != nil {
		return nil, fmt.Errorf("draw: %w", err)
	}
	return &Picture{layOut: panelLimits.sized(c.opt.Width, c.opt.Height, func(width, height float64) (*picture.Drawing, error) {
		if err := checkPanels(c.opt, c.panels()); err != nil {
			return nil, err
		}
		return c.chart(width, height).Drawing(), nil
	})}, nil
}

// newCurves finds the values to draw.
func newCurves(in *model.Instance, schedules []*model.Solution, opt CurveOptions) (*curves, error) {
	panels := len(schedules)
	if opt.View == Difference {
		panels--
	}
	opt, err := opt.withDefaults(panels)
	if err != nil {
		return nil, err
	}
	switch {
	case len(schedules) == 0:
		return nil, errors.New("no schedule")
	case in == nil:
		return nil, errors.New("no instance")
	case opt.Names != nil && len(opt.Names) != len(schedules):
		return nil, fmt.Errorf("expected as many names as schedules, found %d for %d", len(opt.Names), len(schedules))
	case opt.View == Difference && len(schedules) < 2:
		return nil, errors.New("expected at least two schedules for a difference, found one")
	}
	c := &curves{in: in, opt: opt, from: math.Inf(1)}
	for k, sol := range schedules {
		if sol == nil {
			return nil, fmt.Errorf("schedules[%d]: no schedule", k)
		}
		s, err := newSeries(in, sol, opt.Quantity)
		if err != nil {
			return nil, err
		}
		if s.isTooLarge() {
			return nil, fmt.Errorf("%s: expected values that add up to at most %g, found larger ones", opt.Quantity, largestSum)
		}
		c.list, c.from = append(c.list, s), min(c.from, s.first)
		name := sol.Solver
		if opt.Names != nil {
			name = opt.Names[k]
		}
		c.names = append(c.names, cmp.Or(panelName(name), fmt.Sprint("schedule ", k+1)))
	}
	if c.counted() == 0 && opt.Quantity.ofJobs() && slices.ContainsFunc(schedules, func(sol *model.Solution) bool { return len(sol.Jobs) > 0 }) {
		return nil, fmt.Errorf("%s: expected at least one job that has this quantity, found none", opt.Quantity)
	}
	return c, c.prepare()
}

// checkPanels returns an error for a height that has no room for the panels.
func checkPanels(opt CurveOptions, panels int) error {
	const title, panel = 40, 50
	if least := title + panel*panels; opt.View != Cumulative && opt.Height < least {
		return fmt.Errorf("height %d: expected at least %d pixels for %s", opt.Height, least, numtext.CountedGrouped(panels, "panel"))
	}
	return nil
}

// curves are the values to draw.
type curves struct {
	in       *model.Instance
	opt      CurveOptions
	list     []*series
	names    []string
	from, to float64     // the times to show
	each     float64     // length of the periods
	periods  [][]period  // by schedule, for the views by period
	power    *powerChart // of power over time
}

// panels is how many panels the picture has, one above the other.
func (c *curves) panels() int {
	if c.power != nil {
		return len(c.power.panels) + len(c.power.tariffs)
	}
	return len(c.names)
}

// prepare cuts the window out and divides the jobs by period.
func (c *curves) prepare() error {
	c.to = c.from
	for _, s := range c.list {
		c.to = max(c.to, s.last)
	}
	c.to = max(c.to, c.from+1e-9)
	unit, placed := timeUnit(c.in), c.counted()
	if w := c.opt.Window; w.isSet() {
		zero := c.in.FirstArrival()
		if err := w.check(c.from-zero, c.to-zero, unit); err != nil {
			return err
		}
		from, to := c.from, c.to
		if w.HasFrom {
			from = max(from, zero+w.From)
		}
		if w.HasTo {
			to = min(to, zero+w.To)
		}
		if !(from < to) {
			return fmt.Errorf("window from %v to %v: expected a longer one", from, to)
		}
		c.from, c.to = from, to
		for _, s := range c.list {
			s.cut(from, to)
		}
	}
	if placed > 0 && c.counted() == 0 {
		return errors.New("window: expected one in which a job arrives")
	}
	if c.opt.Quantity == Power && c.opt.View == OverTime {
		return c.preparePower()
	}
	if !c.opt.View.byPeriod() {
		return nil
	}
	// Jobs arrive earlier than the last of them ends.
	last := c.from
	for _, s := range c.list {
		if n := len(s.jobs); n > 0 {
			last = max(last, s.jobs[n-1].arrival)
		}
	}
	if !c.opt.Window.isSet() {
		c.to = max(last, c.from+1e-9)
	}
	var err error
	if c.each, err = periodLength(c.opt.Period, c.to-c.from, unit); err != nil {
		return err
	}
	if c.opt.View == Difference {
		c.opt.against = c.names[0]
	}
	for k, s := range c.list {
		values := s.changes()
		if c.opt.View == Difference {
			if k == 0 {
				continue
			}
			values = paired(s.jobs, c.list[0].jobs)
		}
		list := periodsOf(values, c.from, c.to, c.each)
		for _, p := range list {
			const most = 1e300 // an axis has room beyond the greatest value
			if !(math.Abs(p.mean) < most && math.Abs(p.quantiles[0]) < most && math.Abs(p.quantiles[len(shares)-1]) < most) {
				return fmt.Errorf("%s: expected values below %g, found a mean of %v", c.opt.Quantity, most, p.mean)
			}
		}
		c.periods = append(c.periods, list)
	}
	if c.opt.View == Difference {
		c.names = c.names[1:]
	}
	return nil
}

// counted is how many values of jobs there are.
func (c *curves) counted() (n int) {
	for _, s := range c.list {
		n += len(s.jobs)
	}
	return n
}

// timeUnit is the unit of time of an instance.
func timeUnit(in *model.Instance) string { return cmp.Or(in.Units().Time, "s") }

// panelName shortens a name for a panel and makes it printable.
func panelName(name string) string {
	const most = 80
	return picture.Clip(picture.Printable(name), most)
}

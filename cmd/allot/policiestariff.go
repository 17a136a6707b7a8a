package main

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/allot-opt/allot/formats/tariff"
	"github.com/allot-opt/allot/internal/timetext"
	"github.com/allot-opt/allot/lab"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/params"
)

// tariffFlags are the flags of what power costs and emits, and of what machines take. The words say what is done with both.
func tariffFlags(cost, carbon string) []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "tariff", Usage: cost + ": `FILE` of prices by time, CSV with the columns time and value, in a price for a kWh; or of carbon, the hourly export of Electricity Maps"},
		&cli.StringFlag{Name: "carbon", Usage: carbon + ": `FILE` as for --tariff, in an amount for a kWh"},
		&cli.StringFlag{Name: "tariff-at", Usage: "time of the tables at time 0 of the trace, a `DATE` or seconds", DefaultText: "the date that the trace states, or 0 s"},
		&cli.StringFlag{Name: "watts", Usage: "`POWER` in W of one machine that is on, and more for each busy processor: idle=90,busy=5; for machines that sleep when idle for a time also off=9,suspend_after=10min,down=1min,up=3min, down and up at idle power", DefaultText: "what the machines state"},
	}
}

// bought is a trace with a tariff, and what it was joined from.
type bought struct {
	in   *model.Instance
	ends map[string]float64 // by flag: when the last value of the table ends to hold, in the time of the trace
}

// withTariff adds what the flags state of power to the trace. Schedules are compared only by what power costs or emits; a picture needs neither.
func withTariff(c *cli.Context, in *model.Instance, needsTariff bool) (*bought, error) {
	b := &bought{in: in, ends: map[string]float64{}}
	files := 0
	for _, flag := range []string{"tariff", "carbon"} {
		if c.IsSet(flag) {
			files++
		}
	}
	for _, flag := range []string{"tariff-at", "watts"} {
		if c.IsSet(flag) && files == 0 && !(flag == "watts" && (hasTariff(in) || !needsTariff)) {
			return nil, usageErrorf("--%s: expected --tariff or --carbon beside it, found neither", flag)
		}
	}
	if c.IsSet("watts") {
		var err error
		if b.in, err = withWatts(b.in, c.String("watts")); err != nil {
			return nil, err
		}
	}
	for _, flag := range []string{"tariff", "carbon"} {
		if c.IsSet(flag) {
			if err := b.join(c, flag); err != nil {
				return nil, err
			}
		}
	}
	if files > 0 && !lab.HasPower(b.in) {
		return nil, usageErrorf("--tariff: expected machines or jobs that state their power, found none: give the power of the machines, such as --watts idle=90,busy=5")
	}
	return b, nil
}

// hasTariff says whether a cluster has a tariff.
func hasTariff(in *model.Instance) bool {
	for c := range in.Clusters() {
		if in.Clusters()[c].Tariff != nil {
			return true
		}
	}
	return false
}

// join adds the table of a flag.
func (b *bought) join(c *cli.Context, flag string) error {
	path := c.String(flag)
	series, err := readTariff(path, tariff.Options{})
	if err != nil {
		return &statusError{exitInput, err}
	}
	if flag == "tariff" && series.Kind == tariff.Carbon && c.IsSet("carbon") {
		return usageErrorf("--tariff: expected prices beside --carbon, found carbon in %s", path)
	}
	joined, err := series.Join(b.in, flag == "carbon" || series.Kind == tariff.Carbon, tariff.Joined{At: c.String("tariff-at")})
	var wrong *params.Error
	switch {
	case errors.As(err, &wrong) && wrong.Name == "at":
		return usageErrorf("--tariff-at: %s", wrong.Fault())
	case err != nil:
		return usageErrorf("--%s: %s: %w", flag, path, err)
	}
	zero, err := series.Zero(b.in, c.String("tariff-at"))
	if err != nil {
		return usageErrorf("--tariff-at: %w", err)
	}
	each, _ := timetext.Seconds(cmp.Or(b.in.Units().Time, "s"))
	b.in, b.ends[flag] = joined, (series.End()-zero)/each
	for k := range b.in.Jobs() {
		if at := b.in.Jobs()[k].Arrival; at >= b.ends[flag] {
			return b.tooShort(flag, fmt.Sprintf("job %s arrives at %v", b.in.Jobs()[k].ID, at))
		}
	}
	return nil
}

// covers says that the tables hold as long as jobs run: nil, or the error of one that does not.
func (b *bought) covers(until float64) error {
	for _, flag := range []string{"tariff", "carbon"} {
		if end, given := b.ends[flag]; given && until > end {
			return b.tooShort(flag, fmt.Sprintf("jobs run until %v", until))
		}
	}
	return nil
}

// tooShort is the error of a table that ends too early.
func (b *bought) tooShort(flag, why string) error {
	return usageErrorf("--%s: expected values for the whole trace; they end at %v of its time, and %s", flag, b.ends[flag], why)
}

// withPower adds what the flags state of power to the instance of schedules, whose jobs must end before the tables do.
func withPower(c *cli.Context, in *model.Instance, schedules []*model.Solution) (*model.Instance, error) {
	b, err := withTariff(c, in, false)
	if err != nil {
		return nil, err
	}
	if !b.in.HasPower() {
		return nil, usageErrorf("%s: expected machines or jobs that state their power, found none: give the power of the machines, such as --watts idle=90,busy=5", c.Args().First())
	}
	last := 0.0
	for _, sol := range schedules {
		for k := range sol.Jobs {
			last = max(last, sol.Jobs[k].End)
		}
	}
	return b.in, b.covers(last)
}

// wattsExample is what --watts may state.
const wattsExample = "idle=90,busy=5, and for machines that sleep off=9,suspend_after=10min,down=1min,up=3min"

// withWatts gives every machine a power, and a rule by which it sleeps.
func withWatts(in *model.Instance, text string) (*model.Instance, error) {
	power, off := model.PowerSpec{}, model.OffSpec{Name: "off"}
	stated := map[string]bool{}
	unit := cmp.Or(in.Units().Time, "s")
	for _, part := range strings.Split(text, ",") {
		name, value, _ := strings.Cut(part, "=")
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		read := func(of string) (float64, error) { return timetext.Parse(value, of) }
		var to *float64
		var x float64
		var err error
		switch name {
		case "idle":
			to = &power.Idle
		case "busy":
			to = &power.Busy
		case "off":
			to = &off.Power
		case "suspend_after":
			power.SuspendAfter = new(0.0)
			to = power.SuspendAfter
		case "down":
			to = &off.Down.Time
		case "up":
			to = &off.Up.Time
		default:
			return nil, usageErrorf("--watts: expected %s; found %q", wattsExample, part)
		}
		if stated[name] {
			return nil, usageErrorf("--watts: expected %s once, found it twice", name)
		}
		stated[name] = true
		if name == "idle" || name == "busy" || name == "off" {
			x, err = strconv.ParseFloat(value, 64)
		} else {
			x, err = read(unit)
		}
		if err != nil || !(x >= 0) || math.IsInf(x, 0) {
			return nil, usageErrorf("--watts: expected numbers of at least 0, such as %s; found %q", wattsExample, part)
		}
		*to = x
	}
	switch {
	case stated["off"] && !stated["suspend_after"]:
		return nil, usageErrorf("--watts: expected suspend_after beside off: on line nobody knows how long a machine will be idle")
	case stated["suspend_after"] && !stated["off"]:
		return nil, usageErrorf("--watts: expected off beside suspend_after: the power of a machine that sleeps, such as off=9")
	case stated["off"]:
		off.Down.Power, off.Up.Power = power.Idle, power.Idle
		power.Off = []model.OffSpec{off}
	case stated["down"] || stated["up"]:
		return nil, usageErrorf("--watts: expected off and suspend_after beside down and up")
	}
	spec := in.Spec()
	for c := range spec.Clusters {
		machines := spec.Clusters[c].Machines
		for g := range machines {
			if machines[g].Power != nil {
				return nil, usageErrorf("--watts: expected machines that do not state their power; clusters[%d].machines[%d] does", c, g)
			}
			machines[g].Power = &power
		}
	}
	return model.New(spec)
}

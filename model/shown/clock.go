package shown

import (
	"cmp"
	"math"
	"time"

	"github.com/allot-opt/allot/internal/timetext"
	"github.com/allot-opt/allot/model"
)

// Clock tells the dates of the times of an instance, for people.
type Clock struct {
	zero  float64 // Unix time of time 0
	each  float64 // seconds in the unit of time
	place *time.Location
	known bool
	// unstated says that the record does not state the zone of its clock times.
	unstated bool
}

// ClockOf is the clock of an instance. Dates are in the zone that the instance states, in UTC if this machine does not know it, or else in that of this
// machine.
func ClockOf(in *model.Instance) Clock {
	zero, stated := in.TimeZero()
	each, known := timetext.Seconds(cmp.Or(in.Units().Time, "s"))
	c := Clock{zero: zero, each: each, place: time.Local, known: stated && known}
	switch name := in.TimeZone(); name {
	case "":
	case model.UnstatedZone:
		c.place, c.unstated = time.UTC, true
	default:
		c.place = time.UTC // of a zone that this machine does not know
		if place, err := time.LoadLocation(name); err == nil {
			c.place = place
		}
	}
	return c
}

// Known says whether the instance has dates: it states the date of time 0, and its unit of time is known.
func (c Clock) Known() bool { return c.known }

// moment is a time of the instance as a date; false: it has none, or its year has more than four digits.
func (c Clock) moment(t float64) (time.Time, bool) {
	const most = 253402214400 // 9999-12-31T00:00:00Z: a day early, as zones differ
	at := math.Round(c.zero + t*c.each)
	if !c.known || !(at >= 0 && at < most) {
		return time.Time{}, false
	}
	return time.Unix(int64(at), 0).In(c.place), true
}

// Date is the date and the clock time of a time of the instance, to the second, such as 2026-11-24T20:15:00; where the clock shows that twice, as in the night in which summer time ends, with what it is
// ahead of UTC behind. Empty: it has none.
func (c Clock) Date(t float64) string {
	at, known := c.moment(t)
	if !known {
		return ""
	}
	const layout = "2006-01-02T15:04:05"
	_, own := at.Zone()
	for _, near := range [...]time.Duration{-3 * time.Hour, 3 * time.Hour} { // clocks change by less
		_, other := at.Add(near).Zone()
		if _, there := at.Add(time.Duration(own-other) * time.Second).Zone(); there == other && other != own {
			return at.Format(layout + "-07:00")
		}
	}
	return at.Format(layout)
}

// Zone is the zone of dates about a time of the instance, such as CET, UTC+01:00; both where it has summer time too in the year before or behind; or says that the record states none. Empty: the time
// has no date.
func (c Clock) Zone(t float64) string {
	at, known := c.moment(t)
	switch name, offset := at.Zone(); {
	case !known:
		return ""
	case c.unstated:
		return "clock times as in the record, which states no zone"
	case offset == 0 && name == "UTC":
		return name
	}
	const layout, year = "MST, UTC-07:00", 366 * 24 * time.Hour
	begin, end := at.ZoneBounds()
	_, own := at.Zone()
	for _, other := range [...]time.Time{end, begin.Add(-time.Second)} {
		if _, offset := other.Zone(); !begin.IsZero() && !end.IsZero() && other.Sub(at).Abs() < year && offset != own {
			first, second := at, other
			if offset < own {
				first, second = other, at
			}
			return first.Format(layout) + " or " + second.Format(layout) + " by the date"
		}
	}
	return at.Format(layout)
}

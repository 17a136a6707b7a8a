package lab

import (
	"fmt"
	"math"
	"time"

	"github.com/allot-opt/allot/model/shown"
)

// Dates are the dates of the window, see [shown.Clock].
type Dates struct {
	From string `json:"from"`
	To   string `json:"to"`
	Zone string `json:"zone"`
}

// dates are the dates of the window; nil: not known.
func (s *study) dates() *Dates {
	clock := shown.ClockOf(s.in)
	d := &Dates{From: clock.Date(s.from), To: clock.Date(s.to), Zone: clock.Zone(s.to)}
	if d.From == "" || d.To == "" {
		return nil
	}
	return d
}

// Days of a period of a window without dates, and from how many days of the window on such periods are used.
const (
	monthDays, monthsFrom = 30, 60
	weekDays, weeksFrom   = 7, 14
	mostPeriods           = 240 // a window of more has periods of several months
)

// calendar numbers the periods of a window: months, in a short window weeks or days. Where dates are known they are those of the calendar, and a week begins on Monday.
type calendar struct {
	clock     shown.Clock
	hasDates  bool
	from, day float64 // begin of the window and length of a day, for days without dates
	length    int     // days of a period
	joined    int     // periods that make one
}

// calendar is that of the window.
func (s *study) calendar() *calendar {
	c := &calendar{clock: shown.ClockOf(s.in), hasDates: s.dates() != nil, from: s.from, day: s.opt.Day, length: 1, joined: 1}
	days := s.days
	if c.hasDates {
		days = int(c.date(s.to).Sub(c.date(s.from))/(24*time.Hour)) + 1
	}
	switch {
	case days >= monthsFrom:
		c.length = monthDays
	case days >= weeksFrom:
		c.length = weekDays
	}
	c.joined += days / c.length / mostPeriods
	return c
}

// date is midnight of the date of a time.
func (c *calendar) date(t float64) time.Time {
	date, _ := time.Parse(time.DateOnly, c.clock.Date(t)[:len(time.DateOnly)]) // the clock writes dates so
	return date
}

// firstMonday is the number of the day of the first Monday after 1969.
const firstMonday = 4

// number is the number of the period of a time.
func (c *calendar) number(t float64) int {
	n := 0
	switch {
	case !c.hasDates:
		n = int(math.Floor((t - c.from) / c.day / float64(c.length)))
	case c.length == monthDays:
		date := c.date(t)
		n = 12*date.Year() + int(date.Month()) - 1
	case c.length == weekDays:
		n = int(math.Floor(float64(c.date(t).Unix()/86400-firstMonday) / weekDays))
	default:
		n = int(c.date(t).Unix() / 86400)
	}
	return n / c.joined
}

// name names a period: 2026-01, week of 2026-01-05, 2026-01-05, days 31 to 60.
func (c *calendar) name(number int) string {
	first, last := number*c.joined, number*c.joined+c.joined-1
	switch {
	case !c.hasDates && c.length*c.joined == 1:
		return fmt.Sprintf("day %d", first+1)
	case !c.hasDates:
		return fmt.Sprintf("days %d to %d", first*c.length+1, (last+1)*c.length)
	case c.length == monthDays && c.joined > 1:
		return fmt.Sprintf("%04d-%02d to %04d-%02d", first/12, first%12+1, last/12, last%12+1)
	case c.length == monthDays:
		return fmt.Sprintf("%04d-%02d", first/12, first%12+1)
	case c.length == weekDays:
		return "week of " + time.Unix(int64(first*weekDays+firstMonday)*86400, 0).UTC().Format(time.DateOnly)
	}
	return time.Unix(int64(first)*86400, 0).UTC().Format(time.DateOnly)
}

// periods are the classes by month of arrival, or by week or day, in their order and without gaps.
func (s *study) periods() []class {
	c := s.calendar()
	first := c.number(s.from)
	list := make([]class, max(c.number(s.to)-first, 0)+1)
	for k := range list {
		list[k] = class{kind: KindPeriod, name: c.name(first + k)}
	}
	for _, j := range s.counted {
		k := min(max(c.number(s.in.Jobs()[j].Arrival)-first, 0), len(list)-1)
		list[k].jobs = append(list[k].jobs, j)
	}
	return list
}

package main

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/allot-opt/allot/internal/numtext"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/model/shown"
)

// dates writes the times of an instance for people: dates where it has them, otherwise numbers in its unit.
type dates struct{ shown.Clock }

func datesOf(in *model.Instance) dates { return dates{shown.ClockOf(in)} }

// at is a time of the instance.
func (d dates) at(t float64) string { return cmp.Or(d.Date(t), numtext.Figure(t)) }

// write writes a line with the zone of the dates as of a time, and the date of time 0, as some texts name numbers. It writes nothing where there are no dates.
func (d dates) write(b *strings.Builder, t float64) {
	if zone := d.Zone(t); zone != "" {
		fmt.Fprintf(b, "dates: %s; time 0 is %s\n", zone, d.at(0))
	}
}

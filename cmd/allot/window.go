package main

import (
	"cmp"

	"github.com/urfave/cli/v2"

	"github.com/allot-opt/allot/draw"
	"github.com/allot-opt/allot/internal/kit"
	"github.com/allot-opt/allot/internal/timetext"
	"github.com/allot-opt/allot/model"
)

// fromFlag and toFlag name the part of the time to show.
func fromFlag() cli.Flag {
	return &cli.StringFlag{Name: "from", Usage: "begin the picture at `TIME`, such as 90, 30min or 2d12h; a time with a unit needs the instance"}
}

func toFlag() cli.Flag {
	return &cli.StringFlag{Name: "to", Usage: "end the picture at `TIME`"}
}

// unitOf is the unit of time of an instance; empty: the instance is not known.
func unitOf(in *model.Instance) string {
	if in == nil {
		return ""
	}
	return cmp.Or(in.Units().Time, "s")
}

// windowOf is the part of the time that the flags ask for, in the unit of the instance; nil: the instance is not known.
func windowOf(c *cli.Context, in *model.Instance) (w draw.Window, err error) {
	unit := unitOf(in)
	for _, f := range []struct {
		name string
		at   *float64
		has  *bool
	}{{"from", &w.From, &w.HasFrom}, {"to", &w.To, &w.HasTo}} {
		if !c.IsSet(f.name) {
			continue
		}
		if *f.at, err = timetext.Parse(c.String(f.name), unit); err != nil {
			if in == nil {
				return w, usageErrorf("--%s: %w; give --instance, which states the unit", f.name, err)
			}
			return w, usageErrorf("--%s: %w", f.name, err)
		}
		*f.has = true
	}
	return w, nil
}

// choicesOf are the values of a flag as texts.
func choicesOf[T ~string](values []T) []string {
	return kit.Each(values, func(value T) string { return string(value) })
}

package tariff

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/allot-opt/allot/internal/timetext"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/params"
)

// KilowattHour is a kWh in W·s.
const KilowattHour = 3.6e6

// Zero is the time of the series at time 0 of an instance: the given one, a date or seconds as in a table; or, if none is given, the date that the instance states for its
// time 0, where the series is dated, and otherwise 0. The error is a [*params.Error] of the parameter at.
func (s *Series) Zero(in *model.Instance, at string) (float64, error) {
	if at != "" {
		zero, dated, ok := readTime(strings.TrimSpace(at))
		if ok && dated == s.Dated {
			return zero, nil
		}
		return 0, &params.Error{Name: "at", Expected: s.kindOfTime() + ", as the table has", Found: at}
	}
	if !s.Dated {
		return 0, nil
	}
	if zero, stated := in.TimeZero(); stated {
		return zero, nil
	}
	return 0, &params.Error{Name: "at", Expected: "the date of time 0, because the table has dates and the instance does not say when its time 0 is", Found: at}
}

// kindOfTime says what the times of the table are.
func (s *Series) kindOfTime() string {
	if s.Dated {
		return "a date such as 2026-03-01T14:30Z"
	}
	return "a number of seconds"
}

// Joined is how a series becomes part of an instance.
type Joined struct {
	At  string  // see [Series.Zero]
	Per float64 // power × time of one priced unit; 0: a kWh, where power is in W
}

// Join is the instance with the series as its price, or its carbon, in place of that which it states. The other of the two stays, if the instance's unit of price is the same.
//
// The error is a [*params.Error] of the parameter at or per, or a [*model.InputError]: the series does not cover time 0 or, where the instance states a horizon, not all of it; a
// cluster has a tariff of its own; or the instance's repeats.
func (s *Series) Join(in *model.Instance, carbon bool, how Joined) (*model.Instance, error) {
	unit, known := timetext.Seconds(cmp.Or(in.Units().Time, "s"))
	per := how.Per
	switch {
	case !known:
		return nil, &model.InputError{Faults: []model.Fault{{Path: "units.time", Message: fmt.Sprintf("expected a unit of time that is known in seconds, found %q", in.Units().Time)}}}
	case per == 0:
		per = KilowattHour / unit
	}
	zero, err := s.Zero(in, how.At)
	if err != nil {
		return nil, err
	}
	steps, err := s.Steps(zero, unit)
	if err != nil {
		return nil, err
	}
	if _, to, stated := in.Horizon(); stated && to*unit > s.End()-zero {
		return nil, &model.InputError{Faults: []model.Fault{{Path: "horizon.to", Message: fmt.Sprintf("expected at most %v, when the values of the tariff end; found %v", (s.End()-zero)/unit, to)}}}
	}
	spec := in.Spec()
	for k := range spec.Clusters {
		if spec.Clusters[k].Tariff != nil {
			return nil, &model.InputError{Faults: []model.Fault{{Path: fmt.Sprintf("clusters[%d].tariff", k), Message: "expected no tariff of its own, which would stand before the one that is joined"}}}
		}
	}
	if spec.Tariff == nil {
		spec.Tariff = &model.TariffSpec{}
	}
	t := *spec.Tariff
	has := cmp.Or(t.Per, 1)
	switch other := !carbon && t.Carbon != nil || carbon && t.Price != nil; {
	case other && t.Period > 0:
		return nil, &model.InputError{Faults: []model.Fault{{Path: "tariff.period", Message: "expected a tariff that does not repeat, because the values of the table do not; found a period"}}}
	case other && has != per:
		return nil, &params.Error{Name: "per", Expected: fmt.Sprintf("%v, that of the tariff of the instance", has), Found: per}
	}
	if t.Per, t.Period = per, 0; carbon {
		t.Carbon = Pairs(steps)
	} else {
		t.Price = Pairs(steps)
	}
	spec.Tariff = &t
	return model.New(spec)
}

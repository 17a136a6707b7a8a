package model

import (
	"encoding/json"
	"fmt"
	"math"
)

// Bound is a proved lower bound of an objective, or none, which is the zero value. In JSON it is a
// number; a field of this type is tagged omitzero, so that none is absent.
type Bound struct {
	value float64
	known bool
}

// ProvedBound is a bound of the given value; none where that is NaN or infinite, which bounds nothing.
func ProvedBound(value float64) Bound {
	if !isFinite(value) {
		return Bound{}
	}
	return Bound{value, true}
}

// Value is the value of the bound, and whether there is one.
func (b Bound) Value() (value float64, known bool) { return b.value, b.known }

// Known says that there is a bound.
func (b Bound) Known() bool { return b.known }

// Or returns the value of the bound, or the given number if there is no bound.
func (b Bound) Or(absent float64) float64 {
	if b.known {
		return b.value
	}
	return absent
}

// Max is the better of two bounds: the higher one. Any bound is better than none.
func (b Bound) Max(other Bound) Bound {
	if !b.known || other.known && other.value > b.value {
		return other
	}
	return b
}

// Equal says that both are none or have one value, as == does; packages that compare structs deeply look for this method.
func (b Bound) Equal(other Bound) bool { return b == other }

// String formats the value as fmt does; without a bound it is "none".
func (b Bound) String() string {
	if !b.known {
		return "none"
	}
	return fmt.Sprint(b.value)
}

// MarshalJSON writes a number, or null if there is no bound.
func (b Bound) MarshalJSON() ([]byte, error) {
	if !b.known {
		return []byte("null"), nil
	}
	return json.Marshal(b.value)
}

// UnmarshalJSON reads what MarshalJSON writes.
func (b *Bound) UnmarshalJSON(text []byte) error {
	var value *float64
	if err := json.Unmarshal(text, &value); err != nil {
		return err
	}
	if *b = (Bound{}); value != nil {
		*b = ProvedBound(*value)
	}
	return nil
}

// Gap returns how far an objective is above a proved bound, in % of the objective: 100·(objective − bound)/|objective|. It is 0 if the
// two are equal up to [Tolerance], or if the bound is above the objective, which can happen if the schedule leaves out jobs. It returns
// false if there is no bound, if the objective is not finite, or if the quotient is not finite, as for an objective of 0. A gap of 0 is no proof:
// where metrics of very different weights add up, [Evaluation.Proves] asks for more.
func Gap(objective float64, bound Bound) (percent float64, ok bool) {
	if !bound.known || !isFinite(objective) {
		return 0, false
	}
	if difference := objective - bound.value; difference > Tolerance*math.Abs(objective) {
		percent = 100 * difference / math.Abs(objective)
	}
	return percent, isFinite(percent)
}

// Gap returns the [Gap] between the solution's objective and bound, or false if one of them is not stated.
func (s *Solution) Gap() (percent float64, ok bool) {
	if s.Objective == nil {
		return 0, false
	}
	return Gap(*s.Objective, s.Bound)
}

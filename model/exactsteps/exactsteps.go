// Package exactsteps lists the steps of tariffs in exact numbers: a time counted from the begin of a horizon, or one of a list that repeats, is often no float64
// number, and rounding would put it on the other side of the end of a job.
package exactsteps

import (
	"math"
	"math/big"

	"github.com/allot-opt/allot/model"
)

// Step is a time from the begin of the horizon on: Near, the nearest number, or Exact where that is not it.
type Step struct {
	Near  float64
	Exact *big.Rat // nil: Near is exact
}

// Rational is the time.
func (s *Step) Rational() *big.Rat {
	if s.Exact != nil {
		return s.Exact
	}
	return rational(s.Near)
}

// Below is the largest number that is no later than the time.
func (s *Step) Below() float64 {
	if s.Exact != nil && rational(s.Near).Cmp(s.Exact) > 0 {
		return math.Nextafter(s.Near, math.Inf(-1))
	}
	return s.Near
}

// Above is the least number that is no earlier than the time.
func (s *Step) Above() float64 {
	if s.Exact != nil && rational(s.Near).Cmp(s.Exact) < 0 {
		return math.Nextafter(s.Near, math.Inf(1))
	}
	return s.Near
}

// At is a + n·b − from.
func At(a float64, n int64, b, from float64) Step {
	product := float64(n) * b
	if n == 0 {
		product = 0
	}
	sum := a + product
	near := sum - from
	if math.FMA(float64(n), b, -product) == 0 && isSum(a, product, sum) && isSum(sum, -from, near) {
		return Step{Near: near}
	}
	x := new(big.Rat).Mul(rational(b), new(big.Rat).SetInt64(n))
	x.Add(x, rational(a)).Sub(x, rational(from))
	near, _ = x.Float64()
	return Step{near, x}
}

// isSum says whether a + b is the number exactly.
func isSum(a, b, sum float64) bool {
	part := sum - a
	return (a-(sum-part))+(b-part) == 0 // Knuth's two-sum
}

// Within lists the steps of a list of values that lie within a time, after the value that holds at its begin, in exact numbers. The list repeats after the
// period, if that is not 0. It returns false if they are more than most.
func Within(list []model.Step, period, from, to float64, most int) (at []Step, values []float64, few bool) {
	if len(list) == 0 {
		return nil, nil, true
	}
	at, values = []Step{{}}, []float64{list[0].Value}
	length := At(to, 0, 0, from)
	add := func(s Step, value float64) (within bool) {
		switch {
		case s.compare(&Step{}) <= 0:
			values[0] = value
		case s.compare(&length) < 0:
			at, values = append(at, s), append(values, value)
		default:
			return false
		}
		return true
	}
	if period == 0 {
		for _, s := range list {
			add(At(s.Time, 0, 0, from), s.Value)
		}
		return at, values, len(at) <= most
	}
	if !((to-from)/period*float64(len(list)) < float64(most)) {
		return nil, nil, false
	}
	first := math.Floor((from-list[0].Time)/period) - 1
	if !(math.Abs(first) < 1<<52) {
		return nil, nil, false
	}
	for n := int64(first); ; n++ {
		begins := At(list[0].Time, n, period, from)
		if begins.compare(&length) >= 0 {
			return at, values, true
		}
		if len(at) > 2*most {
			return nil, nil, false
		}
		for _, s := range list {
			add(At(s.Time, n, period, from), s.Value)
		}
	}
}

// compare compares two times.
func (s *Step) compare(other *Step) int {
	if s.Exact == nil && other.Exact == nil {
		switch {
		case s.Near < other.Near:
			return -1
		case s.Near > other.Near:
			return 1
		}
		return 0
	}
	return s.Rational().Cmp(other.Rational())
}

// Join joins two lists of values by time, each with a value from 0 on or empty, to one: at each of its times the values of both, 0 of an empty list.
func Join(a []Step, x []float64, b []Step, y []float64) (at []Step, both [][2]float64) {
	var now [2]float64
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		var next *Step
		if j == len(b) || i < len(a) && a[i].compare(&b[j]) <= 0 {
			next = &a[i]
		} else {
			next = &b[j]
		}
		at = append(at, *next)
		for i < len(a) && a[i].compare(next) == 0 {
			now[0] = x[i]
			i++
		}
		for j < len(b) && b[j].compare(next) == 0 {
			now[1] = y[j]
			j++
		}
		both = append(both, now)
	}
	if at == nil {
		return []Step{{}}, [][2]float64{now}
	}
	return at, both
}

// rational is the exact value of a number.
func rational(x float64) *big.Rat { return new(big.Rat).SetFloat64(x) }

package tune

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/allot-opt/allot/solve"
)

// candidate is a configuration that is in the race or was.
type candidate struct {
	config Config
	choice *solve.Choice
	// odds are the probabilities of the values of each categorical dimension in samples around this candidate.
	odds [][]float64
}

// sampler draws candidates and never the same one twice.
type sampler struct {
	space *Space
	rng   *rand.Rand
	seen  map[string]bool
}

// attempts is how often a candidate is drawn anew that the solver refuses or that was drawn before.
const attempts = 50

// standing is the candidate of the choice as it stands.
func (s *sampler) standing() (*candidate, error) { return s.enter(s.space.Default(), s.even()) }

// enter makes a candidate of a configuration; nil: it was drawn before.
func (s *sampler) enter(c Config, odds [][]float64) (*candidate, error) {
	if s.seen[c.key()] {
		return nil, nil
	}
	choice, err := s.space.Choice(c)
	if err != nil {
		return nil, err
	}
	s.seen[c.key()] = true
	return &candidate{c, choice, odds}, nil
}

// even are equal odds.
func (s *sampler) even() [][]float64 {
	odds := make([][]float64, len(s.space.Dimensions))
	for k, d := range s.space.Dimensions {
		for range d.Values {
			odds[k] = append(odds[k], 1/float64(len(d.Values)))
		}
	}
	return odds
}

// anywhere draws a candidate from the whole space; nil: none that is new was found.
func (s *sampler) anywhere() *candidate {
	return s.draw(s.even(), func(k int) float64 { return s.rng.Float64() })
}

// around draws a candidate near a parent: numbers from a normal distribution around its values with the given deviation (a share of the scale), cut off at the ends,
// categorical values with the parent's odds. nil: none that is new was found.
func (s *sampler) around(parent *candidate, deviation float64) *candidate {
	return s.draw(parent.odds, func(k int) float64 {
		centre, ok := 0.0, false
		if parent.config[k] != "" {
			centre, ok = s.space.Dimensions[k].place(parent.config[k])
		}
		if !ok {
			return s.rng.Float64()
		}
		for { // the interval holds the centre, so at least a fifth of the draws stay where the deviation is at most half of it
			if x := centre + deviation*s.rng.NormFloat64(); x >= 0 && x < 1 {
				return x
			}
		}
	})
}

// draw draws candidates until one is new and allowed.
func (s *sampler) draw(odds [][]float64, place func(k int) float64) *candidate {
	for range attempts {
		c := make(Config, len(s.space.Dimensions))
		for k := range s.space.Dimensions {
			d := &s.space.Dimensions[k]
			if !s.space.matters(c, k) {
				continue
			}
			if d.Kind == categorical {
				c[k] = d.Values[pick(odds[k], s.rng.Float64())]
			} else {
				c[k] = d.at(place(k))
			}
		}
		if made, err := s.enter(c, cloned(odds)); err == nil && made != nil { // a combination that is refused is drawn anew
			return made
		}
	}
	return nil
}

// pick is the index at which the sum of the odds passes x.
func pick(odds []float64, x float64) int {
	for k, p := range odds {
		if x -= p; x < 0 {
			return k
		}
	}
	return len(odds) - 1
}

// cloned is a copy of the odds.
func cloned(odds [][]float64) [][]float64 {
	list := make([][]float64, len(odds))
	for k := range odds {
		list[k] = slices.Clone(odds[k])
	}
	return list
}

// lean shifts the odds of a candidate towards its own values, by the given share.
func (c *candidate) lean(s *Space, share float64) {
	for k, d := range s.Dimensions {
		if d.Kind != categorical || c.config[k] == "" {
			continue
		}
		for v, value := range d.Values {
			c.odds[k][v] *= 1 - share
			if value == c.config[k] {
				c.odds[k][v] += share
			}
		}
	}
}

// narrower is the deviation of the next iteration, after one that drew n candidates: the volume searched falls by the factor n.
func narrower(deviation float64, n, dimensions int) float64 {
	return deviation * math.Pow(1/float64(max(1, n)), 1/float64(max(1, dimensions)))
}

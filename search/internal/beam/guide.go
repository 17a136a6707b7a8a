package beam

import "math"

// Ranges from which a guide is drawn. No value in them is the best for all instances.
const (
	leastPower, morePower  = 0.5, 1.0 // exponent of the duration
	mostWidthPower         = 0.8      // exponent of the size, from 0 on
	mostNoise              = 0.05     // standard deviation of the factor by which a class is liked more or less
	leastPrice, priceRange = 4, 10    // least price of idle processor time, in mean weights of busy processor time; the largest price is priceRange times leastPrice
)

// weigh draws a guide. Of two states with as many jobs started, the one whose started jobs weigh more is better. Long jobs weigh more, because short ones
// are easier to place at the end.
func (s *Search) weigh() {
	power, width := leastPower+morePower*s.rng.Float64(), mostWidthPower*s.rng.Float64()
	noise, price := mostNoise*s.rng.Float64(), leastPrice*math.Pow(priceRange, s.rng.Float64())
	sum := 0.0
	s.heaviest = 0
	for k := range s.classes {
		c := &s.classes[k]
		c.weight = math.Pow(c.Duration, power) * math.Pow(float64(c.Size), width) * (1 + noise*s.rng.NormFloat64())
		s.heaviest = max(s.heaviest, c.weight)
		sum += c.weight * float64(len(c.jobs))
	}
	s.price = price * sum / s.area
}

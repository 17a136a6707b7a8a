package kit

// SplitMix is the state of the generator SplitMix64 of G. L. Steele, D. Lea, C. H. Flood (2014), doi:10.1145/2660193.2660195. It is small enough for the
// compiler to inline it into loops. Any number is a seed.
type SplitMix uint64

// Next returns the next number.
func (g *SplitMix) Next() uint64 {
	*g += step
	return finish(uint64(*g))
}

// Mix is the number that a generator in the given state returns. It spreads the state over all 64 bits, for hashing.
func Mix(state uint64) uint64 { return finish(state + step) }

// step is what the state grows by from number to number.
const step = 0x9e3779b97f4a7c15

// finish makes the number of a state that has grown.
func finish(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

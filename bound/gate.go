package bound

import "github.com/allot-opt/allot/bound/internal/gate"

// Sum is the result of some arithmetic, with the figures that limit its rounding error.
//
//	Value float64                      the result
//	Size  float64                      sum of the magnitudes of all numbers that went into it
//	Terms int                          how many numbers these are; a chain of operations counts as many as it is long
//	func (*Sum) Add(x float64)         adds a number
//	func (*Sum) Low() (float64, bool)  a lower bound of the exact result; false: the arithmetic came to NaN or an overflow
//	func (*Sum) Margin() float64       limits the rounding error
type Sum = gate.Sum

// Gate takes the bounds that a prover proves. There is no other way to state a bound. The gate rounds every bound down by its
// rounding error.
//
//	func (*Gate) Prove(proved Sum) bool               takes a lower bound of the metric; true: a certificate of it is asked for
//	func (*Gate) Show(func() *proof.Argument)         takes what proves the bound that Prove took last, for its certificate
//	func (*Gate) Bound() model.Bound  the best bound of the metric so far
//	func (*Gate) Close()              says that the prover has failed: the gate ignores all later results
//	func (*Gate) Closed() bool        whether it has failed
type Gate = gate.Gate

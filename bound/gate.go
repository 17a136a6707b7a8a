package bound

import "github.com/allot-opt/allot/bound/internal/gate"

// Sum is the result of some arithmetic, together with what limits its rounding error.
type Sum = gate.Sum

// Gate is the only way by which what a prover proves becomes a bound. It rounds every bound down by its rounding error.
type Gate = gate.Gate

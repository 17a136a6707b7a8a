package solve

import (
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/params"
)

// Sized is a solver whose parameters can make it take far more memory than other solvers take.
type Sized interface {
	// Memory is about how many bytes the parameters make it take on the instance, at most.
	Memory(in *model.Instance) int64
}

// Memory is about how many bytes the parameters of a solver, and those of its stages, make it take on the instance, at most; 0: no parameter does.
func Memory(solver any, in *model.Instance) int64 {
	total := int64(0)
	if sized, ok := solver.(Sized); ok {
		total += sized.Memory(in)
	}
	if composite, ok := solver.(params.Composite); ok {
		for _, part := range composite.Parts() {
			total += Memory(part.Of, in)
		}
	}
	return total
}

package allocation

import (
	"fmt"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
)

// mostMemory is the most bytes that may be taken for what the jobs take on the machines.
const mostMemory = 4 << 30

// Memory is about how many bytes it takes to state what each job takes on the machines of each group, before anything is allocated.
func Memory(in *model.Instance) int64 {
	const number = 8
	each := int64(2 * number) // here, and in the program
	if in.Features()&(model.ParallelJobs|model.MoldableJobs) != 0 {
		each += number // how many processors it holds
	}
	groups := int64(0)
	for c := range in.Clusters() {
		groups += int64(len(in.Clusters()[c].Machines))
	}
	return int64(len(in.Jobs())) * groups * each
}

// TooLarge is the error where that would take too much memory; nil: it does not.
func TooLarge(in *model.Instance) error {
	bytes := Memory(in)
	if bytes <= mostMemory {
		return nil
	}
	return fmt.Errorf("%w: expected at most %d MB for what each job takes on each group of machines, found %d MB; state machines that are alike as one group, with a count", solve.ErrUnsupported, mostMemory>>20, bytes>>20)
}

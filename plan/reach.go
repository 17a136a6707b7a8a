package plan

import "github.com/allot-opt/allot/model"

// manyMachines is the number of alike machines up to which each is tracked, however few jobs there are.
const manyMachines = 1 << 12

// Reach returns how many of count equal machines a schedule has to track, if it gives out unused machines in the order of their numbers.
// The other machines stay unused: together the jobs hold at most as many machines as the sum of the processors that they may hold. Up to
// 4,096 machines (manyMachines), all are tracked.
//
// Complexity: O(1) for few machines, else O(n) for n jobs.
func Reach(in *model.Instance, count int) int {
	if count <= manyMachines {
		return count
	}
	reach := manyMachines
	for k := range in.Jobs() {
		if reach += in.Jobs()[k].Max; reach >= count {
			return count
		}
	}
	return reach
}

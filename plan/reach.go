package plan

import "github.com/allot-opt/allot/model"

// manyMachines is the number of alike machines up to which each is tracked, however few jobs there are.
const manyMachines = 1 << 12

// Reach is how many of count alike machines have to be tracked where those that no job has held are taken in the order of their
// numbers: the jobs together reach no further than the sum of the processors that they may hold. Few machines are all tracked.
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

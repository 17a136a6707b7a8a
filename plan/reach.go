package plan

import "github.com/allot-opt/allot/model"

// manyMachines is the number of alike machines up to which each is tracked, however few jobs there are.
const manyMachines = 1 << 12

// Reach is the number of machines, of count alike ones, that have to be tracked where jobs take machines that no job has held in the
// order of their numbers. Together the jobs hold no more machines than the sum of the processors that they may hold. Up to
// manyMachines, 4,096, all are tracked.
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

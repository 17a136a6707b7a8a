//go:build !page

package service

// operations are all operations.
func operations() []Operation {
	return []Operation{
		solving(), bounding(), certifying(), verifying(), comparing(), checking(), comparingPolicies(), simulating(), explaining(), importing(), drawing(), listing(), describing(),
	}
}

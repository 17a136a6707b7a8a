//go:build page && !readers

package service

// operations are what the page asks its solvers for.
func operations() []Operation {
	return []Operation{
		solving(), bounding(), certifying(), verifying(), checking(), comparingPolicies(), explaining(), drawing(), listing(),
	}
}

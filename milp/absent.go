//go:build !highs || !cgo

package milp

import "context"

var missing = errMissing

// solve is never called, because Solve returns errMissing first in this build.
func solve(context.Context, *Model, Options) (Result, error) { return Result{}, errMissing }

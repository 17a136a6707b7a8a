//go:build !highs || !cgo

package milp

import "context"

var missing = ErrMissing

// solve is never called, because Solve returns ErrMissing first in this build.
func solve(context.Context, *Model, Options) (Result, error) { return Result{}, ErrMissing }

//go:build !highs || !cgo

package milp

import "context"

var missing = ErrMissing

// solve is never called: Solve refuses before.
func solve(context.Context, *Model, Options) (Result, error) { return Result{}, ErrMissing }

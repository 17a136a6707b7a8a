package serve

import (
	"context"
	"time"

	"github.com/allot-opt/allot/solve/process"
)

// grace is how long a run waits for the answer to a call that it has cancelled: solvers have 50 ms to end.
const grace = 20 * time.Millisecond

func afterGrace() <-chan time.Time { return time.After(grace) }

// withCaller returns a context whose runs can call functions of the client.
func withCaller(ctx context.Context, _ *Service, c caller) context.Context {
	return process.WithClient(ctx, c)
}

package solve

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

// TestTimeIsLeftToSettle: of a limit the solver does not get what the check of the schedule takes, but two thirds at least.
func TestTimeIsLeftToSettle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, c := range []struct {
			jobs      int
			limit     time.Duration
			left      time.Duration // to the solver
			unlimited bool
		}{
			{jobs: 0, limit: time.Second, left: time.Second},
			{jobs: 1000, limit: time.Second, left: time.Second - 1500*time.Microsecond},
			{jobs: 1_000_000, limit: 5 * time.Second, left: 3500 * time.Millisecond},
			{jobs: 1_000_000, limit: 3 * time.Second, left: 2 * time.Second},
			{jobs: 1_000_000, limit: -time.Second, left: -time.Second},
			{jobs: 1_000_000, unlimited: true},
		} {
			ctx, stop := t.Context(), context.CancelFunc(func() {})
			if !c.unlimited {
				ctx, stop = context.WithTimeout(ctx, c.limit)
			}
			until, cancel := untilSettling(ctx, c.jobs)
			end, limited := until.Deadline()
			if limited == c.unlimited || limited && time.Until(end) != c.left {
				t.Errorf("%d jobs within %v: %v, %v left, expected %v", c.jobs, c.limit, limited, time.Until(end), c.left)
			}
			cancel()
			stop()
		}
	})
}

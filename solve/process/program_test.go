package process

import (
	"context"
	"testing"
	"time"
)

// A program is told to end 50 ms and 10 µs a job before the limit, but has half of the time at least.
func TestTimeTold(t *testing.T) {
	if told := timeTold(context.Background(), 5); told != 0 {
		t.Errorf("%v without a limit", told)
	}
	for _, c := range []struct {
		limit    time.Duration
		jobs     int
		at, most time.Duration // the test may have been held up, for half a minute at most
	}{
		{time.Hour, 0, time.Hour - 30*time.Second, time.Hour - 50*time.Millisecond},
		{time.Hour, 100_000, time.Hour - 31*time.Second, time.Hour - 1050*time.Millisecond},
		{time.Hour, 1 << 30, time.Hour/2 - 15*time.Second, time.Hour / 2},
		{-time.Hour, 1, time.Millisecond, time.Millisecond},
	} {
		ctx, cancel := context.WithDeadline(context.Background(), time.Now().Add(c.limit))
		if told := timeTold(ctx, c.jobs); told < c.at || told > c.most {
			t.Errorf("%v, %d jobs: told %v, expected %v at most", c.limit, c.jobs, told, c.most)
		}
		cancel()
	}
}

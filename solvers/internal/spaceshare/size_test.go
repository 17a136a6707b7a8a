package spaceshare

import "testing"

// Worked values of eq. 2: P/((Q+1) + 0.5·S).
func TestPartitionSize(t *testing.T) {
	for _, c := range []struct {
		processors, queued, running int
		nearest, ceil, floor        int
	}{
		{64, 0, 0, 64, 64, 64},         // 64/1
		{64, 0, 1, 43, 43, 42},         // 64/1.5 = 42.67
		{64, 3, 5, 10, 10, 9},          // 64/6.5 = 9.85
		{64, 3, 4, 11, 11, 10},         // 64/6 = 10.67
		{64, 9, 20, 3, 4, 3},           // 64/20 = 3.2
		{5, 1, 0, 3, 3, 2},             // 5/2 = 2.5: a half goes up
		{3, 0, 2, 2, 2, 1},             // 3/2
		{7, 1, 0, 4, 4, 3},             // 3.5
		{9, 1, 0, 5, 5, 4},             // 4.5, where rounding to even would say 4
		{1, 0, 0, 1, 1, 1},             // one processor
		{1, 0, 1, 1, 1, 1},             // 1/1.5 = 0.67: floor says 0, and 1 is the least
		{64, 1_000_000, 64, 1, 1, 1},   // a long queue
		{1, 1 << 40, 1 << 40, 1, 1, 1}, // no overflow
		{1 << 24, 0, 0, 1 << 24, 1 << 24, 1 << 24},
		{1 << 24, 2, 1, 4793490, 4793491, 4793490}, // 16777216/3.5 = 4793490.29
	} {
		for rounding, want := range map[Rounding]int{Nearest: c.nearest, Ceil: c.ceil, Floor: c.floor} {
			if got := partitionSize(c.processors, c.queued, c.running, rounding); got != want {
				t.Errorf("P %d, Q %d, S %d, %s: %d, expected %d", c.processors, c.queued, c.running, rounding, got, want)
			}
		}
	}
}

// Worked values of eq. 1.
func TestTarget(t *testing.T) {
	for _, c := range []struct{ size, least, most, tasks, want int }{
		{10, 1, 64, 64, 10},
		{10, 1, 7, 64, 7},   // the job may hold no more
		{10, 1, 64, 3, 3},   // fewer tasks than processors
		{2, 4, 4, 4, 4},     // rigid
		{2, 4, 8, 8, 4},     // never fewer than the minimum
		{10, 4, 8, 2, 4},    // nor with fewer tasks
		{1, 1, 1, 1, 1},     // one of everything
		{1, 1, 64, 1000, 1}, // a busy system
	} {
		if got := target(c.size, c.least, c.most, c.tasks); got != c.want {
			t.Errorf("%+v: %d", c, got)
		}
	}
}

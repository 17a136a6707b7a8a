//go:build unix

package serial

import (
	"context"
	"fmt"
	"syscall"
	"testing"

	"github.com/allot-opt/allot/model"
)

// cpuSeconds is the processor time that the program has used, which other programs on the machine disturb less than the wall clock.
func cpuSeconds(b *testing.B) float64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		b.Fatal(err)
	}
	return float64(usage.Utime.Nano()+usage.Stime.Nano()) / 1e9
}

// BenchmarkSerial counts the schedules that one population makes in a second of processor time: passes of the serial scheme, forward or
// backward. pace is the number that the engine counts on.
func BenchmarkSerial(b *testing.B) {
	for _, jobs := range []int{30, 60, 120, 500, 2000} {
		for _, c := range []struct {
			times    string
			fraction float64
		}{{"whole", 0}, {"fractions", 1}} {
			b.Run(fmt.Sprintf("jobs=%d/times=%s", jobs, c.times), func(b *testing.B) {
				e, err := New(context.Background(), Project(b, jobs, c.fraction), &model.Solution{}, 1)
				if err != nil {
					b.Fatal(err)
				}
				made, began := int64(0), cpuSeconds(b)
				for b.Loop() {
					made += e.Advance(0, e.Round(), func() bool { return false })
				}
				b.ReportMetric(float64(made)/(cpuSeconds(b)-began), "schedules/cpu-s")
				b.ReportMetric(float64(e.Pace()), "pace")
			})
		}
	}
}

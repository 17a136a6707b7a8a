package sim

import (
	"errors"

	"github.com/allot-opt/allot/model"
)

// The reasons of an instance with power caps that no policy can run.
var (
	errAsleep  = errors.New("a power cap on line beside machines that sleep by a rule: nobody knows how long a job that has begun to wake them still takes no power")
	errOutlive = errors.New("a power cap that falls, and jobs that outlive their estimates: they would run on under the lower cap")
)

// CheckCaps says why an instance with power caps cannot run; nil: it can, or has none. Jobs end at their estimates where kill is set. O(jobs · clusters).
func CheckCaps(in *model.Instance, kill bool) error {
	if !in.Features().Has(model.PowerCaps) {
		return nil
	}
	if in.Features().Has(model.SleepingMachines) {
		return errAsleep
	}
	for c := range in.Clusters() {
		cluster := &in.Clusters()[c]
		if len(cluster.PowerCap) == 0 || kill || !fallsFrom(cluster.PowerCap, in.FirstArrival()) {
			continue
		}
		for k := range in.Jobs() {
			width, _ := in.Width(k, c)
			if !in.CanRun(k, c) {
				continue
			}
			if estimate, runtime := lengthsOn(in, k, c, width); runtime > estimate {
				return errOutlive
			}
		}
	}
	return nil
}

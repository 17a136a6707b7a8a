package sim

import (
	"errors"
	"slices"

	"github.com/allot-opt/allot/model"
)

// The reasons of an instance with power caps that no policy can run.
var (
	errMoves   = errors.New("closed times on line beside machines that sleep by a rule and take time to wake: a start that moves on while they wake may fall into one")
	errAsleep  = errors.New("a power cap on line beside machines that sleep by a rule: nobody knows how long a job that has begun to wake them still takes no power")
	errOutlive = errors.New("a power cap that falls, and jobs that outlive their estimates: they would run on under the lower cap")
)

// CapsFall says whether some cluster may take less power at some time after the first arrival than before: jobs that run then must end by their estimates.
func CapsFall(in *model.Instance) bool {
	return slices.ContainsFunc(in.Clusters(), func(c model.Cluster) bool { return fallsFrom(c.PowerCap, in.FirstArrival()) })
}

// CheckPower says why an instance with power caps, or with machines that sleep by a rule, cannot run; nil: it can, or has none. Jobs end at their estimates where kill is set, but for those that run
// already. O(jobs · groups of machines).
func CheckPower(in *model.Instance, kill bool) error {
	if in.Features().Has(model.SleepingMachines|model.ClosedTimes) && waking(in) > 0 {
		return errMoves
	}
	if !in.Features().Has(model.PowerCaps) {
		return nil
	}
	if in.Features().Has(model.SleepingMachines) {
		return errAsleep
	}
	for c := range in.Clusters() {
		cluster := &in.Clusters()[c]
		if len(cluster.PowerCap) == 0 || !fallsFrom(cluster.PowerCap, in.FirstArrival()) {
			continue
		}
		for k := range in.Jobs() {
			j := &in.Jobs()[k] // one that may spread over clusters may hold processors of one that cannot run it
			if kill && j.Node().Running == nil || !fallsFrom(cluster.PowerCap, j.Arrival) || !in.CanRun(k, c) && j.Span != model.SpanGrid {
				continue
			}
			width, _ := in.Width(k, c)
			for g := range cluster.Machines { // a run time that is stated is the same on all machines, an estimate is not
				if estimate, runtime := lengthsOn(in, k, c, width, &cluster.Machines[g]); runtime > estimate {
					return errOutlive
				}
			}
		}
	}
	return nil
}

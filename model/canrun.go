package model

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// What can run. A job can run if the checker accepts a schedule that places this job alone, whatever the job's arrival, its deadline and the jobs
// that it waits for. There are two ways:
//
//   - On one cluster ([Instance.CanRun]): the job states a run time for the cluster, if it states any; each pool that the job draws from there has its
//     copies; and the machines that the job may use have the least number of processors that it may hold, one machine of them if its span is machine.
//     The job may use a machine that offers the bandwidth and runs the licences, and on it as many processors as the memory has room for tasks
//     ([Instance.ProcessorsFor]). If a cluster allocates whole machines, the number is one.
//   - Over several clusters ([Instance.SpreadOver]): the span is the grid, the job has at least two tasks and may hold at least two processors. Each
//     cluster gives what it can give by the conditions above, but for the number ([Instance.Share]). As each runs at least one of the tasks, there are
//     at most as many clusters as tasks. Together they give the least number of processors; a whole machine counts as one.
//
// Times in which machines are closed count only where they keep the job from a machine at every instant. Whether they leave enough time for the job is
// not looked at here.
//
// Limits of power count nowhere here: a job that no horizon or cap has room for can run, so that a schedule that leaves it out owes it.
//
// Copies of licences are counted for each cluster by itself: a job that spreads draws its copies once from each pool that it touches.

// Runs says whether the job can run: on one cluster or over several.
func (in *Instance) Runs(job int) bool { return in.runsAlone(job) || in.SpreadOver(job) != nil }

// runsAlone says whether the job can run on one cluster alone.
func (in *Instance) runsAlone(job int) bool {
	for c := range in.clusters {
		if in.CanRun(job, c) {
			return true
		}
	}
	return false
}

// MustSpread says whether the job can run, but on no cluster alone.
func (in *Instance) MustSpread(job int) bool {
	if in.jobs[job].Span != SpanGrid {
		return false
	}
	return !in.runsAlone(job) && in.SpreadOver(job) != nil
}

// Share is the number of processors of the cluster that the job can hold at once, whatever number it must hold; 0 if the job states no run time for
// the cluster, or if a pool there has too few copies of a licence.
func (in *Instance) Share(job, cluster int) int {
	j := &in.jobs[job]
	if j.runtimes != nil && math.IsNaN(j.runtimes[cluster]) || in.shortOf(j, cluster) >= 0 {
		return 0
	}
	if j.node != nil {
		return in.usableByNode(j, &in.clusters[cluster], true, math.MaxInt)
	}
	return in.usable(j, &in.clusters[cluster])
}

// SpreadOver returns, by cluster, whether some placement of the job over several clusters holds processors of the cluster; nil if there is no such
// placement.
//
// Complexity: O(groups of machines + c·log c) for c clusters.
func (in *Instance) SpreadOver(job int) []bool {
	j := &in.jobs[job]
	if j.Span != SpanGrid || min(j.Max, j.Tasks) < 2 || len(in.clusters) < 2 || j.Node().Running != nil {
		return nil
	}
	shares := make([]int, len(in.clusters))
	for c := range shares {
		shares[c] = in.Share(job, c)
	}
	largest := slices.Clone(shares)
	slices.SortFunc(largest, func(a, b int) int { return b - a })
	if largest[1] == 0 {
		return nil
	}
	others, last := 0, min(j.Tasks, len(largest))-1 // the job may take from this number of clusters besides one
	for _, share := range largest[:last] {
		others += share
	}
	if others+largest[last] < j.Min {
		return nil
	}
	over := make([]bool, len(shares))
	for c, share := range shares { // a cluster of the largest shares takes part; any other takes the place of the last of them
		over[c] = share > 0 && (share >= largest[last] || others+share >= j.Min)
	}
	return over
}

// reach is the largest number of processors that the job can hold over several clusters.
func (in *Instance) reach(job int) int {
	var shares []int
	for c := range in.clusters {
		shares = append(shares, in.Share(job, c))
	}
	slices.Sort(shares)
	sum := 0
	for _, share := range shares[max(0, len(shares)-in.jobs[job].Tasks):] {
		sum += share
	}
	return sum
}

// WhyNowhere says, for people, why the job can run nowhere: over several clusters, and on each of the first few.
func (in *Instance) WhyNowhere(job int) string {
	const most = 4
	j := &in.jobs[job]
	var reasons []string
	if j.Span == SpanGrid && len(in.clusters) > 1 && min(j.Max, j.Tasks) > 1 {
		clusters := ""
		if j.Tasks < len(in.clusters) {
			clusters = fmt.Sprintf(" on %d clusters, one for each of its tasks,", j.Tasks)
		}
		reasons = append(reasons, fmt.Sprintf("needs %d processors at once, the grid has %d%s that it can use", j.Min, in.reach(job), clusters))
	}
	for c := range in.clusters {
		if c == most {
			reasons = append(reasons, fmt.Sprintf("and so on for %d more clusters", len(in.clusters)-most))
			break
		}
		if reason := in.CannotRun(job, c); reason != "" {
			reasons = append(reasons, reason)
		}
	}
	return strings.Join(reasons, "; ")
}

// roomFor is the number of tasks that a machine has room for by its memory, up to the number most.
func roomFor(memory, each float64, most int) int {
	fit := memory / each
	if each == 0 || fit >= float64(most+1) {
		return most
	}
	n := int(fit) + 1
	for n > most || n > 0 && !HasRoom(memory, each, n) {
		n--
	}
	return n
}

// HasRoom says whether n tasks fit a memory of which each task needs the amount each: exactly n·each ≤ memory·(1 + 2⁻⁵²), where the last digit of a number that was rounded does not count.
func HasRoom(memory, each float64, n int) bool {
	need := float64(n) * each
	over := need - memory // exact if the two are close; else only its sign counts
	return over-memory*0x1p-52 <= -math.FMA(float64(n), each, -need)
}

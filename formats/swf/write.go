package swf

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/allot-opt/allot/formats/internal/placements"
	"github.com/allot-opt/allot/internal/plaintext"
	"github.com/allot-opt/allot/model"
)

// Write writes a schedule as a trace with wait times, in order of arrival. [Read] reads it back: arrivals, run times,
// processors, estimates and, by option, memory are those of the instance where a job has run on processors of one number.
//
// A job's number is its id if all ids are different whole numbers above 0, otherwise its place in the file. The partition is the number of
// its cluster, from 1. A job that is not placed has no wait and no run time and the status cancelled (5). Times are written without loss,
// as the schedule has them, so they need not be whole. Users, groups and queues that are all whole numbers are written unchanged;
// otherwise they are numbered from 1 in order of arrival, and comments of the header say which is which. The header states the date of time 0 where the
// instance has one whose zone is not unstated.
func Write(w io.Writer, in *model.Instance, sol *model.Solution) error {
	placed, err := placements.ByJob("swf", in, sol)
	if err != nil {
		return err
	}
	each, err := placements.Seconds("swf", in)
	if err != nil {
		return err
	}
	memory, err := placements.Memory("swf", "KB", in)
	if err != nil {
		return err
	}
	order := make([]int, len(placed))
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(in.Jobs()[a].Arrival, in.Jobs()[b].Arrival) })
	numbers := numbersOf(in, order)
	out := bufio.NewWriter(w)
	names := namesOf(in, order)
	writeHeader(out, in, sol, numbers == nil)
	for k := range names {
		names[k].write(out)
	}
	for k, job := range order {
		number := int64(k + 1)
		if numbers != nil {
			number = numbers[job]
		}
		writeJob(out, in, job, number, placed[job], names, each, memory)
	}
	return out.Flush()
}

// numbersOf returns the jobs' ids as numbers, or nil if they are not numbers or would not keep jobs of one arrival
// in order.
func numbersOf(in *model.Instance, order []int) []int64 {
	numbers := make([]int64, len(order))
	for k, job := range order {
		j := &in.Jobs()[job]
		n, err := strconv.ParseInt(j.ID, 10, 64)
		if err != nil || n < 1 || n > 1e15 || strconv.FormatInt(n, 10) != j.ID {
			return nil
		}
		numbers[job] = n
		if k > 0 && in.Jobs()[order[k-1]].Arrival == j.Arrival && numbers[order[k-1]] > n {
			return nil
		}
	}
	return numbers
}

// writeHeader writes the comments.
func writeHeader(out *bufio.Writer, in *model.Instance, sol *model.Solution, renumbered bool) {
	line := func(key, value string) {
		fmt.Fprintf(out, "; %s: %s\n", key, oneLine(value))
	}
	line("Version", "2.2")
	line("Installation", in.Name())
	line("MaxJobs", strconv.Itoa(len(in.Jobs())))
	line("MaxRecords", strconv.Itoa(len(in.Jobs())))
	line("MaxProcs", strconv.Itoa(in.Processors()))
	if unix, known := in.TimeZero(); known && unix > 0 && in.TimeZone() != model.UnstatedZone {
		line("UnixStartTime", text(unix))
		if zone := in.TimeZone(); zone != "" {
			line("TimeZoneString", zone)
		}
	}
	line("Note", "schedule by solver "+sol.Solver)
	if renumbered {
		line("Note", "the jobs are numbered in order of arrival")
	}
	for c := range in.Clusters() {
		line("Partition", fmt.Sprintf("%d %s", c+1, in.Clusters()[c].ID))
	}
}

// writeJob writes one line. A time of the instance is each seconds, a memory so many KB.
func writeJob(out *bufio.Writer, in *model.Instance, job int, number int64, p *model.Placement, names [3]naming, each, kb float64) {
	j := &in.Jobs()[job]
	wait, runtime, status, partition, allocated := -1.0, -1.0, 5, -1, -1
	if p != nil {
		allocated = 0
		p.Parts(j.Tasks, func(part model.Piece) {
			allocated += part.Processors.Len()
			if c, ok := in.ClusterIndex(part.Cluster); ok && partition < 0 {
				partition = c + 1
			}
		})
		wait, runtime, status = (p.Start-j.Arrival)*each, Runtime(in, job, p)*each, 1
	}
	estimate, memory := -1.0, -1.0
	if !math.IsNaN(j.Estimate) {
		estimate = j.Estimate
		if requested, raised := in.Requested(job); raised {
			estimate = requested
		}
		estimate *= each
	}
	if j.Memory > 0 {
		memory = j.Memory * kb
	}
	requested := j.Max
	if partition > 0 {
		requested = min(requested, allocated)
	}
	fmt.Fprintf(out, "%d %s %s %s %d -1 -1 %d %s %s %d %d %d -1 %d %d -1 -1\n", number, text(j.Arrival*each), text(wait), text(runtime),
		allocated, requested, text(estimate), text(memory), status, names[0].number(j), names[1].number(j), names[2].number(j), partition)
}

// Runtime is how long a placed job runs: end − start or, where this differs from the run time by the time rule only by the rounding of large
// times, the run time by the time rule.
func Runtime(in *model.Instance, job int, p *model.Placement) float64 {
	held := p.End - p.Start
	if c, ok := in.ClusterIndex(p.Cluster); ok && len(p.Pieces) == 0 {
		if exact := in.Duration(job, c, p.Processors); math.Abs(exact-held) <= 1e-9*exact+4e-16*p.End {
			return exact
		}
	}
	return held
}

// oneLine is a text that keeps to one line of the header and does not steer the terminal it is shown on.
func oneLine(text string) string {
	return strings.Map(func(r rune) rune {
		if plaintext.Steers(r) {
			return ' '
		}
		return r
	}, text)
}

// text writes a number as short as it can be without loss.
func text(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

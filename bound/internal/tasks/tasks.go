// Package tasks defines the problem that the destructive bounds and the prover by learned clauses work on: rigid jobs in whole units of time, with
// earliest starts, precedence, and resources that they hold from start to end.
//
// The problem is a relaxation: each schedule of the instance that places the jobs is a schedule of the problem. Arithmetic on it is exact.
package tasks

import "math"

// Most is the largest time that a [Problem] may reach. Sums and differences of two times stay within int32.
const Most = math.MaxInt32 / 8

// Problem is a set of jobs in whole units of time. Package bound makes it; it does not change afterwards.
type Problem struct {
	Length    []int32 // by job; a job of length 0 holds nothing
	Head      []int32 // by job: earliest start by arrival alone
	Last      []int32 // by job: latest end, whatever the makespan; Most: there is none. nil: for all jobs
	Order     []int   // the jobs, each behind those that it waits for
	After     [][]int // by job: the jobs that it waits for
	Resources []Resource
	Apart     [][]int // by job: the jobs that it cannot overlap, for whatever reason, without those that precedence keeps apart; in ascending order
	Horizon   int32   // the least makespan is at most this
}

// Resource is something that jobs hold from their start to their end. It is never held beyond its capacity.
type Resource struct {
	Capacity int64
	Uses     []Use
}

// Use is what a job of some length holds of a resource: at least 1.
type Use struct {
	Job  int
	Need int64
}

// Tails returns, by job, the least time from its end to the end of the schedule.
func (p *Problem) Tails() []int32 {
	tails := make([]int32, len(p.Length))
	for k := len(p.Order) - 1; k >= 0; k-- {
		j := p.Order[k]
		for _, before := range p.After[j] {
			tails[before] = max(tails[before], p.Length[j]+tails[j])
		}
	}
	return tails
}

// Heads returns, by job, the earliest start by arrival and precedence.
func (p *Problem) Heads() []int32 {
	heads := make([]int32, len(p.Length))
	copy(heads, p.Head)
	for _, j := range p.Order {
		for _, before := range p.After[j] {
			heads[j] = max(heads[j], heads[before]+p.Length[before])
		}
	}
	return heads
}

// Ends returns, by job, the latest end by its own limit and those of the jobs that wait for it.
func (p *Problem) Ends() []int32 {
	ends := make([]int32, len(p.Length))
	for j := range ends {
		ends[j] = Most
		if p.Last != nil {
			ends[j] = p.Last[j]
		}
	}
	for k := len(p.Order) - 1; k >= 0; k-- {
		j := p.Order[k]
		for _, before := range p.After[j] {
			ends[before] = min(ends[before], ends[j]-p.Length[j])
		}
	}
	return ends
}

// CriticalPath is the least makespan if no resource is scarce.
func (p *Problem) CriticalPath() int32 {
	longest := int32(0)
	for j, head := range p.Heads() {
		longest = max(longest, head+p.Length[j])
	}
	return longest
}

// Follows says of each pair of jobs whether the second waits for the first, directly or not.
func (p *Problem) Follows() [][]bool {
	n := len(p.Length)
	follows := make([][]bool, n)
	for j := range follows {
		follows[j] = make([]bool, n)
	}
	for k := n - 1; k >= 0; k-- {
		j := p.Order[k]
		for _, before := range p.After[j] {
			follows[before][j] = true
			for next, yes := range follows[j] {
				follows[before][next] = follows[before][next] || yes
			}
		}
	}
	return follows
}

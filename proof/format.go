// Package proof holds certificates of lower bounds, and a checker that verifies them.
//
// A [Certificate] states a bound of an instance's objective and what proves it: a chain of jobs, prices, a tree of boxes. [Check] adds that up by
// itself. It imports package model alone and shares no code with the provers, so that a verified bound is as good as this package and the
// definitions in package model. docs/proofs.md describes the format and says what a certificate covers.
//
// All arithmetic is exact: fractions of whole numbers, or whole numbers to which the data of the instance were rounded in the direction that
// can only lower the bound. Prices are free parameters of a certificate. Any prices prove something, so they may be rounded in any direction.
package proof

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"github.com/allot-opt/allot/model"
)

// Schema is the value of the field "schema" of a certificate.
const Schema = "allot/proof/1"

// Certificate states a lower bound and what proves it. Jobs and clusters are named by their positions in the instance, from 0. All times count
// from the earliest arrival.
type Certificate struct {
	Schema         string             `json:"schema" doc:"the format: allot/proof/1"`
	Instance       string             `json:"instance,omitempty" doc:"name of the instance; for people"`
	InstanceSHA256 string             `json:"instance_sha256" check:"id" doc:"SHA-256 of the instance file's (uncompressed) bytes, in hexadecimal"`
	Objective      map[string]float64 `json:"objective" check:"finite" doc:"metric → weight of the objective that the bound is of, as an instance states one"`
	Bound          model.Bound        `json:"bound,omitzero" check:"figure" doc:"the lower bound: no schedule that owes no more jobs than the field owed says costs less; absent where the instance is infeasible, or nothing is certified"`
	Owed           int                `json:"owed,omitempty" check:"counter" doc:"the number of jobs: every right schedule leaves out at least as many of those that it owes"`
	OwedBy         []OwedSet          `json:"owed_by,omitempty" doc:"what proves that more jobs are owed than those that no schedule can place"`
	Infeasible     *Infeasible        `json:"infeasible,omitempty" doc:"why no allocation has a finite cost"`
	Parts          []Part             `json:"parts,omitempty" doc:"what is proved of each metric; their weighted sum is at least the bound"`
	Choices        []Choice           `json:"choices,omitempty" doc:"in place of parts: what is proved for each choice of the jobs of owed_by that are left out"`
	Stated         model.Bound        `json:"stated,omitzero" check:"figure" doc:"a higher bound that is stated without a certificate"`
	NotCertified   string             `json:"not_certified,omitempty" check:"text" doc:"who states that, or that the instance is infeasible, so that it cannot be checked"`
}

// Choice is what is proved of the schedules that leave out some jobs of the sets of [Certificate].OwedBy, as many of each as it proves, and owe no others than those that no schedule
// can place.
type Choice struct {
	Left  []int  `json:"left" check:"copies" doc:"the jobs of the sets that are left out, in ascending order"`
	Parts []Part `json:"parts,omitempty" doc:"what is proved of each metric, as in the certificate; their weighted sum is at least its bound"`
}

// OwedSet is a set of jobs that have to end by a time and exclude each other, so that some of them are left out: they hold too much in an interval, or have no windows together.
type OwedSet struct {
	Jobs    []int          `json:"jobs" check:"copies" doc:"the jobs, in ascending order; no job is in two sets"`
	By      *MachinePrices `json:"by,omitempty" doc:"prices and an interval in which the jobs hold too much"`
	Windows *Windows       `json:"windows,omitempty" doc:"what shows that a job of the set is left out: windows that are narrowed to a contradiction; beside it there is no by"`
}

// Part is the bound of one metric.
type Part struct {
	Metric string             `json:"metric" check:"id" doc:"the metric"`
	Sum    map[string]float64 `json:"sum,omitempty" check:"finite" doc:"metric → weight: the bound is of this sum, of which metric is a term; the weights are those of the objective. Absent: it is of the metric alone"`
	Bound  float64            `json:"bound" check:"figure" doc:"the lower bound of the metric"`
	Method string             `json:"method,omitempty" doc:"the method that found it; for people"`
	Lacks  bool               `json:"lacks,omitempty" doc:"the metric is better when high, and the bound is of what it lacks of its largest value"`
	Step   float64            `json:"step,omitempty" check:"time" doc:"what is proved is rounded up to a value that a best schedule can have; all times are multiples of this step. Absent: it is not rounded"`
	By     *Argument          `json:"by,omitempty" doc:"what proves it; absent: nothing that can be checked"`
}

// Argument is what proves a bound. Exactly one of its fields is set.
type Argument struct {
	CriticalPath  *CriticalPath  `json:"critical_path,omitempty" doc:"a chain of jobs that wait for each other"`
	Area          *Area          `json:"area,omitempty" doc:"the work of jobs over the capacity"`
	Pigeonhole    *Pigeonhole    `json:"pigeonhole,omitempty" doc:"several of the jobs run on one processor"`
	Energetic     *Energetic     `json:"energetic,omitempty" doc:"a makespan that is too short for what jobs need in an interval"`
	Moldable      *Moldable      `json:"moldable,omitempty" doc:"a makespan that is too short for what moldable jobs need"`
	Windows       *Windows       `json:"windows,omitempty" doc:"a makespan within which some job has no start left, or a resource is held beyond its capacity"`
	EachAlone     *EachAlone     `json:"each_alone,omitempty" doc:"each job at its earliest"`
	TimePrices    *TimePrices    `json:"prices_over_time,omitempty" doc:"prices of processor time that change with time"`
	AreaLevels    *AreaLevels    `json:"area_levels,omitempty" doc:"mcp: the areas of the jobs over the processors of their clusters"`
	Partitions    *Partitions    `json:"partitions,omitempty" doc:"mcp of few jobs: all ways to share them among the clusters"`
	ListSchedules *ListSchedules `json:"list_schedules,omitempty" doc:"sums of what rigid jobs and clusters cost, of few jobs: the best list schedule of every set of jobs"`
	Counts        *Counts        `json:"counts,omitempty" doc:"mcp: a tree of boxes of numbers of jobs, with prices"`
	MachinePrices *MachinePrices `json:"machine_prices,omitempty" doc:"prices of what groups of machines have: processors, memory and resources"`
	TimeOfUse     *TimeOfUse     `json:"time_of_use,omitempty" doc:"energy, energy_cost, carbon on one machine: a tree of intervals that are busy or not, with prices of sizes of jobs"`
	PowerPrices   *PowerPrices   `json:"priced_power,omitempty" doc:"energy, energy_cost, carbon: prices of processor time that change with time, which jobs pay and machines earn"`
	Levels        *Levels        `json:"levels,omitempty" doc:"qos_penalty: a tree of boxes of loads, with prices"`
}

// CriticalPath is a chain of jobs: each waits for the one before it. It takes the arrival of the first and the least time of each.
type CriticalPath struct {
	Jobs []int `json:"jobs" check:"copies" doc:"the chain"`
}

// Area adds up work. At any instant the running jobs are worth at most the capacity.
type Area struct {
	Jobs    []int      `json:"jobs,omitempty" check:"copies" doc:"the jobs, ascending; absent: all that have to be placed. Their least head and least tail count too"`
	Prices  []float64  `json:"prices,omitempty" check:"time" doc:"by cluster: price of its time"`
	Memory  []float64  `json:"memory,omitempty" check:"time" doc:"by cluster: price of its memory, which counts beside that of its time; absent: 0"`
	Weights [][]Weight `json:"weights,omitempty" doc:"by cluster: what a job weighs by its number of processors; absent: that number. The most that fits into the cluster is found by the checker"`
	Licence string     `json:"licence,omitempty" doc:"the copies of this licence instead of processors"`
}

// Weight is what a job of one size weighs.
type Weight struct {
	Size   int `json:"size" check:"count" doc:"number of processors"`
	Weight int `json:"weight" check:"copies" doc:"weight"`
}

// Pigeonhole takes more jobs than there are processors. Of n jobs on p processors at least ⌈n/p⌉ run on the same one.
type Pigeonhole struct {
	Jobs []int `json:"jobs" check:"copies" doc:"the jobs, ascending"`
}

// Energetic refutes a makespan: within it the jobs need more in an interval than there is.
type Energetic struct {
	Makespan float64   `json:"makespan" check:"time" doc:"the makespan; no schedule ends by then"`
	From     float64   `json:"from" check:"figure" doc:"begin of the interval"`
	To       float64   `json:"to" check:"figure" doc:"end of the interval"`
	Prices   []float64 `json:"prices,omitempty" check:"time" doc:"by cluster: price of a processor"`
	Memory   []float64 `json:"memory,omitempty" check:"time" doc:"by cluster: price of its memory, besides; absent: 0"`
	Licence  string    `json:"licence,omitempty" doc:"the copies of this licence instead of processors"`
}

// Moldable refutes a makespan: within it the jobs, of which at most as many parts as there are processors take more than half of it, need more processor
// time than there is.
type Moldable struct {
	Makespan float64 `json:"makespan" check:"time" doc:"the makespan; no schedule ends by then"`
}

// Windows refutes a makespan in whole units of time. Each job has a window for its start, and steps narrow the windows to a contradiction. The jobs have the numbers
// of their positions; the end of the schedule has the number of all jobs, and the numbers from there on stand for the pairs: 1 if the first job of a pair comes first,
// else 0.
type Windows struct {
	Unit      float64          `json:"unit" check:"time" doc:"the unit of time"`
	Nearest   bool             `json:"nearest,omitempty" doc:"times are rounded to the nearest multiples of the unit; absent: down"`
	Makespan  int              `json:"makespan" check:"copies" doc:"in units: no schedule of the rounded times ends by then"`
	Resources []WindowResource `json:"resources,omitempty" doc:"what steps look at"`
	Pairs     []int            `json:"pairs,omitempty" check:"copies" doc:"two by two: jobs that cannot overlap"`
	Lemmas    []Lemma          `json:"lemmas,omitempty" doc:"one after another, to the contradiction"`
}

// WindowResource is something that jobs hold from their start to their end, never more than its capacity: processors of clusters, where nothing else is set, or copies of a
// licence, memory, a set of jobs of which no two overlap, or weights in place of what they hold of another resource.
type WindowResource struct {
	Clusters []int    `json:"clusters,omitempty" check:"copies" doc:"the clusters; absent beside a licence: all pools"`
	Licence  string   `json:"licence,omitempty" doc:"the copies of this licence"`
	Memory   int      `json:"memory,omitempty" check:"copies" doc:"parts in which the memory of each cluster is counted"`
	Jobs     []int    `json:"jobs,omitempty" check:"copies" doc:"jobs of which no two overlap, ascending"`
	Of       int      `json:"of,omitempty" check:"copies" doc:"position of the resource, before this one, of which jobs hold what has the weights"`
	Weights  []Weight `json:"weights,omitempty" doc:"what a job weighs by what it holds, by ascending size: it weighs as the largest size that is at most that"`
}

// Lemma is a list of steps, which narrow the windows. With a clause they start from the contrary of it and lead to a contradiction, so that the clause holds.
type Lemma struct {
	Clause []int `json:"clause,omitempty" check:"copies" doc:"two by two: twice a number, and a value that the number has at least; twice a number plus 1, and a value that it has at most. One of these holds"`
	Steps  []int `json:"steps,omitempty" check:"copies" doc:"one after another: 0, a job and one that waits for it or the end; 1 and a pair; 2 and the position of a lemma before, for its clause; 3, a resource and a time; 4, a resource, the begin and the end of an interval"`
}

// MachinePrices are prices of what machines have, for a unit of time. At any instant the running jobs hold no more than what all machines are worth.
type MachinePrices struct {
	Groups [][]GroupPrices `json:"groups" doc:"by cluster and group of its machines: the prices"`
	Closed bool            `json:"closed,omitempty" doc:"the time does not count in which machines are closed, nor what jobs hold beyond their estimates"`
	From   float64         `json:"from,omitempty" check:"figure" doc:"numbers of jobs, their work and data: begin of the interval in which the jobs hold too much"`
	To     float64         `json:"to,omitempty" check:"figure" doc:"its end"`
}

// GroupPrices are the prices of what a machine of a group has.
type GroupPrices struct {
	Processor float64   `json:"processor,omitempty" check:"time" doc:"of a processor"`
	Memory    float64   `json:"memory,omitempty" check:"time" doc:"of a unit of memory"`
	Resources []float64 `json:"resources,omitempty" check:"time" doc:"of a unit of each resource, in the order of their names"`
}

// EachAlone has no data: the checker computes the earliest end of every job.
type EachAlone struct{}

// AreaLevels has no data: the checker computes the areas.
type AreaLevels struct{}

// Partitions lists functions of sizes. The checker computes what every set of jobs costs on every cluster.
type Partitions struct {
	Orders    int            `json:"orders,omitempty" check:"copies" doc:"the most jobs of a set that the checker puts into all orders"`
	Functions []SizeFunction `json:"functions,omitempty" doc:"functions of the sizes of jobs"`
}

// ListSchedules has no prices: the checker computes what the best list schedule of every set of jobs costs.
type ListSchedules struct {
	Together bool `json:"together,omitempty" doc:"the lists are of jobs on all clusters, which keep precedence and licences; absent: clusters take turns, and precedence counts only in the earliest starts"`
}

// SizeFunction says what a job weighs by its size. The jobs that run at once weigh at most what fits into the cluster.
type SizeFunction struct {
	Weights [][]Weight `json:"weights" doc:"by cluster: what a job weighs by its number of processors; a size that is not listed weighs nothing. The most that fits into the cluster is found by the checker"`
}

// TimePrices are prices of processor time by buckets of time. See [ClusterPrices] for what a job pays.
type TimePrices struct {
	Limits   []float64       `json:"limits" check:"time" doc:"limits of the buckets, ascending from 0"`
	Clusters []ClusterPrices `json:"clusters" doc:"by cluster: the prices"`
}

// ClusterPrices are the prices of one cluster.
type ClusterPrices struct {
	Processor []float64   `json:"processor,omitempty" check:"figure" doc:"by bucket: price of a processor"`
	Groups    [][]float64 `json:"groups,omitempty" check:"figure" doc:"instead of processor, where each job holds processors of one machine: by group of the machines, by bucket"`
	Sizes     []SizePrice `json:"sizes,omitempty" doc:"what jobs of a size pay besides"`
}

// SizePrice is what a job of one size pays besides its processors.
type SizePrice struct {
	Size  int     `json:"size" check:"count" doc:"number of processors"`
	Price float64 `json:"price" check:"figure" doc:"price"`
}

// Counts is a tree of boxes. A box limits the number of jobs of each cluster, and the bucket in which its last job ends.
type Counts struct {
	Limits []float64   `json:"limits" check:"time" doc:"limits of the buckets, ascending from 0"`
	Prices []JobPrices `json:"prices" doc:"the prices that the nodes use"`
	Nodes  []Node      `json:"nodes" doc:"the tree; its root comes first, children come after their parents"`
}

// JobPrices are prices of jobs and of processor time.
type JobPrices struct {
	Jobs     []float64       `json:"jobs" check:"figure" doc:"by job: its price"`
	Clusters []ClusterPrices `json:"clusters" doc:"by cluster: the prices of time"`
	Sets     [][]SetFloor    `json:"sets,omitempty" doc:"by cluster: what sets of few jobs cost at least at these prices"`
}

// SetFloor says what each set of so many jobs costs at least on a cluster, less the prices of its jobs.
type SetFloor struct {
	Jobs  int     `json:"jobs" check:"count" doc:"jobs of a set, 1 or more"`
	Least float64 `json:"least" check:"figure" doc:"least cost less the prices of its jobs; part of the metric"`
}

// Node is a box of the tree. Its prices narrow it, one after another, to what may cost less than the bound. If something is left the node is split, or
// its loads are listed.
type Node struct {
	Prices []int   `json:"prices,omitempty" check:"copies" doc:"positions in the list of prices"`
	Split  *Split  `json:"split,omitempty" doc:"how the box is split"`
	Loads  []Loads `json:"loads,omitempty" doc:"levels: all loads that are left"`
}

// Split splits a box by a number: at most at in the low part, more in the high part.
type Split struct {
	Of   int    `json:"of" check:"copies" doc:"position of the cluster (counts) or of the machine (levels)"`
	What string `json:"what" enum:"jobs,bucket,load" doc:"the number: jobs or bucket (counts), load (levels)"`
	At   int    `json:"at" check:"copies" doc:"the largest number in the low part"`
	Low  int    `json:"low" check:"copies" doc:"position of the node of the low part"`
	High int    `json:"high" check:"copies" doc:"position of the node of the high part"`
}

// Levels is a tree of boxes of loads: how many tasks each machine serves. The machines of a group are alike, so the first of them carries the most.
type Levels struct {
	Prices [][]float64 `json:"prices" check:"figure" doc:"lists of prices, each by task"`
	Root   []int       `json:"root,omitempty" check:"copies" doc:"positions of the prices that narrow the whole problem before the tree begins: loads of machines, and tasks at a load"`
	Nodes  []Node      `json:"nodes" doc:"the tree; its root comes first, children come after their parents"`
}

// Loads is one choice of loads with prices of places: the dual of the transportation problem that is left.
type Loads struct {
	At     []int     `json:"at" check:"copies" doc:"by machine: the number of its tasks"`
	Places []float64 `json:"places" check:"figure" doc:"by machine: the price of a place on it"`
}

// TimeOfUse is a tree of what intervals of the horizon must be. Its leaves price the sizes of jobs.
type TimeOfUse struct {
	Unit  float64         `json:"unit" check:"time" doc:"length of an interval, of which all times are multiples"`
	Scale float64         `json:"scale" check:"time" doc:"whole units of cost that make one of the metric; costs of an interval are rounded down to whole units"`
	Fine  int             `json:"fine" check:"count" doc:"parts of a unit in which prices are stated"`
	Nodes []TimeOfUseNode `json:"nodes" doc:"the tree; its root comes first, children come after their parents"`
}

// TimeOfUseNode is a leaf with prices, or is split by an interval.
type TimeOfUseNode struct {
	Prices []float64 `json:"prices,omitempty" check:"figure" doc:"a leaf: by size of jobs, ascending, the price of a job, in parts"`
	At     int       `json:"at,omitempty" check:"copies" doc:"the interval, from 0"`
	Limit  bool      `json:"limit,omitempty" doc:"the split is by the begin of the interval: low, no job begins there; high, no job runs across it. Absent: low, the interval is not busy; high, it is"`
	Low    int       `json:"low,omitempty" check:"copies" doc:"position of the node of the low part"`
	High   int       `json:"high,omitempty" check:"copies" doc:"position of the node of the high part"`
}

// PowerPrices are prices of processor time. Jobs pay them beside what their power costs, and machines earn them while they are on.
type PowerPrices struct {
	Times    []float64   `json:"times" check:"time" doc:"begins of the buckets of time, ascending from 0, the begin of the horizon"`
	Clusters [][]float64 `json:"clusters" check:"time" doc:"by cluster and bucket: the price of a processor"`
	Cells    int         `json:"cells,omitempty" check:"copies" doc:"number of equal parts of the horizon at whose limits machines change their states; absent where no machine has states"`
	Looks    int         `json:"looks,omitempty" check:"copies" doc:"number of buckets in which starts of a job are looked at, from that of its earliest start on; a later start counts at the least price of later times; absent: all"`
}

// Infeasible says why no allocation of tasks to machines is stable: the condition and its numbers.
type Infeasible struct {
	Condition string  `json:"condition" enum:"room,rate" doc:"room: the machines stay stable with fewer tasks than there are; rate: the rate of arrivals is not below that of all machines together"`
	Most      float64 `json:"most" check:"figure" doc:"room: Σ(⌈μ·T⌉ − 1); rate: Σμ"`
	Needed    float64 `json:"needed" check:"figure" doc:"room: the number of tasks; rate: λ"`
}

// Limits of a certificate that is read. Three bytes of JSON may take a hundred of memory, so bytes are not the only limit.
const (
	maxBytes  = 256 << 20
	maxNested = 4 << 20  // objects and arrays
	maxValues = 32 << 20 // values
)

// limitedReader passes a certificate on and fails where it exceeds a limit. Marks inside texts count too.
type limitedReader struct {
	r                     io.Reader
	bytes, nested, values int
}

// Read implements io.Reader.
func (l *limitedReader) Read(buffer []byte) (int, error) {
	n, err := l.r.Read(buffer)
	l.bytes += n
	for _, b := range buffer[:n] {
		switch b {
		case '{', '[':
			l.nested++
		case ',':
			l.values++
		}
	}
	switch {
	case l.bytes > maxBytes:
		return 0, fmt.Errorf("expected a certificate of at most %d bytes, found a longer one", maxBytes)
	case l.nested > maxNested:
		return 0, fmt.Errorf("expected a certificate of at most %d objects and arrays, found more", maxNested)
	case l.values > maxValues:
		return 0, fmt.Errorf("expected a certificate of at most %d values, found more", maxValues)
	}
	return n, err
}

// Read reads a certificate. The error is a [*model.InputError] that lists everything wrong; name stands for the input in it.
func Read(r io.Reader, name string) (*Certificate, error) {
	c := new(Certificate)
	if err := model.ReadDocument(&limitedReader{r: r}, name, c, Schema); err != nil {
		return nil, err
	}
	return c, nil
}

// ReadFile reads a certificate from a file, which may be compressed with gzip; "-" is standard input.
func ReadFile(path string) (*Certificate, error) {
	file, err := model.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return Read(file, model.InputName(path))
}

// Write writes the certificate as JSON.
func (c *Certificate) Write(w io.Writer) error {
	out := bufio.NewWriterSize(w, 1<<16)
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(c); err != nil {
		return err
	}
	return out.Flush()
}

// Bytes is the certificate as it is written; nil where a number of it cannot be written.
func (c *Certificate) Bytes() []byte {
	var text bytes.Buffer
	if c.Write(&text) != nil {
		return nil
	}
	return text.Bytes()
}

package multifactor

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

// Site is what the factors of jobs are measured against.
type Site struct {
	Nodes, CPUs float64 // of the cluster
	Partitions  []Partition
	Qualities   []Quality
}

// Partition is a partition of the site.
type Partition struct {
	Name      string
	JobFactor float64            // PriorityJobFactor
	Total     map[string]float64 // by resource: what its nodes have
	Billing   []Weight           // TRESBillingWeights; nil: the processors are billed
	MaxTime   float64            // minutes: the limit of a job that states none; 0: none is stated
}

// Quality is a quality of service.
type Quality struct {
	Name        string
	Priority    float64
	UsageFactor float64
}

// Job is what a job asks for.
type Job struct {
	Account, User string
	Partitions    []string
	QOS           string             // empty: none
	Nodes, CPUs   float64            // the fewest nodes, and the processors of the last test, else those asked for; 0: not known
	Limit         float64            // minutes; 0: that of its partition
	TRES          map[string]float64 // by resource: counts, memory in MB
	Nice, Site    float64
}

// Calculator computes the terms of jobs.
type Calculator struct {
	Settings
	site       Site
	tree       *Tree
	partitions map[string]*Partition
	qualities  map[string]*Quality
	// What a factor of 1 stands for.
	topPartition, topQOS, topAssoc float64
}

// NewCalculator makes a calculator. Names that are there twice are errors.
func NewCalculator(tree *Tree, site Site) (*Calculator, error) {
	c := &Calculator{Settings: tree.Settings, site: site, tree: tree, partitions: map[string]*Partition{}, qualities: map[string]*Quality{}, topPartition: 1}
	c.WeightTRES = inOrder(c.WeightTRES)
	for k := range site.Partitions {
		p := site.Partitions[k] // a copy: the site may be that of many runs
		if c.partitions[p.Name] != nil {
			return nil, fmt.Errorf("multifactor: partition %s is there twice", p.Name)
		}
		p.Billing = inOrder(p.Billing)
		c.partitions[p.Name], c.topPartition = &p, max(c.topPartition, p.JobFactor)
	}
	for k := range site.Qualities {
		q := &site.Qualities[k]
		if c.qualities[q.Name] != nil {
			return nil, fmt.Errorf("multifactor: quality of service %s is there twice", q.Name)
		}
		c.qualities[q.Name], c.topQOS = q, max(c.topQOS, q.Priority)
	}
	for k := range tree.nodes {
		c.topAssoc = max(c.topAssoc, tree.nodes[k].Priority)
	}
	return c, nil
}

// Partitions cuts a list of partitions such as batch,short. A partition that the site does not have is added: with a job factor of 1, and with the resources that total says.
func (c *Calculator) Partitions(list string, total func(name string) map[string]float64) []string {
	names := strings.Split(list, ",")
	for _, name := range names {
		if c.partitions[name] == nil {
			c.partitions[name] = &Partition{Name: name, JobFactor: 1, Total: total(name)}
		}
	}
	return names
}

// numbers are the numbers that Slurm gives the resources that it has by itself. It sums terms in their order.
var numbers = []string{"cpu", "mem", "energy", "node", "billing", "fs/disk", "vmem", "pages"}

// inOrder is the weights in the order in which Slurm sums terms; resources of the site's own keep the order given.
func inOrder(list []Weight) []Weight {
	number := func(w Weight) int {
		if k := slices.Index(numbers, w.TRES); k >= 0 {
			return k
		}
		return len(numbers)
	}
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b Weight) int { return cmp.Compare(number(a), number(b)) })
	return list
}

// Entry is a job with the terms of its priority that do not change: for each of its partitions, in the order given.
type Entry struct {
	Association int // −1: none
	fixed       []Terms
}

// Entry computes the terms of a job. A partition or a quality of service that the site does not have is an error; a job without an association has a fair share of 0.
func (c *Calculator) Entry(j *Job) (Entry, error) {
	if len(j.Partitions) == 0 {
		return Entry{}, fmt.Errorf("multifactor: expected a job with a partition")
	}
	first := ""
	if len(j.Partitions) == 1 {
		first = j.Partitions[0]
	}
	e := Entry{Association: c.tree.Find(j.Account, j.User, first)}
	all := Terms{Site: j.Site, Nice: j.Nice}
	if e.Association >= 0 {
		all.Assoc = c.WeightAssoc * normal(c.tree.nodes[e.Association].Priority, c.topAssoc, c.RawAssoc)
	}
	if j.QOS != "" {
		q := c.qualities[j.QOS]
		if q == nil {
			return Entry{}, fmt.Errorf("multifactor: there is no quality of service %s", j.QOS)
		}
		all.QOS = c.WeightQOS * normal(q.Priority, c.topQOS, c.RawQOS)
	}
	for _, name := range j.Partitions {
		p := c.partitions[name]
		if p == nil {
			return Entry{}, fmt.Errorf("multifactor: there is no partition %s", name)
		}
		of := all
		of.Partition = c.WeightPartition * normal(p.JobFactor, c.topPartition, c.RawPartition)
		of.JobSize = c.WeightJobSize * c.size(j, p)
		for _, w := range c.WeightTRES {
			if total := p.Total[w.TRES]; total > 0 {
				of.TRES += float64(w.Weight * normal(j.TRES[w.TRES], total, c.RawTRES))
			}
		}
		e.fixed = append(e.fixed, of)
	}
	return e, nil
}

// normal is a value as a part of the largest, or raw.
func normal(value, largest float64, raw bool) float64 {
	switch {
	case raw:
		return value
	case largest == 0:
		return 0
	}
	return value / largest
}

// size is the factor of the size of a job.
func (c *Calculator) size(j *Job, p *Partition) (factor float64) {
	nodes, cpus := c.site.Nodes, c.site.CPUs
	switch {
	case nodes == 0 || cpus == 0:
		return 0
	case c.RelativeToTime:
		limit := j.Limit
		if limit == 0 {
			limit = p.MaxTime
		}
		if limit == 0 { // there is none: Slurm's number for a limit without end
			limit = Most
		}
		factor = max(j.CPUs, j.Nodes*cpus/nodes) / limit / cpus
		if c.FavourSmall {
			factor = 1 - factor
		}
	case c.FavourSmall:
		if factor = (nodes - j.Nodes) / nodes; j.CPUs > 0 {
			factor = (factor + (cpus-j.CPUs)/cpus) / 2
		}
	default:
		if factor = j.Nodes / nodes; j.CPUs > 0 {
			factor = (factor + j.CPUs/cpus) / 2
		}
	}
	return min(max(factor, 0), 1)
}

// Age is the weighted term of the age at the time of a pass of a job that may start since a time; both are cut to whole seconds.
func (c *Calculator) Age(at, since float64) float64 {
	waited := max(math.Floor(at)-math.Floor(since), 0)
	if waited < c.MaxAge {
		return c.WeightAge * (waited / c.MaxAge)
	}
	return c.WeightAge
}

// Terms are the terms of a job at the time of a pass in one of its partitions, numbered in the order given. A job that may not start yet has a time of +Inf since when it may.
func (c *Calculator) Terms(e *Entry, partition int, at, since float64) Terms {
	t := e.fixed[partition]
	if !math.IsInf(since, 1) {
		t.Age = c.Age(at, since)
	}
	t.Fairshare = c.WeightFairshare * c.tree.Factor(e.Association)
	return t
}

// Priority is the priority of a job at the time of a pass; of a job of several partitions the highest of those that it has in them. O(p) for p partitions.
func (c *Calculator) Priority(e *Entry, at, since float64) float64 {
	best := 0.0
	for k := range e.fixed {
		t := c.Terms(e, k, at, since)
		best = max(best, t.Priority(len(e.fixed) > 1))
	}
	return best
}

// Level is the greatest sum of the terms of a job in its partitions, without the fair share and not cut to a whole number.
func (c *Calculator) Level(e *Entry, at, since float64) float64 {
	most := math.Inf(-1)
	for k := range e.fixed {
		t := &e.fixed[k]
		most = max(most, t.Assoc+t.JobSize+t.Partition+t.QOS+t.TRES+t.Site-t.Nice)
	}
	if math.IsInf(since, 1) {
		return most
	}
	return most + c.Age(at, since)
}

// Billing is what a second of a job in a partition is billed, from what is allocated: the sum of the counts by their weights. With MAX_TRES it is the largest of those of the
// processors, the memory, the nodes and the generic resources, and the rest; with MAX_TRES_GRES generic resources belong to the rest.
func (c *Calculator) Billing(partition string, allocated map[string]float64) (float64, error) {
	p := c.partitions[partition]
	if p == nil {
		return 0, fmt.Errorf("multifactor: there is no partition %s", partition)
	}
	if p.Billing == nil {
		return allocated["cpu"], nil
	}
	sum, most := 0.0, 0.0
	for _, w := range p.Billing {
		value := float64(allocated[w.TRES] * w.Weight)
		generic := strings.HasPrefix(w.TRES, "gres/")
		ofNode := w.TRES == "cpu" || w.TRES == "mem" || w.TRES == "node"
		if c.MaxTRES && (ofNode || generic) || c.MaxTRESGRES && ofNode {
			most = max(most, value)
		} else {
			sum += value
		}
	}
	return sum + most, nil
}

// UsageFactor is what the usage of jobs of a quality of service is multiplied by; 1 without one.
func (c *Calculator) UsageFactor(quality string) float64 {
	if q := c.qualities[quality]; q != nil {
		return q.UsageFactor
	}
	return 1
}

package advise

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/allot-opt/allot/lab"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/model/shown"
)

// Share is the load of a partition.
type Share struct {
	Name       string  `json:"name"`
	Jobs       int     `json:"jobs"`
	Time       float64 `json:"processor_s" doc:"held"`
	Part       float64 `json:"share" doc:"of all processor time that jobs held"`
	Use        float64 `json:"utilisation,omitempty" doc:"of the cluster's processors from the first arrival to the last; absent: it is no cluster, or no time is between the two"`
	Processors int     `json:"processors,omitempty"`
}

// LoadPart is about load.
type LoadPart struct {
	Clusters []Share `json:"clusters"`
	Queues   []Share `json:"queues,omitempty"`
	// Hours is the share of processors that jobs hold, by weekday from Monday on and hour of the day; empty: dates are not known, or all jobs arrive at one time.
	Hours [][]float64 `json:"hours,omitempty" doc:"share of the processors that jobs hold, by weekday from Monday on and hour of the day; -1: the trace has no such hour"`
	Zone  string      `json:"zone,omitempty"`
	Wait  [][]float64 `json:"mean_wait_s,omitempty" doc:"of the jobs that arrive then; -1: none does"`
	Added int         `json:"more_processors"`
	More  *Comparison `json:"more,omitempty" doc:"what more machines change; absent: it is held back"`
	Part  float64     `json:"more_share" doc:"of machines: the one asked for, or above it where groups of machines are small"`
}

// dateLayout is how a [shown.Clock] writes dates.
const dateLayout = "2006-01-02T15:04:05"

// mostHours bounds the hours of a trace that are looked at.
const mostHours = 10_000_000

// load makes the part about load.
func (m *maker) load() error {
	p := &LoadPart{}
	m.report.Load = p
	in := m.Instance
	first, last := math.Inf(1), math.Inf(-1)
	for k := range in.Jobs() {
		first, last = min(first, in.Jobs()[k].Arrival), max(last, in.Jobs()[k].Arrival)
	}
	p.clusters(in, m.base, first, last, m.second)
	queue := func(j *model.Job) string { return j.Queue() }
	held, total := usedBy(in, m.base, queue), 0.0
	jobs := map[string]int{}
	for k := range in.Jobs() {
		jobs[in.Jobs()[k].Queue()]++
	}
	for _, s := range p.Clusters {
		total += s.Time
	}
	for name, time := range held {
		if name != "" {
			p.Queues = append(p.Queues, Share{Name: name, Jobs: jobs[name], Time: time * m.second, Part: time * m.second / max(total, 1e-300)})
		}
	}
	slices.SortFunc(p.Queues, func(a, b Share) int { return cmp.Or(cmp.Compare(b.Time, a.Time), cmp.Compare(a.Name, b.Name)) })
	m.hours(p, first, last)
	if !m.report.Withheld {
		if err := m.grown(p); err != nil {
			return err
		}
	}
	for _, c := range p.Clusters {
		if last == first {
			continue
		}
		fullest := ""
		if len(p.Clusters) == 1 { // hours are of all clusters
			fullest = p.fullest()
		}
		m.matter(0.1*c.Use, "%s is used to %s from the first arrival to the last.%s", legible(c.Name), percent(c.Use), fullest)
	}
	return nil
}

// grown says what more machines would change.
func (m *maker) grown(p *LoadPart) error {
	grown, added, part, err := Grown(m.Instance, m.More)
	if err != nil {
		return err
	}
	p.Added, p.Part = added, part
	sol, err := m.Run(m.ctx, m.Policy, grown)
	if err != nil {
		return err
	}
	if p.More, err = compared(m.ctx, m.Instance, []lab.Run{{Policy: m.Policy, Online: true, Solution: m.base}, {Policy: m.Policy + " with " + percent(part) + " more nodes", Online: true, Solution: sol}}, m.Options); err != nil {
		return err
	}
	if change := p.More.shown(); change < 0 {
		m.matter(-change/2, "%s (%s added; nobody knows whether users would then submit more.)", p.More.Answer[0], counted(added, "processor is", "processors are"))
	}
	return nil
}

// clusters sums up what the jobs held on each cluster.
func (p *LoadPart) clusters(in *model.Instance, sol *model.Solution, first, last, second float64) {
	p.Clusters = make([]Share, len(in.Clusters()))
	within := make([]float64, len(p.Clusters))
	total := 0.0
	for k := range sol.Jobs {
		job, _ := in.JobIndex(sol.Jobs[k].Job)
		seen := map[int]bool{}
		sol.Jobs[k].Parts(in.Jobs()[job].Tasks, func(part model.Piece) {
			c, _ := in.ClusterIndex(part.Cluster)
			width := float64(part.Processors.Len())
			p.Clusters[c].Time += width * (part.End - part.Start) * second
			within[c] += width * max(0, min(part.End, last)-max(part.Start, first))
			if !seen[c] {
				p.Clusters[c].Jobs++
				seen[c] = true
			}
		})
	}
	for c := range p.Clusters {
		total += p.Clusters[c].Time
	}
	for c := range p.Clusters {
		s := &p.Clusters[c]
		s.Name, s.Processors = in.Clusters()[c].ID, in.Clusters()[c].Processors
		if total > 0 {
			s.Part = s.Time / total
		}
		if last > first {
			s.Use = within[c] / (float64(s.Processors) * (last - first))
		}
	}
}

// hours sums up the load and the waits by hour of the week, in the zone of the trace.
func (m *maker) hours(p *LoadPart, first, last float64) {
	in, hour := m.Instance, 3600/m.second
	clock := shown.ClockOf(in)
	if last == first || clock.Date(first) == "" || clock.Date(last) == "" || (last-first)/hour > mostHours {
		return
	}
	begin, _ := time.Parse(dateLayout, clock.Date(first))
	base := first - float64(60*begin.Minute()+begin.Second())/m.second // slots are hours of the clock
	n := int((last-base)/hour) + 1
	p.Zone = clock.Zone(last)
	held := make([]float64, n+1)
	grid := func() [][]float64 {
		g := make([][]float64, 7)
		for d := range g {
			g[d] = make([]float64, 24)
		}
		return g
	}
	place := func(t float64) (day, hour int) {
		at, _ := time.Parse(dateLayout, clock.Date(t)) // the clock writes dates so
		return (int(at.Weekday()) + 6) % 7, at.Hour()
	}
	waits, arrivals := grid(), grid()
	for k := range m.base.Jobs {
		placed := &m.base.Jobs[k]
		job, _ := in.JobIndex(placed.Job)
		d, h := place(in.Jobs()[job].Arrival)
		arrivals[d][h]++
		waits[d][h] += (placed.Start - in.Jobs()[job].Arrival) * m.second
		placed.Parts(in.Jobs()[job].Tasks, func(part model.Piece) {
			from, to := max(part.Start, first), min(part.End, last)
			for slot := int((from - base) / hour); from < to && slot < n; slot++ {
				until := min(to, base+float64(slot+1)*hour)
				held[slot] += float64(part.Processors.Len()) * max(0, until-from)
				from = until
			}
		})
	}
	load, hours := grid(), grid()
	for slot := range n {
		from, to := max(first, base+float64(slot)*hour), min(last, base+float64(slot+1)*hour)
		d, h := place((from + to) / 2)
		load[d][h] += held[slot]
		hours[d][h] += (to - from) * float64(in.Processors())
	}
	for d := range load {
		for h := range load[d] {
			if hours[d][h] > 0 {
				load[d][h] /= hours[d][h]
			} else {
				load[d][h] = -1
			}
			if arrivals[d][h] > 0 {
				waits[d][h] /= arrivals[d][h]
			} else {
				waits[d][h] = -1
			}
		}
	}
	p.Hours, p.Wait = load, waits
}

// days are the weekdays.
var days = []string{"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"}

// fullest names the fullest and the emptiest hour; empty: not known.
func (p *LoadPart) fullest() string {
	if len(p.Hours) == 0 {
		return ""
	}
	var most, least [2]int
	high, low := math.Inf(-1), math.Inf(1)
	for d := range p.Hours {
		for h, x := range p.Hours[d] {
			if x > high {
				most, high = [2]int{d, h}, x
			}
			if x >= 0 && x < low {
				least, low = [2]int{d, h}, x
			}
		}
	}
	return fmt.Sprintf(" Fullest is %s at %d h (%s), emptiest %s at %d h (%s).", days[most[0]], most[1], percent(high), days[least[0]], least[1], percent(low))
}

package process

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/allot-opt/allot/internal/numtext"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/sim"
	"github.com/allot-opt/allot/solve/process/online"
)

// system is the system that the program decides on.
type system interface {
	// header describes the system.
	header() *online.Header
	// id names a job.
	id(j *sim.Job) string
	// tell describes a job.
	tell(j *sim.Job) online.Job
	// free describes what is free now.
	free(e *sim.Engine, to *online.Event)
	// start starts a job, or says what is wrong with the answer at the field that it names.
	start(e *sim.Engine, j *sim.Job, s *online.Start) (field string, wrong error)
}

// general is the system of an instance.
type general struct {
	platform *sim.Platform
	empty    *sim.Room
	clusters map[string]int
	shares   []sim.Share
	detailed bool // machines are told one by one
}

// newGeneral describes the system of an instance.
func newGeneral(platform *sim.Platform) *general {
	g := &general{platform: platform, empty: platform.Empty(), clusters: map[string]int{}}
	for c := range platform.Clusters() {
		g.clusters[platform.ClusterID(c)] = c
	}
	g.detailed = len(platform.Machines) > platform.Clusters()
	return g
}

func (g *general) header() *online.Header {
	spec := g.platform.SystemSpec()
	h := &online.Header{Processors: map[string]int{}, Clusters: spec.Clusters, Licences: spec.Licences, UserClasses: spec.UserClasses, Overheads: spec.Overheads}
	for c := range g.platform.Clusters() {
		h.Processors[g.platform.ClusterID(c)] = g.platform.FreeProcessors(c)
	}
	return h
}

func (g *general) id(j *sim.Job) string { return j.Request.ID }

func (g *general) tell(j *sim.Job) online.Job {
	told := online.NewJob(j.Request.Spec())
	told.Estimates = map[string]float64{}
	for c := range g.platform.Clusters() {
		if estimate := g.platform.Fastest(j, c, g.empty); g.platform.CanRun(j, c) && !math.IsInf(estimate, 1) {
			told.Estimates[g.platform.ClusterID(c)] = estimate
		}
	}
	return told
}

func (g *general) free(_ *sim.Engine, to *online.Event) {
	to.Free = make(map[string]int, len(g.clusters))
	for c := range g.platform.Clusters() {
		to.Free[g.platform.ClusterID(c)] = g.platform.FreeProcessors(c)
	}
	room := &g.platform.Free
	for k := range g.platform.Pools {
		pool := &g.platform.Pools[k]
		told := online.Pool{Licence: g.platform.LicenceID(pool.Licence), Free: int(room.Copies[k])}
		if pool.Cluster >= 0 {
			told.Cluster = g.platform.ClusterID(pool.Cluster)
		}
		to.Licences = append(to.Licences, told)
	}
	for k := range g.platform.Machines {
		if !g.detailed || room.Processors[k] == 0 {
			continue
		}
		m := &g.platform.Machines[k]
		told := online.Machine{Cluster: g.platform.ClusterID(m.Cluster), First: m.First, Free: int(room.Processors[k])}
		if !math.IsInf(m.Memory, 1) {
			told.Memory = new(room.Memory[k])
		}
		to.Machines = append(to.Machines, told)
	}
}

func (g *general) start(e *sim.Engine, j *sim.Job, s *online.Start) (field string, wrong error) {
	c, ok := g.clusters[s.Cluster]
	if !ok {
		return "cluster", fmt.Errorf("expected a cluster of the header, found %q", s.Cluster)
	}
	if !g.platform.CanRun(j, c) {
		return "cluster", fmt.Errorf("expected a cluster on which job %q can run, found %q", s.Job, s.Cluster)
	}
	if short := g.platform.ShortOf(&g.platform.Free, j, c); short >= 0 {
		return "job", fmt.Errorf("job %q needs more copies of licence %q than are free on %q", s.Job, g.platform.LicenceID(short), s.Cluster)
	}
	claim, n := sim.Claim{Cluster: c}, g.platform.Rigid(j, c)
	switch {
	case s.Processors != 0 && s.On != nil:
		return "on", errors.New("expected one of processors and on, found both")
	case s.Processors != 0:
		field, n = "processors", s.Processors
	case s.On != nil:
		field, n = "on", s.On.Len()
	}
	if least, most := g.platform.Width(j, c), g.platform.Widest(j, c); field != "" && (n < least || n > most) {
		return field, fmt.Errorf("expected %s for job %q on %q, found %d", span(least, most), s.Job, s.Cluster, n)
	}
	if s.On != nil {
		if claim.Shares, ok = g.platform.SharesOf(c, s.On); !ok || !g.fits(j, claim.Shares) {
			return "on", fmt.Errorf("expected processors of %q that are free and where job %q can run, found %s", s.Cluster, s.Job, s.On)
		}
		claim.Processors = s.On
	} else if claim.Shares, ok = g.platform.FitsOn(&g.platform.Free, j, c, n, g.shares[:0]); !ok {
		return "job", g.tooWide(j, s, c, n)
	}
	g.shares = claim.Shares[:0]
	e.StartOn(j, claim)
	return "", nil
}

// fits says whether the job can run on the shares.
func (g *general) fits(j *sim.Job, shares []sim.Share) bool {
	one := j.Request.Span == model.SpanMachine
	return !(one && len(shares) != 1) && !slices.ContainsFunc(shares, func(s sim.Share) bool {
		return g.platform.Hosts(&g.platform.Free, j, int(s.Machine)) < int(s.Processors)
	})
}

// tooWide says that too little is free for a job.
func (g *general) tooWide(j *sim.Job, s *online.Start, cluster, n int) error {
	free := g.platform.FreeProcessors(cluster)
	if n <= free {
		return fmt.Errorf("job %q needs %s with what it asks for on %q; %d are free, but too few of them have it", s.Job, numtext.Counted(n, "processor"), s.Cluster, free)
	}
	return fmt.Errorf("job %q needs %s of %q, but %d are free", s.Job, numtext.Counted(n, "processor"), s.Cluster, free)
}

// span is a range of numbers of processors.
func span(least, most int) string {
	if least < most {
		return fmt.Sprintf("%d to %d processors", least, most)
	}
	return numtext.Counted(least, "processor")
}

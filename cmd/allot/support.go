package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
)

// support lists which of several small instances a solver supports. Each instance asks for one feature.
type support struct {
	Honoured []string `json:"supports,omitempty"`
	Refused  []string `json:"refuses,omitempty"`
	Only     string   `json:"only,omitempty"` // why it refuses even an instance that asks for nothing; empty: it does not
}

// supportOf asks a solver which features it honours. A solver that is not in this build says nothing.
func supportOf(info solve.Info) (*support, error) {
	if info.Absent != "" {
		return nil, nil
	}
	s := new(support)
	solver := info.New()
	plain, err := probe(nil)
	if err != nil {
		return nil, err
	}
	basic := solver.Supports(plain)
	if basic != nil {
		s.Only = strings.TrimPrefix(basic.Error(), solve.ErrUnsupported.Error()+": ")
	}
	for _, p := range probes {
		in, err := probe(p.ask)
		if err != nil {
			return nil, err
		}
		err = solver.Supports(in)
		switch {
		case err == nil || basic != nil && err.Error() == basic.Error(): // not for the feature's sake
			s.Honoured = append(s.Honoured, p.feature.String())
		case errors.Is(err, solve.ErrUnsupported):
			s.Refused = append(s.Refused, p.feature.String())
		default:
			return nil, err
		}
	}
	return s, nil
}

// writeSupport writes it for people.
func writeSupport(w *strings.Builder, s *support) {
	for _, line := range []struct {
		title string
		names []string
	}{{"supports", s.Honoured}, {"refuses instances with", s.Refused}} {
		if len(line.names) > 0 {
			fmt.Fprintf(w, "  %s: %s\n", line.title, strings.Join(line.names, ", "))
		}
	}
	if s.Only != "" {
		fmt.Fprintf(w, "  limited to some objectives or instances: it refuses a plain instance that minimises the makespan: %q\n", s.Only)
	}
}

// probe returns a small instance that asks for the feature that ask adds; nil: for nothing.
func probe(ask func(*model.InstanceSpec)) (*model.Instance, error) {
	one := model.MachineSpec{ID: "m", Count: 2, Processors: 2}
	b := model.NewBuilder("probe")
	b.Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{one}}, model.ClusterSpec{ID: "d", Machines: []model.MachineSpec{one}})
	b.Job(model.JobSpec{ID: "a", Work: new(1.0)}, model.JobSpec{ID: "b", Work: new(1.0)})
	if ask != nil {
		ask(b.Spec())
	}
	return b.Build()
}

// probes ask for one feature each, or for one more where there is no other way. Commitments are not among them: no file can ask for them.
var probes = []struct {
	feature model.Features
	ask     func(*model.InstanceSpec)
}{
	{model.Arrivals, func(s *model.InstanceSpec) { s.Jobs[1].Arrival = 1 }},
	{model.HardDeadlines, func(s *model.InstanceSpec) { s.Jobs[1].Deadline, s.Jobs[1].DeadlineHard = new(100.0), true }},
	{model.Precedence, func(s *model.InstanceSpec) { s.Jobs[1].After = []string{"a"} }},
	{model.MemoryLimits, func(s *model.InstanceSpec) {
		s.Clusters[0].Machines[0].Memory, s.Jobs[1].Memory = new(4.0), 1
	}},
	{model.LicencePools, func(s *model.InstanceSpec) {
		s.Licences, s.Jobs[1].Licences = map[string]int{"l": 1}, map[string]int{"l": 1}
	}},
	{model.BandwidthNeeds, func(s *model.InstanceSpec) {
		s.Clusters[0].Machines[0].Bandwidth, s.Jobs[1].MinBandwidth = 1, 2
	}},
	{model.ParallelJobs, func(s *model.InstanceSpec) { s.Jobs[1].Processors = model.Rigid(2) }},
	{model.MoldableJobs, func(s *model.InstanceSpec) { s.Jobs[1].Processors = model.ProcessorRange{Min: 1, Max: 2} }},
	{model.UnrelatedTimes, func(s *model.InstanceSpec) {
		s.Jobs[1].Work, s.Jobs[1].Runtime = nil, map[string]float64{"c": 1, "d": 2}
	}},
	{model.RestrictedTimes, func(s *model.InstanceSpec) { s.Jobs[1].Work, s.Jobs[1].Runtime = nil, map[string]float64{"c": 1} }},
	{model.MixedMachines, func(s *model.InstanceSpec) {
		s.Clusters[0].Machines = append(slices.Clone(s.Clusters[0].Machines), model.MachineSpec{ID: "n", Speed: 2})
	}},
	{model.MachineSpan, func(s *model.InstanceSpec) { s.Jobs[1].Processors, s.Jobs[1].Span = model.Rigid(2), "machine" }},
	{model.GridSpan, func(s *model.InstanceSpec) { s.Jobs[1].Processors, s.Jobs[1].Span = model.Rigid(6), "grid" }},
	{model.BackgroundLoad, func(s *model.InstanceSpec) {
		s.Clusters[0].Machines[0].Background = &model.Background{Load: 0.1, Mean: 1}
	}},
}

package bench

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/allot-opt/allot/formats"
	"github.com/allot-opt/allot/formats/lines"
	"github.com/allot-opt/allot/internal/suggest"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/params"
	"github.com/allot-opt/allot/solve"
	"github.com/allot-opt/allot/workload"
)

// maxCells is the largest number of runs of a suite.
const maxCells = 10_000_000

// The shortest and the longest time limit of a run, in seconds.
const (
	minTime = 1e-9 // a shorter limit would be rounded to 0, which means no limit
	maxTime = 1e9
)

// Validate returns a [*model.InputError] if fields of the suite contradict each other or name things that do not exist. It does not look for files
// and commands. [ReadSuite] validates the suite that it reads; a program that builds a suite itself must call Validate.
func (s *Suite) Validate() error {
	f := lines.NewFaults(s.File)
	if s.Format != SuiteFormat {
		f.At("format", "expected %q, found %q", SuiteFormat, s.Format)
	}
	if s.Name == "" {
		f.At("name", "expected a name, found none")
	}
	if len(s.Instances) == 0 {
		f.At("instances", "expected at least one, found none")
	}
	for k := range s.Instances {
		s.Instances[k].validate(f, fmt.Sprintf("instances[%d]", k))
	}
	if len(s.Solvers) == 0 {
		f.At("solvers", "expected at least one, found none")
	}
	labels := map[string]int{}
	all := -1
	for k := range s.Solvers {
		path := fmt.Sprintf("solvers[%d]", k)
		choice := &s.Solvers[k]
		if choice.All && all >= 0 {
			f.At(path+".all", "expected it once; solvers[%d] has it", all)
		} else if choice.All {
			all = k
		}
		if !choice.validate(f, path) {
			continue
		}
		for _, point := range grid(choice.Parameters) {
			chosen, _ := choice.at(point) // Plan tells of parameters that are wrong only together
			label := chosen.Label
			if before, taken := labels[label]; taken {
				f.At(path, "expected labels that differ, found %q again (solvers[%d] has it); \"label\" names a solver, {NAME} in it is the value of a parameter", label, before)
				break
			}
			labels[label] = k
		}
	}
	s.validateSources(f, labels, all >= 0)
	if m, ok := model.MetricNamed(s.Objective); s.Objective != "" && (!ok || m.PerCluster) {
		f.At("objective", "expected a metric with one value, see allot metrics; found %q%s", s.Objective, suggest.Words(s.Objective, model.ObjectiveMetrics()))
	}
	s.Seeds.validate(f, "seeds")
	if t := s.Budget.Time; t > maxTime || t > 0 && t < minTime {
		f.At("budget.time_s", "expected 0, or from %g to %g, found %g", minTime, maxTime, t)
	}
	return f.Err()
}

// validate adds the faults of a source of instances.
func (source *InstanceSource) validate(f *lines.Faults, path string) {
	known := []string{"file"}
	var target func() any
	switch {
	case source.Generate != "" && source.Import != "":
		f.At(path, "expected one of generate and import, found both")
	case source.Generate != "" && len(source.Files) > 0:
		f.At(path+".files", "expected none beside generate")
	case source.Generate == "" && len(source.Files) == 0:
		f.At(path, "expected files, or generate and the name of a workload")
	case source.Generate != "":
		known = []string{"seed"}
		info, ok := workload.Named(source.Generate)
		if !ok {
			f.At(path+".generate", "expected a workload, one of %s; found %q%s", strings.Join(workload.Names(), ", "), source.Generate, suggest.Words(source.Generate, workload.Names()))
			return
		}
		target = func() any { return info.New() }
	case source.Import != "":
		info, ok := formats.Named(source.Import)
		if !ok {
			names := formats.Names()
			f.At(path+".import", "expected a format, one of %s; found %q%s", strings.Join(names, ", "), source.Import, suggest.Words(source.Import, names))
			return
		}
		target = func() any { return info.New() }
	case len(source.Parameters) > 0:
		f.At(path+".parameters", "expected them beside generate or import only")
	}
	if source.Generate == "" && source.Seeds.given() {
		f.At(path+".seeds", "expected them beside generate only")
	}
	source.Seeds.validate(f, path+".seeds")
	source.Measured.validate(f, path+".measured")
	source.BestKnown.validate(f, path+".best_known", source)
	validateGrid(f, path+".parameters", source.Parameters, target, params.Set)
	validateTemplate(f, path+".group", source.Group, source.Parameters, known...)
}

// validateSources adds a fault for each thing that the sources of instances refer to and that is missing: labels of solvers and, if runs are
// paired, seeds of workloads.
func (s *Suite) validateSources(f *lines.Faults, labels map[string]int, all bool) {
	for k, source := range s.Instances {
		for n, label := range source.Solvers {
			if _, ok := labels[label]; !ok && !all {
				f.At(fmt.Sprintf("instances[%d].solvers[%d]", k, n), "expected the label of one of the solvers, found %q", label)
			}
		}
		if s.Paired && source.Generate == "" {
			f.At(fmt.Sprintf("instances[%d]", k), "expected a workload, as the seeds of solvers are those of workloads (paired)")
		}
	}
	if s.Paired && s.Seeds.given() {
		f.At("seeds", "expected none, as the seeds of solvers are those of workloads (paired)")
	}
	for k, choice := range s.Solvers {
		if s.Paired && choice.Seeds.given() {
			f.At(fmt.Sprintf("solvers[%d].seeds", k), "expected none, as the seeds of solvers are those of workloads (paired)")
		}
	}
}

// validate adds the faults of a choice of solvers. It returns false if there is no usable solver to check further.
func (choice *SolverChoice) validate(f *lines.Faults, path string) bool {
	choice.Seeds.validate(f, path+".seeds")
	if choice.All {
		if choice.Solver != "" || choice.Label != "" || choice.Parameters != nil {
			f.At(path, "expected only seeds beside all")
		}
		return false
	}
	if choice.Solver == "" {
		f.At(path, `expected the name of a solver, or "all": true`)
		return false
	}
	chosen, err := solve.Choose(choice.Solver)
	if err != nil {
		f.At(path+".solver", "%s", err)
		return false
	}
	before := f.Count()
	for _, name := range slices.Sorted(maps.Keys(choice.Parameters)) {
		for _, given := range slices.Sorted(maps.Keys(chosen.Given)) {
			if given == name || strings.HasSuffix(given, "."+name) {
				f.At(path+".parameters."+name, "expected it once, found it in %q too", choice.Solver)
			}
		}
	}
	target := func() any {
		again, _ := solve.Choose(choice.Solver) // the same call succeeded above
		if _, rolling := choice.Parameters["rolling_period"]; rolling {
			again.Solver, _ = solve.NewRolling(again, 1, 0) // cannot fail: the period 1 and the threshold 0 are in range
		}
		return &again
	}
	set := func(target any, name, text string) error { return target.(*solve.Choice).Set(name, text) }
	validateGrid(f, path+".parameters", choice.Parameters, target, set)
	validateTemplate(f, path+".label", choice.Label, choice.Parameters)
	return f.Count() == before
}

// External returns the first solver of the suite that runs a command, or an empty text. A program must ask the user before it runs such a suite
// from somebody else.
func (s *Suite) External() string {
	k := slices.IndexFunc(s.Solvers, func(choice SolverChoice) bool { return solve.External(choice.Solver) })
	if k < 0 {
		return ""
	}
	return s.Solvers[k].Solver
}

// validate adds a fault if the seeds exceed the largest seed.
func (s Seeds) validate(f *lines.Faults, path string) {
	if list := max(1, s.Count); s.First != nil && *s.First > math.MaxUint64-uint64(list-1) {
		f.At(path, "expected seeds below 2^64, found %d from %d on", list, *s.First)
	}
	if s.Count > maxCells {
		f.At(path+".count", "expected at most %d, found %d", maxCells, s.Count)
	}
}

// validateGrid adds a fault for each parameter that is unknown, has no value or has a refused value. The function target makes a new solver,
// workload or reader to try the values on.
func validateGrid(f *lines.Faults, path string, parameters map[string]Values, target func() any, set func(target any, name, text string) error) {
	points := 1
	for _, name := range slices.Sorted(maps.Keys(parameters)) {
		texts := parameters[name].texts()
		if len(texts) == 0 {
			f.At(path+"."+name, "expected at least one value, found none")
		}
		points *= max(1, min(len(texts), maxGrid+1))
		for k, text := range texts {
			if slices.Contains(texts[:k], text) {
				f.At(path+"."+name, "expected values that differ, found %q again", text)
				break
			}
			if target == nil {
				continue
			}
			if err := set(target(), name, text); err != nil {
				message := err.Error()
				if wrong := (*params.Error)(nil); errors.As(err, &wrong) {
					message = wrong.Fault()
				}
				f.At(path+"."+name, "%s", message)
				break
			}
		}
		if points > maxGrid {
			f.At(path, "expected at most %d combinations, found more", maxGrid)
			return
		}
	}
}

// validateTemplate adds a fault for each name in braces that is not a parameter.
func validateTemplate(f *lines.Faults, path, template string, parameters map[string]Values, more ...string) {
	known := append(slices.Sorted(maps.Keys(parameters)), more...)
	for _, name := range inBraces.FindAllString(template, -1) {
		if !slices.Contains(known, name[1:len(name)-1]) {
			expected := "no name in braces, as there are no parameters"
			if len(known) > 0 {
				expected = "one of {" + strings.Join(known, "}, {") + "}"
			}
			f.At(path, "expected %s; found %s", expected, name)
		}
	}
}

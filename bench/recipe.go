package bench

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/allot-opt/allot/formats"
	"github.com/allot-opt/allot/formats/lines"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/params"
	"github.com/allot-opt/allot/workload"
)

// PlannedInstance is an instance of a suite that is made when it is needed.
type PlannedInstance struct {
	Group  string `json:"group,omitempty"`
	Name   string `json:"name"` // unique in the plan
	SHA256 string `json:"sha256"`
	Jobs   int    `json:"jobs"`
	Recipe Recipe `json:"recipe"`

	Measured  *Window     `json:"measured,omitempty"`   // what the figures of its rows are of; absent: the whole instance
	BestKnown *StatedBest `json:"best_known,omitempty"` // what a file states of it; absent: nothing

	made *model.Instance `json:"-"` // nil: the recipe makes it
}

// Made plans an instance that the program has made itself. No other program can make it from the plan.
func Made(in *model.Instance, measured *Window) PlannedInstance {
	return PlannedInstance{Name: in.Name(), SHA256: in.SHA256(), Jobs: len(in.Jobs()), Measured: measured, made: in}
}

// Recipe says how to make an instance: from a file, by a workload, or from a file of a foreign format.
type Recipe struct {
	File       string            `json:"file,omitempty"` // absolute path
	Generate   string            `json:"generate,omitempty"`
	Import     string            `json:"import,omitempty"`
	Parameters map[string]string `json:"parameters,omitempty"`
	Seed       uint64            `json:"seed,omitempty"` // the workload's seed
}

// Load makes the instance. The objective is a metric that replaces the instance's objective; an empty one keeps it. Load returns an error if the
// SHA-256 has changed since the plan was made.
func (p *PlannedInstance) Load(objective string) (*model.Instance, error) {
	if p.made != nil {
		return minimising(p.made, objective)
	}
	in, err := p.Recipe.make()
	if err != nil {
		return nil, err
	}
	if in.SHA256() != p.SHA256 {
		return nil, &model.InputError{File: p.Recipe.String(), Faults: []model.Fault{{
			Message: fmt.Sprintf("expected the instance of SHA-256 %s, found %s: it has changed since the run was planned", p.SHA256, in.SHA256())}}}
	}
	return minimising(in, objective)
}

// minimising returns the instance with one metric as its objective. An empty name keeps the instance's own objective.
func minimising(in *model.Instance, metric string) (*model.Instance, error) {
	if metric == "" {
		return in, nil
	}
	return in.WithObjective(map[string]float64{metric: 1})
}

// make makes the instance.
func (r Recipe) make() (*model.Instance, error) {
	switch {
	case r.Generate != "":
		info, ok := workload.Named(r.Generate)
		if !ok {
			return nil, fmt.Errorf("unknown workload %q", r.Generate)
		}
		maker := info.New()
		if err := setAll(maker, r.Parameters); err != nil {
			return nil, err
		}
		return maker.Generate(r.Seed)
	case r.Import != "":
		info, ok := formats.Named(r.Import)
		if !ok {
			return nil, fmt.Errorf("unknown format %q", r.Import)
		}
		reader := info.New()
		if err := setAll(reader, r.Parameters); err != nil {
			return nil, err
		}
		file, err := model.Open(r.File)
		if err != nil {
			return nil, err
		}
		defer file.Close()
		in, _, err := reader.Read(file, r.File)
		return in, err
	}
	return model.ReadInstanceFile(r.File)
}

// setAll sets the parameters by name.
func setAll(target any, parameters map[string]string) error {
	for _, name := range slices.Sorted(maps.Keys(parameters)) {
		if err := params.Set(target, name, parameters[name]); err != nil {
			return err
		}
	}
	return nil
}

// String describes the recipe for people: the file, or the workload with its parameters and seed.
func (r Recipe) String() string {
	if r.Generate != "" {
		return strings.TrimSpace(r.Generate+" "+stated(r.Parameters)) + fmt.Sprintf(" seed=%d", r.Seed)
	}
	return strings.TrimSpace(r.File + " " + stated(r.Parameters))
}

// sourced is a recipe with its group and its JSON path in the suite.
type sourced struct {
	Recipe
	group, path, file string   // file is the suite's file
	solvers           []string // labels of the solvers to run; nil: all
	evaluations       int64    // of each run; 0: those of the suite's budget
	measured          *Window
	bestKnown         *StatedBest
}

// wrapped adds the JSON path in the suite to an error that does not name a file.
func (r sourced) wrapped(err error) error {
	var input *model.InputError
	if errors.As(err, &input) && input.File != "" {
		return err
	}
	return &model.InputError{File: r.file, Faults: []model.Fault{{Path: r.path, Message: fmt.Sprintf("%s: %s", r.Recipe, err)}}}
}

// recipes lists the recipes of all instances of the suite. It looks for the files that the patterns match.
func (s *Suite) recipes() ([]sourced, error) {
	f := lines.NewFaults(s.File)
	var list []sourced
	for k, source := range s.Instances {
		path := fmt.Sprintf("instances[%d]", k)
		files := []string{""}
		if source.Generate == "" {
			files = s.matches(f, path, source.Files)
		}
		seeds := []uint64{0}
		if source.Generate != "" {
			seeds = source.Seeds.list()
		}
		values, err := source.bestKnown(s)
		if err != nil {
			return nil, err
		}
		named := 0
		points := grid(source.Parameters)
		if n := len(files) * len(seeds) * len(points); n > maxCells-len(list) {
			f.At(path, "expected at most %d instances, found more", maxCells)
			break
		}
		for _, point := range points {
			for _, file := range files {
				for _, seed := range seeds {
					r := sourced{Recipe: Recipe{File: file, Generate: source.Generate, Import: source.Import, Parameters: point, Seed: seed}, path: path, file: s.File, solvers: source.Solvers, evaluations: source.Evaluations, measured: source.Measured}
					r.group = s.groupOf(source, r.Recipe)
					if values != nil {
						if r.bestKnown = statedOf(file, values); r.bestKnown != nil {
							named++
						}
					}
					list = append(list, r)
				}
			}
		}
		if values != nil && named == 0 {
			f.At(path+".best_known", "expected a file that names some of the instance files in column %q, found none of them in %s", source.BestKnown.column(), source.BestKnown.File)
		}
	}
	return list, f.Err()
}

// groupOf returns the group that an instance is reported in. If the source names no group, it is the workload or format with those
// parameters that have several values. For plain instance files it is the name of the suite.
func (s *Suite) groupOf(source InstanceSource, r Recipe) string {
	values := maps.Clone(r.Parameters)
	if source.Group != "" {
		name, _, _ := strings.Cut(filepath.Base(r.File), ".json")
		values["file"], values["seed"] = strings.TrimSuffix(name, ".gz"), fmt.Sprint(r.Seed)
		return filled(source.Group, values)
	}
	maps.DeleteFunc(values, func(name, _ string) bool { return len(source.Parameters[name]) < 2 })
	if r.Generate+r.Import == "" {
		return s.Name
	}
	return strings.TrimSpace(r.Generate + r.Import + " " + stated(values))
}

// dataFolder returns the absolute path of the folder of the instance files.
func (s *Suite) dataFolder() (string, error) {
	if filepath.IsAbs(s.Data) {
		return s.Data, nil
	}
	return filepath.Abs(filepath.Join(s.Folder, s.Data))
}

// matches returns the absolute paths of the files that the patterns match.
func (s *Suite) matches(f *lines.Faults, path string, patterns []string) []string {
	base, err := s.dataFolder()
	if err != nil {
		f.At(path, "%s", err)
		return nil
	}
	var files []string
	for k, pattern := range patterns {
		at := fmt.Sprintf("%s.files[%d]", path, k)
		full := filepath.FromSlash(pattern)
		if !filepath.IsAbs(full) {
			full = filepath.Join(plainPattern(base), full)
		}
		found, err := filepath.Glob(full)
		switch {
		case err != nil:
			f.At(at, "expected a pattern such as jobs-*.json, found %q", pattern)
		case len(found) == 0:
			f.At(at, "expected files that match %q in %s, found none", pattern, base)
		}
		files = append(files, found...)
	}
	return files
}

// plainPattern returns a pattern that matches only the given path.
func plainPattern(path string) string {
	if filepath.Separator == '\\' {
		return path // this system's patterns have no escapes
	}
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(path)
}

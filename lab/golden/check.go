package golden

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/allot-opt/allot/internal/suggest"
)

// Result is what became of one schedule.
type Result struct {
	File       string      `json:"file"`
	Workload   string      `json:"workload"`
	Policy     string      `json:"policy"`
	Jobs       int         `json:"jobs"`
	Difference *Difference `json:"difference"` // nil: the schedule is that of the set
}

// Report is what became of some schedules.
type Report struct {
	Results []Result `json:"schedules"`
	// Missing lists, by policy, the workloads without a schedule. It includes only policies with at least one schedule.
	Missing map[string][]string `json:"missing"`
	// Passed lists the files in folders that were skipped, because their names are not those of schedules.
	Passed []string `json:"passed_over"`
}

// OK says that no schedule differs.
func (r *Report) OK() bool {
	return !slices.ContainsFunc(r.Results, func(s Result) bool { return s.Difference != nil })
}

// endings are the endings of files that may be schedules.
var endings = []string{".csv", ".swf", ".json"}

// nameOf splits the name of a file, WORKLOAD.POLICY and an ending, where WORKLOAD.POLICY_jobs.csv is what Batsim makes of it.
func nameOf(path string) (workload, policy string, ok bool) {
	name := strings.TrimSuffix(filepath.Base(path), ".gz")
	ending := filepath.Ext(name)
	if !slices.Contains(endings, ending) {
		return "", "", false
	}
	name = strings.TrimSuffix(name, ending)
	if ending == ".csv" {
		name = strings.TrimSuffix(name, "_jobs")
	}
	workload, policy, _ = strings.Cut(name, ".")
	return workload, policy, slices.Contains(Policies(), policy)
}

// Check compares schedules with those of the set. A path is a file named WORKLOAD.POLICY and .csv, .swf or .json, perhaps .gz, or a folder of
// such files, where other files are skipped. The error is that of an unreadable file or of ctx.
func (s *Set) Check(ctx context.Context, paths []string) (*Report, error) {
	report := &Report{Results: []Result{}, Missing: map[string][]string{}, Passed: []string{}}
	files, err := s.files(paths, report)
	if err != nil {
		return nil, err
	}
	given := map[string]bool{}
	for _, file := range files {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		result, err := s.check(ctx, file)
		if err != nil {
			return nil, err
		}
		report.Results = append(report.Results, *result)
		given[result.Workload+"."+result.Policy] = true
		report.Missing[result.Policy] = nil
	}
	for policy := range report.Missing {
		report.Missing[policy] = slices.DeleteFunc(slices.Clone(s.Workloads), func(name string) bool { return given[name+"."+policy] })
	}
	return report, nil
}

// files lists the schedules that the paths stand for.
func (s *Set) files(paths []string, report *Report) ([]string, error) {
	var files []string
	for _, path := range paths {
		if info, err := os.Stat(path); err != nil || !info.IsDir() {
			files = append(files, path)
			continue
		}
		entries, err := os.ReadDir(path)
		if err != nil {
			return nil, inputError(path, "%s", cause(err))
		}
		before := len(files)
		for _, entry := range entries {
			if _, _, ok := nameOf(entry.Name()); ok && !entry.IsDir() {
				files = append(files, filepath.Join(path, entry.Name()))
			} else {
				report.Passed = append(report.Passed, filepath.Join(path, entry.Name()))
			}
		}
		if len(files) == before {
			return nil, inputError(path, "expected files named WORKLOAD.POLICY.csv, .swf or .json with one of the policies %s, found none", strings.Join(Policies(), ", "))
		}
	}
	return files, nil
}

// check compares one schedule.
func (s *Set) check(ctx context.Context, file string) (*Result, error) {
	name, policy, ok := nameOf(file)
	if !ok {
		return nil, inputError(file, "expected a name such as WORKLOAD.POLICY.csv, .swf or .json with one of the policies %s", strings.Join(Policies(), ", "))
	}
	if !slices.Contains(s.Workloads, name) {
		return nil, inputError(file, "expected a schedule of one of the workloads of %s, found the name %q%s", s.Folder, name, suggest.Words(name, s.Workloads))
	}
	w, err := s.Workload(name)
	if err != nil {
		return nil, err
	}
	reference, err := s.Schedule(w, policy)
	if err != nil {
		return nil, err
	}
	found, err := w.Read(file)
	if err != nil {
		return nil, err
	}
	difference, err := Compare(ctx, w, policy, reference, found)
	if err != nil {
		return nil, err
	}
	jobs := 0
	for k := range reference {
		if !math.IsNaN(reference[k].Start) {
			jobs++
		}
	}
	return &Result{File: file, Workload: name, Policy: policy, Jobs: jobs, Difference: difference}, nil
}

//go:build unix

package main

import (
	"cmp"
	"errors"
	"os"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/perf/benchfmt"
	"golang.org/x/perf/benchunit"
)

// module is the path of the module. Packages are named without it.
const module = "github.com/allot-opt/allot"

// figures holds the figures of benchmarks from some files.
type figures struct {
	benchmarks []*benchmark
	units      benchfmt.UnitMetadataMap
	at         map[id]int // index in benchmarks
}

// id names a benchmark: its package within the module, and its name without "Benchmark" and the number of processors at the end.
type id struct{ pkg, name string }

// benchmark is a benchmark with all its repetitions.
type benchmark struct {
	id
	units   []string // in the order of the file, in base units
	values  map[string][]float64
	results []*benchfmt.Result // unchanged, as read
}

// seconds returns the least time of a repetition, computed from its iterations. It does not include the time to set up. It is 0 if no time was
// reported.
func (b *benchmark) seconds() float64 {
	sum := 0.0
	for _, r := range b.results {
		for _, v := range r.Values {
			if v.Unit == "sec/op" {
				sum += v.Value * float64(r.Iters)
			}
		}
	}
	return sum / float64(len(b.results))
}

// find returns the benchmark of that name, or nil.
func (f *figures) find(which id) *benchmark {
	if k, ok := f.at[which]; ok {
		return f.benchmarks[k]
	}
	return nil
}

// readFigures reads files of the benchmark format. Its error lists all malformed lines, each as file:line.
func readFigures(paths ...string) (*figures, error) {
	f := &figures{at: map[id]int{}}
	var reader benchfmt.Reader
	reader.Reset(strings.NewReader(""), "")
	var faults []error
	for _, path := range paths {
		results, err := readFile(&reader, path)
		if err != nil {
			faults = append(faults, err)
			continue
		}
		processors := commonProcessors(results)
		for _, r := range results {
			f.add(r, strings.TrimSuffix(r.Name.String(), processors))
		}
	}
	f.units = reader.Units()
	return f, errors.Join(faults...)
}

// readFile reads the results of one file.
func readFile(reader *benchfmt.Reader, path string) ([]*benchfmt.Result, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	reader.Reset(file, path)
	var results []*benchfmt.Result
	var faults []error
	for reader.Scan() {
		switch record := reader.Result().(type) {
		case *benchfmt.Result:
			results = append(results, record.Clone())
		case *benchfmt.SyntaxError:
			faults = append(faults, usageError{record})
		}
	}
	return results, errors.Join(append(faults, reader.Err())...)
}

// add adds a result as a repetition of the benchmark of that name.
func (f *figures) add(r *benchfmt.Result, name string) {
	which := id{packageOf(r.GetConfig("pkg")), name}
	k, ok := f.at[which]
	if !ok {
		k = len(f.benchmarks)
		f.at[which] = k
		f.benchmarks = append(f.benchmarks, &benchmark{id: which, values: map[string][]float64{}})
	}
	b := f.benchmarks[k]
	b.results = append(b.results, r)
	for _, v := range r.Values {
		_, unit := benchunit.Tidy(0, v.Unit) // the reader does not convert the unit of a 0
		if _, ok := b.values[unit]; !ok {
			b.units = append(b.units, unit)
		}
		b.values[unit] = append(b.values[unit], v.Value)
	}
}

// packageOf returns a package's path within the module; a full stop stands for the module's root package.
func packageOf(path string) string {
	return cmp.Or(strings.TrimPrefix(strings.TrimPrefix(path, module), "/"), ".")
}

// sorted returns the benchmarks sorted by package, and within a package in the order of the files.
func (f *figures) sorted() []*benchmark {
	return slices.SortedStableFunc(slices.Values(f.benchmarks), func(a, b *benchmark) int { return cmp.Compare(a.pkg, b.pkg) })
}

// processorsSuffix matches the number of processors that go test appends to a name, unless it is 1.
var processorsSuffix = regexp.MustCompile(`-([2-9]|[1-9][0-9]+)$`)

// commonProcessors returns the suffix for the number of processors in the names of a run. Some names end in a number of their own, so a suffix
// counts only if all names have it.
func commonProcessors(results []*benchfmt.Result) string {
	if len(results) == 0 {
		return ""
	}
	suffix := processorsSuffix.FindString(results[0].Name.String())
	for _, r := range results {
		if !strings.HasSuffix(r.Name.String(), suffix) {
			return ""
		}
	}
	return suffix
}

// choice says which benchmarks a run of go test measures, by its patterns. A pattern has a regular expression for each element of the name, and may
// have alternatives. The zero value means that the choice is unknown.
type choice struct{ bench, skip string }

// choiceOf reads the patterns from a command.
func choiceOf(args []string) choice {
	return choice{argument(args, "-bench", "."), argument(args, "-skip", "")}
}

// holds reports whether a benchmark is measured.
func (c choice) holds(name string) bool {
	elements := strings.Split("Benchmark"+name, "/")
	matches := func(pattern string, whole bool) bool {
		return slices.ContainsFunc(split(pattern, '|'), func(alternative string) bool {
			expressions := split(alternative, '/')
			if whole && len(expressions) > len(elements) {
				return false
			}
			for k, expression := range expressions[:min(len(expressions), len(elements))] {
				if matched, err := regexp.MatchString(expression, elements[k]); err != nil || !matched {
					return false
				}
			}
			return true
		})
	}
	return c.bench != "" && matches(c.bench, false) && (c.skip == "" || !matches(c.skip, true))
}

// split cuts a pattern at a separator outside brackets.
func split(pattern string, separator byte) []string {
	var parts []string
	first, square, round := 0, 0, 0
	for k := 0; k < len(pattern); k++ {
		switch c := pattern[k]; {
		case c == '\\':
			k++
		case c == '[':
			square++
		case c == ']':
			square = max(0, square-1)
		case square > 0:
		case c == '(':
			round++
		case c == ')':
			round--
		case c == separator && round == 0:
			parts = append(parts, pattern[first:k])
			first = k + 1
		}
	}
	return append(parts, pattern[first:])
}

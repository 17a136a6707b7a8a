package bench

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/allot-opt/allot/internal/kit"
	"github.com/allot-opt/allot/model"
)

// SuiteFormat is the format of suite files.
const SuiteFormat = "allot-suite/1"

// Suite is a data file that says what to run: instances × solvers × seeds, within a budget. [Suite.Plan] turns it into a list of runs.
type Suite struct {
	Format     string           `json:"format" doc:"the format: allot-suite/1"`
	Name       string           `json:"name" check:"id" doc:"name of the suite"`
	Doc        string           `json:"doc,omitempty" doc:"what it is for; the report begins with it"`
	Data       string           `json:"data,omitempty" doc:"folder that the files are in, from the suite's own folder; absent: that folder"`
	Instances  []InstanceSource `json:"instances" doc:"what to run the solvers on"`
	Solvers    []SolverChoice   `json:"solvers" doc:"what to run"`
	Objective  string           `json:"objective,omitempty" doc:"metric to minimise (or maximise, by its kind); absent: the objective of each instance"`
	Seeds      Seeds            `json:"seeds,omitzero" doc:"seeds of the solvers; absent: 1"`
	Paired     bool             `json:"paired,omitempty" doc:"the seed of a solver is that of the workload that made the instance: each seed is one independent repetition"`
	Budget     Budget           `json:"budget,omitzero" doc:"limits of each run"`
	Workers    int              `json:"workers,omitempty" check:"count" doc:"workers of each run; absent: 1"`
	Incumbents bool             `json:"trace,omitempty" doc:"keep in each row how the schedule came to be"`

	// Folder is the folder that the path Data is relative to: the folder of the suite's file; empty: the working folder.
	Folder string `json:"-"`
	// File is the name of the suite in errors.
	File string `json:"-"`
}

// InstanceSource says where instances come from: files, a workload, or files of a foreign format. Parameters with several values make a
// grid of all combinations. The parameter whose name is last in the alphabet varies fastest.
type InstanceSource struct {
	Files       []string          `json:"files,omitempty" check:"text" doc:"patterns of instance files, or of those to import"`
	Generate    string            `json:"generate,omitempty" check:"id" doc:"name of a workload, see allot generate"`
	Import      string            `json:"import,omitempty" check:"id" doc:"name of a format, see allot import"`
	Parameters  map[string]Values `json:"parameters,omitempty" doc:"parameters of the workload or format: a value or several"`
	Seeds       Seeds             `json:"seeds,omitzero" doc:"seeds of the workload; absent: 1"`
	Group       string            `json:"group,omitempty" check:"text" doc:"what the instances are reported under; {NAME} is the value of a parameter, {seed}, {file}"`
	Solvers     []string          `json:"solvers,omitempty" check:"id" doc:"labels of the solvers to run on these; absent: all of the suite"`
	BestKnown   *BestKnownFile    `json:"best_known,omitempty" doc:"file that states the best known objectives of the instances; absent: the best of the runs is the measure"`
	Evaluations int64             `json:"evaluations,omitempty" check:"counter" doc:"largest number of evaluations of each run on these; absent: that of the budget"`
	Measured    *Window           `json:"measured,omitempty" doc:"the workflows (or jobs of none) whose figures count, in the order of their arrivals; absent: all"`
}

// SolverChoice names a solver to run, or all solvers that support the instance.
type SolverChoice struct {
	Solver     string            `json:"solver,omitempty" bare:"true" check:"id" doc:"the solver: name, name:param=value:…, a+b to start b from a's solution, exec:COMMAND, label=… before any of them"`
	All        bool              `json:"all,omitempty" doc:"every solver that supports the instance and is not named elsewhere, but auto"`
	Label      string            `json:"label,omitempty" check:"id" doc:"what it is called in rows and tables; {NAME} is the value of a parameter"`
	Parameters map[string]Values `json:"parameters,omitempty" doc:"parameters of the solver: a value or several, which make a grid; rolling_period (and rolling_threshold) for rolling use"`
	Seeds      Seeds             `json:"seeds,omitzero" doc:"seeds, where they are not those of the suite"`
	Unbounded  bool              `json:"unbounded,omitempty" doc:"the runs compute no lower bound: another solver of the suite states one of the same instance"`
}

// Seeds are the Count seeds First, First+1, and so on. In JSON a plain number is the count.
type Seeds struct {
	First *uint64 `json:"first,omitempty" doc:"the first seed; absent: 1"`
	Count int     `json:"count,omitempty" bare:"true" check:"count" doc:"how many; absent: 1"`
}

// Budget are the limits of each run.
type Budget struct {
	Time        float64 `json:"time_s,omitempty" check:"time" doc:"seconds; absent: no limit"`
	Evaluations int64   `json:"evaluations,omitempty" check:"counter" doc:"evaluations of schedules; absent: no limit"`
}

// Values are the values of a parameter: numbers, texts, true or false.
type Values []any

// ReadSuite reads a suite file strictly. A [*model.InputError] lists, with their JSON paths, all fields that are unknown, missing, of the wrong
// kind, out of range or contradictory. ReadSuite does not look for the instance files; [Suite.Plan] does.
func ReadSuite(path string) (*Suite, error) {
	file, err := model.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	s, err := readSuite(file, model.InputName(path))
	if err != nil {
		return nil, err
	}
	if path != "-" {
		s.Folder = filepath.Dir(path)
	}
	return s, nil
}

// readSuite reads a suite from JSON.
func readSuite(r io.Reader, name string) (*Suite, error) {
	s := &Suite{File: name}
	if err := model.ReadDocument(r, name, s, SuiteFormat); err != nil {
		return nil, err
	}
	return s, s.Validate()
}

// list returns the seeds.
func (s Seeds) list() []uint64 {
	first := *cmp.Or(s.First, new(uint64(1)))
	seeds := make([]uint64, max(1, s.Count))
	for k := range seeds {
		seeds[k] = first + uint64(k)
	}
	return seeds
}

// given reports whether the file states seeds.
func (s Seeds) given() bool { return s != Seeds{} }

// texts formats the values as on a command line.
func (v Values) texts() []string {
	list := make([]string, len(v))
	for k, value := range v {
		switch x := value.(type) {
		case float64: // write 100000, not 1e+05, because the parameter may be a whole number
			format := byte('f')
			if math.Abs(x) >= 1e15 || x != 0 && math.Abs(x) < 1e-6 {
				format = 'g'
			}
			list[k] = strconv.FormatFloat(x, format, -1, 64)
		default:
			list[k] = fmt.Sprint(x)
		}
	}
	return list
}

// maxGrid is the largest number of combinations of the parameters of one entry.
const maxGrid = 10_000

// grid lists all combinations of the values of the parameters. The last name varies fastest. Without parameters there is one empty combination.
func grid(parameters map[string]Values) []map[string]string {
	list := []map[string]string{{}}
	for _, name := range slices.Sorted(maps.Keys(parameters)) {
		var longer []map[string]string
		for _, point := range list {
			for _, text := range parameters[name].texts() {
				next := maps.Clone(point)
				next[name] = text
				longer = append(longer, next)
			}
		}
		list = longer
	}
	return list
}

// filled replaces each name in braces by its value.
func filled(template string, values map[string]string) string {
	return inBraces.ReplaceAllStringFunc(template, func(name string) string {
		if value, ok := values[name[1:len(name)-1]]; ok {
			return value
		}
		return name
	})
}

// inBraces finds the names in a template.
var inBraces = regexp.MustCompile(`\{[^{}]*\}`)

// stated formats parameters as text: "alpha=1 jobs=40".
func stated(parameters map[string]string) string {
	list := kit.Each(slices.Sorted(maps.Keys(parameters)), func(name string) string { return name + "=" + parameters[name] })
	return strings.Join(list, " ")
}

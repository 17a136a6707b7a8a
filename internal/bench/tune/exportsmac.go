package tune

import (
	_ "embed"
	"encoding/json"
	"errors"
	"math"
	"strconv"

	"github.com/allot-opt/allot/model"
)

//go:embed smac.py
var smacProgram string

// parameterSpace is a space in the JSON format 0.4 of ConfigSpace.
type parameterSpace struct {
	Name          string      `json:"name"`
	Parameters    []any       `json:"hyperparameters"`
	Conditions    []condition `json:"conditions"`
	Forbidden     []any       `json:"forbiddens"`
	ModuleVersion string      `json:"python_module_version"`
	FormatVersion float64     `json:"format_version"`
}

// categoricalParameter is a parameter with values.
type categoricalParameter struct {
	Type    string   `json:"type"`
	Name    string   `json:"name"`
	Choices []string `json:"choices"`
	Default string   `json:"default_value"`
}

// numericParameter is a parameter with an interval.
type numericParameter struct {
	Type    string      `json:"type"`
	Name    string      `json:"name"`
	Lower   json.Number `json:"lower"`
	Upper   json.Number `json:"upper"`
	Default json.Number `json:"default_value"`
	Log     bool        `json:"log"`
}

// condition says when a parameter matters.
type condition struct {
	Type   string   `json:"type"`
	Child  string   `json:"child"`
	Parent string   `json:"parent"`
	Values []string `json:"values"`
}

// clause is a forbidden value, and conjunction several together.
type clause struct {
	Type  string `json:"type"`
	Name  string `json:"name"`
	Value string `json:"value"`
}
type conjunction struct {
	Type    string   `json:"type"`
	Clauses []clause `json:"clauses"`
}

// smacScenario is what the Python file reads beside the space.
type smacScenario struct {
	Runs          int                  `json:"runs"`
	Seed          uint64               `json:"seed"`
	Deterministic bool                 `json:"deterministic"`
	Jobs          int                  `json:"jobs"`
	Features      map[string][]float64 `json:"features"` // by the file of the instance
}

// smac writes what SMAC 2 reads: M. Lindauer et al. (2022), SMAC3: A versatile Bayesian optimization package for hyperparameter optimization, JMLR 23(54), 1–9.
func (x *exported) smac() error {
	if x.Question.Seed > math.MaxInt32 {
		return errors.New("seed: expected at most " + strconv.Itoa(math.MaxInt32) + " for SMAC, found " + strconv.FormatUint(x.Question.Seed, 10))
	}
	space := parameterSpace{Name: x.Question.Solver, Conditions: []condition{}, Forbidden: []any{}, ModuleVersion: "1.2.0", FormatVersion: 0.4}
	for k := range x.space.Dimensions {
		d := &x.space.Dimensions[k]
		value := d.Default
		if !d.holds(value) {
			if place, ok := d.place(value); ok && d.Kind != Categorical {
				value = d.at(place)
			} else if value = d.at(0.5); d.Kind == Categorical {
				value = d.Values[0]
			}
		}
		switch d.Kind {
		case Categorical:
			space.Parameters = append(space.Parameters, categoricalParameter{"categorical", d.Name, d.Values, value})
		default:
			kind := map[string]string{Integer: "uniform_int", Real: "uniform_float"}[d.Kind]
			space.Parameters = append(space.Parameters, numericParameter{kind, d.Name, d.json(d.Low), d.json(d.High), json.Number(value), d.Log})
		}
		if d.When != nil {
			space.Conditions = append(space.Conditions, condition{"IN", d.Name, d.When.Name, d.When.Values})
		}
	}
	for _, settings := range x.forbidden {
		var clauses []clause
		for _, s := range settings {
			clauses = append(clauses, clause{"EQUALS", s.name, s.value})
		}
		if len(clauses) == 1 {
			space.Forbidden = append(space.Forbidden, clauses[0])
		} else {
			space.Forbidden = append(space.Forbidden, conjunction{"AND", clauses})
		}
	}
	scenario := smacScenario{Runs: x.runs, Seed: x.Question.Seed, Deterministic: x.Question.Trace != "", Jobs: max(1, x.jobs), Features: map[string][]float64{}}
	for k, name := range x.trainingNames() {
		in, err := x.read(&x.Training[k])
		if err != nil {
			return err
		}
		scenario.Features[name] = features(in)
	}
	return errors.Join(
		x.writeJSON("configspace.json", space),
		x.writeJSON("scenario.json", scenario),
		x.writeProgram("tune.py", smacProgram),
		x.writeText("README.md", x.readme("SMAC", "python3 tune.py", "Its last line is the best configuration. It needs SMAC: `pip install 'smac>=2'`.")),
	)
}

// json is a number of the dimension as JSON.
func (d *Dimension) json(x float64) json.Number { return json.Number(d.number(x)) }

// features describe an instance to a model of the costs: the number of jobs, that of processors, and the mean time between arrivals.
func features(in *model.Instance) []float64 {
	last := in.FirstArrival()
	for k := range in.Jobs() {
		last = max(last, in.Jobs()[k].Arrival)
	}
	n := float64(len(in.Jobs()))
	return []float64{n, float64(in.Processors()), (last - in.FirstArrival()) / max(1, n-1)}
}

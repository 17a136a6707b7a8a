package question

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/allot-opt/allot/params"
)

// Names are names of solvers or policies.
type Names []string

// Texts are values of a setting that may be given several times; a value may hold commas.
type Texts []string

// Parameters are those of a solver or a reader: name → a text, a number, true or false.
type Parameters map[string]any

// Settings are the parameters as texts, in the order of their names. The error is of the parameter that is named.
func (p Parameters) Settings() (list []params.Setting, wrong string, err error) {
	for _, name := range slices.Sorted(maps.Keys(p)) {
		text, err := settingText(p[name])
		if err != nil {
			return nil, name, err
		}
		list = append(list, params.Setting{Name: name, Value: text})
	}
	return list, "", nil
}

// Stated is a solver with its parameters as they were stated.
func Stated(solver string, parameters Parameters) string {
	list, _, _ := parameters.Settings()
	for _, p := range list {
		solver += ":" + p.Name + "=" + p.Value
	}
	return solver
}

// settingText is a parameter as a text.
func settingText(value any) (string, error) {
	switch v := value.(type) {
	case string:
		return v, nil
	case bool:
		return strconv.FormatBool(v), nil
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64), nil // also the form of a whole number
	}
	return "", fmt.Errorf("expected a text, a number, true or false, found %v", value)
}

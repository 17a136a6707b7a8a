package params

import (
	"fmt"
	"slices"
	"strings"
)

// Setting is the value of a parameter as the user wrote it.
type Setting struct{ Name, Value string }

// Settings reads texts of the form PARAM=VALUE, as they stand behind the name of a solver or a workload: NAME:PARAM=VALUE:PARAM=VALUE. It does not
// know which parameters there are. A parameter that stands there twice is an error.
func Settings(texts []string) ([]Setting, error) {
	var settings []Setting
	for _, text := range texts {
		name, value, ok := strings.Cut(text, "=")
		if !ok || name == "" {
			return nil, fmt.Errorf("expected PARAM=VALUE behind each colon, found %q", text)
		}
		if slices.ContainsFunc(settings, func(s Setting) bool { return s.Name == name }) {
			return nil, fmt.Errorf("expected parameter %s once, found it twice", name)
		}
		settings = append(settings, Setting{name, value})
	}
	return settings, nil
}

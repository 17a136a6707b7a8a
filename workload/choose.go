package workload

import (
	"fmt"
	"strings"

	"github.com/allot-opt/allot/internal/suggest"
	"github.com/allot-opt/allot/params"
)

// Choose reads a workload with its parameters from text of the form name or name:param=value:param=value. A value holds no colon.
func Choose(text string) (Info, Workload, error) {
	parts := strings.Split(text, ":")
	info, ok := Named(parts[0])
	if !ok {
		return Info{}, nil, fmt.Errorf("expected a workload, one of %s; found %q%s", strings.Join(Names(), ", "), parts[0], suggest.Words(parts[0], Names()))
	}
	settings, err := params.Settings(parts[1:])
	if err != nil {
		return Info{}, nil, fmt.Errorf("workload %s: %w", info.Name, err)
	}
	chosen := info.New()
	for _, s := range settings {
		if err := params.Set(chosen, s.Name, s.Value); err != nil {
			return Info{}, nil, fmt.Errorf("workload %s: %w", info.Name, err)
		}
	}
	return info, chosen, nil
}

package slurm

import (
	"errors"
	"strings"
	"testing"

	"github.com/allot-opt/allot/formats/lines"
)

// What ends the reading of a member or an element ends that of the whole, and nothing behind it is read.
func TestReadingEnds(t *testing.T) {
	for _, text := range []string{`{"a": 1, "b": 2}`, `{"b": 3, "a": 1, "c": 2}`, `{"a": {"a": 1, "d": 4}, "b": 2}`} {
		d := &decoder{json: lines.NewJSON(strings.NewReader(text)), faults: lines.NewFaults("f"), texts: map[string]string{}}
		ended := false
		var member func(name string) error
		member = func(name string) error {
			if ended {
				t.Errorf("%s: %s is read after the end", text, name)
			}
			if d.json.PeekKind() == '{' {
				return d.object("an object", member)
			}
			if ended = name == "a"; ended {
				return errors.Join(errEnd, d.json.SkipValue())
			}
			return d.json.SkipValue()
		}
		if err := d.object("an object", member); !errors.Is(err, errEnd) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

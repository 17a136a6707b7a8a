package plan

import "github.com/allot-opt/allot/model"

// newSchedule starts a schedule that must be possible.
func newSchedule(tb interface {
	Helper()
	Fatal(...any)
}, in *model.Instance) *Schedule {
	tb.Helper()
	s, err := NewSchedule(in)
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

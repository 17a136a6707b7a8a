package model

// Incumbent is the best schedule of a run at the moment when it was found, or when the run ended: one line of a trace. Along a trace
// the elapsed time never falls, the objective never rises and the bound never falls.
type Incumbent struct {
	Elapsed     float64 `json:"elapsed_s" check:"time"`      // seconds since the run began
	Evaluations int64   `json:"evaluations" check:"counter"` // of schedules so far
	Objective   float64 `json:"objective"`                   // of the best schedule so far
	Bound       Bound   `json:"bound,omitzero"`              // the best that was proved by then
}

package model

import (
	"fmt"
	"strings"
)

// Code names a kind of violation, such as "overlap". Codes are stable: other programs may rely on them. docs/rules.md lists all of them.
type Code string

// CodeWrongInstance is the code of a solution that was made for another instance. Further violations may follow from it.
const CodeWrongInstance Code = "wrong-instance"

// The other codes.
const (
	codeUnknownJob       Code = "unknown-job"       // a placement or reason names no job of the instance
	codeDuplicateJob     Code = "duplicate-job"     // placed, or left out, more than once, or both
	codeMissingJob       Code = "missing-job"       // neither placed nor left out
	codeUnknownCluster   Code = "unknown-cluster"   // a placement names no cluster of the instance
	codeForeignProcessor Code = "foreign-processor" // the cluster has no such processor
	codeTime             Code = "bad-time"          // not a finite interval of times ≥ 0
	codeProcessorCount   Code = "processor-count"   // fewer or more processors than the job may use
	codeTasks            Code = "tasks"             // the pieces do not run the job's tasks, each once
	codePieces           Code = "pieces"            // pieces that do not make up the interval of the placement
	codeSpan             Code = "span"              // processors further apart than the job allows
	codeIneligible       Code = "ineligible"        // the job states no run time for the cluster
	codeEarlyStart       Code = "early-start"       // before the arrival
	codePrecedence       Code = "precedence"        // before the end of a job that must end first
	codeWrongEnd         Code = "wrong-end"         // end − start is not the execution time
	codeOverlap          Code = "overlap"           // a processor runs two jobs at once
	codeMemory           Code = "memory"            // more memory than a machine has
	codeLicence          Code = "licence"           // more copies than a pool has, or a machine that does not run it
	codeBandwidth        Code = "bandwidth"         // a machine offers less than the job needs
	codeBlock            Code = "block"             // blocks, or machines that hold them, other than the job asks for
	codeFeature          Code = "feature"           // a machine without a feature that the job needs
	codeResource         Code = "resource"          // more of a resource than a machine has
	codeDevice           Code = "device"            // devices that are not there, not those that the job needs, or held twice
	codeExclusive        Code = "exclusive"         // another job on a machine that a job has to itself
	codeClosed           Code = "closed"            // a machine is closed to the job meanwhile
	codeRunning          Code = "running"           // a job that runs already, elsewhere or later than it does
	codeHorizon          Code = "horizon"           // starts or ends outside the horizon
	codePowerCap         Code = "power-cap"         // more power than a cluster may take
	codeAsleep           Code = "asleep"            // a machine cannot be on by then, or in its last state by the end
	codeHardDeadline     Code = "hard-deadline"     // ends after a hard deadline
	codeNoReason         Code = "no-reason"         // left out without a reason
	codeWrongMetric      Code = "wrong-metric"      // a stated metric is not the recomputed one
	codeWrongObjective   Code = "wrong-objective"   // the stated objective is not the recomputed one
	codeWrongBound       Code = "wrong-bound"       // a lower bound above the objective, or more jobs owed than are left out
	codeWrongStatus      Code = "wrong-status"      // a status that the rest contradicts
	codeLoads            Code = "loads"             // loads that do not carry the assignment
)

// Violation is one thing wrong with a solution.
type Violation struct {
	Code     Code    `json:"code"`
	Job      string  `json:"job,omitempty"`
	Cluster  string  `json:"cluster,omitempty"`
	Resource string  `json:"resource,omitempty"` // processors, machine, licence or metric concerned
	From     float64 `json:"from,omitempty"`     // the interval concerned
	To       float64 `json:"to,omitempty"`
	Message  string  `json:"message"`
}

// Error is the violation as one line.
func (v Violation) Error() string {
	var text strings.Builder
	text.WriteString(string(v.Code))
	for _, named := range []struct{ what, which string }{{"job", v.Job}, {"cluster", v.Cluster}, {"resource", v.Resource}} {
		if named.which != "" {
			fmt.Fprintf(&text, " %s %s", named.what, shown(named.which))
		}
	}
	if v.From != 0 || v.To != 0 {
		fmt.Fprintf(&text, " [%v, %v)", v.From, v.To)
	}
	return text.String() + ": " + v.Message
}

// Report is what [Check] finds: the violations, at most [MaxListed] of them and the number of the rest, and, where the
// placements can be resolved, what the solution costs.
type Report struct {
	Violations []Violation
	More       int
	Evaluation
}

// OK says that nothing is wrong.
func (r Report) OK() bool { return len(r.Violations) == 0 }

// add lists a violation, or counts it when the list is full.
func (r *Report) add(v Violation) {
	if len(r.Violations) >= MaxListed {
		r.More++
		return
	}
	if !isFinite(v.From) || !isFinite(v.To) { // a report can be written as JSON
		v.From, v.To = 0, 0
	}
	r.Violations = append(r.Violations, v)
}

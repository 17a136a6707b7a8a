package model

import (
	"fmt"
	"strings"

	"github.com/allot-opt/allot/internal/numtext"
)

// ImportReport says what a reader of a foreign format made of a file: how many jobs it read and kept, and everything it
// dropped, repaired or kept although it was odd. Read = Kept + the counts of the notes with [ImportDropped].
type ImportReport struct {
	Format   string   `json:"format" doc:"name of the format"`
	File     string   `json:"file" doc:"name of the file"`
	Warnings []string `json:"warnings,omitempty" doc:"what touches so many jobs that it must be read first"`
	// Skipped counts the jobs before and after the window that the options choose, as far as the file was read.
	Skipped int          `json:"skipped,omitempty" doc:"jobs outside the chosen window, as far as the file was read"`
	Read    int          `json:"read" doc:"jobs in the chosen window"`
	Kept    int          `json:"kept" doc:"jobs in the instance"`
	Notes   []ImportNote `json:"notes,omitempty" doc:"what was odd, in the order first met"`
}

// ImportNote is one kind of oddity.
type ImportNote struct {
	Action ImportAction `json:"action" enum:"dropped,repaired,kept" doc:"what was done with the job"`
	Reason string       `json:"reason" doc:"what was odd, and how it was repaired"`
	Count  int          `json:"count" doc:"how many there were"`
	First  string       `json:"first" doc:"where the first was: a line or the id of a task"`
}

// ImportAction says what a reader did with something odd.
type ImportAction string

// The three actions.
const (
	ImportDropped  ImportAction = "dropped"  // the job is left out
	ImportRepaired ImportAction = "repaired" // a value is replaced, as the reason says
	ImportKept     ImportAction = "kept"     // the job is as the file has it
)

// Note counts one more of the given kind; where is its place, kept for the first of a kind.
func (r *ImportReport) Note(action ImportAction, reason, where string) {
	if note := r.count(action, reason); note.Count == 1 {
		note.First = where
	}
}

// NoteLine is [ImportReport.Note] of a line of the file, counted from 1.
func (r *ImportReport) NoteLine(action ImportAction, reason string, line int) {
	if note := r.count(action, reason); note.Count == 1 {
		note.First = fmt.Sprintf("line %d", line)
	}
}

// count finds the note of a kind, or makes it, and adds one.
func (r *ImportReport) count(action ImportAction, reason string) *ImportNote {
	for k := range r.Notes {
		if note := &r.Notes[k]; note.Action == action && note.Reason == reason {
			note.Count++
			return note
		}
	}
	r.Notes = append(r.Notes, ImportNote{Action: action, Reason: reason, Count: 1})
	return &r.Notes[len(r.Notes)-1]
}

// Count is the number of things noted with the action.
func (r *ImportReport) Count(action ImportAction) int {
	n := 0
	for _, note := range r.Notes {
		if note.Action == action {
			n += note.Count
		}
	}
	return n
}

// String is the report as lines of plain text for people, without a line feed at the end: what was dropped first, then
// what was repaired and what was odd but kept.
func (r *ImportReport) String() string {
	var text strings.Builder
	for _, warning := range r.Warnings {
		fmt.Fprintf(&text, "warning: %s: %s\n", r.File, warning)
	}
	fmt.Fprintf(&text, "%s: %s: read %s, kept %d", r.File, r.Format, numtext.Counted(r.Read, "job"), r.Kept)
	if r.Skipped > 0 {
		fmt.Fprintf(&text, ", skipped %d", r.Skipped)
	}
	for _, action := range []ImportAction{ImportDropped, ImportRepaired, ImportKept} {
		for _, note := range r.Notes {
			if note.Action == action {
				fmt.Fprintf(&text, "\n  %s %d: %s (first: %s)", note.Action, note.Count, note.Reason, note.First)
			}
		}
	}
	return text.String()
}

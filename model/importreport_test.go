package model_test

import (
	"encoding/json"
	"testing"

	"github.com/allot-opt/allot/model"
)

func TestImportReport(t *testing.T) {
	r := model.ImportReport{Format: "swf", File: "a.swf", Skipped: 2, Read: 5, Kept: 3}
	r.NoteLine(model.ImportKept, "odd", 7)
	r.NoteLine(model.ImportDropped, "run time 0", 9)
	r.NoteLine(model.ImportDropped, "run time 0", 10)
	r.Note(model.ImportRepaired, "no cores: 1 is taken", "task-3")
	r.NoteLine(model.ImportDropped, "odd", 11)
	want := `a.swf: swf: read 5 jobs, kept 3, skipped 2
  dropped 2: run time 0 (first: line 9)
  dropped 1: odd (first: line 11)
  repaired 1: no cores: 1 is taken (first: task-3)
  kept 1: odd (first: line 7)`
	if got := r.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if d, k := r.Count(model.ImportDropped), r.Count(model.ImportKept); d != 3 || k != 1 {
		t.Errorf("got %d dropped, %d kept", d, k)
	}
	data, err := json.Marshal(model.ImportReport{Format: "etc", File: "x", Read: 1, Kept: 1, Notes: r.Notes[:1]})
	wantJSON := `{"format":"etc","file":"x","read":1,"kept":1,"notes":[{"action":"kept","reason":"odd","count":1,"first":"line 7"}]}`
	if err != nil || string(data) != wantJSON {
		t.Errorf("got %s, %v; want %s", data, err, wantJSON)
	}
}

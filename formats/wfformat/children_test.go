package wfformat_test

import (
	"strings"
	"testing"

	"github.com/allot-opt/allot/formats/wfformat"
)

// A dependency that the parent alone states counts, also where several parents state one for the same child.
func TestEveryParentThatNamesAChildCounts(t *testing.T) {
	text := file(`{"id":"a","name":"a","parents":[],"children":["c"]},{"id":"b","name":"b","parents":[],"children":["c"]},{"id":"c","name":"c","parents":[],"children":[]}`,
		`{"id":"a","runtimeInSeconds":1},{"id":"b","runtimeInSeconds":2},{"id":"c","runtimeInSeconds":3}`)
	in, _, err := wfformat.NewReader().Read(strings.NewReader(text), "w.json")
	if err != nil {
		t.Fatal(err)
	}
	if found := jobs(in); found != "a:1x1 b:2x1 c:3x1<a<b" {
		t.Errorf("found %s", found)
	}
}

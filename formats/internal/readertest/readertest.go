// Package readertest holds what the tests of every reader of a foreign format ask of it.
package readertest

import (
	"bytes"
	"strings"
	"testing"

	"github.com/allot-opt/allot/model"
)

// Check asks of the outcome of reading the file with the given name, whatever was in it: every line of an error begins with the
// name; the report counts the jobs; and the instance can be written and read back.
func Check(t testing.TB, name string, in *model.Instance, report *model.ImportReport, err error) {
	t.Helper()
	if err != nil {
		for line := range strings.SplitSeq(err.Error(), "\n") {
			if !strings.HasPrefix(line, name+": ") {
				t.Errorf("an error without the file's name: %q", line)
			}
		}
		return
	}
	if report.Kept != len(in.Jobs()) || report.Read != report.Kept+report.Count(model.ImportDropped) {
		t.Errorf("%v; %d jobs", report, len(in.Jobs()))
	}
	var written bytes.Buffer
	if err := model.WriteInstance(&written, in); err != nil {
		t.Fatal(err)
	}
	if _, err := model.ReadInstance(&written, "again"); err != nil {
		t.Error(err)
	}
}

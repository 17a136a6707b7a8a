package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"

	"github.com/allot-opt/allot/papers"
	"github.com/allot-opt/allot/papers/verdict"
)

// A recorded verdict that no longer holds is named and gives exit status 3; without one the status is 0.
func TestChangedVerdicts(t *testing.T) {
	var out bytes.Buffer
	c := cli.NewContext(&cli.App{Writer: &out}, nil, nil)
	if err := tellChanges(c, nil, 2, 3); err != nil || !strings.Contains(out.String(), "2 experiments compared with their records, 1 without one; 0 verdicts changed") {
		t.Errorf("%v, %q", err, out.String())
	}
	changes := []papers.Change{{ID: "muscle/fig4/c3", Reading: "mask", Recorded: verdict.Replicates, Now: verdict.Fails, Reason: "the opposite is shown"}}
	err := tellChanges(c, changes, 1, 1)
	if statusOf(err) != exitViolations {
		t.Errorf("status %d (%v), want %d", statusOf(err), err, exitViolations)
	}
	if want := `muscle/fig4/c3, reading "mask": recorded "replicates", now "does not replicate": the opposite is shown`; !strings.Contains(out.String(), want) {
		t.Errorf("the output lacks %q:\n%s", want, out.String())
	}
}

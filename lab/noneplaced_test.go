package lab

import (
	"regexp"
	"strings"
	"testing"

	"github.com/allot-opt/allot/model"
)

// TestNonePlaced: a policy that places no job of a class has no wait there, and not one of 0.
func TestNonePlaced(t *testing.T) {
	in, runs := small(t)
	none := &model.Solution{Jobs: []model.Placement{placed("a", 4, 0, 10)}}
	r, err := Compare(t.Context(), in, []Run{runs[0], {"one", true, none}, {"none", true, &model.Solution{}}}, Defaults())
	if err != nil {
		t.Fatal(err)
	}
	for k, jobs := range []int{4, 1, 0} {
		if all := &r.Groups[0].Policies[k].Classes[0]; all.Jobs != jobs || (all.Wait == nil) != (jobs == 0) || (all.Slowdown >= 1) != (jobs > 0) {
			t.Errorf("%s: %+v", r.Groups[0].Policies[k].Name, all)
		}
	}
	text := r.Text()
	var rows strings.Builder
	if err := r.WriteCSV(&rows); err != nil {
		t.Fatal(err)
	}
	if !regexp.MustCompile(`│ none +│ +– │ +– │ +– │ +– │`).MatchString(text) || !regexp.MustCompile(`│ r +│ +1 │ +0 s │ +– │ +– │`).MatchString(text) {
		t.Error(text)
	}
	if !strings.Contains(rows.String(), "on line,none,all,all jobs,0,,,,,,,,") || !strings.Contains(rows.String(), "on line,one,queue,r,0,,,,,,,,") {
		t.Error(rows.String())
	}
}

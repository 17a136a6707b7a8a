package answers

import (
	"slices"
	"testing"

	"github.com/allot-opt/allot/model"
	_ "github.com/allot-opt/allot/solvers"
)

// The policy of a site is the first; an assumed one stands before others only where none is named; an instance without one is as before; and no command that a file names is ever a policy.
func TestPoliciesOnASite(t *testing.T) {
	usual := []string{"fcfs", "easy"}
	for _, c := range []struct {
		policy  string
		assumed bool
		named   []string
		want    []string
		one     string
	}{
		{"", false, nil, usual, "easy"}, {"", false, []string{"flexible"}, []string{"flexible"}, "easy"},
		{"backfill", false, nil, []string{"site=backfill", "fcfs", "easy"}, "backfill"}, {"backfill", false, []string{"easy"}, []string{"site=backfill", "easy"}, "backfill"},
		{"easy", false, nil, []string{"site=easy", "fcfs"}, "easy"}, {"easy", false, []string{"fcfs", "easy"}, []string{"site=easy", "fcfs"}, "easy"},
		{"backfill", true, nil, []string{"site=backfill", "fcfs", "easy"}, "backfill"}, {"backfill", true, []string{"easy"}, []string{"easy"}, "backfill"},
		{"exec-online:true", false, nil, usual, "easy"}, {"x=exec:true", false, nil, usual, "easy"}, {"mct+exec:true", true, nil, usual, "easy"},
	} {
		in, err := model.New(model.InstanceSpec{Schema: model.InstanceSchema, Policy: c.policy, PolicyAssumed: c.assumed, Clusters: []model.ClusterSpec{{ID: "c", Machines: []model.MachineSpec{{ID: "m"}}}},
			Jobs: []model.JobSpec{{ID: "j", Work: new(1.0)}}})
		if err != nil {
			t.Fatal(err)
		}
		if got := PoliciesOn(in, c.named, usual); !slices.Equal(got, c.want) {
			t.Errorf("%q, %v, %v: got %v, want %v", c.policy, c.assumed, c.named, got, c.want)
		}
		if got := NamedPolicy(in, ""); got != c.one {
			t.Errorf("%q: got %q, want %q", c.policy, got, c.one)
		}
	}
}

package solvers

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/params"
	"github.com/allot-opt/allot/solve"
)

// TestFlexibleZeroMeansZero: a weight of 0 is honoured and stated; what is not given keeps its default, which is not stated.
func TestFlexibleZeroMeansZero(t *testing.T) {
	in, err := model.New(model.InstanceSpec{Schema: model.InstanceSchema,
		Clusters: []model.ClusterSpec{{ID: "c", Machines: []model.MachineSpec{{ID: "m"}}}},
		Jobs:     []model.JobSpec{{ID: "first", Work: new(10.0)}, {ID: "long", Work: new(9.0)}, {ID: "short", Work: new(1.0)}}})
	if err != nil {
		t.Fatal(err)
	}
	info, err := solve.Lookup("flexible")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ given, stated, order string }{
		{"", "map[]", "short,long,first"},
		{"wait=0", "map[wait:0]", "first,long,short"},
		{"aging=0", "map[aging:0]", "short,long,first"},
		{"aging=0.001", "map[]", "short,long,first"},
		{"wait=-1", "map[wait:-1]", "first,long,short"},
		{"deadline_low=0 deadline_high=0", "map[deadline_high:0 deadline_low:0]", "short,long,first"},
	} {
		solver := info.New()
		for _, given := range strings.Fields(c.given) {
			name, value, _ := strings.Cut(given, "=")
			if err := params.Set(solver, name, value); err != nil {
				t.Fatal(err)
			}
		}
		result, err := solve.Run(context.Background(), solve.Choice{Info: info, Solver: solver}, in, solve.Options{})
		if err != nil {
			t.Fatal(err)
		}
		var order []string
		for _, p := range result.Solution.Jobs {
			order = append(order, p.Job)
		}
		if got := fmt.Sprint(result.Solution.Parameters); got != c.stated || strings.Join(order, ",") != c.order {
			t.Errorf("%q: stated %s, order %s; expected %s, %s", c.given, got, order, c.stated, c.order)
		}
	}
	for _, wrong := range []string{"step=0", "step=-1", "step=Inf", "wait=NaN"} {
		name, value, _ := strings.Cut(wrong, "=")
		if err := params.Set(info.New(), name, value); err == nil {
			t.Errorf("%s is accepted", wrong)
		}
	}
	for _, p := range params.Of(info.New()) {
		if want := map[string]string{"kill": "false", "step": "1", "aging": "0.001", "deadline_low": "0.1", "deadline_high": "10", "deadline_k": "2",
			"licences": "1", "wait": "1", "place": "first", "price_budget": "none", "price_rule": "worth", "price_quantile": "0.3", "price_worth": "1", "price_of": "price", "tariff_known": "24h", "queues": "partition"}[p.Name]; p.Default != want {
			t.Errorf("default of %s: %s, expected %s", p.Name, p.Default, want)
		}
	}
}

package multifactor

import "testing"

// With MAX_TRES only the largest term of a node's resources and of generic ones is billed, and with MAX_TRES_GRES generic ones are added, as what belongs to no node always is.
func TestBilling(t *testing.T) {
	weights := []Weight{{"cpu", 1}, {"mem", 0.5}, {"node", 1}, {"gres/gpu", 2}, {"license/x", 3}}
	allocated := map[string]float64{"cpu": 4, "mem": 10, "node": 2, "gres/gpu": 3, "license/x": 1}
	for _, c := range []struct {
		flags Flags
		bill  []Weight
		want  float64
	}{
		{Flags{}, weights, 4 + 5 + 2 + 6 + 3}, {Flags{MaxTRES: true}, weights, 6 + 3}, {Flags{MaxTRESGRES: true}, weights, 5 + 6 + 3}, {Flags{MaxTRES: true}, nil, 4}, {Flags{}, []Weight{}, 0},
	} {
		settings := DefaultSettings()
		settings.Flags = c.flags
		tree, err := NewTree(settings, nil)
		if err != nil {
			t.Fatal(err)
		}
		calculator, err := NewCalculator(tree, Site{Partitions: []Partition{{Name: "p", JobFactor: 1, Billing: c.bill}}})
		if err != nil {
			t.Fatal(err)
		}
		if got, err := calculator.Billing("p", allocated); err != nil || got != c.want {
			t.Errorf("%+v, weights %v: %v (%v), expected %v", c.flags, c.bill, got, err, c.want)
		}
	}
}

package place

// Choice is the parameter `place` of policies and solvers, which embed it.
type Choice struct {
	Place Name `zero:"first" doc:"rule that chooses the machines of a job among those with room for it, and the devices there"`
}

// PlaceRule is the rule.
func (c Choice) PlaceRule() Name { return c.Place }

// Name is the name of a rule as the value of a parameter; empty: [First].
type Name string

// Values are the names of all rules: what package params allows.
func (Name) Values() []string {
	names := make([]string, len(rules))
	for k, r := range rules {
		names[k] = r.Name
	}
	return names
}

// OrFirst is the name of the rule.
func (n Name) OrFirst() string {
	if n == "" {
		return First
	}
	return string(n)
}

package model

import "reflect"

// WithObjective is the same instance with another objective: metric → weight. It keeps its SHA-256, which is that of the
// file it came from.
func (in *Instance) WithObjective(objective map[string]float64) (*Instance, error) {
	clone := *in
	r := &resolver{spec: &InstanceSpec{Objective: objective}, in: &clone, faults: &InputError{}}
	clone.objective = nil
	checkSpec(r.faults, "objective", field{check: "finite"}, reflect.ValueOf(objective))
	r.objective()
	r.penalty()
	if err := r.faults.orNil(); err != nil {
		return nil, err
	}
	return &clone, nil
}

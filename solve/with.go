package solve

import (
	"fmt"
	"reflect"
)

// With returns the choice of a solver that a program made and set itself, such as &solvers.Search{Effort: 3}. A zero in a field means zero. To set some
// fields only, begin with [Default]:
//
//	solver := solve.Default[muscle.Solver]()
//	solver.Reading = "b"
//	result, err := solve.Run(ctx, solve.With(solver), in, opt)
//
// [OnLine] makes a solver of a policy. [Run] checks the parameters against their ranges.
//
// A solver of a registered type has the [Info] of that type. A solver of any other type has an Info with the name of its Go type and nothing else; set
// Choice.Info where the solver takes a start, decides on line or tells its steps.
func With(solver Solver) Choice {
	info := infoOf(solver)
	return Choice{Label: info.Name, Info: info, Solver: solver}
}

// Default returns the solver or the policy of the registered type T, with its default parameters. A type that is not registered is a bug in the
// program and panics.
func Default[T any]() *T {
	if _, made, ok := registered(reflect.TypeFor[*T]()); ok {
		return made.(*T)
	}
	panic(fmt.Sprintf("solve: no solver or policy of type %v is registered", reflect.TypeFor[T]()))
}

// infoOf returns the Info under which the type of the solver is registered, or one made from the type.
func infoOf(solver Solver) Info {
	if rolling, ok := solver.(*Rolling); ok {
		return rolling.of.Info
	}
	of := reflect.TypeOf(algorithm(solver))
	if of == nil {
		return Info{}
	}
	if info, _, ok := registered(of); ok {
		return info
	}
	name := of.String()
	if of.Kind() == reflect.Pointer {
		name = of.Elem().String()
	}
	_, online := PolicyOf(solver)
	return Info{Name: name, Online: online, Traces: online}
}

// registered returns the Info of the solver or policy of the type, and one with its defaults. If several names have the type, the first by name counts.
func registered(of reflect.Type) (info Info, made any, ok bool) {
	for _, info := range Solvers() {
		if made := algorithm(info.New()); reflect.TypeOf(made) == of {
			return info, made, true
		}
	}
	return Info{}, nil, false
}

// algorithm returns the policy that the solver simulates, or the solver itself.
func algorithm(solver Solver) any {
	if policy, ok := PolicyOf(solver); ok {
		return policy
	}
	return solver
}

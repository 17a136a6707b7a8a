package serve

import (
	"reflect"

	"github.com/allot-opt/allot/serve/answers"
)

// The parts that requests share.
var (
	instancePart = Part{Name: "instance", Doc: "the instance", Schema: "instance", Required: true}
	solutionPart = Part{Name: "solution", Doc: "the solution", Schema: "solution", Required: true}
)

// table lists all operations.
var table []Operation

func init() { // the handlers refer to the table
	table = []Operation{
		solving(), bounding(), certifying(), verifying(), comparing(), checking(), comparingPolicies(), simulating(), explaining(), importing(), drawing(), listing(), describing(),
	}
}

func solving() Operation {
	return operation("solve", "Schedule the jobs of an instance.", []Part{
		instancePart, {Name: "start", Doc: "a solution to start from", Schema: "solution"},
	}, (*call).solve)
}

func bounding() Operation {
	return operation("bound", "Compute a proved lower bound on the objective of an instance.", []Part{instancePart}, (*call).bound)
}

func certifying() Operation {
	return operation("certify", "Compute a proved lower bound with its certificate.", []Part{instancePart}, (*call).certify)
}

func verifying() Operation {
	return operation("verify", "Verify the certificate of a bound, and whether it proves a solution optimal.", []Part{
		instancePart, {Name: "certificate", Doc: "the certificate", Schema: "proof", Required: true}, {Name: "solution", Doc: "a solution that the certificate may prove optimal", Schema: "solution"},
	}, (*call).verify)
}

func comparing() Operation {
	return operation("compare", "Run several solvers on the same instances.", []Part{{Name: "instances", Doc: "the instances", Schema: "instance", Required: true, Several: true}}, (*call).compare)
}

func checking() Operation {
	return operation("check", "Check a solution against its instance.", []Part{instancePart, solutionPart}, (*call).check)
}

func comparingPolicies() Operation {
	return operation("policies", "Compare scheduling policies on a trace: who waits less, who waits longer, and whether that is significant.", []Part{
		{Name: "trace", Doc: "the trace: an instance, a text in the Standard Workload Format, or what sacct -P prints", Required: true},
	}, (*call).policies)
}

func simulating() Operation {
	return writing(operation("simulate", "Forecast when the jobs of a queue, or one more job, would start, what delays them, and how certain that is; or measure such forecasts on a trace.", []Part{
		instancePart, {Name: "submit", Doc: "a job to submit, as in the list of jobs of an instance"}, {Name: "history", Doc: "ended jobs: an instance, an SWF trace, or what sacct -P prints"},
	}, (*call).simulate), reflect.TypeFor[answers.StartTable](), reflect.TypeFor[answers.JobAnswer](), reflect.TypeFor[answers.QueueAnswer](), reflect.TypeFor[answers.BacktestAnswer]())
}

func explaining() Operation {
	return writing(operation("explain", "Explain why a job of a solution runs where and when it does, or give the steps of a solver.", []Part{
		instancePart, {Name: "solution", Doc: "the solution; with trace and solver there is none", Schema: "solution"},
	}, (*call).explain), reflect.TypeFor[answers.Explained](), reflect.TypeFor[answers.Steps]())
}

func importing() Operation {
	return operation("import", "Make an instance of files in a foreign format.", []Part{{Name: "files", Doc: "the files, several only where the format allows it", Required: true, Several: true}}, (*call).importForeign)
}

func drawing() Operation {
	return operation("draw", "Draw a schedule, or a quantity of schedules over time.", []Part{
		instancePart, {Name: "solutions", Doc: "the solutions", Schema: "solution", Required: true, Several: true},
	}, (*call).drawPicture)
}

func listing() Operation {
	return light(operation("solvers", "List the solvers, or describe one in full.", nil, (*call).solvers))
}

func describing() Operation {
	return light(operation("schema", "Give the JSON Schema of a file format, or the names of all.", nil, (*call).schema))
}

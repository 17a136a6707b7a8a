package service

// The parts that requests share.
var (
	instancePart = Part{Name: "instance", Doc: "the instance", Schema: "instance", Required: true}
	solutionPart = Part{Name: "solution", Doc: "the solution", Schema: "solution", Required: true}
)

// table lists all operations.
var table []Operation

func init() { // the handlers refer to the table
	table = []Operation{
		operation("solve", "Schedule the jobs of an instance.", []Part{
			instancePart, {Name: "start", Doc: "a solution to start from", Schema: "solution"},
		}, (*call).solve),
		operation("check", "Check a solution against its instance.", []Part{instancePart, solutionPart}, (*call).check),
		light(operation("solvers", "List the solvers, or describe one in full.", nil, (*call).solvers)),
		light(operation("schema", "Give the JSON Schema of a file format, or the names of all.", nil, (*call).schema)),
	}
}

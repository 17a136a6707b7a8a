package model_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/allot-opt/allot/model"
)

// document is an instance with the given header fields (each with a comma behind it), clusters and jobs.
func document(header, clusters, jobs string) string {
	return `{"schema": "allot/instance/1", ` + header + ` "clusters": [` + clusters + `], "jobs": [` + jobs + `]}`
}

// Parts of documents in which nothing is wrong.
const (
	oneCluster = `{"id": "c", "machines": [{"id": "m"}]}`
	oneJob     = `{"id": "j", "work": 1}`
)

// header, cluster, machine and job are documents with the given field in the named place.
func header(fields string) string { return document(fields+",", oneCluster, oneJob) }

func cluster(fields string) string {
	return document("", `{"id": "c", "machines": [{"id": "m"}], `+fields+`}`, oneJob)
}

func machine(fields string) string {
	return document("", `{"id": "c", "machines": [{"id": "m", `+fields+`}]}`, oneJob)
}

func job(fields string) string { return document("", oneCluster, `{"id": "j", "work": 1, `+fields+`}`) }

// refused is what ReadInstance and ReadSolution must say of a text, fault by fault, without the name of the file.
type refused struct {
	name, text string
	want       []string
}

// checkRefused compares the errors of read with what is expected, to the letter.
func checkRefused[T any](t *testing.T, cases []refused, read func(text string) (*T, error)) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			value, err := read(c.text)
			var faults *model.InputError
			if !errors.As(err, &faults) {
				t.Fatalf("got %v, want an InputError", err)
			}
			if value != nil {
				t.Error("got a value beside the error")
			}
			if got, want := err.Error(), "in.json: "+strings.Join(c.want, "\nin.json: "); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// readInstance reads an instance from a text.
func readInstance(text string) (*model.Instance, error) {
	return model.ReadInstance(strings.NewReader(text), "in.json")
}

const (
	jobFields     = "id, arrival, processors, tasks, work, work_cv, runtime, estimate, reference_speed, span, memory, input, output, message, min_bandwidth, deadline, deadline_hard, budget, licences, user, group, queue, quality, user_class, workflow, after, block, resources, machines, per_machine, features, exclusive, reservation, running, power, recorded, requested"
	clusterFields = "id, allocation, weights, licences, network, overheads, tariff, power_cap, machines"
	machineFields = "id, count, processors, speed, memory, bandwidth, cost, licences, resources, features, closed, background, queue, power"
	headerFields  = "schema, name, units, time_zero, time_zone, caveats, objective, weights, user_classes, licences, devices, queueing, overheads, workflows, partitions, policy, policy_assumed, site, tariff, horizon, clusters, jobs"
)

func TestReadRefusesUnknownAndMissingFields(t *testing.T) {
	unknown := func(fields string) string { return ": unknown field; expected one of " + fields }
	checkRefused(t, []refused{
		{"unknown in the instance", header(`"deadlin": 3`), []string{"deadlin" + unknown(headerFields)}},
		{"unknown with an odd name", header(`"a b\n": [[{}]]`), []string{`["a b\n"]` + unknown(headerFields)}},
		{"unknown in units", header(`"units": {"length": "m"}`), []string{"units.length" + unknown("time, work, data, memory, cost")}},
		{"unknown in weights", header(`"weights": {"idle": 1}`), []string{"weights.idle" + unknown("over_deadline, makespan, idle_time")}},
		{"unknown in queueing", header(`"queueing": {"rates": 1}`), []string{"queueing.rates" + unknown("rate, cv, period, k, charge")}},
		{"unknown in overheads", header(`"overheads": {"x": 1}`), []string{"overheads.x" + unknown("context_switch")}},
		{"unknown in a workflow", header(`"workflows": [{"id": "w", "jobs": []}]`), []string{"workflows[0].jobs" + unknown("id, deadline, budget")}},
		{"unknown in a cluster", cluster(`"memory": 3`), []string{"clusters[0].memory" + unknown(clusterFields)}},
		{"unknown in a network", cluster(`"network": {"speed": 3}`), []string{"clusters[0].network.speed" + unknown("latency, bandwidth")}},
		{"unknown in a machine", machine(`"allocation": "machine"`), []string{"clusters[0].machines[0].allocation" + unknown(machineFields)}},
		{"unknown in a background", machine(`"background": {"load": 0.1, "mean": 1, "x": 1}`), []string{"clusters[0].machines[0].background.x" + unknown("load, mean")}},
		{"unknown in a queue", machine(`"queue": {"rate": 1}`), []string{"clusters[0].machines[0].queue.rate" + unknown("service_rate, arrival_variance, service_variance")}},
		{"unknown in a job", job(`"Arrival": 1`), []string{"jobs[0].Arrival" + unknown(jobFields)}},
		{"unknown in processors", job(`"processors": {"min": 1, "max": 2, "step": 1}`), []string{"jobs[0].processors.step" + unknown("min, max")}},

		{"nothing given", `{}`, []string{`expected the field "schema", found none`, `expected the field "clusters", found none`, `expected the field "jobs", found none`}},
		{"workflow without id", header(`"workflows": [{}]`), []string{`workflows[0]: expected the field "id", found none`}},
		{"cluster without fields", document("", `{}`, oneJob), []string{`clusters[0]: expected the field "id", found none`, `clusters[0]: expected the field "machines", found none`}},
		{"machine without id", document("", `{"id": "c", "machines": [{}]}`, oneJob), []string{`clusters[0].machines[0]: expected the field "id", found none`}},
		{"background without fields", machine(`"background": {}`), []string{`clusters[0].machines[0].background: expected the field "load", found none`, `clusters[0].machines[0].background: expected the field "mean", found none`}},
		{"job without id", document("", oneCluster, `{"work": 1}`), []string{`jobs[0]: expected the field "id", found none`}},
		{"job without any time", document("", oneCluster, `{"id": "j"}, {"id": "k", "runtime": {}}`), []string{
			"jobs[0]: expected one of work, runtime and estimate, found none", "jobs[1]: expected one of work, runtime and estimate, found none"}},
		{"processors without max", job(`"processors": {"min": 1}`), []string{`jobs[0].processors: expected the field "max", found none`}},
	}, readInstance)
}

func TestReadRefusesWhatIsGivenTwice(t *testing.T) {
	checkRefused(t, []refused{
		{"field of the instance", header(`"name": "a", "name": "a"`), []string{"name: expected the field once, found it again"}},
		{"field of a job", job(`"arrival": 1, "arrival": [2]`), []string{"jobs[0].arrival: expected the field once, found it again"}},
		{"field of a range", job(`"processors": {"min": 1, "max": 1, "max": 1}`), []string{"jobs[0].processors.max: expected the field once, found it again"}},
		{"name in a map", header(`"licences": {"a": 1, "a": 1}`), []string{"licences.a: expected the name once, found it again"}},
		{"cluster in a runtime", job(`"runtime": {"c": 1, "c": 2}`), []string{"jobs[0].runtime.c: expected the name once, found it again"}},
		{"job id", document("", oneCluster, oneJob+`, {"id": "k", "work": 1}, `+oneJob), []string{`jobs[2].id: expected a unique id, found "j" again`}},
		{"cluster id", document("", oneCluster+","+oneCluster, oneJob), []string{`clusters[1].id: expected a unique id, found "c" again`}},
		{"machine id", document("", `{"id": "c", "machines": [{"id": "m"}, {"id": "m"}]}`, oneJob), []string{`clusters[0].machines[1].id: expected an id unique in the cluster, found "m" again`}},
		{"id of a machine of a group", document("", `{"id": "c", "machines": [{"id": "m[1]"}, {"id": "m", "count": 2}, {"id": "m[2]"}, {"id": "m[01]"}, {"id": "m[-1]"}, {"id": "[0]"}]}`, oneJob), []string{
			`clusters[0].machines[0].id: expected an id unique in the cluster, found "m[1]", which is also the id of a machine in a group`}},
		{"workflow id", header(`"workflows": [{"id": "w"}, {"id": "w"}]`), []string{`workflows[1].id: expected a unique id, found "w" again`}},
	}, readInstance)
	if _, err := readInstance(document("", `{"id": "c", "machines": [{"id": "m"}]}, {"id": "d", "machines": [{"id": "m"}]}`, oneJob)); err != nil {
		t.Errorf("machines of two clusters may have one id: %v", err)
	}
}

func TestReadRefusesMissingReferences(t *testing.T) {
	checkRefused(t, []refused{
		{"cluster in a runtime", job(`"runtime": {"d": 1, "c": 1, "c 2": 1}`), []string{
			`jobs[0].runtime["c 2"]: expected the id of a cluster, found "c 2"`, `jobs[0].runtime.d: expected the id of a cluster, found "d"`}},
		{"licence", document(`"licences": {"matlab": 3},`, oneCluster, `{"id": "j", "work": 1, "licences": {"ansys": 1}}`), []string{
			`jobs[0].licences.ansys: expected a licence that a pool or a machine names, found "ansys"`}},
		{"workflow", job(`"workflow": "w"`), []string{`jobs[0].workflow: expected the id of a workflow, found "w"`}},
		{"user class", job(`"user_class": "gold"`), []string{`jobs[0].user_class: expected one of user_classes, found "gold"`}},
		{"after", job(`"after": ["j", "k", ""]`), []string{`jobs[0].after[1]: expected the id of a job, found "k"`, `jobs[0].after[2]: expected the id of a job, found ""`}},
		{"metric", header(`"objective": {"speed": 1}`), []string{"objective.speed: expected a metric with one value, one of " + plainMetrics() + `; found "speed"`}},
		{"metric of a cluster", header(`"objective": {"cp": 1}`), []string{"objective.cp: expected a metric with one value, one of " + plainMetrics() + `; found "cp"`}},
		{"rate of the queueing view", header(`"objective": {"qos_penalty": 1}`), []string{"queueing.rate: expected an arrival rate, because the objective qos_penalty needs one and the arrivals of the jobs do not give it"}},
	}, readInstance)
	if _, err := readInstance(job(`"licences": {"any": 5}`)); err != nil {
		t.Errorf("a licence named nowhere is unlimited: %v", err)
	}
}

// plainMetrics lists the metrics that can be an objective.
func plainMetrics() string {
	var names []string
	for _, m := range model.MetricTable() {
		if !m.PerCluster {
			names = append(names, m.Name)
		}
	}
	return strings.Join(names, ", ")
}

func TestReadRefusesCycles(t *testing.T) {
	after := func(pairs ...string) string {
		var jobs []string
		for _, pair := range pairs {
			id, before, _ := strings.Cut(pair, "<")
			jobs = append(jobs, `{"id": "`+id+`", "work": 1, "after": [`+before+`]}`)
		}
		return document("", oneCluster, strings.Join(jobs, ", "))
	}
	ring := func(n int) string {
		var pairs []string
		for k := range n {
			pairs = append(pairs, string(rune('a'+k))+`<"`+string(rune('a'+(k+1)%n))+`"`)
		}
		return after(pairs...)
	}
	checkRefused(t, []refused{
		{"of one", after(`a<"a"`), []string{"jobs[0].after[0]: expected no cycle, found a after a"}},
		{"of two", after(`x<`, `a<"x", "b"`, `b<"x", "a"`), []string{"jobs[2].after[1]: expected no cycle, found a after b after a"}},
		{"reached from outside", after(`z<"a"`, `a<"b"`, `b<"a"`), []string{"jobs[2].after[0]: expected no cycle, found a after b after a"}},
		{"of ten", ring(10), []string{"jobs[9].after[0]: expected no cycle, found a after b after c after d after e after f after g after h after i after j after a"}},
		{"of eleven", ring(11), []string{"jobs[10].after[0]: expected no cycle, found a after b after c after d after e after f after g after h after i after j after … after a"}},
	}, readInstance)
}

func TestReadRefusesNumbersOutOfRange(t *testing.T) {
	const nonnegative, positive = "expected 0 or a number in [1e-18, 1e+18], found ", "expected a number in [1e-18, 1e+18], found "
	const count, copies = "expected a whole number in [1, 2147483647], found ", "expected a whole number in [0, 2147483647], found "
	checkRefused(t, []refused{
		{"negative", job(`"arrival": -0.5`), []string{"jobs[0].arrival: " + nonnegative + "-0.5"}},
		{"beyond float64", job(`"arrival": 1e999`), []string{"jobs[0].arrival: expected a finite number, found 1e999"}},
		{"beyond float64, negative", job(`"arrival": -1e999`), []string{"jobs[0].arrival: expected a finite number, found -1e999"}},
		{"too large", job(`"deadline": 1e308`), []string{"jobs[0].deadline: " + nonnegative + "1e+308"}},
		{"too small", job(`"deadline": 1e-300`), []string{"jobs[0].deadline: " + nonnegative + "1e-300"}},
		{"zero speed", machine(`"speed": 0`), []string{"clusters[0].machines[0].speed: " + positive + "0"}},
		{"large weight", header(`"objective": {"makespan": -1e19}`), []string{"objective.makespan: expected 0 or a number of magnitude in [1e-18, 1e+18], found -1e+19"}},
		{"zero processors", job(`"processors": 0`), []string{"jobs[0].processors: " + count + "0"}},
		{"half a processor", job(`"processors": 1.5`), []string{"jobs[0].processors: " + count + "1.5"}},
		{"zero min", job(`"processors": {"min": 0, "max": 2}`), []string{"jobs[0].processors.min: " + count + "0"}},
		{"min above max", job(`"processors": {"min": 3, "max": 2}`), []string{"jobs[0].processors: expected min ≤ max, found min 3 and max 2"}},
		{"zero count", machine(`"count": 0`), []string{"clusters[0].machines[0].count: " + count + "0"}},
		{"zero tasks", job(`"tasks": 0`), []string{"jobs[0].tasks: " + count + "0"}},
		{"many tasks", job(`"tasks": 1e10`), []string{"jobs[0].tasks: " + count + "1e+10"}},
		{"negative copies", header(`"licences": {"a": -1}`), []string{"licences.a: " + copies + "-1"}},
		{"part of a copy", header(`"licences": {"a b": 0.5}`), []string{`licences["a b"]: ` + copies + "0.5"}},
		{"negative runtime", job(`"runtime": {"c": -1}`), []string{"jobs[0].runtime.c: " + nonnegative + "-1"}},
		{"too many processors of a cluster", machine(`"count": 2147483647, "processors": 2147483647`), []string{"clusters: expected at most 16777216 processors in all clusters, found more"}},
		{"too many processors of all", document("", `{"id": "a", "machines": [{"id": "m", "count": 16777216}]}, {"id": "b", "machines": [{"id": "m"}]}`, `{"id": "j", "runtime": {"b": 1}}`), []string{
			"clusters: expected at most 16777216 processors in all clusters, found more"}},
		{"too many servers", document(`"queueing": {},`, `{"id": "a", "machines": [{"id": "m", "count": 1048577}]}`, ""), []string{
			"clusters: expected at most 1048576 machines in an instance with a queueing view, found 1048577"}},
	}, readInstance)
}

func TestReadRefusesWrongKinds(t *testing.T) {
	checkRefused(t, []refused{
		{"text for a number", job(`"arrival": "12"`), []string{`jobs[0].arrival: expected a number, found "12"`}},
		{"null for a number", job(`"arrival": null`), []string{"jobs[0].arrival: expected a number, found null"}},
		{"object for a number", job(`"arrival": {"a": [1]}`), []string{"jobs[0].arrival: expected a number, found an object"}},
		{"array for a number", job(`"arrival": [1, 2]`), []string{"jobs[0].arrival: expected a number, found an array"}},
		{"number for a text", document("", oneCluster, `{"id": 7, "work": 1}`), []string{"jobs[0].id: expected a text, found 7"}},
		{"text for a truth value", job(`"deadline_hard": "yes"`), []string{`jobs[0].deadline_hard: expected true or false, found "yes"`}},
		{"number for a truth value", job(`"deadline_hard": 1`), []string{"jobs[0].deadline_hard: expected true or false, found 1"}},
		{"object for an array", job(`"after": {}`), []string{"jobs[0].after: expected an array, found an object"}},
		{"text for an array", job(`"after": "k"`), []string{`jobs[0].after: expected an array, found "k"`}},
		{"array for an object", document("", `[]`, oneJob), []string{"clusters[0]: expected an object, found an array"}},
		{"null for a map", header(`"objective": null`), []string{"objective: expected an object, found null"}},
		{"null for an optional object", header(`"units": null`), []string{"units: expected an object, found null"}},
		{"text for processors", job(`"processors": "4"`), []string{`jobs[0].processors: expected a number or an object of min and max, found "4"`}},
		{"array for processors", job(`"processors": [1, 4]`), []string{"jobs[0].processors: expected a number or an object of min and max, found an array"}},
		{"null for jobs", `{"schema": "allot/instance/1", "clusters": [` + oneCluster + `], "jobs": null}`, []string{"jobs: expected an array, found null"}},
		{"array for the instance", `[]`, []string{"expected an object, found an array"}},
		{"null for the instance", `null`, []string{"expected an object, found null"}},
		{"long text for a number", job(`"arrival": "` + strings.Repeat("é", 100) + `"`), []string{`jobs[0].arrival: expected a number, found "` + strings.Repeat("é", 29) + "…"}},
	}, readInstance)
}

func TestReadRefusesTextsAndLists(t *testing.T) {
	long := strings.Repeat("x", 1001)
	checkRefused(t, []refused{
		{"wrong schema", `{"schema": "allot/instance/2", "clusters": [` + oneCluster + `], "jobs": []}`, []string{`schema: expected "allot/instance/1", found "allot/instance/2"`}},
		{"another kind by another field", `{"format": "allot-suite/1", "clusters": 3}`, []string{`format: expected a file with "schema": "allot/instance/1", found "allot-suite/1"`}},
		{"another field beside the schema", `{"schema": "allot/instance/1", "format": "x", "clusters": [` + oneCluster + `], "jobs": []}`, []string{`format: unknown field; expected one of schema, name, units, time_zero, time_zone, caveats, objective, weights, user_classes, licences, devices, queueing, overheads, workflows, partitions, policy, policy_assumed, site, tariff, horizon, clusters, jobs`}},
		{"a kind that is no text", `{"format": 1, "schema": "allot/instance/1", "clusters": [` + oneCluster + `], "jobs": []}`, []string{`format: unknown field; expected one of schema, name, units, time_zero, time_zone, caveats, objective, weights, user_classes, licences, devices, queueing, overheads, workflows, partitions, policy, policy_assumed, site, tariff, horizon, clusters, jobs`}},
		{"a kind deeper in the file", `{"jobs": [{"schema": "x", "id": "j", "work": 1}], "clusters": [` + oneCluster + `]}`, []string{
			"jobs[0].schema: unknown field; expected one of id, arrival, processors, tasks, work, work_cv, runtime, estimate, reference_speed, span, memory, input, output, message, min_bandwidth, deadline, deadline_hard, budget, licences, user, group, queue, quality, user_class, workflow, after, block, resources, machines, per_machine, features, exclusive, reservation, running, power, recorded, requested", `expected the field "schema", found none`,
		}},
		{"schema of a solution", `{"schema": "allot/solution/1", "clusters": [` + oneCluster + `], "jobs": []}`, []string{`schema: expected "allot/instance/1", found "allot/solution/1"`}},
		{"no clusters", document("", "", oneJob), []string{"clusters: expected at least one cluster, found none"}},
		{"no machines", document("", oneCluster+`, {"id": "d", "machines": []}`, oneJob), []string{"clusters[1].machines: expected at least one machine, found none"}},
		{"empty id", document("", oneCluster, `{"id": "", "work": 1}`), []string{"jobs[0].id: expected a text of 1 to 1000 bytes, found 0 bytes"}},
		{"long id", document("", oneCluster, `{"id": "`+long+`", "work": 1}`), []string{"jobs[0].id: expected a text of 1 to 1000 bytes, found 1001 bytes"}},
		{"long name", header(`"name": "` + strings.Repeat("x", 100_001) + `"`), []string{"name: expected a text of 0 to 100000 bytes, found 100001 bytes"}},
		{"empty name in a map", header(`"licences": {"": 1}`), []string{`licences[""]: expected a name of 1 to 1000 bytes, found 0 bytes`}},
		{"long name in a map", header(`"user_classes": {"` + long + `": 1}`), []string{`user_classes["` + strings.Repeat("x", 60) + `…"]: expected a name of 1 to 1000 bytes, found 1001 bytes`}},
		{"empty user class", job(`"user_class": ""`), []string{"jobs[0].user_class: expected a text of 1 to 1000 bytes, found 0 bytes"}},
		{"empty workflow", job(`"workflow": ""`), []string{"jobs[0].workflow: expected a text of 1 to 1000 bytes, found 0 bytes"}},
		{"empty licence", machine(`"licences": [""]`), []string{"clusters[0].machines[0].licences[0]: expected a text of 1 to 1000 bytes, found 0 bytes"}},
		{"allocation", cluster(`"allocation": "core"`), []string{`clusters[0].allocation: expected one of processor, machine, found "core"`}},
		{"span", job(`"span": ""`), []string{`jobs[0].span: expected one of machine, cluster, grid, found ""`}},
		{"charge", header(`"queueing": {"charge": "Response"}`), []string{`queueing.charge: expected one of response, service, found "Response"`}},
	}, readInstance)
}

// All errors are listed, in the order of the file.
func TestReadListsAllErrors(t *testing.T) {
	checkRefused(t, []refused{
		{"values", document(`"name": 7, "nam": "x",`, `{"id": "c", "machines": [{"id": "m", "speed": -1}], "licences": {"a": -1}}`, `{"id": "j", "work": -1, "arrival": "x"}, {"work": 1}`), []string{
			"name: expected a text, found 7",
			"nam: unknown field; expected one of " + headerFields,
			"clusters[0].machines[0].speed: expected a number in [1e-18, 1e+18], found -1",
			"clusters[0].licences.a: expected a whole number in [0, 2147483647], found -1",
			"jobs[0].work: expected 0 or a number in [1e-18, 1e+18], found -1",
			`jobs[0].arrival: expected a number, found "x"`,
			`jobs[1]: expected the field "id", found none`,
		}},
		{"references", document(`"objective": {"x": 1},`, `{"id": "c", "machines": []}, {"id": "c", "machines": [{"id": "m"}]}`, `{"id": "j", "after": ["k"]}, {"id": "l", "work": 1, "workflow": "w"}`), []string{
			"objective.x: expected a metric with one value, one of " + plainMetrics() + `; found "x"`,
			"clusters[0].machines: expected at least one machine, found none",
			`clusters[1].id: expected a unique id, found "c" again`,
			"jobs[0]: expected one of work, runtime and estimate, found none",
			`jobs[0].after[0]: expected the id of a job, found "k"`,
			`jobs[1].workflow: expected the id of a workflow, found "w"`,
		}},
	}, readInstance)
}

func TestReadAcceptsUnusualSpelling(t *testing.T) {
	for name, text := range map[string]string{
		"minus zero":          job(`"arrival": -0`),
		"minus zero with dot": job(`"arrival": -0.000e-5`),
		"exponent for counts": job(`"processors": 1e0, "tasks": 2E+0`),
		"fraction for counts": job(`"processors": 1.0`),
		"escaped names":       job(`"\u0061rrival": 1`),
		"white space":         "\t\r\n " + strings.ReplaceAll(job(`"arrival": 1`), " ", "\n\t\r ") + "\n \r\n\t",
		"no white space":      strings.ReplaceAll(job(`"arrival": 1`), " ", ""),
		"long white space":    strings.Replace(job(`"arrival": 1`), " ", strings.Repeat(" ", 1<<20), 1),
		"empty lists":         document(`"workflows": [], "licences": {}, "objective": {}, "units": {},`, oneCluster, ""),
		"many digits":         job(`"arrival": 1.` + strings.Repeat("0", 5000) + `1`),
		"largest and least":   job(`"arrival": 1e18, "deadline": 1e-18`),
	} {
		if _, err := readInstance(text); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// What is wrong in maps is listed in the order of their names, the same each time.
func TestFaultsComeInOneOrder(t *testing.T) {
	spec := model.InstanceSpec{
		UserClasses: map[string]float64{}, Licences: map[string]int{}, Objective: map[string]float64{},
		Clusters: []model.ClusterSpec{{ID: "c", Machines: []model.MachineSpec{{ID: "m"}}}},
		Jobs:     []model.JobSpec{{ID: "j", Runtime: map[string]float64{}, Licences: map[string]int{}}},
	}
	for _, id := range []string{"e", "b", "d", "a", "c"} {
		spec.UserClasses[id], spec.Licences[id], spec.Objective[id] = -1, -1, math.NaN()
		spec.Jobs[0].Runtime[id], spec.Jobs[0].Licences[id] = -1, -1
	}
	references := spec
	references.UserClasses, references.Licences = nil, map[string]int{"z": 1}
	references.Objective = map[string]float64{"c": 1, "b": 1, "a": 1}
	references.Jobs = []model.JobSpec{{ID: "j", Runtime: map[string]float64{"x": 1, "y": 1, "w": 1}, Licences: map[string]int{"x": 1, "y": 1, "w": 1}}}
	for _, s := range []model.InstanceSpec{spec, references} {
		_, first := model.New(s)
		for range 20 {
			if _, again := model.New(s); first == nil || again.Error() != first.Error() {
				t.Fatalf("got\n%v\nand then\n%v", first, again)
			}
		}
	}
}

// An instance made in a program is held to the same rules; what a zero value means is that the field is absent.
func TestNewRefusesWhatReadRefuses(t *testing.T) {
	work, nan := 1.0, math.NaN()
	valid := func(change func(*model.InstanceSpec)) model.InstanceSpec {
		spec := model.InstanceSpec{
			Clusters: []model.ClusterSpec{{ID: "c", Machines: []model.MachineSpec{{ID: "m"}}}},
			Jobs:     []model.JobSpec{{ID: "j", Work: &work}},
		}
		change(&spec)
		return spec
	}
	for _, c := range []struct {
		want   string
		change func(*model.InstanceSpec)
	}{
		{`schema: expected "allot/instance/1", found "x"`, func(s *model.InstanceSpec) { s.Schema = "x" }},
		{"jobs[0].work: expected 0 or a number in [1e-18, 1e+18], found NaN", func(s *model.InstanceSpec) { s.Jobs[0].Work = &nan }},
		{"jobs[0].arrival: expected 0 or a number in [1e-18, 1e+18], found -Inf", func(s *model.InstanceSpec) { s.Jobs[0].Arrival = math.Inf(-1) }},
		{"clusters[0].machines[0].speed: expected a number in [1e-18, 1e+18], found +Inf", func(s *model.InstanceSpec) { s.Clusters[0].Machines[0].Speed = math.Inf(1) }},
		{"clusters[0].machines[0].count: expected a whole number in [1, 2147483647], found -1", func(s *model.InstanceSpec) { s.Clusters[0].Machines[0].Count = -1 }},
		{"jobs[0].processors.min: expected a whole number in [1, 2147483647], found 0", func(s *model.InstanceSpec) { s.Jobs[0].Processors.Max = 3 }},
		{"jobs[0].processors: expected min ≤ max, found min 3 and max 2", func(s *model.InstanceSpec) { s.Jobs[0].Processors = model.Moldable(3, 2) }},
		{"jobs[0].id: expected a text of 1 to 1000 bytes, found 0 bytes", func(s *model.InstanceSpec) { s.Jobs[0].ID = "" }},
		{`jobs[0].id: expected a text in UTF-8, found "\xff"`, func(s *model.InstanceSpec) { s.Jobs[0].ID = "\xff" }},
		{`name: expected a text in UTF-8, found "a\xffb"`, func(s *model.InstanceSpec) { s.Name = "a\xffb" }},
		{`licences[""]: expected a name of 1 to 1000 bytes, found 0 bytes`, func(s *model.InstanceSpec) { s.Licences = map[string]int{"": 1} }},
		{`user_classes["\xff"]: expected a name in UTF-8, found "\xff"`, func(s *model.InstanceSpec) { s.UserClasses = map[string]float64{"\xff": 1} }},
		{"clusters[0].machines[0].licences[0]: expected a text of 1 to 1000 bytes, found 0 bytes", func(s *model.InstanceSpec) { s.Clusters[0].Machines[0].Licences = []string{""} }},
		{"clusters: expected at least one cluster, found none", func(s *model.InstanceSpec) { s.Clusters = nil }},
		{`jobs[0].span: expected one of machine, cluster, grid, found "x"`, func(s *model.InstanceSpec) { s.Jobs[0].Span = "x" }},
		{"weights.makespan: expected 0 or a number in [1e-18, 1e+18], found NaN", func(s *model.InstanceSpec) { s.Weights = &model.WeightsSpec{Makespan: &nan} }},
	} {
		in, err := model.New(valid(c.change))
		if in != nil || err == nil || err.Error() != c.want {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
	if _, err := model.New(valid(func(*model.InstanceSpec) {})); err != nil {
		t.Error(err)
	}
}

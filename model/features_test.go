package model_test

import "testing"

// Each feature by the least that asks for it, and what comes near without asking.
func TestFeatures(t *testing.T) {
	const two = `{"id": "c", "machines": [{"id": "m", "processors": 2}]}`
	const whole = `{"id": "c", "allocation": "machine", "machines": [{"id": "m", "count": 2, "processors": 2}]}`
	const limited = `{"id": "c", "machines": [{"id": "m", "memory": 5, "bandwidth": 3}]}`
	with := func(fields string) string { return `{"id": "j", "work": 1, ` + fields + `}` }
	for _, c := range []struct {
		name, header, cluster, jobs, want string
	}{
		{"nothing", "", two, oneJob, ""},
		{"no jobs", "", two, "", ""},
		{"what only costs", `"objective": {"mcp": 1},`, two, with(`"deadline": 1, "budget": 1, "work_cv": 1, "input": 3, "message": 2`), ""},
		{"arrivals", "", two, with(`"arrival": 1`) + `, {"id": "k", "work": 1}`, "arrivals"},
		{"all arrive together", "", two, with(`"arrival": 1`), ""},
		{"hard deadline", "", two, with(`"deadline": 5, "deadline_hard": true`), "hard deadlines"},
		{"hard without a deadline", "", two, with(`"deadline_hard": true`), ""},
		{"precedence", "", two, with(`"after": ["k"]`) + `, {"id": "k", "work": 1}`, "precedence"},
		{"memory", "", limited, with(`"memory": 1`), "memory limits"},
		{"memory that nothing limits", "", two, with(`"memory": 1`), ""},
		{"pool", `"licences": {"l": 1},`, two, with(`"licences": {"l": 1}`), "licences"},
		{"no copies of a pool", `"licences": {"l": 1},`, two, with(`"licences": {"l": 0}`), ""},
		{"machine with a list", "", `{"id": "c", "machines": [{"id": "m", "licences": ["l"]}]}`, with(`"licences": {"l": 1}`), "licences"},
		{"licence named nowhere", "", two, with(`"licences": {"l": 1}`), ""},
		{"bandwidth", "", limited, with(`"min_bandwidth": 4`), "minimum bandwidth"},
		{"bandwidth that is there", "", limited, with(`"min_bandwidth": 3`), ""},
		{"parallel", "", two, with(`"processors": 2`), "parallel jobs"},
		{"moldable", "", two, with(`"processors": {"min": 1, "max": 2}`), "moldable jobs"},
		{"parallel and moldable", "", two, with(`"processors": {"min": 2, "max": 3}`), "parallel jobs, moldable jobs"},
		{"tasks", "", two, with(`"tasks": 9`), ""},
		{"run times", "", two, with(`"runtime": {"c": 1}`), "stated run times"},
		{"run times that leave one out", "", two + `, {"id": "d", "machines": [{"id": "m"}]}`, with(`"runtime": {"d": 1}`), "stated run times, clusters without a stated run time"},
		{"speeds", "", `{"id": "c", "machines": [{"id": "m"}, {"id": "n", "speed": 2}]}`, oneJob, "machines of different speed or bandwidth in one cluster"},
		{"bandwidths", "", `{"id": "c", "machines": [{"id": "m"}, {"id": "n", "bandwidth": 2}]}`, oneJob, "machines of different speed or bandwidth in one cluster"},
		{"whole machines of one rate", "", `{"id": "c", "allocation": "machine", "machines": [{"id": "m", "processors": 2}, {"id": "n", "speed": 2}]}`, oneJob, ""},
		{"clusters of different speed", "", two + `, {"id": "d", "machines": [{"id": "m", "speed": 2}]}`, oneJob, ""},
		{"span machine", "", `{"id": "c", "machines": [{"id": "m", "count": 2}]}`, with(`"processors": 2, "span": "machine"`), "parallel jobs, span machine"},
		{"span machine with one", "", two, with(`"processors": 2, "span": "machine"`), "parallel jobs"},
		{"span machine with whole ones", "", whole, with(`"processors": 2, "span": "machine"`), "parallel jobs"},
		{"span grid", "", two + `, {"id": "d", "machines": [{"id": "m"}]}`, with(`"processors": 3, "span": "grid"`), "parallel jobs, jobs that must spread over the grid"},
		{"span grid of more than the grid has", "", two, with(`"processors": 3, "span": "grid"`), "parallel jobs"},
		{"span grid where a cluster is wide enough", "", two, with(`"processors": 2, "span": "grid"`), "parallel jobs"},
		{"background", "", `{"id": "c", "machines": [{"id": "m", "background": {"load": 0.1, "mean": 1}}]}`, oneJob, "background load"},
		{"background of no load", "", `{"id": "c", "machines": [{"id": "m", "background": {"load": 0, "mean": 1}}]}`, oneJob, ""},
	} {
		in, err := readInstance(document(c.header, c.cluster, c.jobs))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		} else if got := in.Features().String(); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

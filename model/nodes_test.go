package model_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/allot-opt/allot/internal/needs"
	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/model"
)

// nodeInstance has two nodes of four GPUs and 16 cores, and one without. The third is closed from 10 to 20 for reservation r, the first from 50 on.
const nodeInstance = `{"schema": "allot/instance/1", "devices": ["gpu"],
	"clusters": [{"id": "c", "machines": [
		{"id": "n", "count": 2, "processors": 8, "resources": {"gpu": 4, "cpu": 16}, "features": ["a100", "ib"], "closed": [{"from": 50}]},
		{"id": "m", "processors": 8, "resources": {"cpu": 16.5}, "features": ["ib"], "closed": [{"from": 10, "to": 20, "for": "r"}]}]}],
	"jobs": [
		{"id": "held", "processors": 2, "work": 5, "running": {"cluster": "c", "processors": "0-1", "holds": {"n[0]": {"gpu": 2}}, "devices": {"gpu": {"n[0]": "2-3"}}, "elapsed": 3}},
		{"id": "four", "processors": 4, "block": 4, "work": 5, "resources": {"gpu": 4}},
		{"id": "shares", "processors": 3, "work": 5, "resources": {"gpu": 0.5, "cpu": 1.25}},
		{"id": "wide", "processors": 8, "block": 2, "machines": 2, "per_machine": 2, "work": 5, "features": [["a100", "h100"], ["ib"]]},
		{"id": "alone", "work": 5, "exclusive": true},
		{"id": "guest", "processors": 2, "work": 5, "reservation": "r"},
		{"id": "cores", "work": 5, "estimate": 2, "resources": {"cpu": 16.5}}]}`

// nodeSolution is a schedule of the instance with which nothing is wrong, made anew.
func nodeSolution() *model.Solution {
	gpus := func(machine, devices string) model.DevicesHeld {
		return model.DevicesHeld{"gpu": {machine: set(devices)}}
	}
	held, four, shares := placed("held", "c", "0-1", 0, 5), placed("four", "c", "8-11", 0, 5), placed("shares", "c", "2-4", 0, 5)
	held.Devices, four.Devices = gpus("n[0]", "2-3"), gpus("n[1]", "0-3")
	shares.Processors, shares.Start, shares.End, shares.Devices = set("8-10"), 5, 10, gpus("n[1]", "1-3")
	return &model.Solution{Schema: model.SolutionSchema, Jobs: []model.Placement{
		held, four, shares,
		placed("wide", "c", "2-5,12-15", 5, 10),
		placed("alone", "c", "16", 0, 5),
		placed("guest", "c", "16-17", 12, 17),
		placed("cores", "c", "23", 8, 13), // its estimate ends as the machine closes
	}}
}

// brokenNodes are faults in what jobs ask of machines.
var brokenNodes = []broken{
	{"a running job moves", move("held", "c", "2-3", 0, 5), []string{
		"running job held cluster c resource 2-3 [0, 5): the job runs already, on the processors 0-1 of c from 0 on",
		"running job held cluster c resource n[0] [0, 5): the job runs already on the devices 2-3 of gpu, found "}},
	{"a running job is left out", func(sol *model.Solution) {
		sol.Jobs = sol.Jobs[1:]
		sol.Unscheduled = []model.Unscheduled{{Job: "held", Reason: "no"}}
	}, []string{"running job held: the job runs already and is not placed"}},
	{"every job is left out, also one that runs", func(sol *model.Solution) {
		for _, p := range sol.Jobs {
			sol.Unscheduled = append(sol.Unscheduled, model.Unscheduled{Job: p.Job, Reason: "out"})
		}
		sol.Jobs = nil
	}, []string{"running job held: the job runs already and is not placed"}},
	{"there is no schedule", func(sol *model.Solution) { *sol = model.Solution{Status: model.Infeasible} }, nil},
	{"a block on two machines", change("four", func(p *model.Placement) { p.Processors = set("6-9") }), []string{
		"block job four cluster c resource n[0] [0, 5): expected blocks of 4 processors, found 2 processors on the machine",
		"block job four cluster c resource n[1] [0, 5): expected blocks of 4 processors, found 2 processors on the machine"}},
	{"one machine for two", change("wide", func(p *model.Placement) { p.Start, p.End, p.Processors = 10, 15, set("8-15") }), []string{
		"block job wide cluster c [10, 15): expected 2 to 2 machines, found 1",
		"block job wide cluster c [10, 15): expected 2 blocks on each machine, found 4 on n[1]"}},
	{"three blocks on a machine", change("wide", func(p *model.Placement) { p.Processors = set("0-5,12-13") }), []string{
		"block job wide cluster c [5, 10): expected 2 blocks on each machine, found 3 on n[0]"}},
	{"a machine without a feature", change("wide", func(p *model.Placement) { p.Processors, p.Start, p.End = set("12-15,18-21"), 20, 25 }), []string{
		"feature job wide cluster c resource m [20, 25): the machine has none of the features [\"a100\" \"h100\"]"}},
	{"a machine without the resource", move("four", "c", "18-21", 5, 10), []string{
		"device job four cluster c resource m [5, 10): expected 4 devices of gpu, found 0",
		"resource job four cluster c resource m [5, 10): the jobs running there need 4 of gpu, the machine has 0"}},
	{"fractions of a resource", change("cores", func(p *model.Placement) { p.Processors, p.Start, p.End = set("7"), 0, 5 }), []string{
		"resource job cores cluster c resource n[0] [0, 5): the jobs running there need 16.5 of cpu, the machine has 16"}},
	{"a device in use", change("four", func(p *model.Placement) { p.Start, p.End = 9, 14 }), []string{
		"overlap job four cluster c resource 8 [9, 10): job shares holds the processor until 10",
		"resource job four cluster c resource n[1] [9, 14): the jobs running there need 5.5 of gpu, the machine has 4",
		"device job four cluster c resource n[1] [9, 14): device 1 of gpu is held by job shares too",
		"device job four cluster c resource n[1] [9, 14): device 2 of gpu is held by job shares too",
		"device job four cluster c resource n[1] [9, 14): device 3 of gpu is held by job shares too"}},
	{"too few devices", change("shares", func(p *model.Placement) { p.Devices["gpu"]["n[1]"] = set("1-2") }), []string{
		"device job shares cluster c resource n[1] [5, 10): expected 3 devices of gpu, found 2"}},
	{"no such device", change("shares", func(p *model.Placement) { p.Devices["gpu"]["n[1]"] = set("2-4") }), []string{
		"device job shares cluster c resource n[1] [5, 10): the machine has the devices 0 to 3 of gpu, found 2-4"}},
	{"devices elsewhere", change("shares", func(p *model.Placement) { p.Devices["gpu"]["n[0]"] = set("0") }), []string{
		"device job shares cluster c resource gpu [5, 10): expected devices of the machines that the job runs on, found some of n[0]"}},
	{"devices of a job that needs none", change("wide", func(p *model.Placement) { p.Devices = model.DevicesHeld{"gpu": {"n[0]": set("0")}} }), []string{
		"device job wide cluster c resource gpu [5, 10): expected devices of resources that the job needs, found gpu"}},
	{"a job beside one that is alone", change("cores", func(p *model.Placement) { p.Start, p.End = 4, 9 }), []string{
		"exclusive job cores cluster c resource m [4, 5): job alone is on the machine until 5, and one of the two has it to itself"}},
	{"a job that comes to others", change("alone", func(p *model.Placement) { p.Processors, p.Start, p.End = set("0"), 5, 10 }), []string{
		"exclusive job alone cluster c resource n[0] [5, 10): job wide is on the machine until 10, and one of the two has it to itself"}},
	{"a closed machine", change("cores", func(p *model.Placement) { p.Start, p.End = 9, 14 }), []string{
		"closed job cores cluster c resource m [9, 14): the machine is closed to jobs without a reservation within [9, 11)"}},
	{"closed for ever", change("shares", func(p *model.Placement) { p.Start, p.End = 46, 51 }), []string{
		"closed job shares cluster c resource n[1] [46, 51): the machine is closed to jobs without a reservation within [46, 51)"}},
	{"a reservation that ends", change("guest", func(p *model.Placement) { p.Start, p.End = 16, 21 }), []string{
		"closed job guest cluster c resource m [16, 21): the machine is closed to jobs of reservation r within [16, 21)"}},
	{"a reservation elsewhere", change("guest", func(p *model.Placement) { p.Processors = set("0-1") }), []string{
		"closed job guest cluster c resource n[0] [12, 17): the machine is closed to jobs of reservation r within [12, 17)"}},
}

// nodesIn reads the instance with nodes.
func nodesIn(t testing.TB) *model.Instance {
	t.Helper()
	in, err := readInstance(nodeInstance)
	if err != nil {
		t.Fatal(err)
	}
	return in
}

func TestCheckRefusesWhatNodesDoNotAllow(t *testing.T) {
	in := nodesIn(t)
	if report := model.Check(in, nodeSolution()); !report.OK() {
		t.Fatal(violations(report))
	}
	for _, c := range brokenNodes {
		sol := nodeSolution()
		c.change(sol)
		if got, want := violations(model.Check(in, sol)), strings.Join(c.want, "\n"); got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", c.name, got, want)
		}
	}
}

// A job that asks for nothing of machines runs on no machine that is closed for ever.
func TestNeverOpen(t *testing.T) {
	in, err := model.NewBuilder("").Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Processors: 2, Closed: []model.ClosedSpec{{For: "r"}}}, {ID: "n"}}}).
		Job(model.JobSpec{ID: "a", Work: new(1.0)}, model.JobSpec{ID: "wide", Work: new(1.0), Processors: model.Rigid(2)}, model.JobSpec{ID: "guest", Work: new(1.0), Processors: model.Rigid(2), Reservation: "r"}).Build()
	if err != nil {
		t.Fatal(err)
	}
	for job, want := range []int{1, 1, 2} {
		if got := in.Usable(job, 0); got != want || in.Runs(job) != (job != 1) {
			t.Errorf("job %s can use %d processors, expected %d; runs: %v", in.Jobs()[job].ID, got, want, in.Runs(job))
		}
	}
	if why := in.WhyNowhere(1); why != "needs machines that are open at some time, too few are on c" {
		t.Error(why)
	}
}

// What an instance states of nodes is what is written, and read again.
func TestNodesAreWritten(t *testing.T) {
	in := nodesIn(t)
	text := written(t, in)
	again, err := readInstance(text)
	if err != nil {
		t.Fatal(err)
	}
	if other := written(t, again); other != text {
		t.Errorf("written\n%s\nand then\n%s", text, other)
	}
	for _, want := range []string{`"devices": ["gpu"]`, `"closed":[{"from":10,"to":20,"for":"r"}]`, `"resources":{"cpu":1.25,"gpu":0.5}`, `"block":2`, `"machines":2`, `"per_machine":2`,
		`"features":[["a100","h100"],["ib"]]`, `"exclusive":true`, `"reservation":"r"`,
		`"running":{"cluster":"c","processors":"0-1","holds":{"n[0]":{"gpu":2}},"devices":{"gpu":{"n[0]":"2-3"}},"elapsed":3}`} {
		if !strings.Contains(text, want) {
			t.Errorf("expected %s in\n%s", want, text)
		}
	}
	want := "parallel jobs, resources of machines, blocks of processors on machines, features of machines, closed times and reservations, exclusive jobs, running jobs"
	if got := in.Features().String(); got != want {
		t.Errorf("features %q, want %q", got, want)
	}
}

func TestNodesAreRefused(t *testing.T) {
	const machine = `{"id": "m", "count": 2, "processors": 4, "resources": {"gpu": 2, "cpu": 8}}`
	for _, c := range []struct{ header, machine, job, want string }{
		{`"devices": ["gpu", "gpu"],`, machine, `"work": 1`, `devices[1]: expected each resource once, found "gpu" again`},
		{`"devices": ["memory"],`, machine, `"work": 1`, `expected resources other than "memory", which is a field of machines and of jobs`},
		{`"devices": ["gpu"],`, `{"id": "m", "resources": {"gpu": 1.5}}`, `"work": 1`, `clusters[0].machines[0].resources.gpu: expected a whole number of devices of at most 65536, found 1.5`},
		{``, `{"id": "m", "resources": {"cpu": 0.0000001}}`, `"work": 1`, `clusters[0].machines[0].resources.cpu: expected 0 or a number in [1e-06, 1e+12] with at most six decimals, found 1e-07`},
		{``, `{"id": "m", "resources": {"cpu": 1e13}}`, `"work": 1`, `clusters[0].machines[0].resources.cpu: expected 0 or a number in [1e-06, 1e+12] with at most six decimals, found 1e+13`},
		{``, `{"id": "m", "features": ["a", "a"]}`, `"work": 1`, `clusters[0].machines[0].features[1]: expected each feature once, found "a" again`},
		{``, `{"id": "m", "closed": [{"from": 3, "to": 3}]}`, `"work": 1`, `clusters[0].machines[0].closed[0]: expected from < to, found from 3 and to 3`},
		{`"devices": ["gpu"],`, machine, `"work": 1, "resources": {"gpu": 1.5}`, `jobs[0].resources.gpu: expected a share of one device or a whole number of devices, found 1.5`},
		{``, machine, `"work": 1, "processors": 3, "block": 2`, `jobs[0].block: expected blocks that make up the 3 processors of the job, found blocks of 2`},
		{``, machine, `"work": 1, "processors": {"min": 4, "max": 5}, "block": 2`, `jobs[0].block: expected blocks that make up the 5 processors of the job, found blocks of 2`},
		{``, machine, `"work": 1, "processors": {"min": 2, "max": 4}, "machines": 2`, `jobs[0].processors: expected one number, because the job states machines or per_machine; found 2 to 4`},
		{``, machine, `"work": 1, "processors": 4, "per_machine": 3`, `jobs[0].per_machine: expected a number of blocks that divides the 4 of the job, found 3`},
		{``, machine, `"work": 1, "processors": 4, "block": 2, "machines": 3`, `jobs[0].machines: expected a number of machines on which the 2 blocks of the job can lie, found 3 to 3`},
		{``, machine, `"work": 1, "processors": 4, "machines": {"min": 3, "max": 4}, "per_machine": 2`, `jobs[0].machines: expected a number of machines on which the 4 blocks of the job can lie, found 3 to 4`},
		{``, machine, `"work": 1, "processors": 4, "machines": {"min": 1, "max": 2}, "per_machine": 1`, `jobs[0].machines: expected a number of machines on which the 4 blocks of the job can lie, found 1 to 2`},
		{``, machine, `"work": 1, "processors": 4, "machines": {"min": 3, "max": 2}`, `jobs[0].machines: expected min ≤ max, found min 3 and max 2`},
		{``, machine, `"work": 1, "processors": 4, "span": "machine", "machines": 2`, `jobs[0].span: expected a span other than machine, because the job needs at least 2 machines`},
		{``, machine, `"work": 1, "features": [["a"], []]`, `jobs[0].features[1]: expected at least one feature, found none`},
		{``, machine, `"work": 1, "arrival": 1, "running": {"cluster": "c", "processors": "0"}`, `jobs[0].running: expected a job that arrives at 0, because it runs then; found arrival 1`},
		{``, machine, `"work": 1, "running": {"cluster": "d", "processors": "0"}`, `jobs[0].running.cluster: expected the id of a cluster, found "d"`},
		{``, machine, `"work": 1, "running": {"cluster": "c", "processors": "8"}`, `jobs[0].running.processors: expected processors from 0 to 7, found "8"`},
		{``, machine, `"work": 1, "running": {"cluster": "c", "processors": "0-1"}`, `jobs[0].running.processors: expected 1 to 1 processors, as the job states, found 2`},
		{``, machine, `"work": 1, "running": {"cluster": "c", "processors": "0", "holds": {"m[1]": {"cpu": 1}}}`, `jobs[0].running.holds["m[1]"]: expected a machine of the job's processors, found "m[1]"`},
		{``, machine, `"work": 1, "running": {"cluster": "c", "processors": "0", "holds": {"m[0]": {"ram": 1}}}`, `jobs[0].running.holds["m[0]"].ram: expected a resource that a machine has, found "ram"`},
		{``, machine, `"work": 1, "running": {"cluster": "c", "processors": "0", "holds": {"m[0]": {"cpu": 9}}}`, `jobs[0].running.holds["m[0]"].cpu: expected at most the 8 of the machine, found 9`},
		{`"devices": ["gpu"],`, machine, `"work": 1, "running": {"cluster": "c", "processors": "0", "holds": {"m[0]": {"gpu": 1}}}`, `jobs[0].running.devices.gpu["m[0]"]: expected devices from 0 to 1 that hold equal parts of 1, found ""`},
		{`"devices": ["gpu"],`, `{"id": "m", "resources": {"gpu": 4}}`, `"work": 1, "running": {"cluster": "c", "processors": "0", "holds": {"m": {"gpu": 1}}, "devices": {"gpu": {"m": "0-2"}}}`,
			`jobs[0].running.devices.gpu.m: expected devices from 0 to 3 that hold equal parts of 1, found "0-2"`},
		{`"devices": ["gpu"],`, machine, `"work": 1, "running": {"cluster": "c", "processors": "0", "devices": {"gpu": {"m[0]": "0"}}}`, `jobs[0].running.devices.gpu["m[0]"]: expected devices of a resource and a machine of running.holds, found gpu on m[0]`},
		{`"objective": {"stranded": 1},`, machine, `"work": 1`, `objective.stranded: expected a metric of what the instance has, found no machine with devices`},
	} {
		_, err := readInstance(document(c.header, `{"id": "c", "machines": [`+c.machine+`]}`, `{"id": "j", `+c.job+`}`))
		if want := "in.json: " + c.want; err == nil || err.Error() != want {
			t.Errorf("%s %s: got\n%v\nwant\n%s", c.header, c.job, err, want)
		}
	}
}

// Where a job can run, and why not.
func TestCanRunOnNodes(t *testing.T) {
	const cluster = `{"id": "c", "machines": [
		{"id": "r", "processors": 16, "closed": [{"for": "r"}]},
		{"id": "m", "count": 3, "processors": 4, "resources": {"gpu": 2, "cpu": 3.5}, "features": ["a"]}]}`
	for _, c := range []struct {
		job    string
		usable int
		why    string
	}{
		{`"processors": 4, "resources": {"gpu": 1}`, 6, ""},
		{`"processors": 7, "resources": {"gpu": 1}`, 6, "needs 1 of gpu for each block, too few machines have it on c"},
		{`"processors": 2, "block": 2, "resources": {"gpu": 3}`, 0, "needs 3 of gpu on one machine, too few machines have it on c"},
		{`"processors": 7, "resources": {"gpu": 0.25}`, 6, "needs 0.25 of gpu for each block, too few machines have it on c"}, // shares of one job lie on different devices
		{`"processors": 9, "resources": {"cpu": 0.875}`, 12, ""},
		{`"processors": 7, "resources": {"cpu": 0.25, "gpu": 0.5}`, 6, "needs 0.5 of gpu for each block, too few machines have it on c"}, // there are enough of cpu
		{`"processors": 7, "resources": {"cpu": 2, "gpu": 1}`, 3, "needs 2 of cpu for each block, too few machines have it on c"},
		{`"processors": 9, "block": 3`, 9, ""},
		{`"processors": 4, "machines": 1`, 4, ""},
		{`"processors": 8, "machines": 1`, 4, "needs machines that are open at some time, too few are on c"},
		{`"processors": 4, "machines": 4`, 0, "needs machines that are open at some time, too few are on c"},
		{`"processors": 6, "block": 2, "per_machine": 1`, 6, ""},
		{`"features": [["b"]]`, 0, "needs feature b, too few machines have it on c"},
		{`"features": [["b", "a"]]`, 12, ""},
		{`"processors": 16, "reservation": "r"`, 16, ""},
		{`"reservation": "s"`, 0, "needs machines of reservation s, too few are on c"},
	} {
		in, err := readInstance(document(`"devices": ["gpu"],`, cluster, `{"id": "j", "work": 1, `+c.job+`}`))
		if err != nil {
			t.Fatalf("%s: %v", c.job, err)
		}
		if got, why := in.Usable(0, 0), in.CannotRun(0, 0); got != c.usable || why != c.why || in.CanRun(0, 0) != (c.why == "") {
			t.Errorf("%s: %d processors, %q, %v; expected %d and %q", c.job, got, why, in.CanRun(0, 0), c.usable, c.why)
		}
	}
}

// The metrics of devices: by hand.
func TestDeviceMetrics(t *testing.T) {
	in, sol := nodesIn(t), nodeSolution()
	found, err := model.Evaluate(in, sol)
	if err != nil {
		t.Fatal(err)
	}
	// 2 devices for 5, 4 for 5 and 1.5 for 5, of 8 devices for 17.
	if got := found.Metrics["device_utilisation"].Total; math.Abs(got-100*37.5/(8*17)) > 1e-12 {
		t.Errorf("device_utilisation %v", got)
	}
	// n[0] has 2 free beside the running job, where a share finds room. n[1] is full, and then has 2.5 free, 1 of them whole. None is stranded.
	if got, ok := found.Metrics["stranded"]; !ok || got.Total != 0 {
		t.Errorf("stranded %v, %v", got.Total, ok)
	}
	sol = nodeSolution()
	sol.Jobs[2] = sol.Jobs[6] // without the job of shares: four needs 4 devices
	in, err = readInstance(strings.Replace(nodeInstance, `"gpu": 0.5, `, "", 1))
	if err != nil {
		t.Fatal(err)
	}
	sol.Jobs = sol.Jobs[:6]
	if found, err = model.Evaluate(in, sol); err != nil {
		t.Fatal(err)
	}
	// n[0]: 2 free for 5, then 4 free with 8 processors less those of wide (4): a block of 4 has room. So 2·5/17.
	if got := found.Metrics["stranded"].Total; math.Abs(got-10.0/17) > 1e-12 {
		t.Errorf("stranded %v", got)
	}
}

// A whole machine holds the memory of one task, and memory that is given back leaves no rounding error: the devices of such machines are not stranded.
func TestStrandedMemory(t *testing.T) {
	for _, c := range []struct {
		name, cluster, jobs string
		placements          []model.Placement
		stranded            float64
	}{
		{
			"whole machine", `{"id": "c", "allocation": "machine", "machines": [{"id": "n", "processors": 4, "memory": 2, "resources": {"gpu": 3}}]}`,
			`{"id": "a", "work": 4}, {"id": "g", "processors": 2, "block": 2, "work": 1, "memory": 2, "arrival": 2, "resources": {"gpu": 1}}`,
			[]model.Placement{
				{Job: "a", Cluster: "c", Processors: model.Processors(0), Start: 0, End: 1},
				{Job: "g", Cluster: "c", Processors: model.Processors(0), Start: 2, End: 2.5, Devices: model.DevicesHeld{"gpu": {"n": model.Processors(0)}}},
			},
			(3*1 + 2*0.5) / 2.5,
		},
		{ // 0.9 − 0.2 − 0.7 + 0.2 + 0.7 is less than 0.9
			"sums", `{"id": "c", "machines": [{"id": "n", "processors": 4, "memory": 0.9, "resources": {"gpu": 2}}]}`,
			`{"id": "a", "work": 2, "memory": 0.2}, {"id": "b", "work": 3, "memory": 0.7}, {"id": "g", "work": 1, "memory": 0.9, "arrival": 9, "resources": {"gpu": 1}}`,
			[]model.Placement{
				{Job: "a", Cluster: "c", Processors: model.Processors(0), Start: 0, End: 2},
				{Job: "b", Cluster: "c", Processors: model.Processors(1), Start: 0, End: 3},
				{Job: "g", Cluster: "c", Processors: model.Processors(0), Start: 9, End: 10, Devices: model.DevicesHeld{"gpu": {"n": model.Processors(0)}}},
			},
			(2*3 + 1*1) / 10.0,
		},
	} {
		in, err := readInstance(document(`"devices": ["gpu"],`, c.cluster, c.jobs))
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		found := model.Check(in, &model.Solution{Jobs: c.placements})
		if got := found.Metrics["stranded"].Total; len(found.Violations) > 0 || math.Abs(got-c.stranded) > 1e-12 {
			t.Errorf("%s: %v stranded, expected %v; %v", c.name, got, c.stranded, found.Violations)
		}
	}
}

// nodeCase is an instance with nodes, and a schedule of it.
type nodeCase struct {
	Instance *json.RawMessage `json:"instance"`
	Solution *model.Solution  `json:"solution"`
}

// nodeVerdict is what testdata/nodes.py says of one.
type nodeVerdict struct {
	Faults      []string `json:"faults"`
	Utilisation float64  `json:"device_utilisation"`
	Stranded    float64  `json:"stranded"`
}

// The checker and the metrics agree with a second checker, in Python, about random schedules of random instances with nodes and about changes of them:
// of starts, processors, devices and machines, and of jobs that run already.
func TestNodesAgainstSecondChecker(t *testing.T) {
	race.OneGoroutine(t)
	python := needs.Program(t, "python3")
	rounds := race.Fewer(uint64(150), 20)
	if n, err := strconv.Atoi(os.Getenv("NODE_ROUNDS")); err == nil { // for a longer search
		rounds = uint64(n)
	}
	var input bytes.Buffer
	writer := bufio.NewWriter(&input)
	var reports []model.Report
	var cases []nodeCase
	right := 0
	for seed := range rounds {
		g := &nodeDrawer{rand.New(rand.NewPCG(seed, 35))}
		spec := g.instance()
		in, err := model.New(spec)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		sol := g.schedule(in)
		for changed := range 41 {
			if changed > 0 {
				sol = g.change(in, cloneSolution(t, sol))
			}
			report := model.Check(in, sol)
			if report.OK() {
				right++
			}
			text := json.RawMessage(written(t, in))
			cases, reports = append(cases, nodeCase{&text, sol}), append(reports, report)
			if changed%5 == 0 {
				sol = g.schedule(in)
			}
			line, err := json.Marshal(cases[len(cases)-1])
			if err != nil {
				t.Fatal(err)
			}
			writer.Write(line)
			writer.WriteByte('\n')
		}
	}
	if err := writer.Flush(); err != nil {
		t.Fatal(err)
	}
	command := exec.Command(python, "testdata/nodes.py")
	var stderr bytes.Buffer
	command.Stdin, command.Stderr = &input, &stderr
	output, err := command.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr.String())
	}
	verdicts := json.NewDecoder(bytes.NewReader(output))
	for k, report := range reports {
		var v nodeVerdict
		if err := verdicts.Decode(&v); err != nil {
			t.Fatalf("verdict %d: %v", k, err)
		}
		show := func() string { text, _ := json.MarshalIndent(cases[k], "", " "); return string(text) }
		if report.OK() != (len(v.Faults) == 0) {
			t.Fatalf("case %d: found\n%s\nthe second checker %v\n%s", k, violations(report), v.Faults, show())
		}
		if !report.OK() {
			continue
		}
		if got, ok := report.Metrics["device_utilisation"]; ok && math.Abs(got.Total-v.Utilisation) > 1e-9 {
			t.Fatalf("case %d: device_utilisation %v, the second checker %v\n%s", k, got.Total, v.Utilisation, show())
		}
		if got, ok := report.Metrics["stranded"]; ok && math.Abs(got.Total-v.Stranded) > 1e-9 {
			t.Fatalf("case %d: stranded %v, the second checker %v\n%s", k, got.Total, v.Stranded, show())
		}
	}
	if wrong := len(reports) - right; right < 2000*int(rounds)/150 || wrong < 2000*int(rounds)/150 {
		t.Errorf("only %d right schedules and %d wrong ones", right, wrong)
	}
}

// Shares of one job lie on different devices, also in two pieces of it on one machine.
func TestPiecesOfAJobShareNoDevice(t *testing.T) {
	in, err := readInstance(document(`"devices": ["gpu"],`, `{"id": "c", "machines": [{"id": "m", "processors": 4, "resources": {"gpu": 2}}]}`,
		`{"id": "j", "processors": 2, "work": 1, "resources": {"gpu": 0.5}}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ first, second, want string }{
		{"0", "1", ""},
		{"0", "0", "device job j cluster c resource m [0, 1): two pieces of the job share device 0 of gpu"},
	} {
		piece := func(processors, device string) model.Piece {
			return model.Piece{Cluster: "c", Processors: set(processors), Tasks: 1, End: 1, Devices: model.DevicesHeld{"gpu": {"m": set(device)}}}
		}
		sol := &model.Solution{Schema: model.SolutionSchema, Jobs: []model.Placement{{Job: "j", End: 1, Pieces: []model.Piece{piece("0", c.first), piece("1", c.second)}}}}
		if got := violations(model.Check(in, sol)); got != c.want {
			t.Errorf("%s and %s: %q, want %q", c.first, c.second, got, c.want)
		}
	}
}

// Machines that are closed keep jobs out that ask for nothing; jobs that take no time, or none by their estimate, may start there.
func TestCanRunOnClosedMachines(t *testing.T) {
	for _, c := range []struct {
		machines, job string
		runs          bool
	}{
		{`{"id": "m", "closed": [{}]}`, `"work": 1`, false},
		{`{"id": "m", "closed": [{}]}`, `"work": 0`, true},
		{`{"id": "m", "closed": [{}]}`, `"work": 1, "estimate": 0`, true},
		{`{"id": "m", "closed": [{"from": 5}]}`, `"work": 1`, true},
		{`{"id": "m", "closed": [{"from": 5, "to": 6}]}`, `"work": 1`, true},
		{`{"id": "m", "closed": [{"from": 5}]}, {"id": "n"}`, `"work": 1`, true},
		{`{"id": "m", "closed": [{"from": 5}]}, {"id": "n"}`, `"work": 1, "processors": 2`, true},
		{`{"id": "m", "closed": [{"from": 5, "to": 9, "for": "r"}]}`, `"work": 1, "reservation": "r"`, true},
		{`{"id": "m", "closed": [{"from": 5, "for": "r"}]}`, `"work": 1, "reservation": "r"`, true},
		{`{"id": "m", "closed": [{"from": 5, "for": "r"}, {"from": 7}]}`, `"work": 1, "reservation": "r"`, true},
	} {
		in, err := readInstance(document("", `{"id": "c", "machines": [`+c.machines+`]}`, `{"id": "j", `+c.job+`}`))
		if err != nil {
			t.Fatal(err)
		}
		if runs := in.CanRun(0, 0); runs != c.runs {
			t.Errorf("%s on %s: can run %v, want %v", c.job, c.machines, runs, c.runs)
		}
	}
}

// cloneSolution is a copy that shares nothing.
func cloneSolution(t testing.TB, sol *model.Solution) *model.Solution {
	text, err := json.Marshal(sol)
	if err != nil {
		t.Fatal(err)
	}
	again := new(model.Solution)
	if err := json.Unmarshal(text, again); err != nil {
		t.Fatal(err)
	}
	return again
}

// nodeDrawer draws instances with nodes and schedules of them.
type nodeDrawer struct{ *rand.Rand }

// one draws one of the values.
func one[T any](g *nodeDrawer, values ...T) T { return values[g.IntN(len(values))] }

// instance draws an instance.
func (g *nodeDrawer) instance() model.InstanceSpec {
	spec := model.InstanceSpec{Devices: []string{"gpu"}}
	cluster := model.ClusterSpec{ID: "c"}
	for k := range 1 + g.IntN(3) {
		m := model.MachineSpec{ID: fmt.Sprint("m", k), Count: 1 + g.IntN(2), Processors: 1 + g.IntN(6), Resources: map[string]float64{}}
		m.Resources["gpu"] = one(g, 0.0, 1, 2, 4)
		m.Resources["cpu"] = one(g, 0, 1.5, 4, 0.3)
		for _, f := range []string{"a", "b", "c"} {
			if g.IntN(2) == 0 {
				m.Features = append(m.Features, f)
			}
		}
		for range g.IntN(3) {
			from := float64(g.IntN(12))
			c := model.ClosedSpec{From: from, For: one(g, "", "r", "r", "s")}
			if g.IntN(4) > 0 {
				c.To = new(from + float64(1+g.IntN(8)))
			}
			m.Closed = append(m.Closed, c)
		}
		cluster.Machines = append(cluster.Machines, m)
	}
	spec.Clusters = []model.ClusterSpec{cluster}
	for k := range 1 + g.IntN(6) {
		spec.Jobs = append(spec.Jobs, g.job(k))
	}
	if g.IntN(3) == 0 {
		g.running(&spec)
	}
	return spec
}

// job draws a job.
func (g *nodeDrawer) job(k int) model.JobSpec {
	block := one(g, 1, 1, 2, 3)
	blocks := 1 + g.IntN(4)
	j := model.JobSpec{ID: fmt.Sprint("j", k), Processors: model.Rigid(block * blocks), Block: block, Work: new(float64(g.IntN(4))), Arrival: float64(one(g, 0, 0, 1))}
	if g.IntN(3) == 0 {
		j.Estimate = new(*j.Work + float64(g.IntN(3)-1)*0.5)
		*j.Estimate = max(0, *j.Estimate)
	}
	j.Resources = map[string]float64{}
	if g.IntN(2) == 0 {
		j.Resources["gpu"] = one(g, 0, 0.25, 0.5, 0.7, 1, 2)
	}
	if g.IntN(3) == 0 {
		j.Resources["cpu"] = one(g, 0.1, 0.5, 1, 1.5)
	}
	if g.IntN(4) == 0 {
		n := 1 + g.IntN(blocks)
		j.Machines = model.Moldable(n, min(blocks, n+g.IntN(2)))
	}
	if g.IntN(5) == 0 && j.Machines == (model.ProcessorRange{}) {
		j.PerMachine = one(g, 1, blocks)
	}
	for range g.IntN(3) / 2 {
		j.Features = append(j.Features, one(g, []string{"a"}, []string{"b", "c"}, []string{"a", "b"}))
	}
	j.Exclusive = g.IntN(6) == 0
	j.Reservation = one(g, "", "", "", "r", "s")
	return j
}

// running makes the first job one that runs already, on the first processors.
func (g *nodeDrawer) running(spec *model.InstanceSpec) {
	j, m, there := &spec.Jobs[0], &spec.Clusters[0].Machines[0], 0
	for _, group := range spec.Clusters[0].Machines {
		there += group.Count * group.Processors
	}
	if j.Processors.Min > there {
		return
	}
	name := m.ID
	if m.Count > 1 {
		name += "[0]"
	}
	j.Arrival = 0
	j.Running = &model.RunningSpec{Cluster: "c", Processors: model.NewProcessorSet(model.Range{Last: j.Processors.Min - 1}), Elapsed: 2, Holds: map[string]map[string]float64{name: {}}}
	if gpus := int(m.Resources["gpu"]); gpus > 0 {
		n := 1 + g.IntN(gpus)
		j.Running.Holds[name]["gpu"] = one(g, 0.5, 1) * float64(n)
		j.Running.Devices = model.DevicesHeld{"gpu": {name: model.Processors(g.Perm(gpus)[:n]...)}}
	}
	if cpu := m.Resources["cpu"]; cpu > 0 {
		j.Running.Holds[name]["cpu"] = cpu / 2
	}
}

// schedule draws a schedule: of each job the first of some random placements that the checker accepts.
func (g *nodeDrawer) schedule(in *model.Instance) *model.Solution {
	sol := &model.Solution{Schema: model.SolutionSchema}
	out := func(k int) model.Unscheduled { return model.Unscheduled{Job: in.Jobs()[k].ID, Reason: "no"} }
	for k := range in.Jobs() {
		sol.Unscheduled = append(sol.Unscheduled, out(k))
	}
	order := g.Perm(len(in.Jobs()))
	slices.SortStableFunc(order, func(a, b int) int { // what runs already comes first
		first := func(k int) int {
			if in.Jobs()[k].Node().Running != nil {
				return 0
			}
			return 1
		}
		return first(a) - first(b)
	})
	for _, k := range order {
		at := slices.IndexFunc(sol.Unscheduled, func(u model.Unscheduled) bool { return u.Job == in.Jobs()[k].ID })
		for range 30 {
			trial := *sol
			trial.Jobs = append(slices.Clone(sol.Jobs), g.placement(in, k))
			trial.Unscheduled = slices.Delete(slices.Clone(sol.Unscheduled), at, at+1)
			if model.Check(in, &trial).OK() {
				sol = &trial
				break
			}
		}
	}
	return sol
}

// placement draws a placement of a job, on blocks of processors of random machines.
func (g *nodeDrawer) placement(in *model.Instance, k int) model.Placement {
	j, c := &in.Jobs()[k], &in.Clusters()[0]
	n := j.Node()
	p := model.Placement{Job: j.ID, Cluster: "c", Start: j.Arrival + float64(g.IntN(10))}
	if run := n.Running; run != nil && g.IntN(8) > 0 {
		p.Start, p.Processors = 0, run.Processors
		p.End = in.Duration(k, 0, p.Processors)
		p.Devices = model.DevicesHeld{}
		for resource, machines := range run.Devices { // not shared: changes are made in it
			p.Devices[resource] = maps.Clone(machines)
		}
		return p
	}
	var processors []int
	free := map[int][]int{} // by machine
	for q := range c.Processors {
		machine, _ := c.MachineOf(q)
		free[machine] = append(free[machine], q)
	}
	onMachine := map[string]int{} // blocks
	groups := map[string]*model.Machine{}
	for tries := 0; len(processors) < j.Min && tries < 30; tries++ {
		group := &c.Machines[g.IntN(len(c.Machines))]
		at := g.IntN(group.Count)
		machine, _ := c.MachineOf(group.First + at*group.Units)
		if len(free[machine]) < n.Block {
			continue
		}
		processors = append(processors, free[machine][:n.Block]...)
		free[machine] = free[machine][n.Block:]
		onMachine[group.Name(at)]++
		groups[group.Name(at)] = group
	}
	if len(processors) == 0 {
		processors = []int{0}
	}
	p.Processors = model.Processors(processors...)
	p.End = p.Start + in.Duration(k, 0, p.Processors)
	for r, resource := range in.Resources() {
		need := n.Need(r)
		if !resource.Devices || need == 0 {
			continue
		}
		p.Devices = model.DevicesHeld{resource.ID: {}}
		for name, blocks := range onMachine {
			if need >= model.WholeAmount {
				blocks *= int(need / model.WholeAmount)
			}
			there := int(groups[name].Amount(r) / model.WholeAmount)
			if blocks <= there {
				p.Devices[resource.ID][name] = model.Processors(g.Perm(there)[:blocks]...)
			}
		}
	}
	return p
}

// change changes one thing in a schedule.
func (g *nodeDrawer) change(in *model.Instance, sol *model.Solution) *model.Solution {
	if len(sol.Jobs) == 0 {
		return sol
	}
	p := &sol.Jobs[g.IntN(len(sol.Jobs))]
	switch g.IntN(6) {
	case 0: // another start
		by := one(g, -1, -0.5, 0.5, 1, 2)
		if p.Start+by >= 0 {
			p.Start, p.End = p.Start+by, p.End+by
		}
	case 1: // other processors
		k, _ := in.JobIndex(p.Job)
		other := g.placement(in, k)
		p.Processors = other.Processors
	case 2: // all of another placement but the start
		k, _ := in.JobIndex(p.Job)
		other := g.placement(in, k)
		length := other.End - other.Start
		other.Start, other.End = p.Start, p.Start+length
		*p = other
	case 3: // other devices
		machines := p.Devices["gpu"]
		names := slices.Sorted(maps.Keys(machines))
		if len(names) == 0 {
			break
		}
		name := names[g.IntN(len(names))]
		switch devices := machines[name]; {
		case len(devices) == 0 || g.IntN(4) == 0:
			delete(machines, name)
		case g.IntN(2) == 0:
			machines[name] = model.Processors(devices.Min() + one(g, 0, 1))
		default: // as many others
			var ids []int
			for k := range devices.Len() {
				ids = append(ids, (devices.Min()+1+k)%4)
			}
			machines[name] = model.Processors(ids...)
		}
	case 4: // devices of another machine
		if p.Devices == nil {
			p.Devices = model.DevicesHeld{"gpu": {}}
		}
		if p.Devices["gpu"] == nil {
			p.Devices["gpu"] = map[string]model.ProcessorSet{}
		}
		m := &in.Clusters()[0].Machines[0]
		p.Devices["gpu"][m.Name(0)] = model.Processors(0)
	case 5: // another time altogether
		length := p.End - p.Start
		p.Start = float64(g.IntN(14))
		p.End = p.Start + length
	}
	return sol
}

package workload_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/params"
	"github.com/allot-opt/allot/workload"
)

// with is what New has made, with other values in some fields.
func with[W any](w *W, set func(*W)) *W {
	set(w)
	return w
}

// generated sets parameters, NAME=VALUE separated by spaces, and makes an instance.
func generated(t *testing.T, name, given string) (*model.Instance, error) {
	t.Helper()
	info, ok := workload.Named(name)
	if !ok {
		t.Fatalf("no workload %q", name)
	}
	w := info.New()
	for _, setting := range strings.Fields(given) {
		parameter, value, _ := strings.Cut(setting, "=")
		if err := params.Set(w, parameter, value); err != nil {
			return nil, err
		}
	}
	return w.Generate(1)
}

// What makes no sense is an error that names the parameter.
func TestWorkloadsRefuseNonsense(t *testing.T) {
	for _, c := range []struct{ workload, given, want string }{
		{"muscle", "clusters=20", `parameter clusters: expected size:speed, such as 20:1,16:1.2, found "20"`},
		{"muscle", "clusters=0:1", "parameter clusters"},
		{"muscle", "weights=1,2", "parameter weights: expected three numbers"},
		{"muscle", "weights=1,2,3/1,2,3/1,2,3/1,2,3/1,2,3", "parameter weights: expected at most 4"},
		{"muscle", "lower=50 upper=10", "parameter upper: expected at least lower, which is 50, found 10"},
		{"muscle", "min_size=5 max_size=3", "parameter max_size: expected at least min_size, which is 5, found 3"},
		{"muscle", "max_ratio=1 min_ratio=2", "parameter max_ratio: expected at least min_ratio, which is 2, found 1"},
		{"muscle", "max_size=16777217", "parameter max_size: expected a whole number from 1 to 16777216, found 16777217"},
		{"muscle", "sizes=odd", `parameter sizes: expected one of uniform, normal, log, found "odd"`},
		{"ggone", "machines=6", "parameter machines: expected machines:speed"},
		{"ggone", "machines=0:5", "parameter machines"},
		{"ggone", "load=1", "parameter load: expected a number above 0 and below 1, found 1"},
		{"ggone", "charge=x", "parameter charge: expected one of response, service"},
		{"ggone", "min_work=9 max_work=5", "parameter max_work: expected at least min_work"},
		{"ggone", "min_deadline=90", "parameter max_deadline: expected at least min_deadline"},
		{"ggone", "min_budget=90", "parameter max_budget: expected at least min_budget"},
		{"ggone-workflows", "machines=6", "parameter machines: expected machines:speed"},
		{"ggone-workflows", "prices=drawn cost=2", "parameter max_cost: expected at least cost"},
		{"ggone-workflows", "graph=x", "parameter graph: expected one of type1, type2, hw"},
		{"ggone-workflows", "min_work=9 max_work=5", "parameter max_work: expected at least min_work"},
		{"ggone-workflows", "min_deadline=90", "parameter max_deadline: expected at least min_deadline"},
		{"ggone-workflows", "min_budget=90", "parameter max_budget: expected at least min_budget"},
		{"mts", "jobs=1099511627776", "parameter jobs: expected a whole number from 1 to 10000000, found 1099511627776"},
		{"twolevel", "clusters=20,0", `parameter clusters: expected the machines of each cluster, such as 120,60,30,15, at most 1000000 in all, found "20,0"`},
		{"twolevel", "clusters=", "parameter clusters"},
		{"twolevel", "clusters=999999,2", "parameter clusters"},
		{"twolevel", "clusters=9223372036854775807,9223372036854775807", "parameter clusters"},
		{"twolevel", "clusters=100000 licences=101", "parameter licences: expected at most 100 on 100000 machines, found 101"},
		{"twolevel", "min_estimate=9 max_estimate=5", "parameter max_estimate: expected at least min_estimate"},
		{"twolevel", "min_benchmark=600", "parameter max_benchmark: expected at least min_benchmark"},
		{"twolevel", "max_margin=1", "parameter max_margin: expected at least min_margin"},
		{"twolevel", "max_processors=1", "parameter max_processors: expected at least min_processors"},
		{"twolevel", "min_licence_ratio=0.8", "parameter max_licence_ratio: expected at least min_licence_ratio"},
		{"twolevel", "gold_share=0.8", "parameter silver_share: expected at most 1 − gold_share, which is 0.19"},
		{"twolevel", "time_scale=0", "parameter time_scale: expected a number from 0.001 to 1000000, found 0"},
		{"twolevel", "licence_pools=job", "parameter licence_pools: expected one of cluster, grid"},
		{"twolevel", "machines_seed=-1", `parameter machines_seed: expected a whole number from 0 to 18446744073709551615, found "-1"`},
		{"spaceshare", "speeds=fast", `parameter speeds: expected homogeneous, generations or a list of speeds from 1e-6 to 1e6, such as 1,2,4, found "fast"`},
		{"spaceshare", "speeds=1,0", "parameter speeds"},
		{"spaceshare", "speeds=1,NaN", "parameter speeds"},
		{"spaceshare", "load=0", "parameter load: expected a number from 0.001 to 1000, found 0"},
		{"spaceshare", "demand_cv=0.5", "parameter demand_cv: expected a number from 1 to 100, found 0.5"},
		{"spaceshare", "min_parallelism=65", "parameter max_parallelism: expected at least min_parallelism, which is 65, found 64"},
		{"spaceshare", "clusters=1000000 processors=1000", "parameter processors: expected at most 16777216 in all clusters, found 1000"},
		{"spaceshare", "background_load=1", "parameter background_load: expected a number of at least 0 and below 1, found 1"},
		{"four", "clusters=2x8:1", "parameter clusters: expected nodes×processors:speed:memory, such as 1x8:1:16,1x16:1.2:64, with at least 1/1024 of memory for each processor, found \"2x8:1\""},
		{"four", "clusters=2x8:1:16:3", "parameter clusters"},
		{"four", "clusters=0x8:1:16", "parameter clusters"},
		{"four", "clusters=2x8:NaN:16", "parameter clusters"},
		{"four", "clusters=2x8:1:0.007", "parameter clusters"},
		{"four", "clusters=16777216x2:1:1", "parameter clusters"},
		{"four", "clusters=16777216x1:1:1 clusters_for=1", "parameter clusters"},
		{"four", "lower=50 upper=10", "parameter upper: expected at least lower, which is 50, found 10"},
		{"four", "min_ratio=9", "parameter max_ratio: expected at least min_ratio"},
		{"four", "min_budget=9", "parameter max_budget: expected at least min_budget"},
		{"four", "objective=idle_time", "parameter objective: expected one of makespan, missed, cost, cost_late, qos_penalty, mcp"},
		{"gpu", "types=G2,H100", `parameter types: expected all or a list of A10, G2, G3, P100, T4, V100M16, V100M32, found "G2,H100"`},
		{"gpu", "types=", "parameter types: expected all or a list"},
		{"gpu", "kinds=1,2,3", "parameter kinds: expected six weights from 0 to 1e9, not all 0"},
		{"gpu", "kinds=0,0,0,0,0,0", "parameter kinds"},
		{"gpu", "kinds=0,0,0,0,0,-1", "parameter kinds"},
		{"gpu", "kinds=0,0,0,0,0,NaN", "parameter kinds"},
		{"gpu", "kinds=0,0,0,0,0,1 types=T4", "parameter kinds: expected six weights from 0 to 1e9, not all 0, such as 1088,3078,3911,16,15,44, with pods that a node can hold"},
		{"gpu", "load=1e-9", "parameter load: expected 0 or a number from 0.001 to 1000, found 1e-9"},
		{"gpu", "gang_devices=3", "parameter gang_devices: expected 1, 2, 4 or 8, found 3"},
		{"gpu", "gang_share=0.1 types=T4", "parameter gang_devices: expected GPUs that a pod of openb has on at least two of the nodes, found 8"},
		{"gpu", "gang_share=0.1 nodes=1", "parameter gang_devices: expected GPUs that a pod of openb has on at least two of the nodes, found 8"},
		{"gpu", "gang_nodes=1", "parameter gang_nodes: expected a whole number from 2 to 100000, found 1"},
		{"gpu", "nodes=0", "parameter nodes"},
		{"mts", "q=1.5", "parameter q: expected a number from 0 to 1, found 1.5"},
	} {
		if _, err := generated(t, c.workload, c.given); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s, %s: error %v, expected one that says %q", c.workload, c.given, err, c.want)
		}
	}
}

// A struct with a value out of its range is refused as well as a text.
func TestWorkloadsCheckTheirFields(t *testing.T) {
	for name, w := range map[string]workload.Workload{"jobs": &workload.MTS{Resources: 1}, "resources": &workload.MTS{Jobs: 1}, "sizes": with(workload.Default[workload.Muscle](), func(w *workload.Muscle) { w.Sizes = "" })} {
		_, err := w.Generate(1)
		if wrong := (*params.Error)(nil); !errors.As(err, &wrong) || wrong.Name != name {
			t.Errorf("%+v: error %v, expected one of parameter %s", w, err, name)
		}
	}
}

// Odd numbers in any parameter never panic: either there is an instance, or the error names the parameter.
func TestWorkloadNumbersAtTheEdges(t *testing.T) {
	small := map[string]string{"muscle": "jobs=3 ", "ggone": "jobs=3 ", "four": "jobs=3 ", "mts": "jobs=3 resources=3 ", "twolevel": "jobs=3 clusters=2,1 ", "spaceshare": "jobs=3 ", "gpu": "jobs=3 ", "ggone-workflows": "workflows=3 "}
	for _, info := range workload.All() {
		for _, p := range params.Of(info.New()) {
			if p.Type == "string" {
				continue
			}
			for _, value := range []string{"0", "-1", "NaN", "+Inf", "1e308"} {
				in, err := generated(t, info.Name, small[info.Name]+p.Name+"="+value)
				if err != nil && !strings.Contains(err.Error(), p.Name) {
					t.Errorf("%s, %s=%s: the error does not name it: %v", info.Name, p.Name, value, err)
				}
				if err == nil && in == nil {
					t.Errorf("%s, %s=%s: no instance and no error", info.Name, p.Name, value)
				}
				if err == nil && value != "0" && value != "-1" {
					t.Errorf("%s, %s=%s is accepted", info.Name, p.Name, value)
				}
			}
		}
	}
}

// A zero means zero, also where the default is another number.
func TestWorkloadZeroMeansZero(t *testing.T) {
	in, err := generated(t, "mts", "jobs=50 resources=3 q=0")
	if err != nil {
		t.Fatal(err)
	}
	for _, j := range in.Jobs() {
		if j.Input != 0 {
			t.Fatalf("job %s has files, of %v, with q=0", j.ID, j.Input)
		}
	}
	if in, err = generated(t, "ggone", "jobs=5 work_cv=0 arrival_cv=0 cost_exponent=0"); err != nil {
		t.Fatal(err)
	}
	for _, j := range in.Jobs() {
		if j.WorkCV != 0 {
			t.Errorf("task %s has a CV of %v with work_cv=0", j.ID, j.WorkCV)
		}
	}
	for _, c := range in.Clusters() {
		if c.Machines[0].Cost != 0.07 {
			t.Errorf("cost %v with cost_exponent=0, expected 0.07 on all machines", c.Machines[0].Cost)
		}
	}
	if in, err = generated(t, "muscle", "jobs=0"); err != nil || len(in.Jobs()) != 0 {
		t.Errorf("%v, expected no jobs", err)
	}
	if in, err = generated(t, "muscle", "jobs=20 max_ratio=0 max_size=1"); err != nil {
		t.Fatal(err)
	}
	for k, j := range in.Jobs() {
		if time := in.Duration(k, 0, model.Processors(0)); j.Deadline != j.Arrival+time {
			t.Errorf("job %s: deadline %v, expected its length, %v", j.ID, j.Deadline, time)
		}
	}
}

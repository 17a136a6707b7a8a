package draw

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/workload"
)

// sharing is a schedule with shares of devices, two kinds of devices, a job without any, a reservation and a running job.
func sharing(t testing.TB) (*model.Solution, *model.Instance) {
	t.Helper()
	gpu := func(amount float64) map[string]float64 { return map[string]float64{"gpu": amount} }
	in, err := model.New(model.InstanceSpec{
		Name: "shares", Devices: []string{"gpu", "fpga"}, Units: &model.Units{Time: "min"},
		Clusters: []model.ClusterSpec{{ID: "c", Machines: []model.MachineSpec{
			{ID: "n", Count: 2, Processors: 8, Resources: gpu(2), Closed: []model.ClosedSpec{{From: 60, To: pointer(90)}}},
			{ID: "mixed", Processors: 4, Resources: map[string]float64{"gpu": 1, "fpga": 1}, Closed: []model.ClosedSpec{{From: 70, For: "lab"}}},
			{ID: "plain", Processors: 4},
		}}},
		Jobs: []model.JobSpec{
			{ID: "half", Work: pointer(40), Resources: gpu(0.5)},
			{ID: "third", Work: pointer(20), Resources: gpu(0.3)},
			{ID: "fifth", Work: pointer(60), Resources: gpu(0.2)},
			{ID: "big", Work: pointer(20), Resources: gpu(0.7), Arrival: 40},
			{ID: "two", Processors: model.Rigid(4), Block: 2, Work: pointer(30), Resources: gpu(0.25), Machines: model.Rigid(1), PerMachine: 2},
			{ID: "whole", Processors: model.Rigid(2), Work: pointer(50), Resources: gpu(1), Machines: model.Rigid(2), PerMachine: 1},
			{ID: "fpga", Work: pointer(50), Resources: map[string]float64{"fpga": 1}},
			{ID: "bare", Processors: model.Rigid(3), Work: pointer(45)},
			{ID: "bare too", Work: pointer(20), Arrival: 30},
			{ID: "lab", Work: pointer(10), Resources: gpu(1), Reservation: "lab", Arrival: 75},
			{ID: "old", Work: pointer(25), Running: &model.RunningSpec{Cluster: "c", Processors: model.Processors(15),
				Holds: map[string]map[string]float64{"n[1]": gpu(0.4)}, Devices: model.DevicesHeld{"gpu": {"n[1]": model.Processors(1)}}}},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	on := func(job string, start, end float64, processors model.Range, devices ...string) model.Placement {
		p := at(job, "c", start, end, processors)
		for _, text := range devices {
			var resource, machineName, number string
			if _, err := fmt.Sscan(text, &resource, &machineName, &number); err != nil {
				t.Fatal(err)
			}
			var set model.ProcessorSet
			if err := set.UnmarshalText([]byte(number)); err != nil {
				t.Fatal(err)
			}
			if p.Devices == nil {
				p.Devices = model.DevicesHeld{}
			}
			if p.Devices[resource] == nil {
				p.Devices[resource] = map[string]model.ProcessorSet{}
			}
			p.Devices[resource][machineName] = set
		}
		return p
	}
	whole := on("whole", 0, 50, run(4, 4), "gpu n[0] 1", "gpu mixed 0")
	whole.Processors = model.Processors(4, 16)
	sol := &model.Solution{Schema: model.SolutionSchema, Instance: "shares", Jobs: []model.Placement{
		on("half", 0, 40, run(0, 0), "gpu n[0] 0"),
		on("third", 0, 20, run(1, 1), "gpu n[0] 0"),
		on("fifth", 0, 60, run(2, 2), "gpu n[0] 0"),
		on("big", 40, 60, run(3, 3), "gpu n[0] 0"),
		on("two", 0, 30, run(8, 11), "gpu n[1] 0-1"),
		whole,
		on("fpga", 10, 60, run(17, 17), "fpga mixed 0"),
		on("bare", 0, 45, run(20, 22)),
		on("bare too", 30, 50, run(5, 5)),
		on("lab", 75, 85, run(16, 16), "gpu mixed 0"),
		on("old", 0, 25, run(15, 15), "gpu n[1] 1"),
	}}
	if report := model.Check(in, sol); !report.OK() {
		t.Fatal(report.Violations)
	}
	return sol, in
}

// The rows are devices where the schedule states some, and what was asked for otherwise.
func TestRowsOf(t *testing.T) {
	sol, in := sharing(t)
	bare, _ := small(t)
	for _, c := range []struct {
		sol  *model.Solution
		opt  GanttOptions
		want Rows
		err  string
	}{
		{sol, GanttOptions{}, RowsDevices, ""},
		{sol, GanttOptions{Rows: RowsAuto, Instance: in}, RowsDevices, ""},
		{sol, GanttOptions{Rows: RowsProcessors}, RowsProcessors, ""},
		{bare, GanttOptions{}, RowsProcessors, ""},
		{bare, GanttOptions{Rows: RowsMachines}, "", "rows by machine: expected the instance with the solution"},
		{bare, GanttOptions{Rows: "nodes"}, "", `unknown rows "nodes": expected auto, processors, machines or devices`},
	} {
		got, err := rowsOf(c.sol, c.opt)
		if got != c.want || (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%v: rows %q, error %v", c.opt.Rows, got, err)
		}
	}
}

// Shares lie beside each other in the row of their device, where they were freed too; the hints say what they are.
func TestSharesInRows(t *testing.T) {
	sol, in := sharing(t)
	l, err := newLayout(sol, in, RowsDevices)
	if err != nil {
		t.Fatal(err)
	}
	at := func(id string) []string {
		var list []string
		for k := range l.blocks {
			if b := &l.blocks[k]; l.jobs[b.job].id == id {
				list = append(list, fmt.Sprintf("%d-%d %s", b.first, b.last, l.where(b)))
			}
		}
		return list
	}
	for id, want := range map[string][]string{
		"half":  {"0-499 n[0]: 50 % of gpu 0"},
		"third": {"500-799 n[0]: 30 % of gpu 0"},
		"fifth": {"800-999 n[0]: 20 % of gpu 0"},
		"big":   {"0-699 n[0]: 70 % of gpu 0"},
		// Two machines begin 2.9 rows apart: two devices, the row of the others and the gap.
		"two":      {"2900-3149 n[1]: 25 % of gpu 0", "3900-4149 n[1]: 25 % of gpu 1"},
		"old":      {"4150-4549 n[1]: 40 % of gpu 1"},
		"whole":    {"1000-1999 n[0]: gpu 1", "6800-7799 mixed: gpu 0"},
		"fpga":     {"5800-6799 mixed: fpga 0"},
		"bare":     {"8700-9699 plain: no device"},
		"bare too": {"2000-2599 n[0]: no device"},
	} {
		if got := at(id); !slices.Equal(got, want) {
			t.Errorf("%s lies at %q, expected %q", id, got, want)
		}
	}
	if b := l.bands[0]; b.units != 9700 || b.devices != 6 || len(b.machines) != 4 {
		t.Errorf("%d places, %d devices, %d machines", b.units, b.devices, len(b.machines))
	}
}

// What a share holds may be in two parts where others freed it.
func TestSharesInParts(t *testing.T) {
	list := []interval{
		{block{job: 0, end: 10, weight: 0.4}, 0.4}, {block{job: 1, end: 20, weight: 0.2}, 0.2}, {block{job: 2, end: 20, weight: 0.4}, 0.4},
		{block{job: 3, start: 10, end: 15, weight: 0.4}, 0.4},
	}
	var got []string
	for _, b := range placeOnRow(list, 0, 1000) {
		got = append(got, fmt.Sprintf("%d: %d-%d", b.job, b.first, b.last))
	}
	if want := []string{"0: 0-399", "1: 400-599", "2: 600-999", "3: 0-399"}; !slices.Equal(got, want) {
		t.Errorf("%q, expected %q", got, want)
	}
	list[3].share = 0.4
	list[2].end, list[2].share = 10, 0.1
	list = append(list, interval{block{job: 4, start: 10, end: 12}, 0.4}) // 400 places are left: 600 to 999
	list[0].share = 0.3
	got = nil
	weight := 0.0
	for _, b := range placeOnRow(list, 0, 1000) {
		got = append(got, fmt.Sprintf("%d: %d-%d", b.job, b.first, b.last))
		if b.job == 3 {
			weight += b.weight
		}
	}
	if want := []string{"0: 0-299", "1: 300-499", "2: 500-599", "3: 0-299", "3: 500-599", "4: 600-999"}; !slices.Equal(got, want) {
		t.Errorf("%q, expected %q", got, want)
	}
	if math.Abs(weight-0.4) > 1e-12 {
		t.Errorf("the parts of job 3 weigh %v, expected 0.4", weight)
	}
}

// On random schedules of GPU clusters no two jobs lie over each other, each lies on its machine's rows, and the busy share is the metric device_utilisation, which shares no code with
// the picture.
func TestRowsOfDevices(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		w := workload.Default[workload.GPU]()
		w.Jobs, w.Nodes, w.Load = rapid.IntRange(1, 60).Draw(r, "jobs"), rapid.IntRange(1, 12).Draw(r, "nodes"), rapid.SampledFrom([]float64{0, 0.5, 2}).Draw(r, "load")
		w.Kinds = rapid.SampledFrom([]string{"1,1,1,0,0,1", "1,5,1,0,0,0", "1,0,1,1,1,1"}).Draw(r, "kinds")
		in, err := w.Generate(rapid.Uint64Range(0, 1000).Draw(r, "seed"))
		if err != nil {
			r.Fatal(err)
		}
		sol := firstFit(t, in)
		l, err := newLayout(sol, in, RowsDevices)
		if err != nil {
			r.Fatal(err)
		}
		l.measure()
		for k := range l.blocks {
			a := &l.blocks[k]
			m := &l.bands[0].machines[l.bands[0].machineAt(a.first)]
			if a.last < a.first || a.first < m.first || a.last >= m.end() {
				r.Fatalf("%s lies at %d-%d, machine %s at %d-%d", l.jobs[a.job].id, a.first, a.last, m.name, m.first, m.end()-1)
			}
			for n := range l.blocks[:k] {
				if b := &l.blocks[n]; a.first <= b.last && b.first <= a.last && a.start < b.end && b.start < a.end {
					r.Fatalf("%s and %s lie over each other at %d-%d and %d-%d", l.jobs[a.job].id, l.jobs[b.job].id, a.first, a.last, b.first, b.last)
				}
			}
		}
		if len(l.blocks) == 0 || l.bands[0].devices == 0 {
			return
		}
		want, ok := sol.Metrics.Get("device_utilisation")
		if got := 100 * l.bands[0].busy; !ok || math.Abs(got-want) > 1e-6*max(1, want) {
			r.Errorf("busy %v %%, the metric says %v", got, want)
		}
	})
}

// Faults of devices are errors that say where.
func TestUndrawableDevices(t *testing.T) {
	for _, c := range []struct {
		devices model.DevicesHeld
		alone   bool
		want    string
	}{
		{model.DevicesHeld{"gpu": {"m": model.Processors(0)}}, false, `jobs[0] ("half"): devices: cluster "c" has no machine "m"`},
		{model.DevicesHeld{"gpu": {"n[0]": model.Processors(2)}}, false, `device 2: machine "n[0]" has 2 of "gpu"`},
		{model.DevicesHeld{"tpu": {"n[0]": model.Processors(0)}}, false, `device 0: machine "n[0]" has 0 of "tpu"`},
		{model.DevicesHeld{"gpu": {"n[0]": nil}}, false, `devices of "n[0]": no processors`},
		{model.DevicesHeld{"gpu": {"n[0]": model.Processors(math.MaxInt32)}}, true, `device 2147483647: machine "n[0]" has`},
	} {
		sol, in := sharing(t)
		sol.Jobs = sol.Jobs[:1]
		sol.Jobs[0].Devices = c.devices
		opt := GanttOptions{Instance: in}
		if c.alone {
			opt.Instance = nil
		}
		if _, err := Gantt(sol, opt); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: error %v, expected one with %q", c.devices, err, c.want)
		}
	}
}

// A cluster of a thousand nodes shows the load of its devices; each machine is a line of a text that is high enough.
func TestManyMachines(t *testing.T) {
	w := workload.Default[workload.GPU]()
	w.Jobs, w.Load = 1500, 0.9
	in, err := w.Generate(1)
	if err != nil {
		t.Fatal(err)
	}
	sol := firstFit(t, in)
	text := string(drawn(t, sample{"many", sol, GanttOptions{Instance: in}}, Text))
	if !strings.Contains(text, "1213 machines · 6212 devices") {
		t.Error(text)
	}
	if svg := string(drawn(t, sample{"many", sol, GanttOptions{Instance: in}}, SVG)); !strings.Contains(svg, "each column: the mean over") || !strings.Contains(svg, "6212 devices") {
		t.Error("the picture does not show the load of the devices")
	}
	if high := drawn(t, sample{"many", sol, GanttOptions{Instance: in, Height: 3000}}, Text); !strings.Contains(string(high), " G2[548] │") {
		t.Error(string(high))
	}
}

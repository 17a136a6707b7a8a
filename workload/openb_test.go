package workload

import (
	"cmp"
	"encoding/csv"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/model"
)

// openbRows reads a table of the trace: its rows by column.
func openbRows(t *testing.T, file string) []map[string]string {
	t.Helper()
	r, err := model.Open("../data/openb/" + file)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	cells, err := csv.NewReader(r).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var rows []map[string]string
	for _, line := range cells[1:] {
		row := map[string]string{}
		for k, name := range cells[0] {
			row[name] = line[k]
		}
		rows = append(rows, row)
	}
	return rows
}

// wholeOf is a whole number of a row.
func wholeOf(t *testing.T, row map[string]string, column string) int {
	t.Helper()
	x, err := strconv.Atoi(row[column])
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// The nodes are those of the trace by shape.
func TestOpenbNodes(t *testing.T) {
	count := map[openbNode]int{}
	for _, row := range openbRows(t, "nodes.csv.gz") {
		count[openbNode{row["model"], wholeOf(t, row, "gpu"), wholeOf(t, row, "cpu_milli"), wholeOf(t, row, "memory_mib"), 0}]++
	}
	var want []openbNode
	for n, k := range count {
		n.count = k
		want = append(want, n)
	}
	slices.SortFunc(want, func(a, b openbNode) int {
		return cmp.Or(b.count-a.count, cmp.Compare(a.model, b.model), a.gpus-b.gpus, a.cpuMilli-b.cpuMilli, a.memory-b.memory)
	})
	if !slices.Equal(openbNodes, want) {
		t.Errorf("the nodes are %v, expected %v", openbNodes, want)
	}
}

// The shapes of pods are those of the trace.
func TestOpenbPods(t *testing.T) {
	count := map[openbPod]int{}
	for _, row := range openbRows(t, "pods_default.csv.gz") {
		count[openbPod{wholeOf(t, row, "num_gpu"), wholeOf(t, row, "gpu_milli"), wholeOf(t, row, "cpu_milli"), wholeOf(t, row, "memory_mib"), 0}]++
	}
	var want []openbPod
	for p, k := range count {
		p.count = k
		want = append(want, p)
	}
	slices.SortFunc(want, func(a, b openbPod) int {
		return cmp.Or(a.gpus-b.gpus, a.gpuMilli-b.gpuMilli, a.cpuMilli-b.cpuMilli, a.memory-b.memory)
	})
	if !slices.Equal(openbPods, want) {
		t.Errorf("the pods are %v, expected %v", openbPods, want)
	}
}

// The lists of types are those of pods_gpuspec33, each type once.
func TestOpenbConstraints(t *testing.T) {
	count, withGPU := map[string]int{}, 0
	for _, row := range openbRows(t, "pods_gpuspec33.csv.gz") {
		if row["num_gpu"] != "0" {
			withGPU++
		}
		if types := strings.Split(row["gpu_spec"], "|"); types[0] != "" {
			slices.Sort(types)
			count[strings.Join(slices.Compact(types), "|")]++
		}
	}
	var want []openbConstraint
	all := 0
	for _, types := range slices.Sorted(maps.Keys(count)) {
		want = append(want, openbConstraint{types, count[types]})
		all += count[types]
	}
	slices.SortStableFunc(want, func(a, b openbConstraint) int { return b.count - a.count })
	if !slices.Equal(openbConstraints, want) || all != 2388 || withGPU != 7064 {
		t.Errorf("the lists are %v, of %d of %d pods, expected %v", openbConstraints, all, withGPU, want)
	}
}

// The quantiles of run times are those of the pods that were scheduled.
func TestOpenbRunTimes(t *testing.T) {
	times := make([][]float64, len(openbRunTimes))
	for _, row := range openbRows(t, "pods_default.csv.gz") {
		if row["scheduled_time"] == "" {
			continue
		}
		kind := 3
		switch gpus := wholeOf(t, row, "num_gpu"); {
		case gpus == 0:
			kind = 0
		case gpus == 1 && wholeOf(t, row, "gpu_milli") < 1000:
			kind = 1
		case gpus == 1:
			kind = 2
		}
		times[kind] = append(times[kind], float64(wholeOf(t, row, "deletion_time")-wholeOf(t, row, "scheduled_time")))
	}
	for kind, list := range times {
		slices.Sort(list)
		for k, level := range openbLevels {
			at := level / 100 * float64(len(list)-1)
			low := int(math.Floor(at))
			want := list[low]
			if low+1 < len(list) {
				want += (at - float64(low)) * (list[low+1] - list[low])
			}
			if math.Abs(openbRunTimes[kind][k]-want) > 0.5+1e-6 {
				t.Errorf("kind %d at %v %%: %v, expected %v", kind, level, openbRunTimes[kind][k], want)
			}
		}
	}
}

// Run times in equilibrium are drawn in proportion to their lengths: their mean is E[R²]/E[R], which the parts give in closed form.
func TestLengthBiased(t *testing.T) {
	race.OneGoroutine(t)
	for _, longest := range []float64{600, 86400, 1e9} {
		times := newRunTimes(openbRunTimes[2], longest)
		mean, square := 0.0, 0.0
		for _, p := range times {
			if p.from == p.to {
				mean, square = mean+p.probability*p.from, square+p.probability*p.from*p.from
				continue
			}
			mean += p.probability * (p.to - p.from) / math.Log(p.to/p.from)
			square += p.probability * (p.to*p.to - p.from*p.from) / 2 / math.Log(p.to/p.from)
		}
		const draws = 200_000
		plain, long := 0.0, 0.0
		for k := range draws {
			u := (float64(k) + 0.5) / draws
			plain, long = plain+times.at(u)/draws, long+times.longAt(u)/draws
		}
		if math.Abs(plain/mean-1) > 1e-3 || math.Abs(times.mean()/mean-1) > 1e-12 {
			t.Errorf("cut at %v: mean %v, stated %v, expected %v", longest, plain, times.mean(), mean)
		}
		if want := square / mean; math.Abs(long/want-1) > 1e-3 {
			t.Errorf("cut at %v: mean in proportion to the lengths %v, expected %v", longest, long, want)
		}
	}
}

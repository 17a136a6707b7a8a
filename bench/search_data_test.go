package bench_test

import (
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/allot-opt/allot/bound"
	"github.com/allot-opt/allot/formats/etc"
	"github.com/allot-opt/allot/formats/jobcsv"
	"github.com/allot-opt/allot/formats/swf"
	"github.com/allot-opt/allot/formats/wfformat"
	"github.com/allot-opt/allot/internal/realdata"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/plan"
)

// readData reads an instance of the real data with the reader of its format.
func readData(b *testing.B, read func(io.Reader) (*model.Instance, *model.ImportReport, error), parts ...string) *model.Instance {
	b.Helper()
	in, _, err := read(realdata.Open(b, parts...))
	if err != nil {
		b.Fatal(err)
	}
	return in
}

// mcpCases returns batches made by MUSCLE's recipe, with the best known mcp.
func mcpCases(b *testing.B) []searchCase {
	var cases []searchCase
	for _, row := range realdata.Table(b, "mcp", "best_known.csv") {
		in, err := model.ReadInstanceFile(realdata.Path(b, "mcp", row["instance"]+".json"))
		if err != nil {
			b.Fatal(err)
		}
		cases = append(cases, searchCase{name: row["instance"], in: in, known: row.Number(b, "best_known")})
	}
	return cases
}

// braunCases returns matrices of unrelated run times, with the best published makespan.
func braunCases(b *testing.B) []searchCase { return matrices(b, "best_known_MS") }

// programCases returns the same matrices, with the optimum of their linear program.
func programCases(b *testing.B) []searchCase { return matrices(b, "lp_lower_bound") }

// matrices returns the matrices of unrelated run times, with the known value from the given column of their table.
func matrices(b *testing.B, column string) []searchCase {
	var cases []searchCase
	for _, row := range realdata.Table(b, "braun_etc", "best_known.csv") {
		name := row["instance"]
		in := readData(b, func(r io.Reader) (*model.Instance, *model.ImportReport, error) {
			return etc.NewReader().Read(r, name)
		}, "braun_etc", name+".gz")
		cases = append(cases, searchCase{name: name, in: in, known: row.Number(b, column)})
	}
	return cases
}

// generatedMatrices returns twelve matrices of 512 jobs on 16 machines by the recipe of T. D. Braun et al. (2001, doi:10.1006/jpdc.2000.1714), one
// for each consistency (consistent, inconsistent, semi-consistent) and range of the jobs and of the machines, with the bound of their linear
// program. They are always the same.
func generatedMatrices(b *testing.B) []searchCase {
	var cases []searchCase
	for k, kind := range []string{"c", "i", "s"} {
		for l, ranges := range []struct {
			name          string
			jobs, machine float64
		}{{"hihi", 3000, 1000}, {"hilo", 3000, 10}, {"lohi", 100, 1000}, {"lolo", 100, 10}} {
			rows := brauns(kind, ranges.jobs, ranges.machine, uint64(101+4*k+l))
			processors, speeds := slices.Repeat([]int{1}, len(rows[0])), slices.Repeat([]float64{1}, len(rows[0]))
			prices := bound.FindPrices(b.Context(), processors, speeds, len(rows), func(job int) []float64 { return rows[job] })
			cases = append(cases, searchCase{name: kind + "_" + ranges.name, in: timesInstance(b, rows), known: prices.Value})
		}
	}
	return cases
}

// brauns returns the times of 512 jobs, by job, on 16 machines. A consistent matrix has every row sorted, a semi-consistent one the even columns.
func brauns(kind string, jobs, machine float64, seed uint64) [][]float64 {
	rng := rand.New(rand.NewPCG(seed, 0x657463)) // "etc"
	rows := make([][]float64, 512)
	for j := range rows {
		base, step, row := 1+(jobs-1)*rng.Float64(), map[string]int{"c": 1, "s": 2}[kind], make([]float64, 16)
		for i := range row {
			row[i] = base * (1 + (machine-1)*rng.Float64())
		}
		if rows[j] = row; step == 0 {
			continue
		}
		var sorted []float64
		for i := 0; i < len(row); i += step {
			sorted = append(sorted, row[i])
		}
		slices.Sort(sorted)
		for i, time := range sorted {
			row[i*step] = time
		}
	}
	return rows
}

// timesInstance is the instance of minimal makespan with the given times, by job and machine.
func timesInstance(b *testing.B, rows [][]float64) *model.Instance {
	b.Helper()
	builder := model.NewBuilder("times").Minimise("makespan", 1)
	for i := range rows[0] {
		builder.Cluster(model.ClusterSpec{ID: fmt.Sprint("m", i), Machines: []model.MachineSpec{{ID: "m"}}})
	}
	for j, row := range rows {
		times := map[string]float64{}
		for i, time := range row {
			times[fmt.Sprint("m", i)] = time
		}
		builder.Job(model.JobSpec{ID: fmt.Sprint("j", j), Runtime: times})
	}
	in, err := builder.Build()
	if err != nil {
		b.Fatal(err)
	}
	return in
}

// stripPackingCases returns rigid jobs on one cluster whose least makespan is proved. Hopper's sets list the items in the order in which they were
// cut from the strip; in this order a plain list schedule is often optimal. If shuffled is true, only these sets are returned, in a random order.
func stripPackingCases(b *testing.B, shuffled bool) []searchCase {
	var cases []searchCase
	for k, row := range realdata.Table(b, "strip_packing", "best_known.csv") {
		if row["also_optimal_for_noncontiguous_P_size_Cmax"] != "yes" || shuffled && !strings.HasPrefix(row["set"], "hopper") {
			continue
		}
		name := row["instance"] + ".csv"
		in := readData(b, func(r io.Reader) (*model.Instance, *model.ImportReport, error) {
			if shuffled {
				r = shuffledLines(b, r, uint64(k))
			}
			return (&jobcsv.Reader{Processors: int(row.Number(b, "strip_width_W")), Cluster: "cluster"}).Read(r, name)
		}, "strip_packing", row["set"], name)
		cases = append(cases, searchCase{name: row["instance"], in: in, known: row.Number(b, "best_known_strip")})
	}
	return cases
}

// shuffledLines reads a table and puts its rows in a random order.
func shuffledLines(b *testing.B, r io.Reader, seed uint64) io.Reader {
	b.Helper()
	text, err := io.ReadAll(r)
	if err != nil {
		b.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	rows := lines[1:]
	rng := rand.New(rand.NewPCG(seed, 0x73687566)) // "shuf"
	rng.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	return strings.NewReader(strings.Join(lines, "\n") + "\n")
}

// workflowCases returns workflows on each of the given numbers of processors. The known value is the larger of the critical path and the work per
// processor. No list schedule on p processors is above 2 − 1/p times that (R. L. Graham 1969, doi:10.1137/0117039).
func workflowCases(b *testing.B, processors ...int) []searchCase {
	var cases []searchCase
	for _, p := range processors {
		for _, row := range realdata.Table(b, "wfformat", "summary.csv") {
			name, _, _ := strings.Cut(row["instance"], "-")
			in := readData(b, func(r io.Reader) (*model.Instance, *model.ImportReport, error) {
				return (&wfformat.Reader{Processors: p, Cluster: "cluster", MissingRuntime: "keep"}).Read(r, row["instance"])
			}, "wfformat", row["instance"])
			cases = append(cases, searchCase{
				name:  fmt.Sprintf("%s-p%d", name, p),
				in:    in,
				known: workflowBound(in),
				limit: 2 - 1/float64(p),
			})
		}
	}
	return cases
}

// workflowBound returns the larger of the critical path and the work per processor, on processors of speed 1.
func workflowBound(in *model.Instance) float64 {
	jobs := in.Jobs()
	end := make([]float64, len(jobs))
	work, path := 0.0, 0.0
	for _, j := range plan.ArrivalOrder(in) { // each job comes after the jobs that it waits for
		start := 0.0
		for _, before := range jobs[j].After {
			start = max(start, end[before])
		}
		end[j] = start + jobs[j].Work
		path = max(path, end[j])
		work += jobs[j].Work * float64(jobs[j].Min)
	}
	return max(path, work/float64(in.Processors()))
}

// batch returns the first jobs of a real workload trace, all released at 0.
func batch(b *testing.B, jobs int) *model.Instance {
	return readData(b, func(r io.Reader) (*model.Instance, *model.ImportReport, error) {
		return with(swf.NewReader(), func(x *swf.Reader) { x.Jobs, x.Batch = jobs, true }).Read(r, "mira")
	}, "swf", "mira.swf.gz")
}

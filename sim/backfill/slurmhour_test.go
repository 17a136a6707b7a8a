package backfill_test

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/allot-opt/allot/formats"
	format "github.com/allot-opt/allot/formats/slurm"
	"github.com/allot-opt/allot/internal/realdata"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/sim"
	"github.com/allot-opt/allot/sim/backfill"
	"github.com/allot-opt/allot/solve"
	_ "github.com/allot-opt/allot/solvers"
)

// hour is a record of a real Slurm, as allot import sacct reads it with slurm.conf and the limits beside it.
type hour struct {
	*model.Instance
	site       *backfill.Site
	parameters map[string]string
}

// readHour reads a record.
func readHour(t *testing.T, record string) *hour {
	t.Helper()
	of := func(name string) format.Source {
		file, err := model.Open(filepath.Join(realdata.Root(t), "slurm-hour", name))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = file.Close() })
		return format.Source{Reader: io.Reader(file), Name: name}
	}
	var sources []formats.Source
	for _, name := range []string{record, "slurm.conf", "qos.txt", "assoc.txt"} {
		sources = append(sources, formats.Source(of(name)))
	}
	in, report, err := format.NewTraceReader().ReadFiles(sources)
	if err != nil || report.Kept != 2000 {
		t.Fatalf("%v, %v", err, report)
	}
	settings, err := format.ReadSettings(of("slurm.conf"), nil)
	if err != nil {
		t.Fatal(err)
	}
	h := &hour{Instance: in, site: &backfill.Site{Settings: settings.Priority}}
	for _, p := range settings.Partitions {
		h.site.Partitions = append(h.site.Partitions, p.Partition())
	}
	if h.site.Associations, err = format.ReadAssociations(of("assoc.txt"), format.Source{}); err == nil {
		h.site.Qualities, err = format.ReadQualities(of("qos.txt"))
	}
	if err == nil {
		h.parameters, err = settings.Parameters()
	}
	if err != nil {
		t.Fatal(err)
	}
	h.site.Of = func(id string) (string, float64, float64) {
		k, _ := in.JobIndex(id)
		return in.Jobs()[k].Quality(), 0, 0
	}
	return h
}

// recorded are the waits of the jobs by the record, by id.
func (h *hour) recorded() map[string]float64 {
	waits := map[string]float64{}
	for k := range h.Jobs() {
		start, _ := h.Recorded(k)
		waits[h.Jobs()[k].ID] = start - h.Jobs()[k].Arrival
	}
	return waits
}

// under runs a policy and returns the waits of its jobs. The cycles of the policy begin ahead seconds before those of a clock that begins with the first job.
func (h *hour) under(t *testing.T, text string, ahead float64) map[string]float64 {
	t.Helper()
	choice, err := solve.Choose(text)
	if err != nil {
		t.Fatal(err)
	}
	policy, _ := solve.PolicyOf(choice.Solver)
	if strings.Contains(text, "order=slurm") {
		if err := policy.(interface{ OnSite(*backfill.Site) error }).OnSite(h.site); err != nil {
			t.Fatal(err)
		}
	}
	spec := h.Spec()
	*spec.TimeZero -= ahead
	for k := range spec.Jobs {
		spec.Jobs[k].Arrival += ahead
		*spec.Jobs[k].Recorded += ahead
	}
	in, err := model.New(spec)
	if err != nil {
		t.Fatal(err)
	}
	sol, _, err := solve.Simulate(t.Context(), policy, in, sim.Options{})
	if err != nil || len(sol.Jobs) != len(in.Jobs()) {
		t.Fatalf("%s: %d jobs start, %v", text, len(sol.Jobs), err)
	}
	waits := map[string]float64{}
	for _, p := range sol.Jobs {
		waits[p.Job] = p.Start
	}
	for k := range in.Jobs() {
		waits[in.Jobs()[k].ID] -= in.Jobs()[k].Arrival
	}
	return waits
}

// ranks are the places of values in their order; equal ones share the mean of theirs.
func ranks(x []float64) []float64 {
	order := make([]int, len(x))
	for k := range order {
		order[k] = k
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(x[a], x[b]) })
	list := make([]float64, len(x))
	for k := 0; k < len(order); {
		end := k
		for end < len(order) && x[order[end]] == x[order[k]] {
			end++
		}
		for _, at := range order[k:end] {
			list[at] = float64(k+end-1) / 2
		}
		k = end
	}
	return list
}

// nearness is how near waits come to others: both means, Spearman's rank correlation, and the median of the differences.
type nearness struct{ mean, theirs, rank, off float64 }

func nearnessOf(ours, theirs []float64) (d nearness) {
	n := float64(len(ours))
	x, y := ranks(ours), ranks(theirs)
	var xy, xx, yy float64
	var off []float64
	for k := range ours {
		d.mean, d.theirs = d.mean+ours[k]/n, d.theirs+theirs[k]/n
		a, b := x[k]-(n-1)/2, y[k]-(n-1)/2
		xy, xx, yy = xy+a*b, xx+a*a, yy+b*b
		off = append(off, math.Abs(ours[k]-theirs[k]))
	}
	slices.Sort(off)
	d.rank, d.off = xy/math.Sqrt(xx*yy), off[len(off)/2]
	return d
}

// TestSlurmHour compares the policy with a real Slurm that ran the same jobs twice, for an hour, and that with itself. The table of the figures stands in docs/slurm.md.
//
// Nobody knows when the cycles of a site begin, so the policy runs with ten beginnings: each counts by itself, and their mean as a forecast of each wait.
func TestSlurmHour(t *testing.T) {
	page, err := os.ReadFile("../../docs/slurm.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, hour := range []struct{ name, load string }{{"load-95", "0.95"}, {"load-105", "1.05"}} {
		first, second := readHour(t, hour.name+"-1.txt.gz"), readHour(t, hour.name+"-2.txt.gz")
		rows := map[string]string{}
		truth := first.recorded()
		policy := "backfill:order=slurm"
		for _, name := range slices.Sorted(maps.Keys(first.parameters)) {
			policy += ":" + name + "=" + first.parameters[name]
		}
		runs := []struct {
			name  string
			waits []map[string]float64
		}{{name: "Slurm again", waits: []map[string]float64{second.recorded()}}, {name: "backfill:order=slurm"}, {name: "easy"}}
		for ahead := 0.0; ahead < 30; ahead += 3 {
			runs[1].waits = append(runs[1].waits, first.under(t, policy, ahead))
		}
		runs[2].waits = append(runs[2].waits, first.under(t, "easy", 0))
		for _, run := range runs {
			for _, queue := range []string{"batch", "wide"} {
				var theirs, mean, means, correlations []float64
				for k, waits := range run.waits {
					var ours []float64
					theirs = theirs[:0]
					for j := range first.Jobs() {
						if job := &first.Jobs()[j]; job.Queue() == queue {
							ours, theirs = append(ours, waits[job.ID]), append(theirs, truth[job.ID])
						}
					}
					if k == 0 {
						mean = make([]float64, len(ours))
					}
					for j := range ours {
						mean[j] += ours[j] / float64(len(run.waits))
					}
					d := nearnessOf(ours, theirs)
					means, correlations = append(means, d.mean), append(correlations, d.rank)
				}
				d := nearnessOf(mean, theirs)
				if rows[queue] == "" {
					rows[queue] = fmt.Sprintf("| %s, %s | %.1f s |", hour.load, queue, d.theirs)
				}
				rows[queue] += strings.ReplaceAll(fmt.Sprintf(" %.1f s (%+.1f %%), %.2f, %.0f s |", d.mean, 100*(d.mean/d.theirs-1), d.rank, d.off), "-", "−")
				t.Logf("%-8s %-20s %-5s mean wait %5.1f s (%5.1f to %5.1f), recorded %5.1f s (%+5.1f %%), rank correlation %.2f (%.2f to %.2f), median error %.0f s",
					hour.name, run.name, queue, d.mean, slices.Min(means), slices.Max(means), d.theirs, 100*(d.mean/d.theirs-1), d.rank, slices.Min(correlations), slices.Max(correlations), d.off)
			}
		}
		for queue, row := range rows {
			if !strings.Contains(string(page), row) {
				t.Errorf("%s: docs/slurm.md does not have the row\n%s", queue, row)
			}
		}
	}
}

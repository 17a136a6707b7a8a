package backfill_test

import (
	"cmp"
	"fmt"
	"io"
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

// hour reads a record of the hour as allot import sacct does, with slurm.conf and the limits beside it, and the site as tune --slurm-conf knows it.
func hour(t *testing.T, record string) (*model.Instance, *format.Settings, *backfill.Site) {
	t.Helper()
	folder := os.Getenv("HOUR")
	if folder == "" {
		folder = filepath.Join(realdata.Root(t), "slurm", "hour")
	}
	open := func(name string) io.Reader {
		file, err := model.Open(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = file.Close() })
		return file
	}
	var sources []formats.Source
	for _, name := range []string{record, "slurm.conf", "qos.txt", "assoc.txt"} {
		sources = append(sources, formats.Source{Reader: open(name), Name: name})
	}
	in, report, err := format.NewTraceReader().ReadFiles(sources)
	if err != nil {
		t.Fatal(err)
	}
	t.Log(report.String())
	of := func(name string) format.Source { return format.Source{Reader: open(name), Name: name} }
	settings, err := format.ReadSettings(of("slurm.conf"), nil)
	if err != nil {
		t.Fatal(err)
	}
	site := &backfill.Site{Settings: settings.Priority}
	for _, p := range settings.Partitions {
		site.Partitions = append(site.Partitions, p.Partition())
	}
	if site.Associations, err = format.ReadAssociations(of("assoc.txt"), format.Source{}); err == nil {
		site.Qualities, err = format.ReadQualities(of("qos.txt"))
	}
	if err != nil {
		t.Fatal(err)
	}
	qualities, err := format.ReadJobQualities(open(record))
	if err != nil {
		t.Fatal(err)
	}
	site.Of = func(id string) (string, float64, float64) { return qualities[id], 0, 0 }
	return in, settings, site
}

// waitsUnder are the waits of the jobs under a policy, by id.
func waitsUnder(t *testing.T, in *model.Instance, policy solve.Policy) map[string]float64 {
	t.Helper()
	sol, _, err := solve.Simulate(t.Context(), policy, in, sim.Options{})
	if err != nil || len(sol.Jobs) != len(in.Jobs()) {
		t.Fatalf("%d of %d jobs start: %v", len(sol.Jobs), len(in.Jobs()), err)
	}
	waits := map[string]float64{}
	if d := os.Getenv("HOURDUMP"); d != "" {
		f, _ := os.Create(d + "place")
		for _, p := range sol.Jobs {
			fmt.Fprintln(f, p.Job, p.Start, p.Processors.String())
		}
		f.Close()
		os.Rename(d+"place", d+"place"+fmt.Sprint(policy.Discipline().Remembers))
	}
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

// nearness is how near waits come to those of a record.
type nearness struct{ jobs, mean, theirs, rank, off float64 }

func compareWaits(ours, theirs []float64) nearness {
	n := float64(len(ours))
	x, y := ranks(ours), ranks(theirs)
	var off []float64
	var d nearness
	var xy, xx, yy float64
	for k := range ours {
		d.mean, d.theirs = d.mean+ours[k]/n, d.theirs+theirs[k]/n
		a, b := x[k]-(n-1)/2, y[k]-(n-1)/2
		xy, xx, yy = xy+a*b, xx+a*a, yy+b*b
		off = append(off, math.Abs(ours[k]-theirs[k]))
	}
	slices.Sort(off)
	d.jobs, d.rank, d.off = n, xy/math.Sqrt(xx*yy), off[len(off)/2]
	return d
}

// TestSlurmHour replays the hour of a real Slurm.
func TestSlurmHour(t *testing.T) {
	in, settings, site := hour(t, "record1.txt.gz")
	again, _, _ := hour(t, "record2.txt.gz")
	recorded := func(in *model.Instance) map[string]float64 {
		waits := map[string]float64{}
		for k := range in.Jobs() {
			start, _ := in.Recorded(k)
			waits[in.Jobs()[k].ID] = start - in.Jobs()[k].Arrival
		}
		return waits
	}
	values, err := settings.Parameters()
	if err != nil {
		t.Fatal(err)
	}
	text := "backfill:order=slurm"
	for name, value := range values {
		text += ":" + name + "=" + value
	}
	policy := func(text string) solve.Policy {
		choice, err := solve.Choose(text)
		if err != nil {
			t.Fatal(err)
		}
		policy, _ := solve.PolicyOf(choice.Solver)
		if taker, is := policy.(interface{ OnSite(*backfill.Site) error }); is && strings.Contains(text, "order=slurm") {
			if err := taker.OnSite(site); err != nil {
				t.Fatal(err)
			}
		}
		return policy
	}
	truth := recorded(in)
	for _, run := range []struct {
		name  string
		waits map[string]float64
	}{
		{"record 2", recorded(again)},
		{"backfill:order=slurm", waitsUnder(t, in, policy(text))},
		{"slurm:delay=3", waitsUnder(t, in, policy(text+":delay=3"))},
		{"easy", waitsUnder(t, in, policy("easy"))},
		{"easy:order=priority", waitsUnder(t, in, policy("easy:order=priority"))},
	} {
		if os.Getenv("HOURDUMP") != "" {
			f, _ := os.Create(os.Getenv("HOURDUMP") + strings.ReplaceAll(run.name, ":", "_"))
			for k := range in.Jobs() {
				j := &in.Jobs()[k]
				fmt.Fprintln(f, j.ID, j.Arrival, truth[j.ID], run.waits[j.ID])
			}
			f.Close()
		}
		for _, queue := range []string{"batch", "wide"} {
			var ours, theirs []float64
			for k := range in.Jobs() {
				j := &in.Jobs()[k]
				if wait, is := run.waits[j.ID]; is && j.Queue() == queue {
					ours, theirs = append(ours, wait), append(theirs, truth[j.ID])
				}
			}
			d := compareWaits(ours, theirs)
			t.Logf("%-22s %-6s %4.0f jobs, mean wait %6.1f s (record %6.1f s, %+.1f %%), rank correlation %.3f, median error %.0f s", run.name, queue, d.jobs, d.mean, d.theirs, 100*(d.mean/d.theirs-1), d.rank, d.off)
		}
	}
}

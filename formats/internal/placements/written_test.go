package placements_test

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/allot-opt/allot/formats"
	_ "github.com/allot-opt/allot/formats/batsim"
	_ "github.com/allot-opt/allot/formats/slurm"
	_ "github.com/allot-opt/allot/formats/swf"
	"github.com/allot-opt/allot/internal/timetext"
	"github.com/allot-opt/allot/model"
)

// A format that has seconds gets seconds, one that has a unit of memory gets that, and dates are those of the instance, whatever units it counts in: what is written and read again says the same.
func TestWrittenUnits(t *testing.T) {
	kb := map[string]float64{"B": 1.0 / 1024, "KB": 1, "MB": 1024, "GB": 1 << 20}
	const zero = 1767225600 // 2026-01-01T00:00:00Z
	for _, unit := range []string{"", "s", "min", "h", "d"} {
		for _, memory := range []string{"", "KB", "MB", "GB"} {
			b := model.NewBuilder("w").Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Processors: 4}}})
			b.Spec().Units, b.Spec().TimeZero = &model.Units{Time: unit, Memory: memory}, new(float64(zero))
			b.Job(model.JobSpec{ID: "1", Work: new(2.0), Estimate: new(3.0), Memory: 64}, model.JobSpec{ID: "2", Arrival: 1, Work: new(2.0), Estimate: new(3.0)})
			in, err := b.Build()
			if err != nil {
				t.Fatal(err)
			}
			sol := &model.Solution{Jobs: []model.Placement{
				{Job: "1", Cluster: "c", Processors: model.Processors(0), Start: 0, End: 2}, {Job: "2", Cluster: "c", Processors: model.Processors(0), Start: 2, End: 4},
			}}
			each, _ := timetext.Seconds(cmp.Or(unit, "s"))
			for _, format := range []string{"swf", "sacct", "batsim"} {
				name := fmt.Sprintf("%s in %q and %q", format, unit, memory)
				var text bytes.Buffer
				for _, w := range formats.Writers() {
					if w.Name == format {
						err = w.Write(&text, in, sol)
					}
				}
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				read := again(t, format, text.String())
				for k, want := range [][2]float64{{0, 2 * each}, {each, 2 * each}} {
					if j := read.Jobs()[k]; j.Arrival-read.Jobs()[0].Arrival != want[0] || j.Work != want[1] || j.Estimate < 3*each || j.Estimate >= 3*each+60 {
						t.Errorf("%s: job %s arrives at %v, takes %v, estimated %v, expected %v s and %v s of %v", name, j.ID, j.Arrival, j.Work, j.Estimate, want[0], want[1], 3*each)
					}
				}
				if unix, stated := read.TimeZero(); format != "batsim" && (!stated || unix+read.Jobs()[0].Arrival != zero) {
					t.Errorf("%s: begins at %v", name, unix)
				}
				own := map[string]string{"swf": "KB", "sacct": "MB"}[format]
				want := 64 * kb[cmp.Or(memory, own)] / kb[own]
				if cell := map[string]string{"swf": " " + strconv.FormatFloat(want, 'f', -1, 64) + " 1 ", "sacct": fmt.Sprintf(",mem=%.0fM,", math.Ceil(want))}[format]; !strings.Contains(text.String(), cell) {
					t.Errorf("%s: expected a memory of %v %s in\n%s", name, want, own, &text)
				}
			}
		}
	}
}

// again reads what was written.
func again(t *testing.T, format, text string) *model.Instance {
	t.Helper()
	info, known := formats.Named(format)
	if !known {
		t.Fatalf("no format %s", format)
	}
	in, _, err := info.New().Read(strings.NewReader(text), format)
	if err != nil {
		t.Fatalf("%s: %v\n%s", format, err, text)
	}
	return in
}

package draw

import (
	"bytes"
	"encoding/xml"
	"errors"
	"flag"
	"image/png"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/model"
)

var update = flag.Bool("update", false, "rewrite the golden files in testdata")

// at is a placement on one cluster.
func at(job, cluster string, start, end float64, processors ...model.Range) model.Placement {
	return model.Placement{Job: job, Cluster: cluster, Processors: model.NewProcessorSet(processors...), Start: start, End: end}
}

// run is the processors first to last.
func run(first, last int) model.Range { return model.Range{First: first, Last: last} }

// pointer is the address of a value.
func pointer(x float64) *float64 { return &x }

// small is a schedule with a late job, a scattered one, one over two clusters and one left out.
func small(t testing.TB) (*model.Solution, *model.Instance) {
	t.Helper()
	in, err := model.NewBuilder("small-grid").
		Cluster(
			model.ClusterSpec{ID: "c1", Machines: []model.MachineSpec{{ID: "m", Processors: 8}}},
			model.ClusterSpec{ID: "c2", Machines: []model.MachineSpec{{ID: "m", Processors: 4}}},
			model.ClusterSpec{ID: "idle", Machines: []model.MachineSpec{{ID: "m", Processors: 2}}},
		).
		Job(
			model.JobSpec{ID: "rigid", Processors: model.Rigid(4), Work: pointer(60)},
			model.JobSpec{ID: "late", Processors: model.Rigid(4), Work: pointer(35), Deadline: pointer(80)},
			model.JobSpec{ID: "scattered", Processors: model.Rigid(3), Work: pointer(20), Deadline: pointer(80)},
			model.JobSpec{ID: "grid", Processors: model.Rigid(5), Span: "grid", Work: pointer(30)},
			model.JobSpec{ID: "left out", Processors: model.Rigid(8), Work: pointer(1000)},
			model.JobSpec{ID: "tick", Work: pointer(0)},
		).Build()
	if err != nil {
		t.Fatal(err)
	}
	return &model.Solution{
		Schema: model.SolutionSchema, Instance: "small-grid", Solver: "muscle+titan", Status: model.Feasible,
		Objective: pointer(95), Bound: model.ProvedBound(80),
		Jobs: []model.Placement{
			at("rigid", "c1", 0, 60, run(0, 3)),
			at("late", "c1", 60, 95, run(0, 3)),
			at("scattered", "c1", 10, 30, run(4, 4), run(6, 7)),
			{Job: "grid", Start: 40, End: 70, Pieces: []model.Piece{
				{Cluster: "c1", Processors: model.NewProcessorSet(run(5, 7)), Tasks: 3, Start: 40, End: 70},
				{Cluster: "c2", Processors: model.NewProcessorSet(run(0, 1)), Tasks: 2, Start: 40, End: 65},
			}},
			at("tick", "c2", 20, 20, run(3, 3)),
		},
		Unscheduled: []model.Unscheduled{{Job: "left out", Reason: "wider than every cluster"}},
	}, in
}

// sleeping is a schedule under prices, some below 0, and carbon, of machines that sleep in two states, within a horizon.
func sleeping(t testing.TB) (*model.Solution, *model.Instance) {
	t.Helper()
	power := &model.PowerSpec{Idle: 4, Busy: 2, Begin: "deep", Off: []model.OffSpec{
		{Name: "light", Power: 1, Down: model.WaySpec{Time: 1}, Up: model.WaySpec{Time: 1, Power: 4}},
		{Name: "deep", Down: model.WaySpec{Time: 1}, Up: model.WaySpec{Time: 3, Power: 5}},
	}}
	b := model.NewBuilder("power").Minimise("energy_cost", 1).Cluster(
		model.ClusterSpec{ID: "c1", Machines: []model.MachineSpec{{ID: "m", Count: 3, Processors: 2, Power: power}}},
		model.ClusterSpec{ID: "c2", Machines: []model.MachineSpec{{ID: "n", Count: 2, Power: &model.PowerSpec{Idle: 1}}},
			Tariff: &model.TariffSpec{Price: [][]float64{{0, 3}, {8, 1}, {20, 2}}}},
	)
	b.Spec().Units, b.Spec().Horizon = &model.Units{Time: "h", Cost: "EUR"}, &model.HorizonSpec{From: 2, To: 40}
	b.Spec().Tariff = &model.TariffSpec{Price: [][]float64{{0, 2}, {4, 3}, {6, -1}, {9, 1.5}}, Carbon: [][]float64{{0, 100}}, Period: 12}
	for _, id := range []string{"a", "b", "c", "d", "e"} {
		b.Job(model.JobSpec{ID: id, Processors: model.Rigid(2), Work: pointer(4)})
	}
	in, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return &model.Solution{Jobs: []model.Placement{at("a", "c1", 6, 10, run(0, 1)), at("b", "c1", 14, 18, run(0, 1)), at("c", "c1", 30, 34, run(1, 2)), at("d", "c2", 8, 12, run(0, 1)),
		at("e", "c1", 18, 22, run(3, 4))}}, in
}

// sample is a named schedule with the options to draw it by.
type sample struct {
	name string
	sol  *model.Solution
	opt  GanttOptions
}

// samples are ordinary and odd schedules that can be drawn.
func samples(t testing.TB) []sample {
	sol, in := small(t)
	none := *sol
	none.Jobs, none.Objective, none.Bound = nil, nil, model.Bound{}
	many, all := crowd(t, 1_500, 12)
	gpus, nodes := gpuExample(t)
	shared, few := sharing(t)
	sleepers, tariffs := sleeping(t)
	placed := func(jobs ...model.Placement) *model.Solution { return &model.Solution{Jobs: jobs} }
	return []sample{
		{"instance", sol, GanttOptions{Instance: in}},
		{"late", sol, GanttOptions{Instance: in, Colour: ByLate}},
		{"load", many, GanttOptions{Instance: all, View: ShowLoad, Width: 600}},
		{"window", many, GanttOptions{Instance: all, Colour: ByUser, Width: 600, Window: Window{From: 43200, To: 50400, HasFrom: true, HasTo: true}}},
		{"devices", gpus, GanttOptions{Instance: nodes, Height: 1200}},
		{"devices-machines", gpus, GanttOptions{Instance: nodes, Rows: RowsMachines}},
		{"devices-load", gpus, GanttOptions{Instance: nodes, View: ShowLoad, Width: 600}},
		{"devices-shares", shared, GanttOptions{Instance: few}},
		{"devices-alone", shared, GanttOptions{}},
		{"power", sleepers, GanttOptions{Instance: tariffs}},
		{"power-machines", sleepers, GanttOptions{Instance: tariffs, Rows: RowsMachines, Width: 340, Height: 420}},
		{"power-load", sleepers, GanttOptions{Instance: tariffs, View: ShowLoad, Width: 600, Window: Window{From: 5, HasFrom: true}}},
		{"power-low", sleepers, GanttOptions{Instance: tariffs, Width: 600, Height: 220}},
		{"alone", sol, GanttOptions{Title: "A title of one's own"}},
		{"empty", &none, GanttOptions{}},
		{"empty-instance", &none, GanttOptions{Instance: in}},
		{"one", placed(at("j", "c", 0, 10, run(0, 0))), GanttOptions{}},
		{"instant", placed(at("a", "c", 5, 5, run(0, 1)), at("b", "c", 5, 5, run(2, 2))), GanttOptions{}},
		{"origin", placed(at("a", "c", 0, 0, run(0, 1))), GanttOptions{}},
		{"huge", placed(at("a", "c", 0, math.MaxFloat64, run(0, 1)), at("b", "c", 1e300, math.MaxFloat64, run(2, 2))), GanttOptions{}},
		{"minute", placed(at("a", "c", 0, 5e-324, run(0, 1)), at("b", "c", 5e-324, 5e-324, run(2, 2))), GanttOptions{}},
		{"nanoseconds", placed(at("a", "c", 0, 3e-9, run(0, 1)), at("b", "c", 3e-9, 7e-9, run(2, 2))), GanttOptions{}},
		{"epoch", placed(at("a", "c", 1.5e9, 1.5e9+90, run(0, 1)), at("b", "c", 1.5e9+30, 1.5e9+200, run(2, 2))), GanttOptions{}},
		{"late-start", placed(at("a", "c", 1e18, 1e18+128, run(0, 1)), at("b", "c", 1e18, 1e18+256, run(2, 2))), GanttOptions{}},
		{"clusters", placed(at("a", "c10", 0, 1, run(0, 0)), at("b", "c2", 0, 2, run(0, 0)), at("c", "c1", 1, 2, run(0, 0))), GanttOptions{}},
		{"wide", placed(at("a", "big", 0, 9, run(0, 40000)), at("b", "big", 3, 8, run(49151, 49151)), at("c", "little", 1, 2, run(0, 2))), GanttOptions{}},
		{"widest", placed(at("a", "c", 0, 1, run(math.MaxInt32, math.MaxInt32))), GanttOptions{}},
		{"ids", placed(
			at(`<b>&"quoted"</b>`, "c<&>\"'", 0, 10, run(0, 1)),
			at("job 🚀 größe", "c<&>\"'", 10, 20, run(0, 1)),
			at("control\x00\x1b[31m\nnew line\u202ereversed", "c<&>\"'", 0, 20, run(2, 3)),
			at("not\xffUTF-8", "\xff\xfe", 0, 20, run(0, 1)),
			at(strings.Repeat("long ", 300), "\xff\xfe", 0, 20, run(2, 3)),
			at("", "\xff\xfe", 20, 21, run(2, 3)),
		), GanttOptions{Title: "]]></title><script>\x01"}},
	}
}

// into writes a picture that could be made.
func into(w io.Writer, format Format) func(*Picture, error) error {
	return func(p *Picture, err error) error {
		if err != nil {
			return err
		}
		return p.Write(w, format)
	}
}

// drawn draws a sample that can be drawn.
func drawn(t testing.TB, s sample, format Format) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := into(&out, format)(Gantt(s.sol, s.opt)); err != nil {
		t.Fatalf("%s as %s: %v", s.name, format, err)
	}
	return out.Bytes()
}

func TestGolden(t *testing.T) {
	race.OneGoroutine(t)
	for _, s := range samples(t) {
		for _, format := range []Format{Text, SVG} {
			got := drawn(t, s, format)
			extension := map[Format]string{Text: ".txt", SVG: ".svg"}[format]
			file := filepath.Join("testdata", s.name+extension)
			if *update {
				if err := os.WriteFile(file, got, 0o644); err != nil {
					t.Fatal(err)
				}
				continue
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), string(got)); diff != "" {
				t.Errorf("%s (-want +got), rewrite with -update:\n%s", file, diff)
			}
		}
	}
}

func TestSameBytesAgain(t *testing.T) {
	race.OneGoroutine(t)
	for _, s := range samples(t) {
		s.opt.Width, s.opt.Height = 400, 250
		for _, format := range Formats() {
			if !bytes.Equal(drawn(t, s, format), drawn(t, s, format)) {
				t.Errorf("%s as %s differs from itself", s.name, format)
			}
		}
	}
}

func TestPNGHasTheAskedSize(t *testing.T) {
	race.OneGoroutine(t)
	for _, s := range samples(t) {
		s.opt.Width, s.opt.Height = 443, 277
		img, err := png.Decode(bytes.NewReader(drawn(t, s, PNG)))
		if err != nil {
			t.Fatalf("%s: %v", s.name, err)
		}
		if size := img.Bounds().Size(); size.X != 443 || size.Y != 277 {
			t.Errorf("%s: size %v, want 443 × 277", s.name, size)
		}
	}
}

func TestSVGIsWellFormed(t *testing.T) {
	race.OneGoroutine(t)
	for _, s := range samples(t) {
		document := drawn(t, s, SVG)
		if !utf8.Valid(document) {
			t.Errorf("%s: not UTF-8", s.name)
		}
		decoder := xml.NewDecoder(bytes.NewReader(document))
		titles, scripts := 0, 0
		for {
			token, err := decoder.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("%s: %v", s.name, err)
			}
			if element, ok := token.(xml.StartElement); ok {
				switch element.Name.Local {
				case "title":
					titles++
				case "script", "b":
					scripts++
				}
			}
		}
		if titles == 0 || scripts > 0 {
			t.Errorf("%s: %d titles, %d elements from an id", s.name, titles, scripts)
		}
	}
}

func TestSVGSaysWhichJobABlockIs(t *testing.T) {
	sol, in := small(t)
	document := string(drawn(t, sample{"small", sol, GanttOptions{Instance: in}}, SVG))
	for _, want := range []string{
		"<title>small-grid</title>",
		"<title>late&#xA;c1: 0-3&#xA;60 – 95 s&#xA;waited 1 min&#xA;late by 15 s</title>",
		"<title>grid&#xA;c2: 0-1&#xA;40 – 65 s&#xA;waited 40 s</title>",
		"<title>tick&#xA;c2: 3&#xA;20 – 20 s&#xA;waited 20 s</title>",
	} {
		if !strings.Contains(document, want) {
			t.Errorf("no %s", want)
		}
	}
}

func TestUndrawable(t *testing.T) {
	_, in := small(t)
	one := func(p model.Placement) *model.Solution { return &model.Solution{Jobs: []model.Placement{p}} }
	set := func(s model.ProcessorSet) *model.Solution {
		return one(model.Placement{Job: "j", Cluster: "c", Processors: s, End: 1})
	}
	for _, c := range []struct {
		name   string
		sol    *model.Solution
		opt    GanttOptions
		format Format
		want   string
	}{
		{"nil", nil, GanttOptions{}, SVG, "no solution"},
		{"NaN", one(at("j", "c", math.NaN(), 1, run(0, 0))), GanttOptions{}, SVG, `jobs[0] ("j"): time NaN`},
		{"infinite", one(at("j", "c", 0, math.Inf(1), run(0, 0))), GanttOptions{}, SVG, "time +Inf"},
		{"negative", one(at("j", "c", -1, 1, run(0, 0))), GanttOptions{}, SVG, "time -1"},
		{"backwards", one(at("j", "c", 2, 1, run(0, 0))), GanttOptions{}, SVG, "ends at 1, before it starts at 2"},
		{"NaN piece", one(model.Placement{Job: "j", Pieces: []model.Piece{{Cluster: "c", Processors: model.Processors(1), End: math.NaN()}}}), GanttOptions{}, SVG, "time NaN"},
		{"no cluster", one(at("j", "", 0, 1, run(0, 0))), GanttOptions{}, SVG, "id of a cluster"},
		{"no processors", set(nil), GanttOptions{}, SVG, "no processors"},
		{"negative processor", set(model.ProcessorSet{{First: -1, Last: 2}}), GanttOptions{}, SVG, "processors -1-2"},
		{"processors backwards", set(model.ProcessorSet{{First: 3, Last: 2}}), GanttOptions{}, SVG, "processors 3-2"},
		{"processors overlap", set(model.ProcessorSet{{First: 0, Last: 2}, {First: 2, Last: 3}}), GanttOptions{}, SVG, "processors 2-3"},
		{"processor too large", set(model.ProcessorSet{{First: 0, Last: math.MaxInt}}), GanttOptions{}, SVG, "ascending order"},
		{"unknown job", one(at("j", "c1", 0, 1, run(0, 0))), GanttOptions{Instance: in}, SVG, "no such job"},
		{"unknown cluster", one(at("rigid", "c", 0, 1, run(0, 0))), GanttOptions{Instance: in}, SVG, `no cluster "c"`},
		{"beyond the cluster", one(at("rigid", "c2", 0, 1, run(2, 4))), GanttOptions{Instance: in}, SVG, `processor 4: cluster "c2" has 4 processors`},
		{"format", &model.Solution{}, GanttOptions{}, "gif", `unknown format "gif"`},
		{"narrow", &model.Solution{}, GanttOptions{Width: 10}, SVG, "width 10"},
		{"low", &model.Solution{}, GanttOptions{Height: -1}, SVG, "height -1"},
		{"large", &model.Solution{}, GanttOptions{Width: 16000, Height: 16000}, PNG, "at most 40,000,000 pixels"},
		{"narrow text", &model.Solution{}, GanttOptions{Width: 39}, Text, "width 39"},
		{"low text", &model.Solution{}, GanttOptions{Height: -1}, Text, "height -1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out bytes.Buffer
			err := into(&out, c.format)(Gantt(c.sol, c.opt))
			if err == nil || !strings.HasPrefix(err.Error(), "draw: ") || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want one with %q", err, c.want)
			}
			if out.Len() > 0 {
				t.Errorf("wrote %d bytes before it failed", out.Len())
			}
		})
	}
}

// brokenWriter fails at once.
type brokenWriter struct{}

// errBroken is what it fails with.
var errBroken = errors.New("broken")

// Write implements io.Writer.
func (brokenWriter) Write([]byte) (int, error) { return 0, errBroken }

func TestErrorsOfTheWriterAreReturned(t *testing.T) {
	sol, in := small(t)
	for _, format := range Formats() {
		if err := into(brokenWriter{}, format)(Gantt(sol, GanttOptions{Instance: in})); !errors.Is(err, errBroken) {
			t.Errorf("%s: error %v", format, err)
		}
	}
}

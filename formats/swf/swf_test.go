package swf_test

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/allot-opt/allot/formats/internal/readertest"
	"github.com/allot-opt/allot/formats/swf"
	"github.com/allot-opt/allot/model"
)

// with is a reader with parameters, each NAME=VALUE.
func with(settings ...string) *swf.Reader { return readertest.With(swf.NewReader(), settings...) }

func TestConform(t *testing.T) {
	readertest.Conform(t, "swf", header+"1 0 0 10 2\n2 5 0 10 2\n")
	readertest.Refused(t, &swf.Reader{Cluster: "c"}, "estimates")
	readertest.Refused(t, &swf.Reader{First: -1}, "first")
}

// Each parameter that has the wrong value is refused by its name.
func TestRefused(t *testing.T) {
	for name, set := range map[string]func(*swf.Reader){
		"cluster":            func(r *swf.Reader) { r.Cluster = "" },
		"jobs":               func(r *swf.Reader) { r.Jobs = -2 },
		"processors":         func(r *swf.Reader) { r.Processors = -3 },
		"estimates":          func(r *swf.Reader) { r.Estimates = "guess" },
		"memory":             func(r *swf.Reader) { r.Memory = "" },
		"too_wide":           func(r *swf.Reader) { r.TooWide = "clip" },
		"zero_runtime":       func(r *swf.Reader) { r.ZeroRuntime = "x" },
		"unknown_runtime":    func(r *swf.Reader) { r.UnknownRuntime = "keep" },
		"unknown_processors": func(r *swf.Reader) { r.UnknownProcessors = "keep" },
		"unknown_submit":     func(r *swf.Reader) { r.UnknownSubmit = "keep" },
	} {
		r := swf.NewReader()
		set(r)
		readertest.Refused(t, r, name)
	}
}

const header = "; Version: 2.2\n; MaxNodes: 4\n; MaxProcs: 8\n;\n"

// read reads a trace that must be right.
func read(t *testing.T, trace string, opt *swf.Reader) (*model.Instance, *model.ImportReport) {
	t.Helper()
	in, report, err := opt.Read(strings.NewReader(trace), "t.swf")
	if err != nil {
		t.Fatal(err)
	}
	return in, report
}

// jobs writes the jobs as id@arrival:work×processors, with ~estimate where there is one.
func jobs(in *model.Instance) string {
	var list []string
	for _, j := range in.Jobs() {
		text := fmt.Sprintf("%s@%g:%gx%d", j.ID, j.Arrival, j.Work, j.Min)
		if !math.IsNaN(j.Estimate) {
			text += fmt.Sprintf("~%g", j.Estimate)
		}
		list = append(list, text)
	}
	return strings.Join(list, " ")
}

// notes writes the notes of the report, one a line.
func notes(r *model.ImportReport) string {
	var list []string
	for _, n := range r.Notes {
		list = append(list, fmt.Sprintf("%s %d: %s (%s)", n.Action, n.Count, n.Reason, n.First))
	}
	return strings.Join(list, "\n")
}

func TestReadLayout(t *testing.T) {
	in, report := read(t, "\ufeff"+header+
		"  1   100 5  60  2 -1 -1  4  90 -1 1 1 1 -1 -1 -1 -1 -1\r\n"+
		"\n; a comment between: MaxProcs: 1\n\t \n"+
		"2\t130.5\t-1\t30.25\t8.0\t-1\t-1\t-1\t-1\t-1\t1\t1\t1\t-1\t-1\t-1\t-1\t-1\n"+
		"3 140 0 7 1 -1 -1 1 7 -1 1 1 1 -1 -1 -1 -1 -1 some more\n"+
		"4 150 0 7 1", swf.NewReader())
	if got, want := jobs(in), "1@0:60x4~90 2@30.5:30.25x8 3@40:7x1~7 4@50:7x1"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got, want := notes(report), `kept 2: requested processors unknown: the allocated are taken (line 9)
kept 2: requested time unknown: no estimate (line 9)
kept 1: more than 18 fields: the others are ignored (line 10)
repaired 1: fewer than 18 fields: the missing ones are unknown (line 11)`; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	c := in.Clusters()[0]
	if in.Name() != "t" || c.ID != "cluster" || c.Processors != 8 || c.Machines[0].ID != "node" || c.Machines[0].Count != 8 ||
		c.Machines[0].Processors != 1 || c.Machines[0].Speed != 1 || in.Units().Time != "s" {
		t.Errorf("got %q, %+v", in.Name(), c)
	}
}

func TestProcessorsOfTheSystem(t *testing.T) {
	const job = "1 0 0 1 1 -1 -1 1 1 -1 1 1 1 -1 -1 -1 -1 -1\n"
	for _, c := range []struct {
		header  string
		opt     int
		want    int
		message string
	}{
		{"; MaxNodes: 4\n; MaxProcs: 8\n", 0, 8, ""},
		{"; MaxNodes: 4\n", 0, 4, ""},
		{";MaxNodes:128 (two partitions of 64)\n", 0, 128, ""},
		{"; MaxNodes: 4\n; MaxProcs: -1\n", 0, 4, ""},
		{"; MaxNodes: 4\n; MaxProcs: 8\n", 16, 16, ""},
		{"; MaxProcs: many\n", 16, 16, ""},
		{"{\n", 0, 4, "t.swf: line 1: expected a trace in the Standard Workload Format, found what looks like JSON"},
		{"; MaxProcs: 4\n \n [1]\n", 1, 0, "t.swf: line 3: expected a trace in the Standard Workload Format, found what looks like JSON"},
		{"", 0, 0, "t.swf: expected a header with MaxProcs or MaxNodes before the first job, found neither: give the number of processors (--processors)"},
		{"; MaxProcs: many\n", 0, 0, `t.swf: line 1: header: expected a number, found "many"; or give the number of processors (--processors)`},
		{"; MaxProcs: 99999999\n", 0, 0, "t.swf: line 1: header: expected at most 16777216 processors, found 99999999"},
	} {
		for _, trace := range []string{c.header + job, c.header} {
			in, _, err := with(fmt.Sprint("processors=", c.opt)).Read(strings.NewReader(trace), "t.swf")
			switch {
			case c.message != "":
				if err == nil || err.Error() != c.message {
					t.Errorf("%q: got %v, want %s", trace, err, c.message)
				}
			case err != nil:
				t.Errorf("%q: %v", trace, err)
			case in.Processors() != c.want:
				t.Errorf("%q: got %d processors, want %d", trace, in.Processors(), c.want)
			}
		}
	}
}

// odd has one job of each odd kind, on 8 processors.
const odd = header +
	"1 10 0 60 2 -1 -1 2 90 -1 1 1 1 -1 -1 -1 -1 -1\n" + // line 5: right
	"2 20 0 60 9 -1 -1 9 90 -1 1 1 1 -1 -1 -1 -1 -1\n" + // wider than the system
	"3 30 0  0 2 -1 -1 2 90 -1 1 1 1 -1 -1 -1 -1 -1\n" + // run time 0
	"4 40 0 -1 2 50 -1 2 90 -1 1 1 1 -1 -1 -1 -1 -1\n" + // run time unknown, CPU time known
	"5 50 0 -1 2 -1 -1 2 90 -1 1 1 1 -1 -1 -1 -1 -1\n" + // run time unknown, requested time known
	"6 60 0 -1 2 -1 -1 2 -1 -1 1 1 1 -1 -1 -1 -1 -1\n" + // nothing known of its time
	"7 70 0 60 -1 -1 -1 0 90 -1 1 1 1 -1 -1 -1 -1 -1\n" + // processors unknown
	"8 80 0 60 -1 -1 -1 3 90 -1 1 1 1 -1 -1 -1 -1 -1\n" + // only the requested processors
	"9 -1 0 60 1 -1 -1 1 90 -1 1 1 1 -1 -1 -1 -1 -1\n" + // submit time unknown
	"1 90 0 60 1 -1 -1 1 90 -1 1 1 1 -1 -1 -1 -1 -1\n" + // number taken
	"1 85 0 99 1 -1 -1 1 90 -1 1 1 1 -1 -1 -1 -1 -1\n" // number taken, out of order, over its estimate

func TestOddJobs(t *testing.T) {
	for _, c := range []struct {
		name        string
		opt         *swf.Reader
		jobs, notes string
	}{
		{"dropped", swf.NewReader(), "1@0:60x2~90 8@70:60x3~90 1-2@80:60x1~90 1-3@75:99x1~99", `dropped 1: more processors than the system has (line 6)
dropped 1: run time 0 (line 7)
dropped 3: run time unknown (line 8)
dropped 1: processors unknown (line 11)
dropped 1: submit time unknown (line 13)
repaired 2: job number not unique: a suffix is appended (line 14)
kept 1: submit time before that of the job above it (line 15)
repaired 1: run time above the requested time: the estimate is raised to it (line 15)`},
		{"allocated, as stated", with("prefer_requested=false", "estimates=keep", "first=7"), "8@0:60x3~90 1@10:60x1~90 1-2@5:99x1~90", `kept 1: allocated processors unknown: the requested are taken (line 12)
dropped 1: submit time unknown (line 13)
kept 1: submit time before that of the job above it (line 15)
kept 1: run time above the requested time (line 15)
repaired 1: job number not unique: a suffix is appended (line 15)`},
		{"repaired", with("too_wide=repair", "zero_runtime=repair", "unknown_runtime=repair", "unknown_processors=repair", "unknown_submit=repair", "prefer_requested=false"),
			"1@0:60x2~90 2@10:60x8~90 3@20:1x2~90 4@30:50x2~90 5@40:90x2~90 7@60:60x1~90 8@70:60x3~90 9@70:60x1~90 1-2@80:60x1~90 1-3@75:99x1~99",
			`repaired 1: more processors than the system has: all of the system's are taken (line 6)
repaired 1: run time 0: 1 s is taken (line 7)
repaired 1: run time unknown: the average CPU time is taken (line 8)
repaired 1: run time unknown: the requested time is taken (line 9)
dropped 1: run time, average CPU time and requested time unknown (line 10)
repaired 1: processors unknown: 1 is taken (line 11)
kept 1: allocated processors unknown: the requested are taken (line 12)
repaired 1: submit time unknown: that of the job above it is taken (line 13)
repaired 2: job number not unique: a suffix is appended (line 14)
kept 1: submit time before that of the job above it (line 15)
repaired 1: run time above the requested time: the estimate is raised to it (line 15)`},
		{"kept", with("too_wide=keep", "zero_runtime=keep", "batch=true", "estimates=ignore", "prefer_requested=false"),
			"1@0:60x2 2@0:60x9 3@0:0x2 8@0:60x3 9@0:60x1 1-2@0:60x1 1-3@0:99x1", `kept 1: more processors than the system has (line 6)
kept 1: run time 0 (line 7)
dropped 3: run time unknown (line 8)
dropped 1: processors unknown (line 11)
kept 1: allocated processors unknown: the requested are taken (line 12)
repaired 2: job number not unique: a suffix is appended (line 14)`},
	} {
		in, report := read(t, odd, c.opt)
		if got := jobs(in); got != c.jobs {
			t.Errorf("%s: got  %s\nwant %s", c.name, got, c.jobs)
		}
		if got := notes(report); got != c.notes {
			t.Errorf("%s: got\n%s\nwant\n%s", c.name, got, c.notes)
		}
		if report.Read+report.Skipped != 11 || report.Kept != len(in.Jobs()) || report.Read != report.Kept+report.Count(model.ImportDropped) {
			t.Errorf("%s: read %d, kept %d, dropped %d, jobs %d", c.name, report.Read, report.Kept,
				report.Count(model.ImportDropped), len(in.Jobs()))
		}
	}
}

// The parts of a job between checkpoints are left out behind the line of the whole job, and only there.
func TestPartsOfJobs(t *testing.T) {
	line := func(number, submit, runtime int, status string) string {
		return fmt.Sprintf("%d %d 0 %d 1 -1 -1 1 99 -1 %s 1 1 7 1 1 -1 -1\n", number, submit, runtime, status)
	}
	for name, c := range map[string]struct{ text, jobs string }{
		"behind the whole":      {line(1, 0, 30, "1") + line(1, -1, 10, "2") + line(1, -1, 20, "3") + line(2, 5, 7, "1"), "1@0:30x1~99 2@5:7x1~99"},
		"failed at last":        {line(1, 0, 30, "0") + line(1, 0, 10, "2") + line(1, 0, 20, "4"), "1@0:30x1~99"},
		"no whole":              {line(1, 0, 10, "2") + line(1, 0, 20, "3"), "1@0:10x1~99 1-2@0:20x1~99"},
		"number 0":              {line(0, 0, 10, "2"), "0@0:10x1~99"},
		"of another job":        {line(1, 0, 30, "1") + line(2, 0, 10, "2"), "1@0:30x1~99 2@0:10x1~99"},
		"cancelled, no part":    {line(1, 0, 30, "1") + line(1, 0, 10, "5"), "1@0:30x1~99 1-2@0:10x1~99"},
		"an odd status is none": {line(1, 0, 30, "1") + line(1, 0, 10, "22"), "1@0:30x1~99 1-2@0:10x1~99"},
	} {
		in, report := read(t, "; MaxProcs: 4\n"+c.text, swf.NewReader())
		if got := jobs(in); got != c.jobs {
			t.Errorf("%s: got %s, want %s; %v", name, got, c.jobs, report)
		}
		usage, err := swf.ReadUsage(strings.NewReader(c.text))
		if name == "behind the whole" && (err != nil || usage["1"].Name != "7") {
			t.Errorf("%s: %v, %v", name, usage, err)
		}
	}
}

func TestUnknownSubmitOfTheFirstJobCannotBeRepaired(t *testing.T) {
	in, report := read(t, header+"1 -1 0 60 1 -1 -1 1 90\n2 1535348017 0 60 1 -1 -1 1 90\n", with("unknown_submit=repair"))
	if got := jobs(in); got != "2@0:60x1~90" || report.Notes[0].Reason != "submit time unknown" {
		t.Errorf("got %s, %v", got, report)
	}
}

func TestOptionsWindowAndArrivals(t *testing.T) {
	for _, c := range []struct {
		name  string
		opt   *swf.Reader
		jobs  string
		skips int
	}{
		{"first", with("first=7"), "8@0:60x3~90 1@10:60x1~90 1-2@5:99x1~99", 7},
		{"jobs counts those kept", with("first=1", "jobs=2"), "8@0:60x3~90 1@10:60x1~90", 1},
		{"absolute time", with("jobs=2", "absolute_time=true"), "1@10:60x2~90 8@80:60x3~90", 0},
		{"the earliest counts", with("first=9"), "1@5:60x1~90 1-2@0:99x1~99", 9},
		{"beyond the end", with("first=100"), "", 11},
	} {
		in, report := read(t, odd, c.opt)
		if got := jobs(in); got != c.jobs || report.Skipped != c.skips {
			t.Errorf("%s: got %s, skipped %d; want %s, %d", c.name, got, report.Skipped, c.jobs, c.skips)
		}
	}
}

func TestOptionsProcessorsAndMemory(t *testing.T) {
	const trace = header + "1 0 0 60 4 -1 2000 2 90 3000\n2 0 0 60 4 -1 -1 -1 90 -1\n"
	in, report := read(t, trace, with("memory=requested", "cluster=c"))
	a, b := in.Jobs()[0], in.Jobs()[1]
	if a.Min != 2 || b.Min != 4 || a.Memory != 3000 || b.Memory != 0 || in.Units().Memory != "KB" || in.Clusters()[0].ID != "c" {
		t.Errorf("got %+v, %+v", a, b)
	}
	if got, want := notes(report), `repaired 2: fewer than 18 fields: the missing ones are unknown (line 5)
kept 1: requested processors unknown: the allocated are taken (line 6)
kept 1: requested memory unknown: no memory (line 6)`; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	in, _ = read(t, trace, with("prefer_requested=false", "memory=used"))
	if a := in.Jobs()[0]; a.Min != 4 || a.Memory != 2000 {
		t.Errorf("got %+v", a)
	}
	if in, _ = read(t, trace, swf.NewReader()); in.Jobs()[0].Memory != 0 || in.Units().Memory != "" {
		t.Error("memory was read without the option")
	}
}

func TestErrors(t *testing.T) {
	const rest = " -1 -1 1 90\n"
	for _, c := range []struct {
		name, trace string
		opt         *swf.Reader
		want        string
	}{
		{"few fields", "1 0 0 60\n", swf.NewReader(), "t.swf: line 5: expected 18 fields, of which the first 5 (up to allocated processors) are needed, found 4"},
		{"text", "1 0 0 sixty 1" + rest, swf.NewReader(), `t.swf: line 5: field 4 (run time): expected a number, found "sixty"`},
		{"not a number", "1 NaN 0 60 1" + rest, swf.NewReader(), `t.swf: line 5: field 2 (submit time): expected a number, found "NaN"`},
		{"huge", "1 0 0 1e300 1" + rest, swf.NewReader(), `t.swf: line 5: field 4 (run time): expected 0 or a number of magnitude in [1e-18, 1e+18], found "1e300"`},
		{"half a processor", "1 0 0 60 1.5" + rest, swf.NewReader(), `t.swf: line 5: field 5 (allocated processors): expected a whole number of at most 2147483647, found "1.5"`},
		{"too many processors", "1 0 0 60 1e12" + rest, swf.NewReader(), `t.swf: line 5: field 5 (allocated processors): expected a whole number of at most 2147483647, found "1e12"`},
		{"half a number", "1.5 0 0 60 1" + rest, swf.NewReader(), `t.swf: line 5: field 1 (job number): expected a whole number of at most 1000000000000000, found "1.5"`},
		{"several", "1 0 0 60 1" + rest + "x y 0 60 1" + rest + "2 0\n", swf.NewReader(),
			`t.swf: line 6: field 1 (job number): expected a number, found "x"
t.swf: line 6: field 2 (submit time): expected a number, found "y"
t.swf: line 7: expected 18 fields, of which the first 5 (up to allocated processors) are needed, found 2`},
		{"long line", "1 0 0 60 1" + rest + strings.Repeat("9 ", 1<<20), swf.NewReader(), "t.swf: line 6: expected a line of at most 1048576 bytes, found a longer one"},
		{"options", "", with("batch=true", "absolute_time=true"), "t.swf: option AbsoluteTime: expected it without Batch, which releases every job at 0"},
		{"cluster", "1 0 0 60 1" + rest, with("cluster=" + strings.Repeat("c", 1001)), "t.swf: clusters[0].id: expected a text of 1 to 1000 bytes, found 1001 bytes"},
	} {
		in, report, err := c.opt.Read(strings.NewReader(header+c.trace), "t.swf")
		if err == nil || err.Error() != c.want {
			t.Errorf("%s: got %v\nwant %s", c.name, err, c.want)
		}
		if in != nil || report != nil {
			t.Errorf("%s: got an instance or a report with the error", c.name)
		}
	}
}

// FuzzRead feeds anything to the reader: it must not panic, and what it accepts is an instance that the model can write
// and read again.
func FuzzRead(f *testing.F) {
	f.Add([]byte(odd), false)
	f.Add([]byte(odd), true)
	f.Add([]byte(header+"1 1e-18 0 60 1\n2 2.5e-18 0 1e18 1\n"), false)
	f.Add([]byte("; MaxProcs: 16777216\n1 0 0 60 2147483647 -1 -1 4 4\n"), true)
	f.Add([]byte("; MaxProcs: 2\n-1 0 0 0 1 . e - 1e5\n"), true)
	f.Fuzz(func(t *testing.T, trace []byte, lenient bool) {
		opt := swf.NewReader()
		if lenient {
			opt = with("too_wide=keep", "zero_runtime=keep", "unknown_runtime=repair", "unknown_processors=repair", "unknown_submit=repair", "memory=used", "prefer_requested=false", "estimates=keep")
		}
		in, report, err := opt.Read(bytes.NewReader(trace), "f.swf")
		readertest.Check(t, "f.swf", in, report, err)
	})
}

func BenchmarkRead(b *testing.B) {
	const n = 10_000
	var trace bytes.Buffer
	trace.WriteString("; MaxProcs: 1024\n")
	for k := range n {
		fmt.Fprintf(&trace, "%6d %8d %6d %6d %4d %8.2f -1 %4d %6d -1 1 %3d 1 -1 1 1 -1 -1\n",
			k+1, 60*k, k%977, 1+k%86400, 1+k%1024, float64(k%86400)/3, 1+k%1024, 86400, k%200)
	}
	b.SetBytes(int64(trace.Len()))
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := swf.NewReader().Read(bytes.NewReader(trace.Bytes()), "b.swf"); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "jobs/s")
}

// A version that the format does not have is noted, and the trace is read.
func TestVersions(t *testing.T) {
	for version, odd := range map[string]bool{"1": false, "2": false, "2.0": false, "2.1": false, "2.2 (sorted)": false, "": true, "9.9": true, "2.2.1": true, "two": true} {
		in, report, err := swf.NewReader().Read(strings.NewReader("; Version: "+version+"\n; MaxProcs: 4\n1 0 0 5 1\n; Version: 9.9\n"), "t.swf")
		if err != nil || len(in.Jobs()) != 1 {
			t.Fatalf("%q: %v, %v", version, in, err)
		}
		if got := strings.Contains(report.String(), "kept 1: header: the version is none of 1, 2, 2.1 and 2.2; the trace is read as one of version 2.2 (first: line 1)"); got != odd {
			t.Errorf("%q: %s", version, report)
		}
	}
}

// TestDates: the header's start of the log, in its zone, is the date of the trace's time 0; a batch, and a log without a date, have none.
func TestDates(t *testing.T) {
	const job = "1 100 5 60 2 -1 -1 4 90 -1 1 1 1 -1 -1 -1 -1 -1\n"
	const log = header + "; UnixStartTime: 1027839845\n; TimeZoneString: Europe/Stockholm\n"
	option := func(set func(*swf.Reader)) *swf.Reader {
		r := swf.NewReader()
		set(r)
		return r
	}
	for _, c := range []struct {
		trace string
		opt   *swf.Reader
		unix  float64
		zone  string
	}{
		{log + job, swf.NewReader(), 1027839945, "Europe/Stockholm"},
		{log + job, option(func(r *swf.Reader) { r.AbsoluteTime = true }), 1027839845, "Europe/Stockholm"},
		{log + job, option(func(r *swf.Reader) { r.Batch = true }), 0, ""},
		{header + "; UnixStartTime: 0\n" + job, swf.NewReader(), 0, ""},
		{header + "; UnixStartTime: unknown\n" + job, swf.NewReader(), 0, ""},
		{header + job, swf.NewReader(), 0, ""},
		{header + job + "; UnixStartTime: 5\n", swf.NewReader(), 0, ""},
	} {
		in, _ := read(t, c.trace, c.opt)
		if unix, known := in.TimeZero(); unix != c.unix || known != (c.unix > 0) || in.TimeZone() != c.zone {
			t.Errorf("%q: got %v, %v in %q, expected %v in %q", c.trace, unix, known, in.TimeZone(), c.unix, c.zone)
		}
	}
}

// TestDatesWritten: a trace that is written states the date of its time 0; a record's clock times without a zone are no Unix time.
func TestDatesWritten(t *testing.T) {
	const job = "1 100 5 60 2 -1 -1 4 90 -1 1 1 1 -1 -1 -1 -1 -1\n"
	in, _ := read(t, header+"; UnixStartTime: 1027839845\n; TimeZoneString: Europe/Stockholm\n"+job, swf.NewReader())
	var out strings.Builder
	if err := swf.Write(&out, in, &model.Solution{Solver: "none", Unscheduled: []model.Unscheduled{{Job: "1"}}}); err != nil {
		t.Fatal(err)
	}
	if text := out.String(); !strings.Contains(text, "; UnixStartTime: 1027839945\n; TimeZoneString: Europe/Stockholm\n") {
		t.Error(text)
	}
	spec := in.Spec()
	spec.TimeZone = model.UnstatedZone
	in, err := model.New(spec)
	if err != nil {
		t.Fatal(err)
	}
	out.Reset()
	if err := swf.Write(&out, in, &model.Solution{Solver: "none", Unscheduled: []model.Unscheduled{{Job: "1"}}}); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(out.String(), "UnixStartTime") {
		t.Error(out.String())
	}
}

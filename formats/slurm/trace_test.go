package slurm_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/allot-opt/allot/formats/internal/readertest"
	"github.com/allot-opt/allot/formats/slurm"
	"github.com/allot-opt/allot/internal/realdata"
	"github.com/allot-opt/allot/model"
)

// with is a reader with parameters, each NAME=VALUE.
func with(settings ...string) *slurm.TraceReader {
	return readertest.With(slurm.NewTraceReader(), settings...)
}

func TestConform(t *testing.T) {
	readertest.Conform(t, "sacct", "JobID|Submit|Start|End|NCPUS\n1|1|2|3|4\n")
	readertest.Refused(t, &slurm.TraceReader{Cluster: "c", Processors: -1}, "processors")
	readertest.Refused(t, &slurm.TraceReader{}, "cluster")
}

// sacct is what sacct -P prints: jobs with their steps, one that was requeued, one that waits and one without a limit.
const sacct = `JobID|User|Account|Partition|Submit|Start|End|TimelimitRaw|Timelimit|NCPUS|State
10|eve|phys|long|2025-05-20T10:00:00|2025-05-20T10:01:00|2025-05-20T11:01:00|120|02:00:00|16|COMPLETED
10.batch||phys||2025-05-20T10:01:00|2025-05-20T10:01:00|2025-05-20T11:01:00|||16|COMPLETED
12_3|bob|chem|long|2025-05-20T09:00:00|2025-05-20T10:00:00|2025-05-20T10:10:00|5|00:05:00|4|TIMEOUT
10|eve|phys|long|2025-05-20T11:01:00|2025-05-20T11:02:00|2025-05-20T11:03:00|120|02:00:00|16|NODE_FAIL
13|bob|chem|short|2025-05-20T09:30:00|Unknown|Unknown|5|00:05:00|1|PENDING
14|bob|chem|short|1747735200|1747735201|1747735203|UNLIMITED|UNLIMITED|2|COMPLETED
15|bob|chem|short|1747735200|1747735201|1747735201|1||2|CANCELLED by 0
`

func TestReadTrace(t *testing.T) {
	in, report, err := with("cluster=c").Read(strings.NewReader(sacct), "t.txt")
	readertest.Check(t, "t.txt", in, report, err)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := strings.Join(lines(t, in), "\n"), `{"id":"12_3","processors":4,"work":600,"estimate":600,"user":"bob","group":"chem","queue":"long","recorded":3600,"requested":300}
{"id":"10","arrival":3600,"processors":16,"work":3600,"estimate":7200,"user":"eve","group":"phys","queue":"long","recorded":3660}
{"id":"14","arrival":3600,"processors":2,"work":2,"estimate":31536000,"user":"bob","group":"chem","queue":"short","recorded":3601}
{"id":"10-2","arrival":7260,"processors":16,"work":60,"estimate":7200,"user":"eve","group":"phys","queue":"long","recorded":7320}`; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got, want := notes(report), `repaired 1: run time above the time limit: the estimate is raised to it
kept 1: ended by a node that failed: for the policies no node fails
repaired 1: job id not unique, as of a job that was requeued: a suffix is appended
dropped 1: the job has not started
repaired 1: no time limit: that of its partition is taken (DefaultTime, else MaxTime), else a year, as Slurm does
dropped 1: run time 0`; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if in.Processors() != 20 {
		t.Errorf("16 and 4 processors ran at once, got %d", in.Processors())
	}
}

// What a trace tells beside the jobs: what concerns the system is not told of jobs, and what the instance leaves out of jobs is read first.
func TestWhatTouchesJobsOfATrace(t *testing.T) {
	for row, want := range map[string]string{
		"1|1|2|3|4|4|cpu=4|1":            "",
		"1|1|2|3|4|4|cpu=4|2":            "repaired 1: eligible later than submitted, as after a begin time, a dependency or a hold: it arrives then, and its wait counts from then",
		"1|1|2|3|4|4|cpu=4,mem=1G|1":     "kept 1: memory and nodes: without the file of nodes they are left out",
		"1|1|2|3|4|4|cpu=4,gres/gpu=2|1": "kept 1: generic resources, such as GPUs: without the file of nodes they are left out",
	} {
		in, report, err := slurm.NewTraceReader().Read(strings.NewReader("JobID|Submit|Start|End|NCPUS|Timelimit|AllocTRES|Eligible\n"+row+"\n"), "f")
		if err != nil {
			t.Fatal(err)
		}
		if got := notes(report); got != want || len(in.Caveats()) > 0 != strings.Contains(row, "gpu") {
			t.Errorf("%s: got %s, %v", row, got, in.Caveats())
		}
	}
}

// A job that starts when another ends takes its processors over.
func TestTraceOfJobsThatFollowAtOnce(t *testing.T) {
	const table = "JobID|Submit|Start|End|NCPUS|State\n1|100|100|200|4|COMPLETED\n2|100|200|300|3|COMPLETED\n3|100|200|300|2|COMPLETED\n4|100|300|400|4|COMPLETED\n"
	in, _, err := slurm.NewTraceReader().Read(strings.NewReader(table), "t.txt")
	if err != nil {
		t.Fatal(err)
	}
	if in.Processors() != 5 {
		t.Errorf("4, 3 + 2 and 4 processors ran one after the other, got %d", in.Processors())
	}
}

// TestReadTraceOfJobComp: lines of a real run, and names that look like fields.
func TestReadTraceOfJobComp(t *testing.T) {
	source := file(t, filepath.Join(realdata.Root(t), "slurm", "22.05-arrays"), "jobcomp.txt")
	in, report, err := slurm.NewTraceReader().Read(source.Reader, "jobcomp.txt")
	if err != nil {
		t.Fatal(err)
	}
	if report.Kept != 6 || in.Processors() != 64 {
		t.Errorf("got %v, %d processors", report, in.Processors())
	}
	const line = "JobId=7 UserId=eve(5) GroupId=g(6) Name=%s JobState=COMPLETED Partition=p TimeLimit=1-02:30:00 StartTime=2025-05-20T10:01:00 EndTime=2025-05-20T10:02:00 " +
		"NodeList=n1 NodeCnt=1 ProcCnt=3 WorkDir=%s ReservationName= Tres=cpu=3 Account=a b QOS= WcKey= Cluster=c SubmitTime=2025-05-20T10:00:00 EligibleTime=2025-05-20T10:00:00 " +
		"DerivedExitCode=0:0 ExitCode=0:0"
	for _, name := range []string{"x", "a TimeLimit=1 ProcCnt=9", "ArrayJobId=1 ArrayTaskId=2", "HetJobId=3 SubmitTime=x", " = ", "Name=Name="} {
		for _, folder := range []string{"/a", "/a b=c ProcCnt=9", "/ StartTime=1 JobId=3"} {
			in, _, err := slurm.NewTraceReader().Read(strings.NewReader(strings.Replace(strings.Replace(line, "%s", name, 1), "%s", folder, 1)), "f")
			if err != nil {
				t.Errorf("%s, %s: %v", name, folder, err)
				continue
			}
			if got := lines(t, in)[0]; got != `{"id":"7","processors":3,"work":60,"estimate":95400,"user":"eve","group":"a b","queue":"p","recorded":60}` {
				t.Errorf("%s, %s: got %s", name, folder, got)
			}
		}
	}
}

// TestTimeLimits: a limit in each of the ways in which Slurm's documentation writes one, in seconds; without one a year counts. A job that ran for 1 s shows it.
func TestTimeLimits(t *testing.T) {
	for text, want := range map[string]float64{
		"90": 5400, "1:30": 90, "90:00": 5400, "01:30:00": 5400, "2-3": 183600, "2-03:30": 185400, "2-03:30:15": 185415, "00:00:45": 45, "UNLIMITED": 31536000, "Partition_Limit": 31536000, "": 31536000,
	} {
		in, _, err := slurm.NewTraceReader().Read(strings.NewReader("JobID|Submit|Start|End|NCPUS|Timelimit\n1|1|2|3|4|"+text+"\n"), "f")
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got := in.Jobs()[0].Estimate; got != want {
			t.Errorf("%s: got %v s, want %v s", text, got, want)
		}
	}
}

// A run is above its limit if it took longer, and not if it took just as long.
func TestRunsAtTheirLimit(t *testing.T) {
	for end, above := range map[string]bool{"61": false, "62": false, "63": true} {
		in, report, err := slurm.NewTraceReader().Read(strings.NewReader("JobID|Submit|Start|End|NCPUS|Timelimit\n1|1|2|"+end+"|4|1\n"), "f")
		if err != nil {
			t.Fatal(err)
		}
		if got := in.Jobs()[0].Estimate > 60; got != above || strings.Contains(notes(report), "above the time limit") != above {
			t.Errorf("from 2 to %s, a limit of a minute: estimate %v, %s", end, in.Jobs()[0].Estimate, notes(report))
		}
	}
}

// A system without nodes has as many processors as ran at once, or as many as are given.
func TestProcessorsOfTraces(t *testing.T) {
	for setting, want := range map[string]int{"cluster=c": 20, "processors=21": 21, "processors=64": 64} {
		if in, _, err := with(setting).Read(strings.NewReader(sacct), "t.txt"); err != nil || in.Processors() != want {
			t.Errorf("%s: %v, expected %d processors", setting, err, want)
		}
	}
}

// TestTraceCutShort: a trace that is cut inside a line is refused, or it is told that the end may be missing: the last value may be a part of the true one.
func TestTraceCutShort(t *testing.T) {
	const start = 200 // the header is whole
	for length := start; length < len(sacct)-1; length++ {
		_, report, err := slurm.NewTraceReader().Read(strings.NewReader(sacct[:length]), "f")
		if err == nil && sacct[length-1] != '\n' && !strings.Contains(notes(report), "the file may be cut short") {
			t.Errorf("cut after %d bytes: got %v", length, report)
		}
	}
	if _, report, err := slurm.NewTraceReader().Read(strings.NewReader(sacct), "f"); err != nil || strings.Contains(notes(report), "cut") {
		t.Errorf("got %v, %v", report, err)
	}
}

func TestFaultsOfTraces(t *testing.T) {
	const header = "JobID|Submit|Start|End|NCPUS|Timelimit\n"
	for _, c := range []struct{ text, want string }{
		{"", "f: expected what sacct -P prints, or lines of JobComp's filetxt; found an empty file"},
		{"{}", "f: line 1: expected what sacct -P prints, or lines of JobComp's filetxt; found JSON: allot import slurm --jobs reads that of squeue"},
		{"JobID|Start\n", "f: line 1: expected a column Submit among those of sacct -P, found none"},
		{"JobID|Submit|Start|End|JobID\n1|1|2|3\n", `f: line 1: expected each column once, found "JobID" again`},
		{header + "1|2\n", "f: line 2: expected 6 cells apart by |, found 2"},
		{header + "1|yesterday|2|3|4|5\n", `f: line 2: Submit: expected a time such as 2025-05-20T15:41:05 or in Unix seconds, found "yesterday"`},
		{header + "1|1|2|3|x|5\n", `f: line 2: NCPUS: expected a number, found "x"`},
		{header + "1|1|2|3|-4|5\n", `f: line 2: NCPUS: expected a whole number in [0, 2147483647], found "-4"`},
		{header + "1|1|2|3|4|soon\n", `f: line 2: Timelimit: expected a time limit in minutes or such as 1-12:30:00, found "soon"`},
		{header + "|1|2|3|4|5\n", "f: line 2: JobID: expected the id of a job, found none"},
		{header + strings.Repeat("x", 2<<20), "f: line 2: expected a line of at most 1048576 bytes, found a longer one"},
		{"JobId=1 SubmitTime=x", `f: line 1: Submit: expected a time`},
	} {
		if _, _, err := slurm.NewTraceReader().Read(strings.NewReader(c.text), "f"); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%.60q: got  %v\nwant %s", c.text, err, c.want)
		}
	}
}

// FuzzReadTrace feeds anything to the reader of traces: it must not panic, and what it accepts is an instance that can be written and read again.
func FuzzReadTrace(f *testing.F) {
	f.Add([]byte(sacct))
	f.Add([]byte("JobID Submit\n----- ------\n1 2"))
	f.Add([]byte("JobId=1 UserId=a(1) ProcCnt=3 StartTime=2 EndTime=5 SubmitTime=1 TimeLimit=1-2"))
	f.Fuzz(func(t *testing.T, text []byte) {
		in, report, err := slurm.NewTraceReader().Read(strings.NewReader(string(text)), "f")
		readertest.Check(t, "f", in, report, err)
	})
}

// FuzzRead feeds anything to the reader of queues.
func FuzzRead(f *testing.F) {
	f.Add([]byte(queue(``, on("n[1-2]")+`, "cpus": 6`, `"array_job_id": 5, "array_task_string": "2-4%2", "licenses": "m:2", "dependency": "afterok:1"`)), []byte(small), []byte("LicenseName=m Total=3"))
	f.Add([]byte(queue(`"partition": "q,p", "tres_req_str": "mem=1G,gres/gpu=2"`, on("a1"))), []byte(nodes(node("a1", "p q", `, "gres": "gpu:3"`), node("b2", "q r", ""))), []byte("PartitionName=p MaxTime=5"))
	f.Fuzz(func(t *testing.T, jobs, nodes, other []byte) {
		src := slurm.Sources{Jobs: source("f", string(jobs)), Nodes: source("f", string(nodes))}
		if strings.Contains(string(other), "Licen") {
			src.Licences = source("f", string(other))
		} else if len(other) > 0 {
			src.Partitions = source("f", string(other))
		}
		in, report, err := slurm.Read(src, slurm.Options{})
		readertest.Check(t, "f", in, report, err)
	})
}

// TestDatesOfTraces: time 0 is the first arrival; clock times have no zone, Unix times need none.
func TestDatesOfTraces(t *testing.T) {
	const header = "JobID|Submit|Start|End|NCPUS|Timelimit\n"
	for _, c := range []struct {
		text, zone string
		unix       float64
	}{
		{header + "1|2026-01-05T00:00:10|2026-01-05T00:00:20|2026-01-05T00:00:30|1|5\n", model.UnstatedZone, 1767571210},
		{header + "1|1767571210|1767571220|1767571230|1|5\n", "", 1767571210},
		{header, "", 0},
	} {
		in, _, err := slurm.NewTraceReader().Read(strings.NewReader(c.text), "f")
		if err != nil {
			t.Fatal(err)
		}
		if unix, known := in.TimeZero(); unix != c.unix || known != (c.unix > 0) || in.TimeZone() != c.zone {
			t.Errorf("%q: got %v, %v in %q", c.text, unix, known, in.TimeZone())
		}
	}
}

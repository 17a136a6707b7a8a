package slurm_test

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/allot-opt/allot/formats/slurm"
)

// saved writes a text to a file of its own.
func saved(t testing.TB, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// twoPartitions is a slurm.conf of a partition of four nodes and one of two nodes with GPUs.
const twoPartitions = `NodeName=c[1-4] CPUs=8 RealMemory=1000 Features=old,ib
NodeName=g[1-2] CPUs=8 RealMemory=2000 Gres=gpu:a100:4 Features=ib
NodeName=g3 CPUs=8 RealMemory=2000 Gres=gpu:h100:4
PartitionName=cpu Nodes=c[1-4]
PartitionName=gpu Nodes=g[1-3]
`

// TestEachColumnOfSacct: a file with every column that sacct knows is read. A cell of a column that is used changes the instance, a cell of one that is counted the
// report alone, and a cell of any other changes nothing.
func TestEachColumnOfSacct(t *testing.T) {
	list, err := os.ReadFile(filepath.Join("testdata", "helpformat.txt")) // the words of sacct --helpformat, of 20.11 to 25.11
	if err != nil {
		t.Fatal(err)
	}
	names := strings.Fields(string(list))
	var known []string
	for _, c := range slurm.Columns() {
		known = append(known, c.Name)
		if c.Why == "" {
			t.Errorf("%s: expected a reason", c.Name)
		}
	}
	if !slices.Equal(names, known) {
		t.Fatalf("got columns %q\nwant %q", known, names)
	}
	conf := saved(t, "slurm.conf", twoPartitions)
	usual := map[string]string{
		"JobID": "1", "Submit": "100", "Start": "200", "End": "300", "TimelimitRaw": "10", "NCPUS": "8", "NNodes": "1", "Partition": "gpu", "User": "eve", "Account": "phys",
		"QOS": "normal", "State": "COMPLETED", "ReqTRES": "cpu=8,mem=800M,node=1,gres/gpu=2", "AllocTRES": "cpu=8,mem=800M,node=1,gres/gpu=2", "Priority": "5", "Cluster": "site",
	}
	// read reads three jobs, of which the first has other cells, and returns the jobs and the notes.
	read := func(changed map[string]string, without []string) (jobs, told string, err error) {
		var rows []string
		for k, id := range []string{"1", "2", "3"} {
			cells := maps.Clone(usual)
			cells["JobID"] = id
			if k == 0 {
				maps.Copy(cells, changed)
			}
			for _, name := range without {
				delete(cells, name)
			}
			var row []string
			for _, name := range names {
				row = append(row, cells[name])
			}
			rows = append(rows, strings.Join(row, "|"))
		}
		in, report, err := with("nodes="+conf).Read(strings.NewReader(strings.Join(names, "|")+"\n"+strings.Join(rows, "\n")+"\n"), "f")
		if err != nil {
			return "", "", err
		}
		return strings.Join(lines(t, in), "\n"), notes(report), nil
	}
	other := map[string]struct {
		cell    string
		without []string // columns that come before it
	}{
		"Account": {"chem", nil}, "Group": {"chem", []string{"Account"}}, "User": {"bob", nil}, "UID": {"7", []string{"User"}},
		"AllocCPUS": {"4", []string{"NCPUS"}}, "NCPUS": {"4", nil}, "ReqCPUS": {"4", []string{"NCPUS"}}, "AllocNodes": {"2", []string{"NNodes"}}, "NNodes": {"2", nil}, "ReqNodes": {"2", []string{"NNodes"}},
		"AllocTRES": {"cpu=8,mem=400M,node=1,gres/gpu=1", nil}, "ReqTRES": {"cpu=8,mem=800M,node=1,gres/gpu=2,gres/gpu:h100=2", nil},
		"AllocGRES": {"gpu:1", []string{"AllocTRES", "ReqTRES"}}, "ReqGRES": {"gpu:1", []string{"AllocTRES", "ReqTRES"}}, "ReqMem": {"4Gn", []string{"AllocTRES", "ReqTRES"}},
		"Constraints": {"ib", nil}, "Eligible": {"150", nil}, "End": {"301", nil}, "Start": {"201", nil}, "Submit": {"101", nil}, "JobID": {"4", nil}, "Partition": {"cpu", nil}, "Priority": {"6", nil},
		"Timelimit": {"00:20:00", []string{"TimelimitRaw"}}, "TimelimitRaw": {"20", nil},
		"Licenses": {"matlab:1", nil}, "McsLabel": {"red", nil}, "QOS": {"high", nil}, "Reason": {"QOSMaxGRESPerUser", nil}, "Reservation": {"maint", nil}, "ReservationId": {"3", nil},
		"Restarts": {"1", nil}, "SegmentSize": {"2", nil}, "State": {"PREEMPTED", nil}, "Suspended": {"00:00:07", nil},
	}
	for _, c := range slurm.Columns() {
		if strings.HasPrefix(c.Name, "Elapsed") { // matters where clock times jump, see TestClockChanges
			continue
		}
		change := other[c.Name]
		if (change.cell == "") != (c.Fate == slurm.Irrelevant) && c.Name != "Cluster" {
			t.Errorf("%s is %s: expected a cell for it exactly where it is not irrelevant", c.Name, c.Fate)
			continue
		}
		if change.cell == "" {
			change.cell = "12"
		}
		jobs, plain, err := read(nil, change.without)
		if err != nil {
			t.Fatal(err)
		}
		changed, counted, err := read(map[string]string{c.Name: change.cell}, change.without)
		switch {
		case c.Name == "Cluster":
			if want := `f: line 3: Cluster: expected jobs of one cluster, found "site" after "12"`; err == nil || !strings.HasPrefix(err.Error(), want) {
				t.Errorf("got %v, want %s", err, want)
			}
		case err != nil:
			t.Errorf("%s: %v", c.Name, err)
		case c.Fate == slurm.Used && changed == jobs:
			t.Errorf("%s is used, and the instance is as without it", c.Name)
		case c.Fate != slurm.Used && changed != jobs:
			t.Errorf("%s is %s: got %s\nwant %s", c.Name, c.Fate, changed, jobs)
		case c.Fate == slurm.Counted && counted == plain:
			t.Errorf("%s is counted, and the report is as without it: %s", c.Name, plain)
		case c.Fate == slurm.Irrelevant && counted != plain:
			t.Errorf("%s is irrelevant: got %s\nwant %s", c.Name, counted, plain)
		}
	}
	_, report, err := with("nodes="+conf).Read(strings.NewReader("JobID|Submit|Start|End|NCPUS|Partition|Mood\n1|1|2|3|4|cpu|good\n"), "f")
	if err != nil || !strings.Contains(notes(report), `column that this program does not know: it is not used: "Mood"`) {
		t.Errorf("got %v, %v", report, err)
	}
}

// The report counts the jobs that were read, also those that are not kept, and no steps of theirs.
func TestReportCountsJobs(t *testing.T) {
	const rows = "1|1|2|3|4|cpu\n1.batch|1|2|3|4|cpu\n1.0|1|2|3|4|cpu\n2|1|2|3|4|cpu\n3|1|Unknown|Unknown|4|cpu\n"
	_, report, err := with("nodes="+saved(t, "slurm.conf", twoPartitions)).Read(strings.NewReader("JobID|Submit|Start|End|NCPUS|Partition\n"+rows), "f")
	if err != nil || report.Read != 3 || report.Kept != 2 {
		t.Errorf("got %+v, %v, expected 3 jobs read and 2 kept", report, err)
	}
}

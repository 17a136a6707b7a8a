package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/lab/advise"
)

// adviseOn runs the command and returns its status and what it writes.
func adviseOn(t *testing.T, args ...string) (status int, out, errs string) {
	t.Helper()
	var o, e bytes.Buffer
	status = run(t.Context(), append([]string{"allot", "advise"}, args...), &o, &e)
	return status, o.String(), e.String()
}

const kth = "../../data/swf/KTH-SP2-1996-2.swf.gz"

func TestAdvisePage(t *testing.T) {
	if race.Enabled {
		t.Skip("slow with the race detector")
	}
	path := filepath.Join(t.TempDir(), "week.html")
	status, out, errs := adviseOn(t, "-o", path, kth)
	if status != exitOK {
		t.Fatalf("status %d: %s", status, errs)
	}
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"Time limits", "Memory and devices", "Waits and fairness", "Which hours are full", "Would another policy serve better?", "allot advise --only load " + kth} {
		if !strings.Contains(string(page), text) {
			t.Errorf("the page lacks %q", text)
		}
	}
	if !strings.HasPrefix(out, "1. ") || strings.Count(out, "\n1. ")+strings.Count(out, "\n2. ")+strings.Count(out, "\n3. ") != 2 {
		t.Errorf("expected three sentences, found %s", out)
	}
}

func TestAdviseJSON(t *testing.T) {
	status, out, errs := adviseOn(t, "--only", "limits", "--json", "--anonymise", kth)
	if status != exitOK {
		t.Fatalf("status %d: %s", status, errs)
	}
	var r advise.Report
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		t.Fatal(err)
	}
	if r.Limits == nil || r.Limits.Asked != 28481 || r.Waits != nil || !r.Anonymous {
		t.Errorf("%+v", r)
	}
	for _, l := range r.Limits.Limits {
		if !strings.HasPrefix(l.User, "U") {
			t.Errorf("%+v: expected a label", l)
			break
		}
	}
}

// The trace of sacct is read twice: the second time for names and memory.
func TestAdviseSacct(t *testing.T) {
	path := filepath.Join(t.TempDir(), "sacct.txt")
	text := `JobID|JobName|User|Submit|Start|End|TimelimitRaw|NCPUS|NTasks|ReqMem|MaxRSS
1|train|ann|2026-01-05T00:00:00|2026-01-05T00:00:00|2026-01-05T01:00:00|120|2||4G|
1.batch|batch||||||2|1||1048576K
2|test|bob|2026-01-05T00:30:00|2026-01-05T01:00:00|2026-01-05T02:00:00|120|2||4G|
2.0|x||||||2|2||1048576K
`
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	status, out, errs := adviseOn(t, path)
	if status != exitOK {
		t.Fatalf("status %d: %s", status, errs)
	}
	for _, expected := range []string{"2 jobs: they used at their highest 38 % of the memory", "job train", "Its recorded wait is 30 min", "user bob, job test"} {
		if !strings.Contains(out, expected) {
			t.Errorf("expected %q in\n%s", expected, out)
		}
	}
}

func TestAdviseWrongUse(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"--risk 0 " + kth, "--risk: expected a number from 0.0001 to 0.5"},
		{"--only nothing " + kth, "--only: expected one of limits"},
		{"--policy exact " + kth, "--policy: expected an on-line policy"},
		{"--policy nothing " + kth, "--policy: "},
		{"--more 0 " + kth, "--more: expected"},
		{"--confidence 1 " + kth, "--confidence: expected"},
		{"--replicates 1 " + kth, "--replicates: expected"},
		{"nothing.swf", "nothing.swf"},
		{"", "expected TRACE"},
		{"../../examples/table1.json", "expected jobs that arrive over time"},
		{"--nodes nothing.txt " + kth, "--nodes: expected it only for what sacct -P prints"},
		{"--processors 4 ../../examples/multicluster.json", "--processors: expected it only for"},
	} {
		status, out, errs := adviseOn(t, strings.Fields(c.args)...)
		if status != exitInput || out != "" || !strings.Contains(errs, c.want) {
			t.Errorf("%s: status %d, %s, expected 2 and %q", c.args, status, errs, c.want)
		}
	}
}

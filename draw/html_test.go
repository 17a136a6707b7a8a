package draw

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/allot-opt/allot/internal/picture"
	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/model"
)

var pagesTo = flag.String("pages", "", "folder to save the sample pages in")

// hostile are ids that try to leave the place where they are written.
var hostile = []string{
	`</script><script>alert(1)</script>`, `<img src=x onerror=alert(2)>`, `"><svg onload=alert(3)>`, `<!--<script>`, `]]>`, "line\u2028end", `\u003c/script>`, `'+alert(4)+'`,
}

// crowd is an instance of many jobs of some users, and a schedule of it.
func crowd(t testing.TB, jobs, users int) (*model.Solution, *model.Instance) {
	t.Helper()
	sol := random(jobs, 128, 16)
	r := rand.New(rand.NewPCG(3, 4))
	b := model.NewBuilder("crowd").Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Processors: 128}}})
	for k := range sol.Jobs {
		p := &sol.Jobs[k]
		p.Start, p.End = 60*p.Start, 60*p.End
		b.Job(model.JobSpec{ID: p.Job, Work: pointer(1), Arrival: max(0, p.Start-7200*r.ExpFloat64()), User: fmt.Sprint("u", r.IntN(users)), Deadline: pointer(p.End + 600 - 700*r.Float64())})
	}
	in, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return sol, in
}

// pageSamples are schedules to make pages of, by name.
func pageSamples(t testing.TB) map[string]sample {
	small, in := small(t)
	bad := &model.Solution{Instance: hostile[0], Solver: hostile[1], Unscheduled: []model.Unscheduled{{Job: hostile[0], Reason: hostile[1]}}}
	for k, id := range hostile {
		bad.Jobs = append(bad.Jobs, at(id, hostile[(k+1)%len(hostile)], float64(k), float64(k+3), run(k, k+1)))
	}
	many, all := crowd(t, race.Fewer(28_000, 6_000), 40)
	gpus, nodes := gpuExample(t)
	return map[string]sample{
		"gantt-small":   {"small", small, GanttOptions{Instance: in, Reasons: map[string]string{"late": "no earlier room <b>"}}},
		"gantt-hostile": {"hostile", bad, GanttOptions{Title: hostile[0]}},
		"gantt-devices": {"devices", gpus, GanttOptions{Instance: nodes}},
		"gantt-empty":   {"empty", &model.Solution{}, GanttOptions{}},
		"gantt-many":    {"many", many, GanttOptions{Instance: all, Colour: ByWait}},
		"gantt-crowd":   {"crowd", many, GanttOptions{Instance: all}},
	}
}

// parts are the pieces of a page between its fixed tags.
var parts = regexp.MustCompile(`(?s)^<!doctype html>.*<meta http-equiv="Content-Security-Policy" content="([^"]*)">.*<style>(.*)</style>.*<script type="application/json" id="data">(.*)</script>\n<script>(.*)</script>\n</body>\n</html>\n$`)

// Every page is one document with its own data and script, which asks for nothing outside it and whose policy lets the browser run nothing else. With -pages they
// are saved for the tests in a browser.
func TestPages(t *testing.T) {
	race.OneGoroutine(t)
	for name, s := range pageSamples(t) {
		page := drawn(t, s, HTML)
		if again := drawn(t, s, HTML); !bytes.Equal(page, again) {
			t.Errorf("%s differs from itself", name)
		}
		found := parts.FindSubmatch(page)
		if found == nil {
			t.Fatalf("%s has not the parts of a page", name)
		}
		policy, style, data, script := string(found[1]), found[2], found[3], found[4]
		for what, text := range map[string][]byte{"style-src": style, "script-src": script} {
			sum := sha256.Sum256(text)
			if want := what + " 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"; !strings.Contains(policy, want) || !strings.Contains(policy, "default-src 'none'") {
				t.Errorf("%s: policy %q, want %q in it", name, policy, want)
			}
		}
		if n := bytes.Count(bytes.ToLower(page), []byte("</script")); n != 2 {
			t.Errorf("%s: %d ends of scripts, want 2", name, n)
		}
		if bytes.ContainsAny(data, "<>") {
			t.Errorf("%s: angle brackets in the data", name)
		}
		outside := regexp.MustCompile(`(?i)<(img|svg|link|iframe|base)\b|\b(src|href)\s*=|@import|url\(|fetch\(|XMLHttp|innerHTML|eval\(`)
		rest := bytes.ReplaceAll(bytes.ReplaceAll(page, data, nil), []byte("src=x onerror"), nil) // of an id, as text
		if match := outside.Find(rest); match != nil {
			t.Errorf("%s has %q", name, match)
		}
		checkPageData(t, name, &s, data)
		if *pagesTo != "" {
			if err := os.WriteFile(filepath.Join(*pagesTo, name+".html"), page, 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// heldBy is how many processors a part of a job holds, or how many devices by what the job asks for.
func heldBy(s *sample, job string, part *model.Piece, inDevices bool) float64 {
	if !inDevices {
		return float64(part.Processors.Len())
	}
	k, _ := s.opt.Instance.JobIndex(job)
	need := s.opt.Instance.Jobs()[k].Node()
	return need.Need(0).Float() * float64(part.Processors.Len()/need.Block)
}

// checkPageData compares the data of a page with the solution that they come from.
func checkPageData(t *testing.T, name string, s *sample, text []byte) {
	t.Helper()
	var d pageData
	if err := json.Unmarshal(text, &d); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if len(d.Jobs.ID) != len(s.sol.Jobs) {
		t.Fatalf("%s: %d jobs, want %d", name, len(d.Jobs.ID), len(s.sol.Jobs))
	}
	held := 0.0
	for k := range d.Blocks.Job {
		size := float64(d.Blocks.Last[k] - d.Blocks.First[k] + 1)
		if d.Blocks.Weight != nil {
			size = d.Blocks.Weight[k]
		}
		held += (d.Blocks.End[k] - d.Blocks.Start[k]) * size
		if k > 0 && d.Blocks.Start[k] < d.Blocks.Start[k-1] {
			t.Errorf("%s: blocks[%d] starts before the one before it", name, k)
		}
	}
	want := 0.0
	for k := range s.sol.Jobs {
		p := &s.sol.Jobs[k]
		p.Parts(0, func(part model.Piece) {
			want += (part.End - part.Start) * heldBy(s, p.Job, &part, d.Blocks.Weight != nil)
		})
		if d.Jobs.ID[k] != picture.Printable(p.Job) || d.Jobs.Start[k] != p.Start || d.Jobs.End[k] != p.End {
			t.Errorf("%s: jobs[%d] is %q from %v to %v", name, k, d.Jobs.ID[k], d.Jobs.Start[k], d.Jobs.End[k])
		}
		if in := s.opt.Instance; in != nil {
			job, _ := in.JobIndex(p.Job)
			if j := &in.Jobs()[job]; d.Jobs.Arrival[k] != j.Arrival || d.Jobs.User[k] >= 0 && d.Users[d.Jobs.User[k]] != j.User() || d.Jobs.Deadline[k] == nil != math.IsInf(j.Deadline, 1) {
				t.Errorf("%s: jobs[%d] arrives at %v", name, k, d.Jobs.Arrival[k])
			}
		}
	}
	if math.Abs(held-want) > 1e-9*want {
		t.Errorf("%s: the blocks hold %v, want %v", name, held, want)
	}
	for _, scheme := range d.Schemes {
		if len(scheme.Of) != len(d.Jobs.ID) {
			t.Errorf("%s: %d fills by %s", name, len(scheme.Of), scheme.By)
		}
	}
}

// A page says why a job starts: what ends as it starts, and what the caller says.
func TestPageSaysWhy(t *testing.T) {
	s := pageSamples(t)["gantt-small"]
	l, err := newLayout(s.sol, s.opt.Instance, RowsProcessors)
	if err != nil {
		t.Fatal(err)
	}
	d := newPageData(l, summary{}, s.opt)
	// The job late starts at 60 on the processors of rigid, which ends then; grid starts at 40, when nothing ends.
	if diff := cmp.Diff([]int{-1, 0, -1, -1, -1}, d.Jobs.After); diff != "" {
		t.Errorf("after: %s", diff)
	}
	if diff := cmp.Diff([]string{"", "no earlier room <b>", "", "", ""}, d.Jobs.Why); diff != "" {
		t.Errorf("why: %s", diff)
	}
	// Of two jobs that end at that moment it is the one on the job's processors, and on its cluster.
	l2, err := newLayout(&model.Solution{Jobs: []model.Placement{
		at("above", "c", 0, 10, run(0, 1)), at("elsewhere", "d", 0, 10, run(2, 3)), at("before", "c", 5, 10, run(3, 4)), at("next", "c", 10, 20, run(2, 3)),
	}}, nil, RowsProcessors)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]int{-1, -1, -1, 2}, l2.predecessors()); diff != "" {
		t.Errorf("after: %s", diff)
	}
	// A page that begins with a window still has everything.
	s.opt.Window = Window{From: 70, HasFrom: true}
	if err := l.cut(s.opt.Window); err != nil {
		t.Fatal(err)
	}
	if all := newPageData(l, summary{}, s.opt); len(all.Blocks.Job) != len(d.Blocks.Job) || all.Start != 70 || all.First != 0 {
		t.Errorf("%d blocks from %v, want %d", len(all.Blocks.Job), all.Start, len(d.Blocks.Job))
	}
}

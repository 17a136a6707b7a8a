package slurm_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/allot-opt/allot/formats/slurm"
	"github.com/allot-opt/allot/internal/slurmtest"
	"github.com/allot-opt/allot/model"
)

// submit submits 50 jobs of several kinds, which take no time of a processor, and returns how many Slurm counts: 49 and an array of 10.
func submit(t *testing.T) int {
	t.Helper()
	sbatch := func(arguments ...string) string {
		text := slurmtest.Run(t, "sbatch", append([]string{"--parsable", "--output=/dev/null"}, append(arguments, "--wrap=sleep 600")...)...)
		return strings.TrimSpace(text)
	}
	for k := range 44 {
		sbatch("-n", strconv.Itoa(1+k*7%40), "-t", strconv.Itoa(1+k%9))
	}
	last := sbatch("-n", "3", "--licenses=matlab:3")
	sbatch("-n", "2", "--licenses=matlab:2")
	sbatch("-n", "1", "--dependency=afterany:"+last)
	sbatch("-n", "1", "--array=0-9%4")
	sbatch("-n", "1", "--begin=now+1hour")
	sbatch("-n", "1", "--hold")
	return 59
}

// TestLive asks a real Slurm, and compares with what its commands print for people.
func TestLive(t *testing.T) {
	slurmtest.Start(t, 4)
	jobs := submit(t)
	show := func() string { return slurmtest.Run(t, "squeue", "-h", "-r", "-o", "%i|%t|%C|%l|%L|%u|%P") }
	states := func(text string) (list string) { // without the time left, which passes
		for line := range strings.Lines(text) {
			list += strings.Join(strings.Split(line, "|")[:2], " ") + ","
		}
		return list
	}
	var src slurm.Sources
	var now float64
	before := show()
	for deadline := time.Now().Add(time.Minute); ; {
		var err error
		if src, err = slurm.Ask(t.Context()); err != nil {
			t.Fatal(err)
		}
		now = float64(time.Now().Unix())
		after := show()
		if states(before) == states(after) && strings.Contains(after, "|R|") && strings.Count(after, "\n") == jobs {
			break // nothing started meanwhile
		}
		if time.Now().After(deadline) {
			t.Fatalf("jobs start and start:\n%s", after)
		}
		time.Sleep(time.Second)
		before = show()
	}
	shown := map[string][]string{}
	for line := range strings.Lines(before) {
		cells := strings.Split(strings.TrimSpace(line), "|")
		shown[cells[0]] = cells
	}
	in, report := read(t, src, slurm.Options{Now: now})
	t.Log(report)
	if len(shown) != jobs || report.Read != jobs || report.Kept != jobs-1 {
		t.Errorf("submitted %d jobs, squeue shows %d, read %d, kept %d; one is held", jobs, len(shown), report.Read, report.Kept)
	}
	if in.Processors() != 64 || in.Clusters()[0].ID != "batch" || len(in.Clusters()) != 1 {
		t.Errorf("got %d processors in %+v", in.Processors(), in.Clusters())
	}
	held, licences := 0, map[string]int{}
	for k := range in.Jobs() {
		j := &in.Jobs()[k]
		cells := shown[j.ID]
		if cells == nil {
			t.Errorf("squeue shows no job %s", j.ID)
			continue
		}
		if strconv.Itoa(j.Min) != cells[2] || j.User() != cells[5] || j.Queue() != cells[6] {
			t.Errorf("job %s: %d processors, user %s, queue %s; squeue shows %v", j.ID, j.Min, j.User(), j.Queue(), cells)
		}
		if runs := cells[1] == "R"; runs {
			held += j.Min
			if left := seconds(t, cells[4]); j.Estimate > left || j.Estimate < left-10 {
				t.Errorf("job %s has %v s left, squeue showed %v", j.ID, j.Estimate, left)
			}
		} else if limit := seconds(t, cells[3]); j.Estimate != limit {
			t.Errorf("job %s: limit %v s, squeue shows %v", j.ID, j.Estimate, limit)
		}
		for _, need := range j.Licences {
			licences[in.Licences()[need.Licence].ID] += need.Copies
		}
	}
	if held == 0 || held > 64 {
		t.Errorf("jobs that run hold %d processors", held)
	}
	if got, want := fmt.Sprint(licences), "map[array 48:10 matlab:5]"; got != want {
		t.Errorf("licences: got %s, want %s", got, want)
	}
	for _, l := range in.Licences() {
		if l.ID == "matlab" && l.Copies != 4 || l.ID == "array 48" && l.Copies != 4 {
			t.Errorf("%s: %d copies", l.ID, l.Copies)
		}
	}
	if k, ok := in.JobIndex("47"); !ok || len(in.Jobs()[k].After) != 1 || in.Jobs()[in.Jobs()[k].After[0]].ID != "45" {
		t.Error("job 47 waits for job 45")
	}
	if k, ok := in.JobIndex("49"); !ok || in.Jobs()[k].Arrival < 3500 || in.Jobs()[k].Arrival > 3600 || in.Features()&model.Arrivals == 0 {
		t.Error("job 49 begins in an hour")
	}
}

// seconds reads a time as squeue shows it: [days-][hours:]minutes:seconds, or UNLIMITED, which counts as a year.
func seconds(t *testing.T, text string) float64 {
	t.Helper()
	if text == "UNLIMITED" {
		return 365 * 24 * 3600
	}
	days, rest, found := strings.Cut(text, "-")
	if !found {
		days, rest = "0", text
	}
	total := 0
	for k, part := range strings.Split(days+":"+rest, ":") {
		n, err := strconv.Atoi(part)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if k == 0 {
			total = 24 * n
		} else {
			total = 60*total + n
		}
		if k == 0 && strings.Count(rest, ":") == 1 {
			total *= 60
		}
	}
	return float64(total)
}

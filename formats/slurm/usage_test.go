package slurm

import (
	"maps"
	"math"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestReadUsage(t *testing.T) {
	text := `JobID|NCPUS|NNodes|NTasks|ReqMem|MaxRSS|AllocTRES|TRESUsageInTot|TRESUsageInAve|JobName
1|4|1||16G||cpu=4,mem=16G,node=1,gres/gpu=2|||train
1.batch|4|1|1||1024K||cpu=00:01,mem=2048K||batch
1.extern|4|1|1||9999999K|||gres/gpuutil=99|extern
1.0|4|1|4||3072K||mem=12288K|gres/gpuutil=30,gres/gpumem=5M|python
2|2|2||4000Mc||||||a|b
2.0|2|2|2||1048576K|||||x
3|1|1||||cpu=1|||plain
4|1|1||1G||||||first run
4|1|1||1G||||||second run
5|broken
6|1|1||1G|12|||||no unit
`
	got, err := ReadUsage(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]Usage{
		"1": {Name: "train", Memory: 16384, Used: 14, Devices: 2, Busy: 0.3},
		"2": {Name: "|a|b", Memory: 8000, Used: 2048, Devices: -1, Busy: -1},
		"3": {Name: "plain", Memory: -1, Used: -1, Devices: -1, Busy: -1},
		"6": {Name: "|no unit", Memory: 1024, Used: -1, Devices: -1, Busy: -1},
	}
	// A name may have a | in it, where it is the last column.
	if !maps.Equal(got, want) {
		for _, id := range slices.Sorted(maps.Keys(got)) {
			t.Errorf("%s: %+v, expected %+v", id, got[id], want[id])
		}
	}
	for _, empty := range []string{"JobID|ReqMem\n1|1G\n1|1G\n", "JobID|JobName\n1|a\n1|a\n", "", "\n", "JobId=1 UserId=a\n", "User|State\na|b\n"} {
		if got, err := ReadUsage(strings.NewReader(empty)); len(got) > 0 || err != nil {
			t.Errorf("%q: %v, %v", empty, got, err)
		}
	}
}

// What the steps of a job use counts while they run: memory adds up where they run at once, GPUs for their share of the job's time.
func TestUsageOfSteps(t *testing.T) {
	const heads = "JobID|Start|End|AllocTRES|TRESUsageInTot|TRESUsageInAve\n"
	at := func(minute int) string {
		return time.Date(2026, 1, 1, 0, minute, 0, 0, time.UTC).Format("2006-01-02T15:04:05")
	}
	job := "1|" + at(0) + "|" + at(100) + "|gres/gpu=2||\n"
	step := func(from, to int, tres, memory, busy string) string {
		return "1.0|" + at(from) + "|" + at(to) + "|" + tres + "|mem=" + memory + "M|gres/gpuutil=" + busy + "\n"
	}
	for _, c := range []struct {
		name, lines  string
		memory, busy float64
	}{
		{"one after another", step(0, 10, "", "10", "100") + step(10, 100, "", "30", "0"), 30, 0.1},
		{"at once", step(0, 50, "gres/gpu=1", "10", "80") + step(25, 75, "gres/gpu=1", "30", "40"), 40, 0.3},
		{"two of three at once", step(0, 30, "", "1", "0") + step(20, 50, "", "2", "0") + step(40, 60, "", "4", "0"), 6, 0},
		{"no time", step(5, 5, "", "10", "50") + step(5, 5, "", "20", "50") + step(6, 16, "", "25", "50"), 30, 0.05},
		{"more GPUs than the job", step(0, 50, "gres/gpu=8", "1", "50"), 1, 0.25},
		{"more than all", step(0, 100, "", "1", "80") + step(0, 100, "", "1", "90"), 2, 1},
		{"one without times", "1.0||||mem=5M|gres/gpuutil=60\n", 5, 0.6},
		{"two without times", "1.0||||mem=5M|gres/gpuutil=60\n1.1||||mem=6M|gres/gpuutil=20\n", 11, -1},
		{"one of two with times", step(0, 10, "", "5", "100") + "1.1|x|||mem=6M|gres/gpuutil=20\n", 11, -1},
		{"none measured", "1.0|||||\n", -1, -1},
	} {
		got, err := ReadUsage(strings.NewReader(heads + job + c.lines))
		if u := got["1"]; err != nil || u.Used != c.memory || math.Abs(u.Busy-c.busy) > 1e-12 {
			t.Errorf("%s: %+v, %v, expected %v MB and %v", c.name, u, err, c.memory, c.busy)
		}
	}
}

// FuzzReadUsage: whatever the text, figures are known or −1.
func FuzzReadUsage(f *testing.F) {
	f.Add("JobID|JobName|ReqMem|MaxRSS|NTasks|TRESUsageInAve\n1|a|1G|||\n1.0|b||12K|3|gres/gpuutil=7\n")
	f.Add("JobID|\n|\n.1|\n")
	f.Fuzz(func(t *testing.T, text string) {
		usage, _ := ReadUsage(strings.NewReader(text))
		for id, u := range usage {
			for _, x := range []float64{u.Memory, u.Used, u.Devices} {
				if !(x >= 0 || x == -1) {
					t.Errorf("%q: %+v", id, u)
				}
			}
			if !(u.Busy >= 0 && u.Busy <= 1 || u.Busy == -1) {
				t.Errorf("%q: %+v", id, u)
			}
		}
	})
}

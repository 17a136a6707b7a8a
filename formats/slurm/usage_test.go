package slurm

import (
	"maps"
	"slices"
	"strings"
	"testing"
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
		"1": {Name: "train", Memory: 16384, Used: 12, Devices: 2, Busy: 0.3},
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

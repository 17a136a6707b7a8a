package advise

import (
	_ "github.com/allot-opt/allot/formats/swf"
	"os"
	"testing"

	"github.com/allot-opt/allot/formats"
)

func TestScratch(t *testing.T) {
	for _, path := range []string{"KTH-SP2-1996-2", "HPC2N-2002-first3170jobs", "mira", "LCG-2005-1"} {
		f, err := os.Open("/work/shared/data/swf/" + path + ".swf.gz")
		if err != nil {
			t.Fatal(err)
		}
		f.Close()
		file, _ := formats.Open("/work/shared/data/swf/" + path + ".swf.gz")
		in, _, err := file.Format.New().Read(file, path)
		if err != nil {
			t.Log(path, err)
			continue
		}
		for _, risk := range []float64{0.01, 0.05, 0.1} {
			jobs := Jobs(in, nil, nil)
			if path == "LCG-2005-1" {
				for k := range jobs {
					jobs[k].Arrival *= 48
					jobs[k].End *= 48
				}
			}
			a := Advise(jobs, Rules{risk, 0.95})
			n, k, bad := 0, 0, 0
			for _, m := range a.Months {
				n, k = n+m.Advised, k+m.Killed
				if float64(m.Killed) > risk*float64(m.Advised) {
					bad++
				}
			}
			states := map[State]int{}
			for _, l := range a.Limits {
				states[l.State]++
			}
			t.Log(path, risk, "months", len(a.Months), "bad", bad, "advised", n, "killed", k, states)
		}
	}
}

package slurm_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/allot-opt/allot/formats/slurm"
	"github.com/allot-opt/allot/internal/realdata"
	"github.com/allot-opt/allot/lab/whatif"
	"github.com/allot-opt/allot/solve"
)

// TestRecordedLimits: each waiting job of a real queue alone beside the running jobs of the account chem, which has a limit of 8 processors, so that the nodes have room for it.
// One that Slurm holds by that limit does not start at once, though without the tables of the limits it does. Jobs of other accounts that Slurm does not hold start at once.
func TestRecordedLimits(t *testing.T) {
	folder := filepath.Join(realdata.Root(t), "slurm", "22.05-plan-2")
	var all map[string]any
	if err := json.NewDecoder(file(t, folder, "squeue.json.gz").Reader).Decode(&all); err != nil {
		t.Fatal(err)
	}
	var running, held, free []any
	for _, j := range all["jobs"].([]any) {
		switch job := j.(map[string]any); {
		case job["job_state"] == "RUNNING":
			if job["account"] == "chem" {
				running = append(running, j)
			}
		case strings.HasSuffix(job["state_reason"].(string), "Limit"):
			held = append(held, j)
		case job["account"] != "chem" && job["qos"] == "normal" && (job["state_reason"] == "Resources" || job["state_reason"] == "Priority"):
			free = append(free, j)
		}
	}
	atOnce := func(name string, waiting any, limited bool) bool {
		all["jobs"] = append(running[:len(running):len(running)], waiting)
		text, err := json.Marshal(all)
		if err != nil {
			t.Fatal(err)
		}
		src := slurm.Sources{
			Jobs: source("jobs", string(text)), Nodes: file(t, folder, "sinfo.json"), Partitions: file(t, folder, "partitions.txt"),
			Reservations: file(t, folder, "reservations.txt"), Licences: file(t, folder, "licenses.txt"), Config: file(t, folder, "config.txt"),
		}
		if limited {
			src.QOS, src.Associations = file(t, folder, "qos.txt"), file(t, folder, "assoc.txt")
		}
		in, _ := read(t, src, slurm.Options{Now: 1795798752})
		choice, err := solve.Choose(name)
		if err != nil {
			t.Fatal(err)
		}
		starts, err := whatif.Starts(t.Context(), name, choice.Solver.(solve.Policy), in, 1)
		if err != nil {
			t.Fatal(err)
		}
		last := starts[len(starts)-1]
		return last.Start != nil && *last.Start == 0
	}
	count := func(name string, list []any, limited bool) (n int) {
		for _, waiting := range list {
			if atOnce(name, waiting, limited) {
				n++
			}
		}
		return n
	}
	for _, name := range []string{"backfill:order=priority", "easy:order=priority"} {
		for _, c := range []struct {
			what    string
			list    []any
			limited bool
			want    int
		}{{"held by a limit, with limits", held, true, 0}, {"held by a limit, without limits", held, false, len(held)}, {"not held, with limits", free, true, len(free)}} {
			if got := count(name, c.list, c.limited); got != c.want || len(c.list) == 0 {
				t.Errorf("%s, jobs %s: %d of %d start at once, expected %d", name, c.what, got, len(c.list), c.want)
			}
		}
	}
}

package bound

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/allot-opt/allot/internal/files"
	"github.com/allot-opt/allot/internal/needs"
	"github.com/allot-opt/allot/internal/realdata"
	"github.com/allot-opt/allot/model"
)

// randomProject has 10 to 24 jobs in whole times on one cluster of a few processors, with two licences and precedence.
func randomProject(t *testing.T, seed uint64) *model.Instance {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 83))
	b := model.NewBuilder("project").Cluster(of("c", 3+rng.IntN(6)))
	b.Spec().Licences = map[string]int{"k": 4 + rng.IntN(4), "l": 3 + rng.IntN(3)}
	for j := range 10 + rng.IntN(15) {
		job := model.JobSpec{ID: fmt.Sprint("j", j), Work: new(float64(1 + rng.IntN(12))), Processors: model.Rigid(1 + rng.IntN(3)), Licences: map[string]int{}}
		for before := max(0, j-6); before < j; before++ {
			if rng.IntN(5) == 0 {
				job.After = append(job.After, fmt.Sprint("j", before))
			}
		}
		for _, licence := range []string{"k", "l"} {
			if rng.IntN(3) > 0 {
				job.Licences[licence] = 1 + rng.IntN(3)
			}
		}
		b.Job(job)
	}
	in, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// CP-SAT and the proof agree on the optimum of projects beyond the sizes that can be enumerated, but for the few that one of them does not
// finish.
func TestProofsAgreeWithCPSAT(t *testing.T) {
	script := realdata.Peer(t, "cpsat_rcpsp.py")
	needs.Python(t, "ortools")
	ctx, agreed := context.Background(), 0
	for seed := range uint64(12) {
		in := randomProject(t, seed)
		proof := New(ctx, in)
		for k := 0; k < 50 && proof.Improve(ctx, 20_000_000); k++ {
		}
		found, _ := proof.Bound().Value()
		_, settled := proof.Order()
		path := filepath.Join(t.TempDir(), "project.json")
		if err := files.Write(path, func(w io.Writer) error { return model.WriteInstance(w, in) }); err != nil {
			t.Fatal(err)
		}
		out, err := exec.CommandContext(ctx, "python3", script, path, "10", "2").Output()
		if err != nil {
			t.Fatal(err)
		}
		fields := strings.Fields(string(out)) // makespan, bound, seconds
		if len(fields) != 3 {
			t.Fatalf("seed %d: the peer says %q, expected a makespan, a bound and seconds", seed, out)
		}
		best, err := strconv.ParseFloat(fields[0], 64)
		if err != nil {
			t.Fatal(err)
		}
		peer, err := strconv.ParseFloat(fields[1], 64)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("seed %d: %v is proved, with a schedule: %v; CP-SAT has %v and the bound %v", seed, found, settled, best, peer)
		if found > best || settled && found < peer {
			t.Errorf("seed %d: %v is proved, with a schedule: %v; CP-SAT has %v and the bound %v", seed, found, settled, best, peer)
		}
		if settled && peer == best {
			agreed++
		}
	}
	if agreed < 9 {
		t.Errorf("%d of 12 proved by both, expected 9", agreed)
	}
}

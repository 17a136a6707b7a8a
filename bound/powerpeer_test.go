package bound

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/allot-opt/allot/internal/files"
	"github.com/allot-opt/allot/internal/needs"
	"github.com/allot-opt/allot/internal/realdata"
	"github.com/allot-opt/allot/model"
)

// What is proved of the twenty batches, with machines that are always on, is not below what CP-SAT proves by two models of intervals, each in the given time of two
// workers; of at least eighteen of them. POWER_PEER=10 gives CP-SAT 10 s for each; without it four batches are looked at for 1 s.
func TestPowerIsBoundedBesideCPSAT(t *testing.T) {
	script := realdata.Peer(t, "cpsat_power.py")
	needs.Python(t, "ortools")
	seconds, below, batches := 1.0, 0, 4
	if given, err := strconv.ParseFloat(os.Getenv("POWER_PEER"), 64); err == nil {
		seconds, batches = given, 20
	}
	for k := range batches {
		spec := powerBatch(t, k).Spec()
		for c := range spec.Clusters {
			spec.Clusters[c].Machines[0].Power.Off = nil
		}
		in, err := model.New(spec)
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "batch.json")
		if err := files.Write(path, func(w io.Writer) error { return model.WriteInstance(w, in) }); err != nil {
			t.Fatal(err)
		}
		p, began := New(t.Context(), in), time.Now()
		for n := 0; n < 1_000 && p.Improve(t.Context(), 10_000_000); n++ {
		}
		ours, took := p.Bound().Or(0), time.Since(began)
		var theirs [2]float64
		for m, kind := range []string{"table", "linear"} {
			out, err := exec.CommandContext(t.Context(), "python3", script, path, strconv.FormatFloat(seconds, 'g', -1, 64), "2", "60", kind).Output()
			fields := strings.Fields(string(out))
			if err != nil || len(fields) != 4 {
				t.Fatalf("%v: %s", err, out)
			}
			if theirs[m], err = strconv.ParseFloat(fields[2], 64); err != nil {
				t.Fatal(err)
			}
		}
		t.Logf("batch %d: %v in %v; CP-SAT %v", k, ours, took, theirs)
		if ours < max(theirs[0], theirs[1])*(1-1e-9) {
			below++
		}
	}
	if below > 2 {
		t.Errorf("%d of %d are below CP-SAT", below, batches)
	}
}

package bench_test

import (
	"context"
	"fmt"
	"io"
	"math"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/allot-opt/allot/internal/files"
	"github.com/allot-opt/allot/internal/needs"
	"github.com/allot-opt/allot/internal/realdata"
	"github.com/allot-opt/allot/model"
)

// peerScript runs OR-Tools' CP-SAT on an instance file.
func peerScript(b *testing.B) string {
	b.Helper()
	return realdata.Peer(b, "cpsat.py")
}

// BenchmarkSearchPeer runs OR-Tools' CP-SAT on some instances of BenchmarkSearch, with the same time and workers. The peer returns no schedule, so
// its objective and bound are its own statement and are not checked. solved is 0 if it found nothing. Its time does not include the start of Python
// and the building of its model.
func BenchmarkSearchPeer(b *testing.B) {
	peerScript(b)
	needORTools(b)
	b.Run("data=mcp", func(b *testing.B) {
		// CP-SAT needs whole numbers; the scale of 1000 counts in thousandths of a second.
		benchmarkPeer(b, mcpCases(b), "best", 1000, 2*time.Second, 10*time.Second)
	})
	b.Run("data=strip_packing", func(b *testing.B) {
		chosen := []string{"BENG5", "BKW4", "BKW8", "n5a", "t7b", "C4_1"}
		cases := slices.DeleteFunc(stripPackingCases(b, false), func(c searchCase) bool { return !slices.Contains(chosen, c.name) })
		benchmarkPeer(b, cases, "optimum", 1, 10*time.Second) // the times are whole numbers already
	})
}

// needORTools skips the benchmark if Python has no OR-Tools.
func needORTools(b *testing.B) {
	b.Helper()
	needs.Python(b, "ortools")
}

// benchmarkPeer runs the peer on every case.
func benchmarkPeer(b *testing.B, cases []searchCase, to string, scale int, times ...time.Duration) {
	for _, limit := range times {
		var sum summary
		for _, c := range cases {
			b.Run(fmt.Sprintf("instance=%s/time=%s", c.name, shortTime(limit)), func(b *testing.B) {
				path := writtenInstance(b, c.in)
				var said statement
				for b.Loop() {
					said = askPeer(b, path, limit, scale)
				}
				if math.IsInf(said.value, 0) {
					b.ReportMetric(0, "solved")
					return
				}
				ratio := said.value / c.known
				sum.add(c, ratio)
				b.ReportMetric(1, "solved")
				b.ReportMetric(said.value, "objective")
				b.ReportMetric(100*(said.value-said.bound)/said.value, "gap%")
				b.ReportMetric(ratio, "ratio-"+to)
				b.ReportMetric(100*(ratio-1), "%above-"+to)
				b.ReportMetric(said.seconds, "s-solver")
			})
		}
		sum.benchmark(b, "instance=mean/time="+shortTime(limit), to)
	}
}

// statement holds the figures that the peer states.
type statement struct{ value, bound, seconds float64 }

// askPeer runs the peer once.
func askPeer(b *testing.B, path string, limit time.Duration, scale int) statement {
	// The output is: status value bound seconds.
	fields := peerOutput(b, limit, peerScript(b), path, strconv.Itoa(scale))
	if len(fields) != 4 {
		b.Fatalf("the peer says %q, expected a status and three numbers", fields)
	}
	return stated(b, fields[1:])
}

// peerOutput runs a script of the peer on an instance file and returns the words that it prints. The further arguments follow those that all scripts take.
func peerOutput(b *testing.B, limit time.Duration, script, path string, further ...string) []string {
	ctx, cancel := context.WithTimeout(b.Context(), limit+time.Minute)
	defer cancel()
	args := append([]string{script, path, strconv.FormatFloat(limit.Seconds(), 'g', -1, 64), strconv.Itoa(searchWorkers)}, further...)
	command := exec.CommandContext(ctx, "python3", args...)
	var faults strings.Builder
	command.Stderr = &faults
	out, err := command.Output()
	if err != nil {
		b.Fatalf("the peer: %v: %s", err, lastLine(faults.String()))
	}
	return strings.Fields(string(out))
}

// stated reads the value, the bound and the seconds that the peer prints. The value None, where it found nothing, is infinite.
func stated(b *testing.B, fields []string) statement {
	var numbers [3]float64
	for k, field := range fields {
		if field == "None" {
			field = "inf"
		}
		var err error
		if numbers[k], err = strconv.ParseFloat(field, 64); err != nil {
			b.Fatalf("the peer says %q: %v", fields, err)
		}
	}
	return statement{numbers[0], numbers[1], numbers[2]}
}

// writtenInstance writes the instance to a file for the peer.
func writtenInstance(b *testing.B, in *model.Instance) string {
	b.Helper()
	path := filepath.Join(b.TempDir(), "instance.json")
	if err := files.Write(path, func(w io.Writer) error { return model.WriteInstance(w, in) }); err != nil {
		b.Fatal(err)
	}
	return path
}

// lastLine returns the last line of a text, in which Python states the error.
func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return lines[len(lines)-1]
}

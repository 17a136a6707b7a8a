package model

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// A placement is written as encoding/json writes it, whatever its names and numbers.
func TestPlacementsAreWrittenAsByTheEncoder(t *testing.T) {
	text := rapid.OneOf(rapid.String(), rapid.StringMatching(`[ -~]{0,8}`), rapid.SampledFrom([]string{"", "a b", `"`, `\`, "<&>", "é", "\x7f", "\u2028", "\xff", "\n"}))
	number := rapid.OneOf(rapid.Float64(), rapid.Float64Range(-10, 10), rapid.SampledFrom([]float64{0, math.Copysign(0, -1), 1e-6, 9.999e-7, -1e-7, 1e-9, 1e-10, 1e-100, 1e20, 1e21, 1e22, 1e100, 5e-324, math.MaxFloat64, math.Inf(1), math.NaN()}))
	rapid.Check(t, func(t *rapid.T) {
		p := Placement{Job: text.Draw(t, "job"), Cluster: text.Draw(t, "cluster"), Start: number.Draw(t, "start"), End: number.Draw(t, "end")}
		for first := 0; rapid.Bool().Draw(t, "more"); {
			last := first + rapid.IntRange(0, 2).Draw(t, "run")
			p.Processors = append(p.Processors, Range{first, last})
			first = last + 2
		}
		if rapid.IntRange(0, 4).Draw(t, "pieces") == 0 {
			p.Pieces = []Piece{{Cluster: p.Cluster, Processors: p.Processors}}
		}
		if rapid.IntRange(0, 4).Draw(t, "devices") == 0 {
			p.Devices = DevicesHeld{"gpu": {"m": ProcessorSet{{0, 1}}}}
		}
		var want, got bytes.Buffer
		encoder := json.NewEncoder(&want)
		encoder.SetEscapeHTML(false)
		wrong := encoder.Encode(&p)
		err := WriteSolution(&got, &Solution{Jobs: []Placement{p}})
		if (wrong != nil) != (err != nil) {
			t.Fatalf("%+v: got error %v, expected %v", p, err, wrong)
		}
		if line := "\n  " + strings.TrimRight(want.String(), "\n") + "\n"; err == nil && !strings.Contains(got.String(), line) {
			t.Fatalf("got %s, expected %s", got.String(), line)
		}
	})
}

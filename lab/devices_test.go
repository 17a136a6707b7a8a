package lab

import (
	"bytes"
	"strings"
	"testing"

	"github.com/allot-opt/allot/model"
)

// Two jobs of three GPUs one after the other on a machine of four: they hold three quarters, and the fourth is stranded. Text and page say so; without devices there is no such
// column.
func TestDevices(t *testing.T) {
	const jobs = `"jobs":[{"id":"a","work":10,%},{"id":"b","work":10,"arrival":1,%}]}`
	read := func(header, machine, needs string) (*Report, string) {
		in, err := model.ReadInstance(strings.NewReader(`{"schema":"allot/instance/1",`+header+`"clusters":[{"id":"c","machines":[{"id":"m","processors":2`+machine+`}]}],`+strings.ReplaceAll(jobs, "%", needs)), "x.json")
		if err != nil {
			t.Fatal(err)
		}
		sol := &model.Solution{}
		for k, start := range []float64{0, 10} {
			p := model.Placement{Job: in.Jobs()[k].ID, Cluster: "c", Processors: model.Processors(0), Start: start, End: start + 10}
			if header != "" {
				p.Devices = model.DevicesHeld{"gpu": {"m": {{First: 0, Last: 2}}}}
			}
			sol.Jobs = append(sol.Jobs, p)
		}
		r, err := Compare(t.Context(), in, []Run{{"one", true, sol}}, Defaults())
		if err != nil {
			t.Fatal(err)
		}
		var page bytes.Buffer
		if err := r.WritePage(&page, Origin{}); err != nil {
			t.Fatal(err)
		}
		return r, r.Text() + page.String()
	}
	r, text := read(`"devices":["gpu"],`, `,"resources":{"gpu":4}`, `"resources":{"gpu":3}`)
	if p := r.Groups[0].Policies[0]; p.Devices == nil || *p.Devices != 0.75 || *p.Stranded != 1 {
		t.Errorf("held %v, stranded %v", p.Devices, p.Stranded)
	}
	if strings.Count(text, "devices held") != 2 || strings.Count(text, "75.00 %") != 2 {
		t.Errorf("got\n%s", text)
	}
	if r, text = read("", "", `"processors":1`); r.Groups[0].Policies[0].Stranded != nil || strings.Contains(text, "stranded") {
		t.Errorf("got\n%s", text)
	}
}

package workload_test

import (
	"strings"
	"testing"

	"github.com/allot-opt/allot/workload"
)

// A workload is named with its parameters as a solver is.
func TestChoose(t *testing.T) {
	info, w, err := workload.Choose("twolevel:jobs=7:clusters=3,2:time_scale=10")
	if err != nil {
		t.Fatal(err)
	}
	if two := w.(*workload.TwoLevel); info.Name != "twolevel" || two.Jobs != 7 || two.Clusters != "3,2" || two.TimeScale != 10 || two.MeanGap != 5 {
		t.Errorf("%s: %+v", info.Name, w)
	}
	if _, w, err = workload.Choose("spaceshare"); err != nil || *w.(*workload.SpaceShare) != *workload.Default[workload.SpaceShare]() {
		t.Errorf("%+v, error %v", w, err)
	}
	for text, want := range map[string]string{
		"":                         `expected a workload, one of four, ggone, `,
		"twolvel:jobs=1":           `found "twolvel"; did you mean "twolevel"?`,
		"twolevel:jobs":            `workload twolevel: expected PARAM=VALUE behind each colon, found "jobs"`,
		"twolevel:":                `workload twolevel: expected PARAM=VALUE behind each colon, found ""`,
		"twolevel:jobs=1:jobs=2":   "workload twolevel: expected parameter jobs once, found it twice",
		"twolevel:jbs=1":           `workload twolevel: unknown parameter "jbs"`,
		"twolevel:jobs=x":          "workload twolevel: parameter jobs: expected a whole number from 0 to 100000000, found \"x\"",
		"spaceshare:load=1:cv=0.5": `unknown parameter "cv"`,
	} {
		if _, _, err := workload.Choose(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, expected one that says %q", text, err, want)
		}
	}
}

// FuzzChoose: no text that names a workload causes a panic, and one that is accepted makes an instance of few jobs or an error.
func FuzzChoose(f *testing.F) {
	for _, text := range []string{"", "twolevel", "twolevel:clusters=3,2", "spaceshare:speeds=1,2:load=0.5", "twolevel:", ":", "mts:jobs=", "ggone:machines=6:14000", "muscle:clusters=20:1",
		"twolevel:machines_seed=none", "spaceshare:speeds=", "gpu:types=T4,A10:load=0.9", "gpu:kinds=1,1,1,1,1,1:gang_share=1", "twolevel:clusters=,", "spaceshare:processors=16777217", "twolevel:jobs=1e3"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		info, w, err := workload.Choose(text)
		if err != nil {
			return
		}
		if name, _, _ := strings.Cut(text, ":"); info.Name != name {
			t.Errorf("%q names %s", text, info.Name)
		}
		switch w := w.(type) { // sizes that take no time
		case *workload.TwoLevel:
			if w.Jobs = min(w.Jobs, 5); len(w.Clusters) > 6 || w.Licences > 10 {
				return
			}
		case *workload.SpaceShare:
			w.Jobs, w.Clusters = min(w.Jobs, 5), min(w.Clusters, 100)
		case *workload.GPU:
			w.Jobs = min(w.Jobs, 5)
		default:
			return
		}
		if in, err := w.Generate(1); (in == nil) == (err == nil) {
			t.Errorf("%q: instance %v, error %v", text, in, err)
		}
	})
}

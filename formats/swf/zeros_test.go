package swf_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/allot-opt/allot/formats/swf"
	"github.com/allot-opt/allot/model"
)

// oneJob is a trace of one job of the 18 fields, all unknown but those given by their number, from 1.
func oneJob(fields map[int]string) string {
	line := []string{"1", "0", "0", "60", "1"}
	for len(line) < 18 {
		line = append(line, "-1")
	}
	for k, value := range fields {
		line[k-1] = value
	}
	return "; MaxProcs: 8\n" + strings.Join(line, " ") + "\n"
}

// A memory of 0 is known, -1 is not, and each is of the field that was asked for.
func TestMemoryOfZeroIsKnown(t *testing.T) {
	for _, c := range []struct {
		used, requested string
		memory          string
		want            float64
		unknown         int
	}{
		{"0", "-1", "used", 0, 0}, {"-1", "0", "used", 0, 1}, {"7", "9", "used", 7, 0},
		{"-1", "0", "requested", 0, 0}, {"0", "-1", "requested", 0, 1}, {"7", "9", "requested", 9, 0},
	} {
		in, report := read(t, oneJob(map[int]string{7: c.used, 9: "90", 10: c.requested}), with("prefer_requested=false", "memory="+c.memory))
		if found := in.Jobs()[0].Memory; found != c.want || report.Count(model.ImportKept) != c.unknown {
			t.Errorf("%+v: found %v, %d unknown", c, found, report.Count(model.ImportKept))
		}
	}
}

// A number of 0 processors is none: the other field counts, then 1 if that is asked for, else the job is dropped.
func TestNoProcessorsAreUnknown(t *testing.T) {
	for _, c := range []struct {
		allocated, requested string
		repair               string
		want                 int // 0: dropped
	}{{"0", "4", "drop", 4}, {"3", "4", "drop", 3}, {"0", "0", "drop", 0}, {"0", "-1", "repair", 1}, {"-1", "0", "repair", 1}} {
		in, _ := read(t, oneJob(map[int]string{5: c.allocated, 8: c.requested}), with("prefer_requested=false", "unknown_processors="+c.repair))
		found := 0
		if len(in.Jobs()) > 0 {
			found = in.Jobs()[0].Min
		}
		if found != c.want {
			t.Errorf("%+v: found %d", c, found)
		}
	}
}

// In place of an unknown run time the average CPU time is taken where it is above 0, then the requested time.
func TestUnknownRuntimeIsRepairedByWhatIsKnown(t *testing.T) {
	for _, c := range []struct {
		cpu, requested string
		want           float64
	}{{"40", "90", 40}, {"0", "90", 90}, {"-1", "90", 90}} {
		in, _ := read(t, oneJob(map[int]string{4: "-1", 6: c.cpu, 9: c.requested}), with("unknown_runtime=repair"))
		if found := in.Jobs()[0].Work; found != c.want {
			t.Errorf("%+v: found %v", c, found)
		}
	}
}

// Only jobs of one submit time are put in the order of their numbers.
func TestOnlyTiesAreSorted(t *testing.T) {
	trace := "; MaxProcs: 8\n"
	for _, job := range [][2]int{{9, 10}, {8, 11}, {7, 11}, {3, 12}, {5, 12}, {1, 13}} {
		trace += fmt.Sprintf("%d %d 0 60 1 -1 -1 1 90 -1 1 1 1 1 1 1 -1 -1\n", job[0], job[1])
	}
	in, _ := read(t, trace, swf.NewReader())
	var found []string
	for _, j := range in.Jobs() {
		found = append(found, j.ID)
	}
	if order := strings.Join(found, " "); order != "9 7 8 3 5 1" {
		t.Errorf("found %s", order)
	}
}

package lines

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/allot-opt/allot/model"
)

func TestScannerLines(t *testing.T) {
	s := NewScanner(strings.NewReader("\ufeffone\r\n\ntwo\n\nlast"))
	var got []string
	for s.Scan() {
		got = append(got, string(s.Bytes()))
	}
	faults := NewFaults("f")
	if !s.Check(faults) || s.Line() != 5 || strings.Join(got, "|") != "one||two||last" {
		t.Errorf("got %q, line %d, %v", got, s.Line(), faults.Err())
	}
}

func TestScannerBoundsLines(t *testing.T) {
	for _, c := range []struct {
		name  string
		input io.Reader
		want  string
	}{
		{"longest", strings.NewReader("x\n" + strings.Repeat("a", MaxLength) + "\r\ny"), ""},
		{"longer", strings.NewReader("x\n" + strings.Repeat("a", MaxLength+3) + "\ny"),
			"f: line 2: expected a line of at most 1048576 bytes, found a longer one"},
		{"endless", endless{}, "f: line 1: expected a line of at most 1048576 bytes, found a longer one"},
		{"broken", io.MultiReader(strings.NewReader("x\ny\n"), iotest.ErrReader(errors.New("the disk is on fire"))),
			"f: line 3: the disk is on fire"},
	} {
		s, faults := NewScanner(c.input), NewFaults("f")
		for s.Scan() {
		}
		ok := s.Check(faults)
		if got := message(faults.Err()); got != c.want || ok != (c.want == "") {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

// endless is a line without an end.
type endless struct{}

func (endless) Read(buffer []byte) (int, error) {
	for k := range buffer {
		buffer[k] = 'a'
	}
	return len(buffer), nil
}

func message(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func TestNumber(t *testing.T) {
	const span = "expected 0 or a number of magnitude in [1e-18, 1e+18], found "
	for _, c := range []struct {
		text string
		want float64
		err  string
	}{
		{"0", 0, ""},
		{"-0", 0, ""},
		{"-0.0", 0, ""},
		{"0e999", 0, ""},
		{"17", 17, ""},
		{"-1", -1, ""},
		{"+1.5e2", 150, ""},
		{"999999999999999", 999999999999999, ""},
		{"1234567890123456789", 0, span + `"1234567890123456789"`},
		{"123456789012345678", 123456789012345678, ""},
		{"1e18", 1e18, ""},
		{"1e-18", 1e-18, ""},
		{"-1e19", 0, span + `"-1e19"`},
		{"1e400", 0, span + `"1e400"`},
		{"1e-19", 0, span + `"1e-19"`},
		{"1e-400", 0, span + `"1e-400"`},
		{"", 0, `expected a number, found ""`},
		{"-", 0, `expected a number, found "-"`},
		{"1.2.3", 0, `expected a number, found "1.2.3"`},
		{"NaN", 0, `expected a number, found "NaN"`},
		{"inf", 0, `expected a number, found "inf"`},
		{"0x10", 0, `expected a number, found "0x10"`},
		{"1_000", 0, `expected a number, found "1_000"`},
		{"1,5", 0, `expected a number, found "1,5"`},
		{strings.Repeat("z", 50), 0, `expected a number, found "` + strings.Repeat("z", 40) + `"…`},
	} {
		for kind, read := range map[string]func() (float64, error){
			"string": func() (float64, error) { return Number(c.text) },
			"bytes":  func() (float64, error) { return Number([]byte(c.text)) },
		} {
			got, err := read()
			if got != c.want || message(err) != c.err {
				t.Errorf("%s %q: got %v, %v; want %v, %q", kind, c.text, got, err, c.want, c.err)
			}
		}
	}
}

func TestWholeAndNonNegative(t *testing.T) {
	for text, want := range map[string]string{
		"4": "", "4.0": "", "2147483647": "",
		"0":          `expected a whole number in [1, 2147483647], found "0"`,
		"4.5":        `expected a whole number in [1, 2147483647], found "4.5"`,
		"2147483648": `expected a whole number in [1, 2147483647], found "2147483648"`,
		"four":       `expected a number, found "four"`,
	} {
		if _, err := Whole(text, 1); message(err) != want {
			t.Errorf("Whole(%q): got %v, want %q", text, err, want)
		}
	}
	if _, err := NonNegative("-0.5"); message(err) != `expected a number of at least 0, found "-0.5"` {
		t.Errorf("NonNegative: got %v", err)
	}
}

func TestFaultsAreLimited(t *testing.T) {
	faults := NewFaults("f.txt")
	if faults.Err() != nil || !faults.None() {
		t.Error("expected no error without faults")
	}
	for k := range model.MaxListed + 7 {
		faults.Line(k+1, "wrong")
	}
	list := strings.Split(message(faults.Err()), "\n")
	if len(list) != model.MaxListed+1 || list[0] != "f.txt: line 1: wrong" || list[model.MaxListed] != "f.txt: and 7 more errors" {
		t.Errorf("got %d lines, first %q, last %q", len(list), list[0], list[len(list)-1])
	}
}

func TestBuildNamesPlacesInTheFile(t *testing.T) {
	work := 1.0
	spec := model.InstanceSpec{
		Clusters: []model.ClusterSpec{{ID: "c", Machines: []model.MachineSpec{{ID: "m"}}}},
		Jobs: []model.JobSpec{
			{ID: "a", Work: &work, After: []string{"b"}},
			{ID: "b", Work: &work, After: []string{"a"}},
			{ID: "c"},
		},
	}
	place := func(job int) string { return "line " + string(rune('5'+job)) }
	_, err := NewFaults("f").Build(spec, place)
	if want := "f: line 7: expected one of work, runtime and estimate, found none"; message(err) != want {
		t.Errorf("got %v, want %s", err, want)
	}
	spec.Jobs = spec.Jobs[:2]
	_, err = NewFaults("f").Build(spec, place)
	if !strings.HasPrefix(message(err), "f: line ") || !strings.Contains(message(err), ": after[0]: expected no cycle, found ") {
		t.Errorf("got %v", err)
	}
	faults := NewFaults("f")
	faults.At("", "no")
	if _, err := faults.Build(spec, place); message(err) != "f: no" {
		t.Errorf("got %v, want the fault that was there before", err)
	}
}

func TestTitle(t *testing.T) {
	for file, want := range map[string]string{
		"a/b/KTH-SP2-1996-2.swf.gz": "KTH-SP2-1996-2",
		"u_c_hihi.0.gz":             "u_c_hihi.0",
		"standard input":            "standard input",
		"x\xff.swf":                 "x\ufffd",
	} {
		if got := Title(file, ".swf"); got != want {
			t.Errorf("%s: got %q, want %q", file, got, want)
		}
	}
}

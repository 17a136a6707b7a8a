package draw

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/allot-opt/allot/model"
)

func TestReadRun(t *testing.T) {
	const text = `{"elapsed_s":0,"evaluations":0,"objective":-2.5}
{"bound":-1e3, "objective":-3,"elapsed_s":0.25,"evaluations":1e3}` + "\r\n" + `{"elapsed_s":0.25,"evaluations":7,"objective":-3}`
	want := &Run{Name: "run.1", Points: []model.Incumbent{
		{Objective: -2.5}, {Elapsed: 0.25, Evaluations: 1000, Objective: -3, Bound: model.ProvedBound(-1000)},
		{Elapsed: 0.25, Evaluations: 7, Objective: -3, Bound: model.ProvedBound(-1000)},
	}}
	got, err := ReadRun(iotest.OneByteReader(strings.NewReader(text)), "folder/run.1.jsonl.gz")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got, err = ReadRun(strings.NewReader(""), "empty"); err != nil || len(got.Points) > 0 {
		t.Errorf("a run without a schedule: %v, %v", got, err)
	}
}

func TestReadRunFile(t *testing.T) {
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	if _, err := io.WriteString(w, `{"elapsed_s":1,"evaluations":2,"objective":3}`+"\n"); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "t.jsonl.gz")
	if err := os.WriteFile(file, packed.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	run, err := ReadRunFile(file)
	if err != nil || len(run.Points) != 1 || run.Name != "t" {
		t.Errorf("%v, %v", run, err)
	}
	if err := os.WriteFile(file, packed.Bytes()[:packed.Len()-9], 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err = ReadRunFile(file); err == nil || !strings.Contains(err.Error(), "the gzip data is cut short") {
		t.Errorf("error %v", err)
	}
	if _, err = ReadRunFile(file + ".missing"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v", err)
	}
}

func TestWrongRuns(t *testing.T) {
	const good = `{"elapsed_s":1,"evaluations":5,"objective":3,"bound":2}` + "\n"
	for _, c := range []struct{ text, want string }{
		{good + "\n" + good, "f: line 2: expected an object, found an empty line"},
		{"[1]\n", `f: line 1: expected an object such as {"elapsed_s":0.5,"evaluations":120,"objective":42,"bound":40}, found [1]`},
		{"elapsed,objective\n1,2\n", "line 1: expected an object such as " + examplePoint + ", found text that is not JSON: invalid character 'e'"},
		{"{\n \"schema\": 3\n}\n", "line 1: expected an object on one line such as " + examplePoint + ", found the end of the line inside a JSON value"},
		{good + good[:20], "line 2: expected an object on one line"},
		{good + `{"elapsed_s":1,,}`, "line 2: expected an object such as " + examplePoint + ", found text that is not JSON"},
		{strings.TrimSpace(good) + " 3", "line 1: expected the end of the line after the object"},
		{`{"elapsed_s":1,"evaluations":5,"objektive":3}`, "f: line 1: objektive: unknown field; expected one of elapsed_s, evaluations, objective, bound\n" +
			`f: line 1: expected the field "objective", found none`},
		{`{"elapsed_s":1,"elapsed_s":2,"evaluations":5,"objective":3}`, "line 1: elapsed_s: expected the field once, found it again"},
		{`{"elapsed_s":-1,"evaluations":5,"objective":3}`, "line 1: elapsed_s: expected a number in [0, 1e+18], found -1"},
		{`{"elapsed_s":1,"evaluations":0.5,"objective":3}`, "line 1: evaluations: expected a whole number in [0, 2^53], found 0.5"},
		{`{"elapsed_s":1,"evaluations":5,"objective":null}`, "line 1: objective: expected a number in [-1e+300, 1e+300], found null"},
		{`{"elapsed_s":1,"evaluations":5,"objective":1e999}`, "line 1: objective: expected a number in [-1e+300, 1e+300], found 1e999"},
		{`{"elapsed_s":1,"evaluations":5,"objective":3,"bound":{"a":[` + strings.Repeat("1,", 99) + `1]}}`, `line 1: bound: expected a number in [-1e+300, 1e+300], found {"a":[1,1`},
		{good + `{"elapsed_s":0.9,"evaluations":6,"objective":2,"bound":2}`, "line 2: elapsed_s: expected at least the 1 before it, found 0.9"},
		{good + `{"elapsed_s":2,"evaluations":6,"objective":3.5,"bound":2}`, "line 2: objective: expected at most the 3 before it, found 3.5"},
		{good + `{"elapsed_s":2,"evaluations":6,"objective":3,"bound":1}`, "line 2: bound: expected at least the 2 before it, found 1"},
		{good + `{"x":"` + strings.Repeat("y", maxRunLine) + `"}`, "line 2: expected a line of at most 65536 bytes, found a longer one"},
		{"\x1b[31m", "line 1: expected an object"},
	} {
		_, err := ReadRun(strings.NewReader(c.text), "f")
		var input *model.InputError
		if !errors.As(err, &input) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.80q: error %v, want one with %q", c.text, err, c.want)
		}
	}
	_, err := ReadRun(strings.NewReader(strings.Repeat("{}\n", 2*model.MaxListed)), "f")
	if lines := strings.Split(err.Error(), "\n"); len(lines) != model.MaxListed+1 || lines[len(lines)-1] != "f: and 5000 more errors" {
		t.Errorf("%d lines, the last %q", len(lines), lines[len(lines)-1])
	}
	if _, err := ReadRun(iotest.ErrReader(errBroken), "f"); err == nil || err.Error() != "f: line 1: broken" {
		t.Errorf("error %v", err)
	}
}

// written is a run as allot solve --trace writes it.
func written(run *Run) string {
	var b strings.Builder
	for _, p := range run.Points {
		fmt.Fprintf(&b, `{"elapsed_s":%v,"evaluations":%d,"objective":%v`, p.Elapsed, p.Evaluations, p.Objective)
		if p.Bound.Known() {
			fmt.Fprintf(&b, `,"bound":%v`, p.Bound)
		}
		b.WriteString("}\n")
	}
	return b.String()
}

// FuzzReadRun feeds arbitrary bytes to the reader. It must not panic, errors name the file, and a run that it accepts can be drawn and is the
// same after it is written and read again.
func FuzzReadRun(f *testing.F) {
	f.Add([]byte(written(courses()[0].runs[0])))
	f.Add([]byte(`{"elapsed_s":0,"evaluations":0,"objective":-1e300}` + "\n" + `{"elapsed_s":1e18,"evaluations":9,"objective":-1e300,"bound":1e300}`))
	f.Add([]byte(`{"elapsed_s":1e-320,"evaluations":1e3,"objective":0,"bound":-0.0,"bound":[{}]}` + "\r\n\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		run, err := ReadRun(bytes.NewReader(text), "f.jsonl")
		if err != nil {
			for line := range strings.SplitSeq(err.Error(), "\n") {
				if !strings.HasPrefix(line, "f.jsonl: ") {
					t.Errorf("an error without the file's name: %q", line)
				}
			}
			return
		}
		again, err := ReadRun(strings.NewReader(written(run)), "f.jsonl")
		if diff := cmp.Diff(run, again); err != nil || diff != "" {
			t.Errorf("%v (-once +again):\n%s", err, diff)
		}
		for _, isLog := range []bool{false, true} {
			for _, format := range []Format{Text, SVG} {
				if err := into(io.Discard, format)(Progress([]*Run{run, again}, ProgressOptions{LogTime: isLog})); err != nil {
					t.Errorf("%s: %v", format, err)
				}
			}
		}
	})
}

package process

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"testing"
	"testing/iotest"

	"github.com/allot-opt/allot/model"
)

// split splits a stream into documents.
func split(r io.Reader, limit int) (list []string, err error) {
	d := &documents{r: bufio.NewReader(r), limit: limit}
	for {
		text, err := d.next()
		if err != nil {
			return list, err
		}
		list = append(list, string(text))
	}
}

// FuzzIncumbents: no output of a program causes a panic. The stream is split in the same way whatever the sizes of its chunks, and as the
// standard library splits it if that can read it. A solution that is kept passes the checker.
func FuzzIncumbents(f *testing.F) {
	b := model.NewBuilder("").Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m"}}})
	in, err := b.Job(model.JobSpec{ID: "a", Work: new(1.0)}, model.JobSpec{ID: "b", Work: new(2.0)}).Build()
	if err != nil {
		f.Fatal(err)
	}
	const good = `{"schema":"allot/solution/1","jobs":[{"job":"a","cluster":"c","processors":"0","start":0,"end":1},{"job":"b","cluster":"c","processors":"0","start":1,"end":3}]}`
	for _, text := range []string{good, good + "\n" + good, "{\n}", `{"a":"}\"\\"}{}`, `{"unsupported":"moldable jobs"}`, `{"jobs":[{`, "x", "[{}]", " \r\n", "{]}{[}]",
		`{"schema":"allot/solution/1","jobs":[],"unscheduled":[{"job":"a","reason":"r"},{"job":"b","reason":"r"}]}` + good} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		const limit = 1000
		whole, err := split(bytes.NewReader(text), limit)
		bytewise, again := split(iotest.OneByteReader(bytes.NewReader(text)), limit)
		if !slices.Equal(whole, bytewise) || errors.Is(err, errCut) != errors.Is(again, errCut) || (err == io.EOF) != (again == io.EOF) {
			t.Errorf("%q, %v byte by byte and %q, %v at once", bytewise, again, whole, err)
		}
		var want []string
		for decoder := json.NewDecoder(bytes.NewReader(text)); ; {
			var raw json.RawMessage
			if decoder.Decode(&raw) != nil || raw[0] != '{' || len(raw) > limit {
				break
			}
			want = append(want, string(raw))
		}
		if len(want) > len(whole) || !slices.Equal(want, whole[:len(want)]) {
			t.Errorf("split into %q, the standard library into %q", whole, want)
		}
		found := &incumbents{in: in, sent: in.SHA256}
		_ = found.read(bytes.NewReader(text))
		if found.best != nil {
			if report := model.Check(in, found.best); !report.OK() || report.Objective != found.objective {
				t.Errorf("%v, objective %v for %v", report.Violations, report.Objective, found.objective)
			}
		}
	})
}

// The kept end of a standard error consists of a few whole, printable lines, whatever the sizes of its chunks.
func TestTail(t *testing.T) {
	for _, c := range []struct {
		writes []string
		want   string
	}{
		{nil, ""},
		{[]string{"a\nb", "c\r\n\n"}, "a\nbc"},
		{[]string{"1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n"}, "3\n4\n5\n6\n7\n8\n9\n10\n11\n12"},
		{[]string{"\x1b[2J\xff"}, " [2J\uFFFD"},
	} {
		var end tail
		for _, text := range c.writes {
			if n, err := end.Write([]byte(text)); n != len(text) || err != nil {
				t.Error(n, err)
			}
		}
		if found := end.String(); found != c.want {
			t.Errorf("%q gives %q, expected %q", c.writes, found, c.want)
		}
	}
	var end tail
	for range 100 {
		_, _ = end.Write(bytes.Repeat([]byte("é"), 3000))
	}
	if len(end.text) > tailBytes || len(end.String()) > tailBytes+2 {
		t.Errorf("keeps %d bytes", len(end.text))
	}
}

package model_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/allot-opt/allot/internal/peak"
	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/model/budget"
)

var gigabyte = flag.Bool("gigabyte", false, "read files of a gigabyte to the end, which takes a minute")

// bulk is the length of a file that is read to the end: millions of values.
func bulk() int64 {
	if *gigabyte {
		return 1 << 30
	}
	return int64(race.Fewer(20<<20, 4<<20))
}

// repeated is a prefix, a text over and over again and a suffix, made while it is read.
type repeated struct {
	prefix, text, suffix string
	length               int64 // of the repeated part, a multiple of the text's
	at                   int64
}

// Read implements io.Reader.
func (r *repeated) Read(buffer []byte) (int, error) {
	n := 0
	for n < len(buffer) {
		rest := r.next()
		if rest == "" {
			break
		}
		copied := copy(buffer[n:], rest)
		n, r.at = n+copied, r.at+int64(copied)
	}
	if n == 0 {
		return 0, io.EOF
	}
	return n, nil
}

// next is some of what comes next; empty at the end.
func (r *repeated) next() string {
	body := int64(len(r.prefix)) + r.length
	switch {
	case r.at < int64(len(r.prefix)):
		return r.prefix[r.at:]
	case r.at < body:
		return r.text[(r.at-int64(len(r.prefix)))%int64(len(r.text)):]
	case r.at < body+int64(len(r.suffix)):
		return r.suffix[r.at-body:]
	}
	return ""
}

// A file cannot make the reader hold more than a few megabytes, whatever it is made of.
func TestReadHoldsLittleOfAnyFile(t *testing.T) {
	size := bulk()
	const start = `{"schema": "allot/instance/1", `
	const tooLong = "expected texts, numbers and white space of at most 1048576 bytes, found a longer one"
	for _, c := range []struct {
		name, prefix, text, suffix string
		size                       int64
		first                      string // fault
	}{
		{"one text", start + `"name": "`, "x", `"}`, 1 << 30, "name: " + tooLong},
		{"one text of escapes", start + `"name": "`, `\"`, `"}`, 1 << 30, "name: " + tooLong},
		{"one name", start + `"`, "x", `": 1}`, 1 << 30, tooLong},
		{"one number", start + `"jobs": [{"work": `, "1", `}]}`, 1 << 30, "jobs[0].work: " + tooLong},
		{"white space", start, " ", `}`, 1 << 30, tooLong},
		{"white space at the end", document("", oneCluster, oneJob), "\n", "", 1 << 30, tooLong},
		{"not JSON", "", "x", "", 1 << 30, "not JSON: invalid character 'x' at start of value at byte 0"},
		{"arrays", start, "[", "", 1 << 30, "not JSON: object member name must be a string at byte 31"},
		{"array for a number", start + `"jobs": [{"work": [`, "12345678, ", `0]}]}`, size, "jobs[0].work: expected a number, found an array"},
		{"object for a number", start + `"jobs": [{"work": {`, `"field": [1, 2], `, `"a": 0}}]}`, size, "jobs[0].work: expected a number, found an object"},
		{"unknown field", start + `"x": [`, "{}, ", "{}]}", size / 4, "x: unknown field; expected one of " + headerFields},
	} {
		t.Run(c.name, func(t *testing.T) {
			var err error
			length := c.size / int64(len(c.text)) * int64(len(c.text))
			grown := peak.Heap(func() {
				_, err = model.ReadInstance(&repeated{prefix: c.prefix, text: c.text, suffix: c.suffix, length: length}, "in.json")
			})
			var faults *model.InputError
			if !errors.As(err, &faults) {
				t.Fatalf("got %v", err)
			}
			first := faults.Faults[0]
			got := first.Message
			if first.Path != "" {
				got = first.Path + ": " + got
			}
			if got != c.first {
				t.Errorf("got %s, want %s", got, c.first)
			}
			if grown > 32<<20 {
				t.Errorf("the heap grew by %d bytes", grown)
			}
			t.Logf("the heap grew by %d KiB", grown>>10)
		})
	}
}

// Of millions of faults on one line the first thousand are listed and the rest counted.
func TestReadCountsAMillionErrors(t *testing.T) {
	race.OneGoroutine(t)
	faulty := `{"id": "", "arrival": -1, "jobs": {"unknown": [1, 2, 3]}, "after": "x"}, ` // four, and no time: that one is found later
	size := bulk()
	jobs := size / int64(len(faulty))
	var err error
	start := time.Now()
	grown := peak.Heap(func() {
		_, err = model.ReadInstance(&repeated{
			prefix: `{"schema": "allot/instance/1", "clusters": [` + oneCluster + `], "jobs": [`, text: faulty, suffix: `{"id": "x", "work": 1}]}`,
			length: jobs * int64(len(faulty)),
		}, "in.json")
	})
	t.Logf("%d MiB in %v, the heap grew by %d KiB", size>>20, time.Since(start).Round(time.Millisecond), grown>>10)
	var faults *model.InputError
	if !errors.As(err, &faults) {
		t.Fatalf("got %v", err)
	}
	if len(faults.Faults) != model.MaxListed || int64(faults.More) != 4*jobs-model.MaxListed {
		t.Errorf("listed %d and counted %d more of %d", len(faults.Faults), faults.More, 4*jobs)
	}
	if want := (model.Fault{Path: "jobs[249].after", Message: `expected an array, found "x"`}); faults.Faults[999] != want {
		t.Errorf("the last one listed is %+v", faults.Faults[999])
	}
	lines := strings.Split(err.Error(), "\n")
	if want := fmt.Sprintf("in.json: and %d more errors", faults.More); len(lines) != 1001 || lines[1000] != want {
		t.Errorf("got %d lines, the last is %q", len(lines), lines[len(lines)-1])
	}
	if grown > 64<<20 {
		t.Errorf("the heap grew by %d bytes", grown)
	}
}

// Texts of just the longest length are read and one byte more is refused, wherever the pieces end in which a file arrives.
func TestReadRefusesLongTokensWhereverTheyEnd(t *testing.T) {
	const most = 1 << 20
	for _, extra := range []int{-1, 0, 1, 2, 3, 100, 4093, 4094, 4095, 4096, 65535, 65536} {
		for _, prefix := range []string{`{"x": "`, `{"x":        "`} {
			text := prefix + strings.Repeat("x", most+extra) + `"}`
			_, err := readInstance(text)
			refused := strings.Contains(err.Error(), "found a longer one")
			if refused != (extra > 0) {
				t.Errorf("a text of %d bytes: got %.200v", most+extra, err)
			}
		}
	}
}

// Within limits, reading takes little memory, whatever the instance has much of, and reading stops there.
func TestReadWithinLimits(t *testing.T) {
	names := int64(200_000)
	within := func(r io.Reader) io.Reader {
		limits := budget.Usual()
		limits.Names = names
		return budget.New(t.Context(), limits, nil).Reader(r)
	}
	var clusters, jobs bytes.Buffer
	for k := range 2000 {
		fmt.Fprintf(&clusters, `,{"id": "c%d", "machines": [{"id": "m"}]}`, k)
		fmt.Fprintf(&jobs, `,{"id": "j%d", "runtime": {"c1": 1}}`, k)
	}
	const start = `{"schema": "allot/instance/1", `
	for _, c := range []struct{ name, prefix, text, suffix, want string }{
		{"jobs", start + `"clusters": [` + oneCluster + `], "jobs": [`, `{"id":"a","work":1},`, `{"id":"b","work":1}]}`, "jobs["},
		{"clusters", start + `"clusters": [`, `{"id":"c","machines":[{"id":"m"}]},`, oneCluster + `], "jobs": []}`, "clusters["},
		{"after", start + `"jobs": [{"id": "a", "work": 1, "after": [`, `"b",`, `"b"]}]}`, "jobs[0].after[199"},
		{"a table", document("", clusters.String()[1:], jobs.String()[1:]), " ", "", "jobs: (jobs with a runtime) × (clusters), 2000 × 2000: "},
	} {
		in := &repeated{prefix: c.prefix, text: c.text, suffix: c.suffix, length: 16 << 20 / int64(len(c.text)) * int64(len(c.text))}
		if c.text == " " {
			in.length = 0
		}
		var err error
		grown := peak.Heap(func() { _, err = model.ReadInstance(within(in), "in.json") })
		if passed := (*budget.Error)(nil); !errors.As(err, &passed) || !strings.HasPrefix(err.Error(), "in.json: "+c.want) || !strings.Contains(err.Error(), "expected at most 200,000 names in the whole reading") {
			t.Errorf("%s: got %.300v", c.name, err)
		}
		if grown > 96<<20 || c.text != " " && in.at > 8<<20 {
			t.Errorf("%s: the heap grew by %d bytes, %d were read", c.name, grown, in.at)
		}
	}
	var licences bytes.Buffer
	for k := range 200_001 {
		fmt.Fprintf(&licences, `,"%d":1`, k)
	}
	if _, err := model.ReadInstance(within(strings.NewReader(document(`"licences": {`+licences.String()[1:]+`},`, oneCluster, oneJob))), ""); !budget.Stopped(err) {
		t.Errorf("licences: got %.300v", err)
	}
	just := document("", oneCluster, oneJob)
	needed := int64(budget.NamesOf[model.ClusterSpec]() + budget.NamesOf[model.MachineSpec]() + budget.NamesOf[model.JobSpec]())
	for _, names = range []int64{needed, needed - 1} {
		if _, err := model.ReadInstance(within(strings.NewReader(just)), ""); budget.Stopped(err) != (names < needed) || err != nil && !budget.Stopped(err) {
			t.Errorf("%d names: got %v", names, err)
		}
	}
}

// Small files must not ask for large tables.
func TestReadRefusesLargeTables(t *testing.T) {
	var clusters, jobs, licensed, licences bytes.Buffer
	for k := range 20_000 {
		fmt.Fprintf(&clusters, `,{"id": "c%d", "machines": [{"id": "m"}]}`, k)
		fmt.Fprintf(&jobs, `,{"id": "j%d", "runtime": {"c1": 1}}`, k)
		fmt.Fprintf(&licensed, `,{"id": "c%d", "licences": {"l%d": 1}, "machines": [{"id": "m", "licences": []}]}`, k, k)
		fmt.Fprintf(&licences, `,"l%d": 1`, k)
	}
	checkRefused(t, []refused{
		{"jobs × clusters", document("", clusters.String()[1:], jobs.String()[1:]), []string{
			"jobs: (jobs with a runtime) × (clusters), 20000 × 20000: expected at most 40,000,000 names in the whole reading, found more; a name is a job, a node or a member of a list, also one that a range stands for: state fewer of them, or give a part of the data at a time"}},
		{"machines × licences", document(`"licences": {`+licences.String()[1:]+`},`, licensed.String()[1:], oneJob), []string{
			"clusters: (clusters and machines that list licences) × (licences), 40000 × 20000: expected at most 40,000,000 names in the whole reading, found more; a name is a job, a node or a member of a list, also one that a range stands for: state fewer of them, or give a part of the data at a time"}},
	}, readInstance)
}

// A cycle of very many jobs, and a chain as long. A function that calls itself for each of them needs more than the stack allows, and one that looks at all for
// each does not end.
func TestReadManyJobsInARow(t *testing.T) {
	race.OneGoroutine(t)
	const n = 100_000
	defer debug.SetMaxStack(debug.SetMaxStack(1 << 20))
	for _, c := range []struct{ last, want string }{
		{fmt.Sprintf(`["j%d"]`, n-1), "jobs[1].after[0]: expected no cycle, found j0 after"},
		{"[]", ""},
	} {
		var text bytes.Buffer
		fmt.Fprintf(&text, `{"schema": "allot/instance/1", "clusters": [%s], "jobs": [{"id": "j0", "work": 1, "after": %s}`, oneCluster, c.last)
		for k := 1; k < n; k++ {
			fmt.Fprintf(&text, `, {"id": "j%d", "work": 1, "after": ["j%d"]}`, k, k-1)
		}
		text.WriteString("]}")
		start := time.Now()
		_, err := model.ReadInstance(&text, "in.json")
		t.Logf("%d jobs in %v", n, time.Since(start).Round(time.Millisecond))
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.HasPrefix(err.Error(), "in.json: "+c.want) || len(err.Error()) > 300) {
			t.Errorf("got %.300v, want %s", err, c.want)
		}
	}
}

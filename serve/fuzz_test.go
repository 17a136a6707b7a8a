package serve

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/allot-opt/allot/model/budget"
)

// narrow are limits under which any request ends at once.
func narrow() Options {
	opt := Options{Limits: Public()}
	opt.Time, opt.Usual, opt.Body, opt.Memory = 2*time.Millisecond, 2*time.Millisecond, 1<<16, 64<<20
	opt.Documents = budget.Limits{Files: 10, Bytes: 1 << 18, Names: 5000, Steps: 1 << 16}
	return opt
}

// FuzzBody sends any body to any operation: no panic, and the answer is JSON with a result or an error that says what was expected.
func FuzzBody(f *testing.F) {
	tiny := example(f, "tiny")
	for k := range table {
		f.Add(uint8(k), with(tiny, ""))
		f.Add(uint8(k), with(tiny, `"solution": {"schema": "allot/solution/1", "jobs": []}`))
	}
	f.Add(uint8(0), `{"instance": {"base64": "H4sIAAAA"}}`)
	f.Add(uint8(0), strings.Repeat(`{"instance":`, 200))
	f.Add(uint8(0), `{"instance": `+tiny+`, "param": {"effort": 0.01}, "time": 1e18}`)
	f.Add(uint8(5), `{"trace": "; MaxProcs: 4\n1 0 0 10 1 -1 -1 1 10 -1 1 1 1 1 1 1 -1 -1\n", "policies": ["easy"]}`)
	f.Add(uint8(8), `{"files": ["; MaxProcs: 4\n1 0 0 10 1 -1 -1 1 10 -1 1 1 1 1 1 1 -1 -1\n"]}`)
	s := New(narrow())
	f.Fuzz(func(t *testing.T, which uint8, body string) {
		o := &table[int(which)%len(table)]
		r := doNow(s, &Client{Name: "fuzz"}, o, []byte(body), nil)
		if r.err != nil && (r.err.Message == "" || r.err.Code == Failure && strings.Contains(r.err.Message, "a bug of allot")) {
			t.Fatalf("%s %q: %+v", o.Name, body, r.err)
		}
		if r.err == nil {
			if text, err := line(r.result); err != nil || !json.Valid(text) {
				t.Fatalf("%s %q: %v", o.Name, body, err)
			}
		}
		if s.memory.held != 0 || s.gate.free != s.gate.places {
			t.Fatalf("%s %q: %d bytes and %d places are held", o.Name, body, s.memory.held, s.gate.places-s.gate.free)
		}
	})
}

// FuzzLines sends any lines: no panic, every line of the service is a JSON object, and the conversation ends with the input.
func FuzzLines(f *testing.F) {
	tiny := example(f, "tiny")
	flat := new(bytes.Buffer)
	if err := json.Compact(flat, []byte(tiny)); err != nil {
		f.Fatal(err)
	}
	f.Add(`{"id": 1, "method": "solve", "params": {"instance": ` + flat.String() + `}}` + "\n" + `{"cancel": 1}`)
	f.Add(`{"id": 1, "method": "solve", "params": {"solver": "call:f", "instance": ` + flat.String() + `}}` + "\n" + `{"call": 1, "result": {}}`)
	f.Add(`{"id": "x", "method": "schema"}` + "\n\n[\n{}\n" + `{"call": -1}`)
	f.Add("{\"id\": 1\x00}\r\n\"")
	f.Fuzz(func(t *testing.T, text string) {
		var out bytes.Buffer
		if err := New(narrow()).ServeLines(context.Background(), strings.NewReader(text), &out); err != nil {
			t.Fatal(err)
		}
		for line := range bytes.Lines(out.Bytes()) {
			var object map[string]json.RawMessage
			if err := json.Unmarshal(line, &object); err != nil {
				t.Fatalf("%q: %q: %v", text, line, err)
			}
			if bytes.Contains(line, []byte("a bug of allot")) {
				t.Fatalf("%q: %s", text, line)
			}
		}
	})
}

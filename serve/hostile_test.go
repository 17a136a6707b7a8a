package serve

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"
)

// Bodies that were right before some bytes changed, moved or went never end the service, hold nothing when they are answered, and are answered in JSON.
func TestHostileBodies(t *testing.T) {
	rounds := 3000
	if testing.Short() {
		rounds = 300
	}
	tiny := example(t, "tiny")
	s := New(narrow())
	o, _ := Named("solve")
	solved := doNow(s, &Client{}, o, []byte(with(tiny, `"solver": "mct"`)), nil)
	if solved.err != nil {
		t.Fatal(solved.err)
	}
	solution := string(solved.result.(*Solved).Solution)
	swf := quoted("; MaxProcs: 4\n1 0 0 10 1 -1 -1 1 10 -1 1 1 1 1 1 1 -1 -1\n2 5 0 20 2 -1 -1 2 30 -1 1 1 1 1 1 1 -1 -1\n")
	bodies := map[string][]string{
		"solve":    {`{"solver": "mct", "param": {}, "seed": 3, "instance": ` + tiny + `}`, with(tiny, `"evaluations": 10, "rolling": 2`)},
		"check":    {`{"instance": ` + tiny + `, "solution": ` + solution + `}`},
		"explain":  {`{"instance": ` + tiny + `, "job": "a", "solution": ` + bare(t, []byte(solution)) + `}`, `{"instance": ` + tiny + `, "trace": true, "solver": "mct"}`},
		"draw":     {`{"instance": ` + tiny + `, "width": 300, "solutions": [` + bare(t, []byte(solution)) + `]}`},
		"import":   {`{"name": "x", "files": [` + swf + `]}`},
		"policies": {`{"replicates": 100, "policies": ["easy"], "trace": ` + swf + `}`},
		"simulate": {`{"job": "a", "runs": 3, "instance": ` + tiny + `}`, `{"policies": ["fcfs"], "instance": ` + tiny + `}`, `{"backtest": true, "runs": 3, "samples": 9, "instance": ` + swf + `}`},
		"verify":   {`{"instance": ` + tiny + `, "certificate": {"schema": "allot/proof/1"}}`},
		"compare":  {`{"solvers": ["mct", "olb"], "instances": [` + tiny + `]}`},
		"solvers":  {`{"name": "mct"}`},
		"schema":   {`{"name": "proof"}`},
	}
	random := rand.New(rand.NewPCG(7, 8))
	tokens := []string{`null`, `{}`, `[]`, `""`, `-1`, `1e308`, `1e999`, `"x"`, `true`, "\x00", "\xff", `\ud800`, `"`, `,`, `}`, `[[[[`, `9007199254740993`, `0.0000001`}
	names := sortedKeys(bodies)
	right := 0
	for range rounds {
		name := names[random.IntN(len(names))]
		body := bodies[name][random.IntN(len(bodies[name]))]
		for range random.IntN(4) {
			from := random.IntN(len(body) + 1)
			to := min(len(body), from+random.IntN(12))
			switch random.IntN(4) {
			case 0:
				body = body[:from] + body[to:]
			case 1:
				body = body[:from] + tokens[random.IntN(len(tokens))] + body[to:]
			case 2:
				body = body[:to] + body[from:]
			default: // a value in the place of another one
				if at := strings.IndexAny(body[from:], "0123456789"); at >= 0 {
					body = body[:from+at] + tokens[random.IntN(len(tokens))] + body[from+at+1:]
				}
			}
		}
		o, _ := Named(name)
		r := doNow(s, &Client{Name: "x"}, o, []byte(body), nil)
		if r.err == nil {
			right++
			if text, err := line(r.result); err != nil || !json.Valid(text) {
				t.Fatalf("%s %s: %v", name, body, err)
			}
		} else if r.err.Message == "" || strings.Contains(r.err.Message, "a bug of allot") || r.err.Code == failure {
			t.Fatalf("%s %s: %+v", name, body, r.err)
		}
		if s.memory.held != 0 || s.gate.free != s.gate.places || len(s.gate.clients) != 0 || len(s.runs) != 0 {
			t.Fatalf("%s %s: something is held", name, body)
		}
	}
	if right < rounds/10 {
		t.Errorf("only %d of %d bodies were right: the test changes too much", right, rounds)
	}
}

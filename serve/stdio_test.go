package serve

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/allot-opt/allot/model"
)

// talk is a client on lines.
type talk struct {
	t     *testing.T
	in    *io.PipeWriter
	lines *bufio.Reader
	ended chan error
}

// received is a line of the service.
type received struct {
	ID       any             `json:"id"`
	Progress json.RawMessage `json:"progress"`
	Result   json.RawMessage `json:"result"`
	Error    *Error          `json:"error"`
	Call     int64           `json:"call"`
	Method   string          `json:"method"`
	Function string          `json:"function"`
	Policy   int64           `json:"policy"`
	Params   json.RawMessage `json:"params"`
	Cancel   bool            `json:"cancel"`
}

// converse starts a service on lines.
func converse(t *testing.T, change func(*Options)) *talk {
	t.Helper()
	opt := Options{Limits: Private()}
	opt.Runs = 2
	if change != nil {
		change(&opt)
	}
	in, write := io.Pipe()
	read, out := io.Pipe()
	c := &talk{t, write, bufio.NewReader(read), make(chan error, 1)}
	go func() {
		err := New(opt).ServeLines(context.WithoutCancel(t.Context()), in, out)
		_ = out.Close()
		c.ended <- err
	}()
	t.Cleanup(func() {
		_ = write.Close()
		_ = read.Close()
	})
	if hello, err := c.lines.ReadString('\n'); err != nil || !strings.HasPrefix(hello, `{"protocol":"allot-service/1",`) {
		t.Fatal(hello, err)
	}
	return c
}

// send writes a line.
func (c *talk) send(format string, args ...any) {
	c.t.Helper()
	if _, err := fmt.Fprintf(c.in, format+"\n", args...); err != nil {
		c.t.Fatal(err)
	}
}

// next reads a line.
func (c *talk) next() received {
	c.t.Helper()
	text, err := c.lines.ReadString('\n')
	if err != nil {
		c.t.Fatal(text, err)
	}
	return readAs[received](c.t, text)
}

// Answers come in any order, each with its id; a run can be cancelled; the improvements come where they were asked for.
func TestLines(t *testing.T) {
	c := converse(t, nil)
	tiny := example(t, "tiny")
	c.send(`{"id": "long", "method": "solve", "params": %s, "progress": true}`, with(tiny, `"solver": "stall"`))
	if told := c.next(); told.ID != "long" || told.Progress == nil {
		t.Fatalf("%+v", told)
	}
	c.send(`{"id": 1, "method": "solve", "params": %s}`, with(tiny, `"solver": "mct"`))
	short := c.next()
	if short.ID != 1.0 || short.Error != nil {
		t.Fatalf("%+v", short)
	}
	checked(t, tiny, readAs[Solved](t, string(short.Result)).Solution)
	c.send(`{"cancel": "nobody"}`)
	c.send(`{"cancel": "l\u006fng"}`) // the same text
	long := c.next()
	for long.Progress != nil { // what the solver returned in the end
		long = c.next()
	}
	if solved := readAs[Solved](t, string(long.Result)); long.ID != "long" || solved.Stop != model.StopCancelled {
		t.Fatalf("%+v", long)
	}
	_ = c.in.Close()
	if err := <-c.ended; err != nil {
		t.Error(err)
	}
}

// What is wrong with a line is said, and the service goes on.
func TestWrongLines(t *testing.T) {
	c := converse(t, func(o *Options) { o.Body = 2000 })
	for line, want := range map[string]string{
		`{`:                                                 "not JSON",
		`[]`:                                                "expected an object",
		`{"id": 1}`:                                         "expected one of the methods",
		`{"id": 1, "method": "bake"}`:                       "expected one of the methods",
		`{"id": 1, "method": 7}`:                            "expected one of the methods",
		`{"method": "solvers"}`:                             "id: expected a number or a text",
		`{"id": null, "method": "solvers"}`:                 "id: expected a number or a text",
		`{"id": {}, "method": "solvers"}`:                   "id: expected a number or a text",
		`{"id": 1, "id": 2, "method": "schema"}`:            "the field once",
		`{"id": 1, "methods": "schema"}`:                    "unknown field",
		`{"call": "x", "result": null}`:                     "the number of a call",
		`{"call": 1, "result": null, "error": "x"}`:         "found more",
		`{"id": 1, "call": 1, "result": null}`:              "found more",
		`{"cancel": {}}`:                                    "cancel: expected the id",
		`{"cancel": null}`:                                  "cancel: expected the id",
		`{"id": 1, "cancel": 1}`:                            "nothing else",
		`{"id": 1, "method": "schema", "cancel": 2}`:        "nothing else",
		`{"id": 1, "method": "schema", "result": 2}`:        "result: expected it with call",
		`{"id": 1, "method": "schema", "unsupported": "x"}`: "unsupported: expected it with call",
		`{"id": 1, "method": "schema", "progress": "true"}`: "progress: expected true or false",
		`{"id": 1, "method": "schema", "progress": null}`:   "progress: expected true or false",
		`{"id": 1, "method": "solve", "params": {"instance": {"schema": "allot/instance/1", "clusters": [], "jobs": [{"id": "a", "work": -1}]}}}`: "instance.jobs[0].work: expected",
		`{"id": 1, "method": "solve", "params": [1]}`:         "expected an object",
		`{"id": 1, "method": "schema", "params": {"name": "x`: "not JSON",
		`{"id": 1, "x": "` + strings.Repeat("x", 3000) + `"}`: "expected lines of at most 2000 bytes",
		"\xff\xfe":                      "not JSON",
		`{"id": 1, "method": "\ud800"}`: "not JSON",
	} {
		c.send("%s", line)
		if got := c.next(); got.Error == nil || !strings.Contains(got.Error.Message, want) {
			t.Errorf("%.100s: %+v, want %q", line, got, want)
		}
	}
	c.send("")
	c.send(`{"call": 99, "result": null}`) // an answer that nobody waits for
	c.send(`{"id": 2, "method": "schema"}`)
	if got := c.next(); got.ID != 2.0 || got.Error != nil {
		t.Errorf("%+v", got)
	}
}

// A solver that the client has is checked and ranked as others. While it works the client can ask, even where each run holds a place.
func TestCallSolver(t *testing.T) {
	c := converse(t, func(o *Options) { o.Runs = 1 })
	tiny := example(t, "tiny")
	c.send(`{"id": "outer", "method": "compare", "params": {"instances": [%s], "solvers": ["mine=call:f", "mct"], "seed": 5}}`, quoted(tiny))
	asked := c.next()
	told := readAs[struct {
		Instance json.RawMessage
		Seed     uint64
	}](t, string(asked.Params))
	if asked.Method != "solve" || asked.Function != "f" || told.Seed != 5 {
		t.Fatalf("%+v", asked)
	}
	c.send(`{"id": "inner", "method": "solve", "params": {"instance": %s, "solver": "exact"}}`, told.Instance)
	inner := c.next()
	if inner.ID != "inner" || inner.Error != nil {
		t.Fatalf("%+v", inner)
	}
	c.send(`{"call": %d, "result": %s}`, asked.Call, bare(t, readAs[Solved](t, string(inner.Result)).Solution))
	rows := readAs[ComparedRows](t, strings.ReplaceAll(string(c.next().Result), `"metrics"`, `"x"`)).Rows
	if len(rows) != 2 || rows[0].Solver != "mine" || rows[0].Objective == nil || rows[1].Objective == nil || *rows[0].Objective > *rows[1].Objective || rows[0].Fault != "" {
		t.Errorf("%+v", rows)
	}
}

// bare is a solution without the figures that it states, as a function makes one.
func bare(t *testing.T, solution []byte) string {
	t.Helper()
	whole := readAs[map[string]json.RawMessage](t, string(solution))
	text, err := json.Marshal(map[string]json.RawMessage{"schema": whole["schema"], "jobs": whole["jobs"]})
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// What a function does wrong is said; what it found before counts.
func TestCallsThatFail(t *testing.T) {
	c := converse(t, nil)
	tiny := example(t, "tiny")
	c.send(`{"id": 0, "method": "solve", "params": %s}`, with(tiny, `"solver": "mct"`))
	good := bare(t, readAs[Solved](t, string(c.next().Result)).Solution)
	late := strings.Replace(good, `"end":3`, `"end":4`, 1)
	if late == good {
		t.Fatal("the schedule has no such end")
	}
	for name, k := range map[string]struct {
		answers []string
		code    Code // empty: a result
		want    string
	}{
		"raises":                {[]string{`"error": "ValueError: no luck"`}, failure, "the function failed: ValueError: no luck"},
		"refuses":               {[]string{`"unsupported": "no deadlines"`}, unsupported, "no deadlines"},
		"refuses in the result": {[]string{`"result": {"unsupported": "no deadlines"}`}, unsupported, "no deadlines"},
		"returns nothing":       {[]string{`"result": null`}, failure, "returned no solution"},
		"returns a number":      {[]string{`"result": 7`}, failure, "expected a solution (an object)"},
		"returns no solution":   {[]string{`"result": {"jobs": 1}`}, failure, "jobs: expected an array"},
		"a wrong schedule":      {[]string{`"result": ` + late}, wrongSchedule, "refused by the checker"},
		"a wrong one before":    {[]string{`"solution": ` + late, `"result": ` + good}, wrongSchedule, "refused by the checker"},
		"one on the way":        {[]string{`"solution": ` + good, `"result": null`}, "", `"evaluations":1`},
		"placements":            {[]string{`"result": {"placements": [{"job": "a", "cluster": "right", "processors": "0-1", "start": 0}, {"job": "b", "cluster": "right", "processors": "2", "start": 0}, {"job": "c", "cluster": "right", "processors": "0-2", "start": 3}]}`}, "", `"objective":5,`},
		"placed nowhere":        {[]string{`"result": {"placements": [{"job": "a", "cluster": "middle", "processors": "0", "start": 0}]}`}, failure, `placements[0].cluster: expected the id of a cluster, found "middle"`},
		"too far":               {[]string{`"result": {"placements": [{"job": "a", "cluster": "right", "processors": "77", "start": 0}]}`}, failure, `placements[0].processors: expected processors of cluster right`},
		"without a start":       {[]string{`"result": {"placements": [{"job": "a", "cluster": "right", "processors": "0-1"}]}`}, failure, `placements[0]: expected the field "start"`},
		"on top of each other":  {[]string{`"result": {"placements": [{"job": "a", "cluster": "right", "processors": "0-1", "start": 0}, {"job": "b", "cluster": "right", "processors": "1", "start": 0}, {"job": "c", "cluster": "right", "processors": "0-2", "start": 3}]}`}, wrongSchedule, "refused by the checker"},
		"two":                   {[]string{`"solution": ` + good, `"result": ` + good}, "", `"evaluations":2`},
	} {
		c.send(`{"id": %q, "method": "solve", "params": %s}`, name, with(tiny, `"solver": "call:f"`))
		asked := c.next()
		for _, answer := range k.answers {
			c.send(`{"call": %d, %s}`, asked.Call, answer)
		}
		got := c.next()
		switch {
		case got.ID != name:
			t.Fatalf("%s: %+v", name, got)
		case k.code == "" && (got.Error != nil || !strings.Contains(string(got.Result), k.want)):
			t.Errorf("%s: %+v", name, got)
		case k.code != "" && (got.Error == nil || got.Error.Code != k.code || !strings.Contains(got.Error.Message, k.want)):
			t.Errorf("%s: %+v %+v", name, got, got.Error)
		}
	}
}

// A call is cancelled with its run. What the function has found by then is the result.
func TestCancelledCall(t *testing.T) {
	c := converse(t, nil)
	tiny := example(t, "tiny")
	c.send(`{"id": 0, "method": "solve", "params": %s}`, with(tiny, `"solver": "mct"`))
	good := bare(t, readAs[Solved](t, string(c.next().Result)).Solution)
	c.send(`{"id": 1, "method": "solve", "params": %s, "progress": true}`, with(tiny, `"solver": "call:f"`))
	asked := c.next()
	c.send(`{"call": %d, "solution": %s}`, asked.Call, good)
	if told := c.next(); told.Progress == nil {
		t.Fatalf("%+v", told)
	}
	c.send(`{"cancel": 1}`)
	if told := c.next(); told.Call != asked.Call || !told.Cancel {
		t.Fatalf("%+v", told)
	}
	got := c.next()
	if solved := readAs[Solved](t, string(got.Result)); solved.Stop != model.StopCancelled || solved.Solution == nil {
		t.Errorf("%+v", got)
	}
}

// A policy that the client has decides as the built-in one that does the same: first come, first served.
func TestCallPolicy(t *testing.T) {
	c := converse(t, nil)
	queue := example(t, "backfilling")
	c.send(`{"id": 1, "method": "simulate", "params": %s}`, with(queue, `"policies": ["fcfs", "mine=call-online:f"]`))
	type job struct {
		ID         string
		Processors int
	}
	var waiting []job
	methods := map[string]int{}
	for {
		got := c.next()
		if got.ID != nil {
			if got.Error != nil {
				t.Fatal(got.Error)
			}
			table := readAs[struct {
				Jobs []struct {
					Job    string
					Starts map[string]struct{ Start *float64 }
				}
			}](t, string(got.Result))
			for _, j := range table.Jobs {
				if mine, theirs := j.Starts["mine"].Start, j.Starts["fcfs"].Start; mine == nil || theirs == nil || *mine != *theirs {
					t.Errorf("%s: %v and %v", j.Job, mine, theirs)
				}
			}
			if len(table.Jobs) == 0 || methods["open"] != 1 || methods["close"] != 1 || methods["decide"] == 0 {
				t.Errorf("%d jobs, %v", len(table.Jobs), methods)
			}
			return
		}
		methods[got.Method]++
		if got.Method != "decide" {
			c.send(`{"call": %d, "result": null}`, got.Call)
			continue
		}
		e := readAs[struct {
			Arrived []job
			Free    map[string]int
		}](t, string(got.Params))
		waiting = append(waiting, e.Arrived...)
		starts := []string{}
		for cluster, free := range e.Free {
			for len(waiting) > 0 && waiting[0].Processors <= free {
				free -= waiting[0].Processors
				starts = append(starts, fmt.Sprintf(`{"job": %q, "cluster": %q}`, waiting[0].ID, cluster))
				waiting = waiting[1:]
			}
		}
		c.send(`{"call": %d, "result": {"start": [%s]}}`, got.Call, strings.Join(starts, ", "))
	}
}

// When the input ends, what runs ends with it, also what waits for a function, and nothing is left behind.
func TestInputEnds(t *testing.T) {
	before := runtime.NumGoroutine()
	rounds := 200
	if testing.Short() {
		rounds = 20
	}
	random := rand.New(rand.NewPCG(1, 2))
	tiny := example(t, "tiny")
	for range rounds {
		c := converse(t, nil)
		go func() { _, _ = io.Copy(io.Discard, c.lines) }() // a client that hears nothing more
		for k := range random.IntN(6) {
			solver := []string{"stall", "call:f", "search", "call-online:f", "mct+call:g"}[random.IntN(5)]
			c.send(`{"id": %d, "method": "solve", "params": %s, "progress": true}`, k, with(tiny, fmt.Sprintf(`"solver": %q`, solver)))
			if random.IntN(3) == 0 {
				c.send(`{"cancel": %d}`, random.IntN(6))
			}
		}
		time.Sleep(time.Duration(random.IntN(3)) * time.Millisecond)
		_ = c.in.Close()
		if err := <-c.ended; err != nil {
			t.Fatal(err)
		}
	}
	within(t, "all goroutines end", func() bool { return runtime.NumGoroutine() <= before+1 && stalling.Load() == 0 })
}

// Many requests at once are each answered with their own result.
func TestManyLines(t *testing.T) {
	c := converse(t, nil)
	const requests = 200
	var sent sync.WaitGroup
	sent.Go(func() {
		for k := range requests {
			c.send(`{"id": %d, "method": "solve", "params": {"solver": "mct", "instance": %s}}`, k, strings.Replace(many(3+k%7), `"allot/instance/1"`, fmt.Sprintf(`"allot/instance/1", "name": "n%d"`, k), 1))
		}
	})
	var seen []int
	for range requests {
		got := c.next()
		id := int(got.ID.(float64))
		solution := readAs[struct{ Instance string }](t, string(readAs[Solved](t, string(got.Result)).Solution))
		if solution.Instance != fmt.Sprintf("n%d", id) {
			t.Errorf("request %d is answered with %s", id, solution.Instance)
		}
		seen = append(seen, id)
	}
	sent.Wait()
	slices.Sort(seen)
	if seen = slices.Compact(seen); len(seen) != requests {
		t.Errorf("%d of %d requests are answered", len(seen), requests)
	}
}

// A run can be cancelled by the line right after it, and an id is taken as long as its request is under way.
func TestCancelAtOnce(t *testing.T) {
	c := converse(t, nil)
	tiny := strings.ReplaceAll(example(t, "tiny"), "\n", " ")
	for k := range 100 {
		c.send(`{"id": %d, "method": "solve", "params": {"solver": "stall", "instance": %s}}`+"\n"+`{"id": %d, "method": "schema"}`+"\n"+`{"cancel": %d}`, k, tiny, k, k)
		var lines []received
		for range 2 {
			lines = append(lines, c.next())
		}
		if lines[0].ID != nil {
			slices.Reverse(lines)
		}
		if e := lines[0].Error; lines[0].ID != nil || e == nil || !strings.Contains(e.Message, "no request under way has") {
			t.Fatalf("%+v", lines)
		}
		if lines[1].ID != float64(k) {
			t.Fatalf("%+v", lines)
		}
	}
}

// Policies that have been run are told of and count once. What comes faster than the client takes it is left out, but never the last.
func TestPoliciesTell(t *testing.T) {
	c := converse(t, nil)
	c.send(`{"id": 1, "method": "policies", "params": {"trace": %s, "policies": ["fcfs", "easy"]}, "progress": true}`, quoted("; MaxProcs: 4\n1 0 0 10 2 -1 -1 2 20 -1 1 1 1 1 1 -1 -1 -1\n2 86400 0 10 4 -1 -1 4 20 -1 1 1 1 1 1 -1 -1 -1\n"))
	for last := 0; ; {
		told := c.next()
		if told.Error != nil {
			t.Fatal(told.Error)
		}
		if told.Progress == nil {
			if last != 2 {
				t.Errorf("told of %d policies at last, want 2", last)
			}
			break
		}
		got := readAs[PolicyProgress](t, string(told.Progress))
		if got.Done <= last || got.Done > 2 || got.Of != 2 {
			t.Errorf("told %+v after %d of 2", got, last)
		}
		last = got.Done
	}
}

// The data of a chart's page are those that stand in the page.
func TestDrawData(t *testing.T) {
	c := converse(t, nil)
	tiny := example(t, "tiny")
	c.send(`{"id": 1, "method": "solve", "params": %s}`, with(tiny, `"solver": "mct"`))
	solution := string(readAs[Solved](t, string(c.next().Result)).Solution)
	texts := map[string]string{}
	for _, format := range []string{"html", "data"} {
		c.send(`{"id": 2, "method": "draw", "params": %s}`, with(tiny, `"format": "`+format+`", "solutions": [`+solution+`]`))
		texts[format] = readAs[Drawn](t, string(c.next().Result)).Text
	}
	if texts["data"] == "" || !strings.Contains(texts["html"], `id="data">`+texts["data"]+"</script>") {
		t.Errorf("the page has not the data %.300s", texts["data"])
	}
	c.send(`{"id": 3, "method": "draw", "params": %s}`, with(tiny, `"format": "data", "plot": "wait", "solutions": [`+solution+`]`))
	if told := c.next(); told.Error == nil || told.Error.Code != wrongInput {
		t.Errorf("%+v", told)
	}
}

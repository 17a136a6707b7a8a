package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/allot-opt/allot/internal/peak"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
)

// stall is a solver that finds a schedule at once and then waits until its context ends.
type stall struct{}

var (
	_ = solve.Register(solve.Info{Name: "stall", Doc: "Finds a schedule and goes on.", Source: "this test", New: func() solve.Solver { return stall{} }})
	_ = solve.Register(solve.Info{Name: "broken", Doc: "Panics.", Source: "this test", New: func() solve.Solver { return broken{} }})

	stalling atomic.Int32 // runs of stall under way
)

func (stall) Supports(*model.Instance) error { return nil }

func (stall) Solve(ctx context.Context, in *model.Instance, opt solve.Options) (solve.Result, error) {
	stalling.Add(1)
	defer stalling.Add(-1)
	mct, err := solve.Lookup("mct")
	if err != nil {
		return solve.Result{}, err
	}
	result, err := mct.New().Solve(context.WithoutCancel(ctx), in, solve.Options{Seed: opt.Seed})
	opt.Progress(solve.Progress{Evaluations: 1, Objective: 7, Bound: model.ProvedBound(1)})
	<-ctx.Done()
	result.Stop = solve.Stopped(ctx).Stop
	return result, err
}

// broken is a solver that panics.
type broken struct{ stall }

func (broken) Solve(context.Context, *model.Instance, solve.Options) (solve.Result, error) {
	panic("no luck")
}

// begin starts a service that allows one run at a time.
func begin(t *testing.T, change func(*service)) *httptest.Server {
	t.Helper()
	s := newService(1)
	if change != nil {
		change(s)
	}
	server := httptest.NewServer(s.routes())
	t.Cleanup(server.Close)
	return server
}

// post sends a request to the service and returns the answer's status and body.
func post(t *testing.T, server *httptest.Server, query, body string) (int, string) {
	t.Helper()
	response, err := server.Client().Post(server.URL+"/solve"+query, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(text)
}

// example reads the text of an example.
func example(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile("../" + name + ".json")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// lastOf returns the last line of an answer. It checks that all lines are valid.
func lastOf(t *testing.T, answer string) (last line) {
	t.Helper()
	for text := range strings.Lines(answer) {
		last = line{}
		decoder := json.NewDecoder(strings.NewReader(text))
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(&last); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
	}
	return last
}

// checked returns the objective of the solution in the result. The checker must accept the solution.
func checked(t *testing.T, instance string, r *result) float64 {
	t.Helper()
	in, err := model.ReadInstance(strings.NewReader(instance), "")
	if err != nil {
		t.Fatal(err)
	}
	sol, err := model.ReadSolution(bytes.NewReader(r.Solution), "")
	if err != nil {
		t.Fatal(err)
	}
	report := model.Check(in, sol)
	if !report.OK() {
		t.Fatal(report.Violations)
	}
	return report.Objective
}

// The answer ends with the solution of the chosen solver with its parameters.
func TestSolves(t *testing.T) {
	server, instance := begin(t, nil), example(t, "table1")
	status, text := post(t, server, "?solver=muscle:reading=b&seed=3&deadline=50s", instance)
	last := lastOf(t, text)
	if status != http.StatusOK || last.Result == nil || last.Result.Status != model.Feasible || last.Result.Stop != model.StopDone {
		t.Fatalf("%d: %s", status, text)
	}
	checked(t, instance, last.Result)
	if !strings.Contains(text, `"solver":"muscle"`) || !strings.Contains(text, `"seed":3,"parameters":{"reading":"b"}`) {
		t.Errorf("the solution does not say how it was made: %s", text)
	}
	status, text = post(t, server, "?solver=exact", instance)
	if last = lastOf(t, text); status != http.StatusOK || last.Result == nil || last.Result.Status != model.Optimal {
		t.Fatalf("%d: %s", status, text)
	}
	first := checked(t, instance, last.Result)
	status, text = post(t, server, "?deadline=300ms", instance)
	if last = lastOf(t, text); status != http.StatusOK || last.Result == nil || strings.Count(text, "\n") > 20 {
		t.Fatalf("without a choice: %d: %s", status, text)
	}
	if objective := checked(t, instance, last.Result); objective < first*(1-1e-9) {
		t.Errorf("%v is better than the optimum, %v", objective, first)
	}
}

// Improvements arrive while the run goes on. At the deadline the client gets the best solution so far, which states that time was the limit.
func TestDeadlineGivesTheBestSoFar(t *testing.T) {
	server, instance := begin(t, nil), example(t, "multicluster")
	began := time.Now()
	response, err := server.Client().Post(server.URL+"/solve?solver=stall&deadline=1500ms", "", strings.NewReader(instance))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	lines := bufio.NewReader(response.Body)
	first, err := lines.ReadString('\n')
	if want := `{"progress":{"evaluations":1,"objective":7,"bound":1,"left":0}}` + "\n"; err != nil || first != want {
		t.Fatalf("first %q, %v", first, err)
	}
	if running := stalling.Load(); running != 1 {
		t.Errorf("the first line came with %d runs under way", running)
	}
	rest, err := io.ReadAll(lines)
	if err != nil {
		t.Fatal(err)
	}
	last := lastOf(t, string(rest))
	if last.Result == nil || last.Result.Stop != model.StopTime || last.Result.Status != model.Feasible {
		t.Fatalf("%s", rest)
	}
	checked(t, instance, last.Result)
	if took := time.Since(began); took < 1500*time.Millisecond {
		t.Errorf("ended after %s already", took)
	}
}

// A client that closes the connection stops its run, and the slot becomes free. Until then no other client gets a slot.
func TestHangingUpStopsTheRun(t *testing.T) {
	server, instance := begin(t, nil), example(t, "tiny")
	ctx, hangUp := context.WithCancel(t.Context())
	defer hangUp()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, server.URL+"/solve?solver=stall&deadline=1m", strings.NewReader(instance))
	if err != nil {
		t.Fatal(err)
	}
	response, err := server.Client().Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if _, err := bufio.NewReader(response.Body).ReadString('\n'); err != nil || stalling.Load() != 1 {
		t.Fatalf("%v, %d runs under way", err, stalling.Load())
	}
	if status, text := post(t, server, "?solver=mct", instance); status != http.StatusServiceUnavailable || !strings.Contains(text, "under way") {
		t.Errorf("a second run: %d: %s", status, text)
	}
	hangUp()
	for end := time.Now().Add(10 * time.Second); stalling.Load() > 0; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the run goes on")
		}
	}
	for end := time.Now().Add(10 * time.Second); ; time.Sleep(time.Millisecond) {
		if status, text := post(t, server, "?solver=mct", instance); status == http.StatusOK {
			break
		} else if time.Now().After(end) {
			t.Fatalf("the slot is not free: %d: %s", status, text)
		}
	}
}

// stalled starts clients whose bodies do not arrive, and waits until the service reads them. Their answers come into the channel.
func stalled(t *testing.T, server *httptest.Server, own *service, clients int) <-chan int {
	t.Helper()
	answers := make(chan int, clients)
	for k := range clients {
		body, never := io.Pipe()
		t.Cleanup(func() { _ = never.Close() })
		go func() {
			status := 0
			if response, err := server.Client().Post(server.URL+"/solve?solver=mct", "application/json", body); err == nil {
				status = response.StatusCode
				_ = response.Body.Close()
			}
			answers <- status
		}()
		for end := time.Now().Add(10 * time.Second); len(own.bodies) <= k; time.Sleep(time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("%d bodies arrive, expected %d", len(own.bodies), k+1)
			}
		}
	}
	return answers
}

// Forty clients whose bodies do not arrive keep nobody from running.
func TestStalledBodies(t *testing.T) {
	var own *service
	server, instance := begin(t, func(s *service) { own, s.stalling = s, time.Minute }), example(t, "tiny")
	stalled(t, server, own, 40)
	if status, text := post(t, server, "?solver=mct", instance); status != http.StatusOK {
		t.Errorf("%d: %.200s", status, text)
	}
}

// There is room for a number of bodies. One that stalls loses its place soon.
func TestRoomForBodies(t *testing.T) {
	var own *service
	server, instance := begin(t, func(s *service) { own, s.bodies, s.stalling, s.reading = s, make(room, 2), time.Second, time.Hour }), example(t, "tiny")
	answers := stalled(t, server, own, 2)
	if status, text := post(t, server, "?solver=mct", instance); status != http.StatusServiceUnavailable || !strings.Contains(text, "arriving") {
		t.Errorf("%d: %.200s", status, text)
	}
	for range 2 {
		select {
		case status := <-answers:
			if status != http.StatusRequestTimeout {
				t.Errorf("a stalled client got %d", status)
			}
		case <-time.After(10 * time.Second):
			t.Fatal("a stalled client keeps its place")
		}
	}
	if status, text := post(t, server, "?solver=mct", instance); status != http.StatusOK {
		t.Errorf("after the stalled clients: %d: %.200s", status, text)
	}
}

// Bodies that arrive hold a number of bytes together, until they are read or given up.
func TestRoomForBytes(t *testing.T) {
	instance := example(t, "tiny")
	var own *service
	server := begin(t, func(s *service) {
		own, s.arriving.most, s.stalling, s.reading = s, len(instance)+1, time.Hour, time.Hour
	})
	body, never := io.Pipe()
	held, letGo := context.WithCancel(t.Context())
	defer letGo()
	request, err := http.NewRequestWithContext(held, http.MethodPost, server.URL+"/solve", body)
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		if response, err := server.Client().Do(request); err == nil {
			_ = response.Body.Close()
		}
	}()
	if _, err := never.Write([]byte("  ")); err != nil {
		t.Fatal(err)
	}
	for _, want := range []int{http.StatusServiceUnavailable, http.StatusOK} {
		status, text := 0, ""
		for end := time.Now().Add(10 * time.Second); status != want && time.Now().Before(end); time.Sleep(time.Millisecond) {
			status, text = post(t, server, "?solver=mct", instance)
		}
		if status != want {
			t.Fatalf("%d, expected %d: %.200s", status, want, text)
		}
		letGo()
	}
	if own.arriving.held != 0 {
		t.Errorf("%d bytes are held in the end", own.arriving.held)
	}
}

// A body that arrives a byte at a time is given up too.
func TestDripping(t *testing.T) {
	server := begin(t, func(s *service) { s.reading = 300 * time.Millisecond })
	body, drip := io.Pipe()
	defer drip.Close()
	go func() {
		for err := error(nil); err == nil; time.Sleep(10 * time.Millisecond) {
			_, err = drip.Write([]byte(" "))
		}
	}()
	client := server.Client()
	client.Timeout = 10 * time.Second
	response, err := client.Post(server.URL+"/solve", "application/json", body)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusRequestTimeout {
		t.Error(response.Status)
	}
}

// Large bodies at the same time take little memory: what has arrived is bounded, and jobs are counted while they are read.
func TestHoldsLittle(t *testing.T) {
	server := begin(t, nil)
	var text strings.Builder
	text.WriteString(`{"schema": "allot/instance/1", "clusters": [{"id": "c", "machines": [{"id": "m"}]}], "jobs": [{"id": "first", "work": 1}`)
	for k := range 500_000 {
		text.WriteString(`,{"id":"`)
		text.WriteString(strconv.FormatInt(int64(k), 36))
		text.WriteString(`","work":1}`)
	}
	text.WriteString("]}")
	var refused atomic.Int32
	grown := peak.Heap(func() {
		var clients sync.WaitGroup
		for range 16 {
			clients.Go(func() {
				// A refusal may come before the body has been sent; the client then sees a closed connection.
				response, err := server.Client().Post(server.URL+"/solve?solver=mct", "application/json", strings.NewReader(text.String()))
				if err != nil {
					return
				}
				defer response.Body.Close()
				switch response.StatusCode {
				case http.StatusRequestEntityTooLarge:
					refused.Add(1)
				case http.StatusServiceUnavailable:
				default:
					t.Error(response.Status)
				}
			})
		}
		clients.Wait()
	})
	t.Logf("the heap grew by %d MB; %d bodies were read", grown>>20, refused.Load())
	if grown > 400<<20 || refused.Load() == 0 {
		t.Errorf("the heap grew by %d MB; %d bodies were read", grown>>20, refused.Load())
	}
}

// What is wrong with a request is said with its place.
func TestRefuses(t *testing.T) {
	small := func(s *service) { s.mostBytes, s.limits.Jobs = 20_000, 30 }
	server, tiny := begin(t, small), example(t, "tiny")
	wrong := strings.Replace(tiny, `"jobs": [`, `"jobs": [{"id": "odd", "work": -1, "after": ["nobody"]},`, 1)
	if wrong == tiny {
		t.Fatal("the example has no jobs where the test looks for them")
	}
	for name, c := range map[string]struct {
		query, body string
		status      int
		want        string
	}{
		"no JSON":          {"", "{", http.StatusBadRequest, `"faults":[{"path":""`},
		"a wrong number":   {"", wrong, http.StatusBadRequest, `{"path":"jobs[0].work","message":"expected `},
		"solver":           {"?solver=serch", tiny, http.StatusBadRequest, `did you mean \"search\"?`},
		"parameter":        {"?solver=search:effort=much", tiny, http.StatusBadRequest, "solver search: parameter effort"},
		"a command":        {"?solver=mct%2Bexec:true", tiny, http.StatusBadRequest, "expected one that comes with allot"},
		"labelled command": {"?solver=x=exec:true", tiny, http.StatusBadRequest, "expected one that comes with allot"},
		"deadline":         {"?deadline=2h", tiny, http.StatusBadRequest, "of at most 1m0s"},
		"no deadline":      {"?deadline=0s", tiny, http.StatusBadRequest, "above 0"},
		"seed":             {"?seed=-1", tiny, http.StatusBadRequest, "seed: expected a whole number"},
		"another word":     {"?sovler=mct", tiny, http.StatusBadRequest, `found \"sovler\"`},
		"a word twice":     {"?deadline=1s&deadline=2s", tiny, http.StatusBadRequest, "expected deadline once, found it 2 times"},
		"no query":         {"?solver=mct;deadline=1s", tiny, http.StatusBadRequest, "expected a query"},
		"unsupported":      {"?solver=broker", example(t, "workflow"), http.StatusUnprocessableEntity, "unsupported"},
		"too many bytes":   {"", tiny + strings.Repeat(" ", 20_000), http.StatusRequestEntityTooLarge, "at most 20000 bytes"},
		"too many jobs":    {"", example(t, "multicluster"), http.StatusRequestEntityTooLarge, "at most 30 jobs"},
		"a broken solver":  {"?solver=broken", tiny, http.StatusInternalServerError, "panic: no luck"},
	} {
		status, text := post(t, server, c.query, c.body)
		if status != c.status || !strings.Contains(text, c.want) || !json.Valid([]byte(text)) {
			t.Errorf("%s: %d: %s, want %d with %q", name, status, text, c.status, c.want)
		}
	}
	response, err := server.Client().Get(server.URL + "/solve")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("GET: %s", response.Status)
	}
}

// An infeasible instance has a result without a solution, which says why.
func TestInfeasible(t *testing.T) {
	server := begin(t, nil)
	status, text := post(t, server, "?solver=ggone&deadline=20s", strings.ReplaceAll(example(t, "ggone"), `"rate": `, `"rate": 9`))
	if last := lastOf(t, text); status != http.StatusOK || last.Result == nil || last.Result.Status != model.Infeasible || last.Result.Reason == "" || last.Result.Solution != nil {
		t.Errorf("%d: %s", status, text)
	}
}

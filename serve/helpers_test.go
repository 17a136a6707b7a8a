package serve

import (
	"context"
	"encoding/json"
	"io"

	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
	_ "github.com/allot-opt/allot/solvers"
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
	if opt.Progress != nil {
		opt.Progress(solve.Progress{Evaluations: 1, Objective: 7, Bound: model.ProvedBound(1), Schedule: func() *model.Solution { return result.Solution }})
	}
	<-ctx.Done()
	result.Stop = solve.Stopped(ctx).Stop
	return result, err
}

// broken is a solver that panics.
type broken struct{ stall }

func (broken) Solve(context.Context, *model.Instance, solve.Options) (solve.Result, error) {
	panic("no luck")
}

// within waits until something holds.
func within(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !holds(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("waited in vain: " + what)
		}
	}
}

// idle waits until the service holds nothing of any request. A client may have its whole answer before that.
func idle(t *testing.T, s *Service) {
	t.Helper()
	within(t, "nothing of a request is held", func() bool {
		s.gate.mutex.Lock()
		free := s.gate.free == s.gate.places && len(s.gate.waiting) == 0 && len(s.gate.clients) == 0
		s.gate.mutex.Unlock()
		s.arriving.mutex.Lock()
		free = free && s.arriving.held == 0 && len(s.arriving.of) == 0
		s.arriving.mutex.Unlock()
		s.memory.mutex.Lock()
		defer s.memory.mutex.Unlock()
		return free && s.memory.held == 0
	})
}

// begin starts a service over HTTP that allows one run at a time and lets nobody wait.
func begin(t *testing.T, change func(*Options)) (*httptest.Server, *Service) {
	t.Helper()
	opt := Options{Limits: Public()}
	opt.Runs, opt.Queue = 1, 0
	if change != nil {
		change(&opt)
	}
	s := New(opt)
	server := httptest.NewServer(s.Handler(""))
	t.Cleanup(server.Close)
	return server, s
}

// post sends a request to the service and returns the answer's status and body.
func post(t *testing.T, server *httptest.Server, operation, body string) (int, string) {
	t.Helper()
	response, err := server.Client().Post(server.URL+"/v1/"+operation, "application/json", strings.NewReader(body))
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
func example(t testing.TB, name string) string {
	t.Helper()
	text, err := os.ReadFile("../examples/" + name + ".json")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// with are the parameters of a request: an instance as a text, and others as JSON.
func with(instance, others string) string {
	text := `{"instance": ` + quoted(instance)
	if others != "" {
		text += ", " + others
	}
	return text + "}"
}

// quoted is a text as JSON.
func quoted(text string) string {
	quoted, err := json.Marshal(text)
	if err != nil {
		panic(err)
	}
	return string(quoted)
}

// readAs reads JSON into a new value.
func readAs[T any](t *testing.T, text string) T {
	t.Helper()
	var value T
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return value
}

// checked returns the objective of a solution of the instance. The checker must accept it.
func checked(t *testing.T, instance string, solution []byte) float64 {
	t.Helper()
	in, err := model.ReadInstance(strings.NewReader(instance), "")
	if err != nil {
		t.Fatal(err)
	}
	sol, err := model.ReadSolution(strings.NewReader(string(solution)), "")
	if err != nil {
		t.Fatalf("%v: %.300s", err, solution)
	}
	report := model.Check(in, sol)
	if !report.OK() {
		t.Fatal(report.Violations)
	}
	return report.Objective
}

// failedOf is the error in an answer.
func failedOf(t *testing.T, text string) *Error {
	t.Helper()
	answer := readAs[struct{ Error *Error }](t, text)
	if answer.Error == nil {
		t.Fatalf("expected an error, found %.300s", text)
	}
	return answer.Error
}

// doNow answers a request that has no name.
func doNow(s *Service, from *Client, o *Operation, params []byte, progress func(any)) reply {
	begun, refused := s.enrol(context.Background(), from, "")
	if refused != nil {
		return reply{err: refused}
	}
	return s.do(begun, o, params, progress)
}

// many is an instance of a number of jobs.
func many(jobs int) string {
	var text strings.Builder
	text.WriteString(`{"schema": "allot/instance/1", "clusters": [{"id": "c", "machines": [{"id": "m", "count": 8}]}], "jobs": [`)
	for k := range jobs {
		if k > 0 {
			text.WriteByte(',')
		}
		text.WriteString(`{"id":"` + strconv.FormatInt(int64(k), 36) + `","work":` + strconv.Itoa(1+k%97) + `}`)
	}
	text.WriteString("]}")
	return text.String()
}

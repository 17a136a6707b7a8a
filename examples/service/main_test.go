package main

import (
	"bytes"
	"context"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/serve"
	_ "github.com/allot-opt/allot/solvers"
)

// begin starts a service and makes a request for it.
func begin(t *testing.T, name string) (asked *request, out, told *bytes.Buffer) {
	t.Helper()
	server := httptest.NewServer(serve.New(serve.Options{Limits: serve.Public()}).Handler(""))
	t.Cleanup(server.Close)
	text, err := os.ReadFile("../" + name + ".json")
	if err != nil {
		t.Fatal(err)
	}
	out, told = new(bytes.Buffer), new(bytes.Buffer)
	return &request{service: server.URL, id: t.Name(), out: out, told: told, Instance: string(text), Solver: "auto", Time: 20, Seed: 1}, out, told
}

// checked checks the solution that the client has written.
func checked(t *testing.T, asked *request, out *bytes.Buffer) *model.Solution {
	t.Helper()
	in, err := model.ReadInstance(strings.NewReader(asked.Instance), "")
	if err != nil {
		t.Fatal(err)
	}
	sol, err := model.ReadSolution(out, "")
	if err != nil {
		t.Fatal(err)
	}
	if report := model.Check(in, sol); !report.OK() {
		t.Fatal(report.Violations)
	}
	return sol
}

// The client writes the improvements and the solution.
func TestSolves(t *testing.T) {
	asked, out, told := begin(t, "tiny")
	if err := asked.solve(t.Context()); err != nil {
		t.Fatal(err)
	}
	if sol := checked(t, asked, out); sol.Status != model.Optimal || !strings.Contains(told.String(), `"objective":5`) || !strings.HasSuffix(told.String(), "optimal (done)\n") {
		t.Errorf("%s: %s", sol.Status, told)
	}
}

// A client that is told to stop gets the best solution so far.
func TestStopped(t *testing.T) {
	asked, out, told := begin(t, "four")
	ctx, stop := context.WithCancel(t.Context())
	asked.told = writer(func(text []byte) { // the first improvement has come
		stop()
		told.Write(text)
	})
	if err := asked.solve(ctx); err != nil {
		t.Fatal(err)
	}
	if sol := checked(t, asked, out); sol.Stop != model.StopCancelled {
		t.Errorf("%s: %s", sol.Stop, told)
	}
}

// writer is a writer that is a function.
type writer func([]byte)

func (w writer) Write(text []byte) (int, error) {
	w(text)
	return len(text), nil
}

// What is wrong with a request is said with its place.
func TestRefused(t *testing.T) {
	asked, _, _ := begin(t, "tiny")
	asked.Instance = strings.Replace(asked.Instance, `"jobs": [`, `"jobs": [{"id": "odd", "work": -1},`, 1)
	if err := asked.solve(t.Context()); err == nil || !strings.Contains(err.Error(), "instance.jobs[0].work: expected") {
		t.Error(err)
	}
	asked.Instance, asked.Solver = "{", "exec:true"
	if err := asked.solve(t.Context()); err == nil || !strings.Contains(err.Error(), "runs no commands") {
		t.Error(err)
	}
}

// Command service is a client of the service that allot serve runs, over HTTP and with nothing but the standard library:
//
//	allot serve &
//	go run ./examples/service -solver search -time 2 examples/multicluster.json > plan.json
//
// It sends the instance, writes a line to standard error for each improvement as soon as it is found, and the solution to standard output. Ctrl-C ends the run, and
// the client then gets the best solution so far. docs/service.md states the protocol.
package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/url"
	"os"
	"os/signal"
	"strings"
	"time"
)

func main() {
	log.SetFlags(0)
	asked := request{out: os.Stdout, told: os.Stderr, id: fmt.Sprintf("client-%d-%d", os.Getpid(), time.Now().UnixNano())}
	flag.StringVar(&asked.service, "url", "http://localhost:8080", "address of the service")
	flag.StringVar(&asked.token, "token", os.Getenv("ALLOT_TOKEN"), "token of the service")
	flag.StringVar(&asked.Solver, "solver", "auto", "name of the solver")
	flag.Float64Var(&asked.Time, "time", 5, "seconds that the run may take")
	flag.Uint64Var(&asked.Seed, "seed", 1, "seed of the random numbers")
	flag.Parse()
	text, err := os.ReadFile(flag.Arg(0))
	if err != nil {
		log.Fatal(err)
	}
	asked.Instance = string(text)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := asked.solve(ctx); err != nil {
		log.Fatal(err)
	}
}

// request is a request for a solution. The fields with tags are what the service is sent.
type request struct {
	Instance string  `json:"instance"` // the text of the file, so that the solution states its SHA-256
	Solver   string  `json:"solver"`
	Time     float64 `json:"time"`
	Seed     uint64  `json:"seed"`

	service, token, id string
	out, told          io.Writer
}

// solve sends the request and writes what comes. When ctx ends it asks the service to end the run, whose best solution then comes.
func (r *request) solve(ctx context.Context) error {
	body, err := json.Marshal(r)
	if err != nil {
		return err
	}
	response, err := r.send(http.MethodPost, "/v1/solve", body)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	cancelled := context.AfterFunc(ctx, func() {
		if other, err := r.send(http.MethodDelete, "/v1/runs/"+url.PathEscape(r.id), nil); err == nil {
			_ = other.Body.Close()
		}
	})
	defer cancelled()
	if kind := response.Header.Get("Content-Type"); kind != "text/event-stream" { // the service refuses the request
		text, err := io.ReadAll(io.LimitReader(response.Body, 1<<20))
		return errors.Join(err, refusal(text))
	}
	return r.follow(response.Body)
}

// send sends a request to the service.
func (r *request) send(method, path string, body []byte) (*http.Response, error) {
	request, err := http.NewRequest(method, r.service+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "text/event-stream")
	request.Header.Set("Authorization", "Bearer "+r.token)
	request.Header.Set("X-Request-Id", r.id)
	return http.DefaultClient.Do(request)
}

// follow reads the events of the run.
func (r *request) follow(body io.Reader) error {
	lines, name := bufio.NewReader(body), ""
	for {
		text, err := lines.ReadString('\n')
		if err != nil {
			return fmt.Errorf("the connection ended before the result: %w", err)
		}
		key, value, _ := strings.Cut(strings.TrimSuffix(text, "\n"), ": ")
		if key == "event" {
			name = value
		}
		if key != "data" {
			continue
		}
		switch name {
		case "progress":
			_, _ = fmt.Fprintf(r.told, "%s\n", value)
		case "error":
			return errors.New(value)
		case "result":
			return r.write([]byte(value))
		}
	}
}

// write writes the solution.
func (r *request) write(text []byte) error {
	var result struct {
		Status, Stop, Reason string
		Solution             json.RawMessage
	}
	if err := json.Unmarshal(text, &result); err != nil {
		return err
	}
	_, _ = fmt.Fprintf(r.told, "%s (%s)\n", result.Status, result.Stop)
	if result.Solution == nil {
		return fmt.Errorf("no solution: %s", result.Reason)
	}
	_, err := fmt.Fprintf(r.out, "%s\n", result.Solution)
	return err
}

// refusal is the error in an answer, with the JSON paths of what is wrong in the request.
func refusal(text []byte) error {
	var answer struct {
		Error struct{ Code, Message string }
	}
	if err := json.Unmarshal(text, &answer); err != nil || answer.Error.Code == "" {
		return fmt.Errorf("expected an answer of allot serve, found %.200q", text)
	}
	return fmt.Errorf("%s: %s", answer.Error.Code, answer.Error.Message)
}

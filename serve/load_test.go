package serve

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/allot-opt/allot/internal/peak"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
)

// A longer load: go test ./serve -run Load -v -load 30s -clients 200
var (
	loadTime    = flag.Duration("load", 0, "how long TestLoad loads the service; 0: a number of requests")
	loadClients = flag.Int("clients", 20, "clients of TestLoad")
)

// Many clients at once each get the answer to their own request: none is lost and none is another's. The memory stays bounded. What is refused is refused in words.
func TestLoad(t *testing.T) {
	opt := Options{Limits: Public()}
	opt.Queue = 1000
	server := httptest.NewServer(New(opt).Handler(""))
	defer server.Close()
	transport := &http.Transport{MaxIdleConnsPerHost: *loadClients}
	client := &http.Client{Transport: transport}
	defer transport.CloseIdleConnections()
	var mutex sync.Mutex
	var took []time.Duration
	busy := 0
	end := time.Now().Add(*loadTime)
	grown := peak.Heap(func() {
		var clients sync.WaitGroup
		for k := range *loadClients {
			clients.Go(func() {
				for n := 0; *loadTime == 0 && n < 10 || time.Now().Before(end); n++ {
					name := fmt.Sprintf("client-%d-%d", k, n)
					jobs := 1 + (k+n)%20
					body := with(strings.Replace(many(jobs), `"clusters"`, fmt.Sprintf(`"name": %q, "clusters"`, name), 1), fmt.Sprintf(`"solver": "minmin", "seed": %d`, n))
					began := time.Now()
					status, text := send(t, client, server.URL+"/v1/solve", body)
					elapsed := time.Since(began)
					mutex.Lock()
					switch {
					case status == http.StatusTooManyRequests:
						busy++
					case status != http.StatusOK:
						t.Errorf("%s: %d: %.200s", name, status, text)
					default:
						took = append(took, elapsed)
						answer := readAs[struct {
							Solution struct {
								Instance string
								Seed     int
								Jobs     []json.RawMessage
							}
						}](t, text)
						if s := answer.Solution; s.Instance != name || s.Seed != n || len(s.Jobs) != jobs {
							t.Errorf("%s gets the answer of %s, seed %d, %d jobs", name, s.Instance, s.Seed, len(s.Jobs))
						}
					}
					mutex.Unlock()
				}
			})
		}
		clients.Wait()
	})
	slices.Sort(took)
	if len(took) == 0 {
		t.Fatal("nothing was answered")
	}
	t.Logf("%d clients, %d answers, %d refused; median %v, p99 %v; the heap grew by %d MB", *loadClients, len(took), busy, took[len(took)/2], took[len(took)*99/100], grown>>20)
	if grown > 512<<20 {
		t.Errorf("the heap grew by %d MB", grown>>20)
	}
}

// send posts a body.
func send(t *testing.T, client *http.Client, url, body string) (int, string) {
	response, err := client.Post(url, "application/json", strings.NewReader(body))
	if err != nil {
		t.Error(err)
		return 0, ""
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Error(err)
	}
	return response.StatusCode, string(text)
}

// BenchmarkAuto has 50 clients that each want 40 jobs solved by auto in 200 ms, one after another: go test ./serve -run - -bench Auto -benchtime 500x
func BenchmarkAuto(b *testing.B) {
	opt := Options{Limits: Public()}
	opt.Queue = 1000
	if *loadRuns > 0 {
		opt.Runs = *loadRuns
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	Prepare(opt.Limits)
	server := httptest.NewServer(New(opt).Handler(""))
	defer server.Close()
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 50}}
	body := with(example(b, "four"), `"time": 0.2`)
	var mutex sync.Mutex
	var took []time.Duration
	var asked atomic.Int64
	var clients sync.WaitGroup
	for range 50 {
		clients.Go(func() {
			for asked.Add(1) <= int64(b.N) {
				began := time.Now()
				response, err := client.Post(server.URL+"/v1/solve", "application/json", strings.NewReader(body))
				if err != nil {
					b.Error(err)
					return
				}
				_, _ = io.Copy(io.Discard, response.Body)
				_ = response.Body.Close()
				if response.StatusCode != http.StatusOK {
					b.Error(response.Status)
				}
				mutex.Lock()
				took = append(took, time.Since(began))
				mutex.Unlock()
			}
		})
	}
	clients.Wait()
	slices.Sort(took)
	b.ReportMetric(took[len(took)/2].Seconds()*1e3, "p50-ms")
	b.ReportMetric(took[len(took)*99/100].Seconds()*1e3, "p99-ms")
}

var loadRuns = flag.Int("runs", 0, "runs at once in BenchmarkAuto; 0: as many as processors")

// BenchmarkCall is what the service adds to a run: a check of 40 jobs over lines, and over HTTP.
func BenchmarkCall(b *testing.B) {
	four := example(b, "four")
	s := New(Options{Limits: Private()})
	solve, _ := Named("solve")
	r := doNow(s, &Client{}, solve, []byte(with(four, `"solver": "minmin"`)), nil)
	if r.err != nil {
		b.Fatal(r.err)
	}
	body := with(four, `"solution": `+string(r.result.(*Solved).Solution))
	b.Run("lines", func(b *testing.B) {
		in, write := io.Pipe()
		read, out := io.Pipe()
		go func() { _ = s.ServeLines(b.Context(), in, out) }()
		defer write.Close()
		lines := json.NewDecoder(read)
		var answer json.RawMessage
		if err := lines.Decode(&answer); err != nil {
			b.Fatal(err)
		}
		flat := strings.ReplaceAll(body, "\n", " ")
		for b.Loop() {
			_, _ = fmt.Fprintf(write, `{"id": 1, "method": "check", "params": %s}`+"\n", flat)
			if err := lines.Decode(&answer); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("http", func(b *testing.B) {
		server := httptest.NewServer(s.Handler(""))
		defer server.Close()
		for b.Loop() {
			response, err := server.Client().Post(server.URL+"/v1/check", "application/json", strings.NewReader(body))
			if err != nil {
				b.Fatal(err)
			}
			_, _ = io.Copy(io.Discard, response.Body)
			_ = response.Body.Close()
		}
	})
	b.Run("alone", func(b *testing.B) { // the same without the service
		for b.Loop() {
			in, err := model.ReadInstance(strings.NewReader(four), "")
			if err != nil {
				b.Fatal(err)
			}
			sol, err := model.ReadSolution(strings.NewReader(string(r.result.(*Solved).Solution)), "")
			if err != nil {
				b.Fatal(err)
			}
			model.Check(in, sol)
		}
	})
}

// BenchmarkLarge sends 100,000 jobs and gets them back scheduled, over lines.
func BenchmarkLarge(b *testing.B) {
	body := with(many(100_000), `"solver": "mct"`)
	s := New(Options{Limits: Private()})
	solve, _ := Named("solve")
	b.SetBytes(int64(len(body)))
	for b.Loop() {
		r := doNow(s, &Client{}, solve, []byte(body), nil)
		if r.err != nil {
			b.Fatal(r.err)
		}
		if _, err := line(message{ID: json.RawMessage("1"), Result: r.result}); err != nil {
			b.Fatal(err)
		}
	}
}

// The memory that a run takes is about what is estimated before it starts, and not much more.
func TestMemoryEstimate(t *testing.T) {
	for _, c := range []struct {
		solver string
		jobs   int
	}{{"mct", 100_000}, {"search:effort=0.05", 20_000}, {"muscle", 20_000}, {"mct+titan:coding=list:population=20000", 2000}, {"titan:population=20000", 1000}} {
		body := with(many(c.jobs), fmt.Sprintf(`"solver": %q, "time": 2`, c.solver))
		in, err := model.ReadInstance(strings.NewReader(many(c.jobs)), "")
		if err != nil {
			t.Fatal(err)
		}
		choice, err := solve.Choose(c.solver)
		if err != nil {
			t.Fatal(err)
		}
		estimated := memoryOf(in, 1) + solve.Memory(choice.Solver, in)
		s := New(Options{Limits: Private()})
		o, _ := Named("solve")
		grown := peak.Heap(func() {
			if r := doNow(s, &Client{}, o, []byte(body), nil); r.err != nil {
				t.Error(r.err)
			}
		})
		t.Logf("%s on %d jobs: estimated %d MB, the heap grew by %d MB", c.solver, c.jobs, estimated>>20, grown>>20)
		if int64(grown) > 4*estimated {
			t.Errorf("%s on %d jobs: estimated %d MB, the heap grew by %d MB", c.solver, c.jobs, estimated>>20, grown>>20)
		}
	}
}

package serve

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/allot-opt/allot/internal/peak"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/serve/answers"
	"github.com/allot-opt/allot/solve"
)

// The answer has the solution of the chosen solver with its parameters.
func TestSolves(t *testing.T) {
	server, _ := begin(t, nil)
	instance := example(t, "table1")
	status, text := post(t, server, "solve", with(instance, `"solver": "muscle", "param": {"reading": "b"}, "seed": 3`))
	solved := readAs[Solved](t, text)
	if status != http.StatusOK || solved.Status != model.Feasible || solved.Stop != model.StopDone {
		t.Fatalf("%d: %s", status, text)
	}
	checked(t, instance, solved.Solution)
	if !strings.Contains(text, `"solver":"muscle"`) || !strings.Contains(text, `"seed":3,"parameters":{"reading":"b"}`) {
		t.Errorf("the solution does not say how it was made: %s", text)
	}
	status, text = post(t, server, "solve", with(instance, `"solver": "exact"`))
	if solved = readAs[Solved](t, text); status != http.StatusOK || solved.Status != model.Optimal {
		t.Fatalf("%d: %s", status, text)
	}
	first := checked(t, instance, solved.Solution)
	status, text = post(t, server, "solve", with(instance, `"time": 0.3`))
	if status != http.StatusOK {
		t.Fatalf("without a choice: %d: %s", status, text)
	}
	if objective := checked(t, instance, readAs[Solved](t, text).Solution); objective < first*(1-1e-9) {
		t.Errorf("%v is better than the optimum, %v", objective, first)
	}
}

// An instance may be an object, a text or in base64, and a gzip file in base64.
func TestDocuments(t *testing.T) {
	server, _ := begin(t, nil)
	instance := example(t, "tiny")
	hash := ""
	for name, document := range map[string]string{"object": strings.TrimSpace(instance), "text": quoted(instance)} {
		status, text := post(t, server, "solve", `{"solver": "mct", "instance": `+document+`}`)
		if status != http.StatusOK {
			t.Fatalf("%s: %d: %s", name, status, text)
		}
		if name == "text" {
			hash = readAs[struct {
				Hash string `json:"instance_sha256"`
			}](t, string(readAs[Solved](t, text).Solution)).Hash
		}
	}
	in, err := model.ReadInstance(strings.NewReader(instance), "")
	if err != nil || hash != in.SHA256() {
		t.Errorf("of a text the SHA-256 is %s, of the file %v (%v)", hash, in.SHA256(), err)
	}
}

// event is an event of a stream.
type event struct{ name, data string }

// next reads the next event; its name is empty at the end.
func next(t *testing.T, lines *bufio.Reader) (e event) {
	t.Helper()
	for {
		text, err := lines.ReadString('\n')
		if err == io.EOF {
			return e
		}
		if err != nil {
			t.Fatal(err)
		}
		switch name, value, _ := strings.Cut(strings.TrimSuffix(text, "\n"), ": "); name {
		case "event":
			e.name = value
		case "data":
			e.data = value
		case "":
			return e
		}
	}
}

// stream begins a request whose answer comes as events.
func stream(ctx context.Context, t *testing.T, server *httptest.Server, id, body string) *bufio.Reader {
	t.Helper()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, server.URL+"/v1/solve", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Accept", "text/event-stream")
	request.Header.Set(requestID, id)
	response, err := server.Client().Do(request)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = response.Body.Close() })
	return bufio.NewReader(response.Body)
}

// Improvements arrive while the run goes on, with their schedules. At its time the client gets the best solution so far, which states that time was the limit.
func TestEvents(t *testing.T) {
	server, _ := begin(t, nil)
	instance := example(t, "multicluster")
	lines := stream(t.Context(), t, server, "", with(instance, `"solver": "stall", "time": 1.5, "schedules": true`))
	first := next(t, lines)
	told := readAs[Progress](t, first.data)
	if first.name != "progress" || told.Objective == nil || *told.Objective != 7 || told.Bound.Or(0) != 1 || stalling.Load() != 1 {
		t.Fatalf("first %v, with %d runs under way", first, stalling.Load())
	}
	checked(t, instance, told.Solution)
	last := next(t, lines)
	solved := readAs[Solved](t, last.data)
	if last.name != "result" || solved.Stop != model.StopTime || solved.Status != model.Feasible {
		t.Fatalf("%v", last)
	}
	checked(t, instance, solved.Solution)
	if after := next(t, lines); after.name != "" {
		t.Errorf("after the result comes %v", after)
	}
}

// The improvements of a search get better, their schedules cost what they say, and none is better than the result.
func TestImprovements(t *testing.T) {
	server, _ := begin(t, nil)
	instance := example(t, "four")
	lines := stream(t.Context(), t, server, "", with(instance, `"solver": "auto", "evaluations": 20000, "schedules": true`))
	best, schedules := 1e300, 0
	for {
		e := next(t, lines)
		if e.name == "result" {
			if last := checked(t, instance, readAs[Solved](t, e.data).Solution); last > best*(1+1e-9) {
				t.Errorf("the result costs %v, an improvement %v", last, best)
			}
			break
		}
		told := readAs[Progress](t, e.data)
		if e.name != "progress" || told.Objective == nil {
			continue
		}
		if *told.Objective > best {
			t.Errorf("%v after %v", *told.Objective, best)
		}
		best = *told.Objective
		if told.Solution == nil {
			continue
		}
		schedules++
		if cost := checked(t, instance, told.Solution); cost > best*(1+1e-9) || cost < best*(1-1e-9) {
			t.Errorf("an improvement to %v has a schedule that costs %v", best, cost)
		}
	}
	if schedules == 0 {
		t.Error("no improvement had its schedule")
	}
}

// A run that is cancelled by its name answers with the best so far, to whoever began it and to whoever ended it.
func TestCancel(t *testing.T) {
	server, s := begin(t, nil)
	instance := example(t, "tiny")
	lines := stream(t.Context(), t, server, "mine/1", with(instance, `"solver": "stall"`))
	if first := next(t, lines); first.name != "progress" {
		t.Fatal(first)
	}
	again, _ := io.ReadAll(stream(t.Context(), t, server, "mine/1", with(instance, `"solver": "stall"`)))
	if e := failedOf(t, string(again)); e.Code != wrongInput || !strings.Contains(e.Message, "no request under way has") {
		t.Errorf("a second run of the name: %s", again)
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodDelete, server.URL+"/v1/runs/mine%2F1", nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := server.Client().Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		t.Fatal(response.Status, string(text), err)
	}
	last := next(t, lines)
	for last.name == "progress" { // what the solver returned in the end
		last = next(t, lines)
	}
	for _, text := range []string{string(text), last.data} {
		solved := readAs[Solved](t, text)
		if solved.Stop != model.StopCancelled {
			t.Errorf("%.300s", text)
		}
		checked(t, instance, solved.Solution)
	}
	if s.cancel(&Client{Name: "127.0.0.1"}, "mine/1") != nil {
		t.Error("the run is still there")
	}
}

// One client cannot end the run of another.
func TestNamesBelongToClients(t *testing.T) {
	_, s := begin(t, nil)
	o, _ := Named("solve")
	done := make(chan reply, 1)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		begun, _ := s.enrol(ctx, &Client{Name: "a"}, "1")
		done <- s.do(begun, o, []byte(with(example(t, "tiny"), `"solver": "stall"`)), nil)
	}()
	within(t, "the run begins", func() bool { return stalling.Load() == 1 })
	if s.cancel(&Client{Name: "b"}, "1") != nil {
		t.Error("another client ended the run")
	}
	if s.cancel(&Client{Name: "a"}, "1") == nil {
		t.Error("a client could not end its run")
		cancel()
	}
	if r := <-done; r.err != nil {
		t.Error(r.err)
	}
}

// A client that closes the connection stops its run, and the place becomes free. Until then no other client gets it.
func TestHangingUpStopsTheRun(t *testing.T) {
	server, _ := begin(t, nil)
	instance := example(t, "tiny")
	ctx, hangUp := context.WithCancel(t.Context())
	defer hangUp()
	if first := next(t, stream(ctx, t, server, "", with(instance, `"solver": "stall"`))); first.name != "progress" || strings.Contains(first.data, `"solution"`) || stalling.Load() != 1 {
		t.Fatalf("%v, %d runs under way", first, stalling.Load())
	}
	response, err := server.Client().Post(server.URL+"/v1/solve", "application/json", strings.NewReader(with(instance, `"solver": "mct"`)))
	if err != nil {
		t.Fatal(err)
	}
	text, _ := io.ReadAll(response.Body)
	_ = response.Body.Close()
	if response.StatusCode != http.StatusTooManyRequests || response.Header.Get("Retry-After") == "" || failedOf(t, string(text)).Code != busy {
		t.Errorf("a second run: %s: %s", response.Status, text)
	}
	hangUp()
	within(t, "the run ends", func() bool { return stalling.Load() == 0 })
	within(t, "the place is free", func() bool {
		status, _ := post(t, server, "solve", with(instance, `"solver": "mct"`))
		return status == http.StatusOK
	})
}

// Requests wait for a place, first come first served, and one client has no more than its share.
func TestQueue(t *testing.T) {
	server, s := begin(t, func(o *Options) { o.Queue, o.PerClient = 4, 3 })
	body := with(example(t, "tiny"), `"solver": "stall"`)
	ctx, hangUp := context.WithCancel(t.Context())
	defer hangUp()
	if first := next(t, stream(ctx, t, server, "", body)); first.name != "progress" {
		t.Fatal(first)
	}
	statuses := make(chan int, 2)
	for range 2 {
		go func() {
			status, _ := post(t, server, "solve", with(example(t, "tiny"), `"solver": "mct"`))
			statuses <- status
		}()
	}
	within(t, "two wait", func() bool { _, waiting := s.gate.load(); return waiting == 2 })
	if status, text := post(t, server, "solve", body); status != http.StatusTooManyRequests || !strings.Contains(text, "of one client") {
		t.Errorf("a fourth request: %d: %s", status, text)
	}
	if status, text := post(t, server, "solvers", "{}"); status != http.StatusOK {
		t.Errorf("a light request: %d: %s", status, text)
	}
	hangUp()
	for range 2 {
		if status := <-statuses; status != http.StatusOK {
			t.Error(status)
		}
	}
	idle(t, s)
}

// stalled starts clients whose bodies do not arrive, and waits until the service reads them. Their answers come into the channel.
func stalled(t *testing.T, server *httptest.Server, s *Service, clients int) <-chan int {
	t.Helper()
	answers := make(chan int, clients)
	for range clients {
		body, never := io.Pipe()
		t.Cleanup(func() { _ = never.Close() })
		go func() {
			status := 0
			if response, err := server.Client().Post(server.URL+"/v1/solve", "application/json", body); err == nil {
				status = response.StatusCode
				_ = response.Body.Close()
			}
			answers <- status
		}()
	}
	within(t, "the bodies arrive", func() bool {
		s.bodies.mutex.Lock()
		defer s.bodies.mutex.Unlock()
		return s.bodies.held == int64(clients)
	})
	return answers
}

// Forty clients whose bodies do not arrive keep nobody from running.
func TestStalledBodies(t *testing.T) {
	server, s := begin(t, func(o *Options) { o.Stalling = time.Minute })
	stalled(t, server, s, 40)
	if status, text := post(t, server, "solve", with(example(t, "tiny"), `"solver": "mct"`)); status != http.StatusOK {
		t.Errorf("%d: %.200s", status, text)
	}
}

// There is room for a number of bodies. One that stalls loses its place soon.
func TestRoomForBodies(t *testing.T) {
	server, s := begin(t, func(o *Options) { o.Bodies, o.Stalling, o.Reading = 2, time.Second, time.Hour })
	body := with(example(t, "tiny"), `"solver": "mct"`)
	answers := stalled(t, server, s, 2)
	if status, text := post(t, server, "solve", body); status != http.StatusTooManyRequests || !strings.Contains(text, "arriving") {
		t.Errorf("%d: %.200s", status, text)
	}
	for range 2 {
		if status := <-answers; status != http.StatusRequestTimeout {
			t.Errorf("a stalled client got %d", status)
		}
	}
	if status, text := post(t, server, "solve", body); status != http.StatusOK {
		t.Errorf("after the stalled clients: %d: %.200s", status, text)
	}
}

// Bodies that arrive hold a number of bytes together, until they are answered or given up.
func TestRoomForBytes(t *testing.T) {
	body := with(example(t, "tiny"), `"solver": "mct"`)
	server, s := begin(t, func(o *Options) { o.Arriving, o.Stalling, o.Reading = len(body)+1, time.Hour, time.Hour })
	pipe, never := io.Pipe()
	held, letGo := context.WithCancel(t.Context())
	defer letGo()
	request, err := http.NewRequestWithContext(held, http.MethodPost, server.URL+"/v1/solve", pipe)
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
	within(t, "two bytes are held", func() bool {
		s.arriving.mutex.Lock()
		defer s.arriving.mutex.Unlock()
		return s.arriving.held == 2
	})
	for _, want := range []int{http.StatusTooManyRequests, http.StatusOK} {
		within(t, "the status is as it must be", func() bool {
			status, _ := post(t, server, "solve", body)
			return status == want
		})
		letGo()
	}
	within(t, "no bytes are held", func() bool {
		s.arriving.mutex.Lock()
		defer s.arriving.mutex.Unlock()
		return s.arriving.held == 0
	})
}

// A body that arrives a byte at a time is given up too.
func TestDripping(t *testing.T) {
	server, _ := begin(t, func(o *Options) { o.Reading = 300 * time.Millisecond })
	body, drip := io.Pipe()
	defer drip.Close()
	go func() {
		for err := error(nil); err == nil; time.Sleep(10 * time.Millisecond) {
			_, err = drip.Write([]byte(" "))
		}
	}()
	client := server.Client()
	client.Timeout = 20 * time.Second
	response, err := client.Post(server.URL+"/v1/solve", "application/json", body)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusRequestTimeout {
		t.Error(response.Status)
	}
}

// A client that does not read its answer is cut, and its place becomes free.
func TestSlowReader(t *testing.T) {
	server, s := begin(t, func(o *Options) { o.Writing = 200 * time.Millisecond })
	raw, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer raw.Close()
	if err := raw.(*net.TCPConn).SetReadBuffer(4096); err != nil {
		t.Fatal(err)
	}
	var trace strings.Builder // of which an instance of some MB is made
	trace.WriteString("; MaxProcs: 4\n")
	for k := range 60_000 {
		trace.WriteString(strconv.Itoa(k+1) + " " + strconv.Itoa(10*k) + " 0 10 1 -1 -1 1 10 -1 1 1 1 1 1 1 -1 -1\n")
	}
	body := `{"files": [` + quoted(trace.String()) + `]}`
	if _, err := io.WriteString(raw, "POST /v1/import HTTP/1.1\r\nHost: localhost\r\nContent-Length: "+strconv.Itoa(len(body))+"\r\n\r\n"+body); err != nil {
		t.Fatal(err)
	}
	within(t, "the run is there", func() bool { running, _ := s.gate.load(); return running == 1 })
	within(t, "the place is free", func() bool {
		s.arriving.mutex.Lock()
		defer s.arriving.mutex.Unlock()
		return s.arriving.held == 0
	})
}

// Large bodies at the same time take little memory: what has arrived is bounded, and jobs are counted while they are read.
func TestHoldsLittle(t *testing.T) {
	server, _ := begin(t, func(o *Options) {
		o.Body, o.Arriving, o.Share, o.Documents.Names = 16<<20, 64<<20, 64<<20, 500_000
	})
	body := `{"solver": "mct", "instance": ` + many(500_000) + "}"
	var refused atomic.Int32
	grown := peak.Heap(func() {
		var clients sync.WaitGroup
		for range 16 {
			clients.Go(func() {
				// A refusal may come before the body has been sent; the client then sees a closed connection.
				response, err := server.Client().Post(server.URL+"/v1/solve", "application/json", strings.NewReader(body))
				if err != nil {
					return
				}
				defer response.Body.Close()
				switch response.StatusCode {
				case http.StatusRequestEntityTooLarge:
					refused.Add(1)
				case http.StatusTooManyRequests:
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
	server, _ := begin(t, func(o *Options) { o.Body, o.Documents.Names, o.Memory = 30_000, 300, 8<<20 })
	tiny := example(t, "tiny")
	late := strings.Replace(tiny, `"id": "c",`, `"id": "c", "arrival": 10,`, 1)
	steps := tiny // each step names its job more than once
	for k := range 14 {
		steps = strings.Replace(steps, `"jobs": [`, `"jobs": [{"id": "`+strings.Repeat(strconv.Itoa(k%10), 900+k)+`", "work": 1},`, 1)
	}
	other := `{"schema": "allot/solution/1", "solver": "mct", "seed": 1, "jobs": [{"job": "a", "cluster": "left", "processors": "0-1", "start": 100, "end": 106}, ` +
		`{"job": "b", "cluster": "left", "processors": "0", "start": 0, "end": 4}, {"job": "c", "cluster": "right", "processors": "0-2", "start": 0, "end": 2}]}`
	odd := strings.Replace(tiny, `"jobs": [`, `"jobs": [{"id": "odd", "work": -1, "after": ["nobody"]},`, 1)
	if odd == tiny {
		t.Fatal("the example has no jobs where the test looks for them")
	}
	wide := strings.Replace(tiny, `"machines": [`, `"machines": [{"id": "w", "count": 100000},`, 1)
	for name, c := range map[string]struct {
		operation, body string
		status          int
		want            string
	}{
		"no JSON":            {"solve", "{", http.StatusBadRequest, "not JSON"},
		"no object":          {"solve", "[1]", http.StatusBadRequest, "expected an object, found ["},
		"more":               {"solve", "{} {}", http.StatusBadRequest, "not JSON"},
		"no instance":        {"solve", "{}", http.StatusBadRequest, `expected the field \"instance\", found none`},
		"a wrong number":     {"solve", with(odd, ""), http.StatusBadRequest, `{"path":"instance.jobs[0].work","message":"expected `},
		"no instance at all": {"solve", `{"instance": 3}`, http.StatusBadRequest, `{"path":"instance","message":"expected a document`},
		"instance no JSON":   {"solve", with("{", ""), http.StatusBadRequest, `{"path":"instance","message":"the file ends early`},
		"another field":      {"solve", with(tiny, `"sovler": "mct"`), http.StatusBadRequest, `{"path":"sovler","message":"unknown field; expected one of instance, `},
		"a field twice":      {"solve", with(tiny, `"time": 1, "time": 2`), http.StatusBadRequest, `{"path":"time","message":"expected the field once`},
		"solver":             {"solve", with(tiny, `"solver": "serch"`), http.StatusBadRequest, `did you mean \"search\"?`},
		"parameter":          {"solve", with(tiny, `"solver": "search:effort=much"`), http.StatusBadRequest, "solver search: parameter effort"},
		"another parameter":  {"solve", with(tiny, `"solver": "search", "param": {"efort": 1}`), http.StatusBadRequest, "efort"},
		"a list":             {"solve", with(tiny, `"param": {"effort": [1]}`), http.StatusBadRequest, `{"path":"param.effort"`},
		"a command":          {"solve", with(tiny, `"solver": "mct+exec:true"`), http.StatusBadRequest, "this service runs no commands"},
		"a labelled command": {"solve", with(tiny, `"solver": "x=exec:true"`), http.StatusBadRequest, "this service runs no commands"},
		"a site's policy":    {"policies", `{"replicates": 100, "trace": "JobID|Submit|Start|End|NCPUS|TimelimitRaw|Partition\n1|10|10|20|4|5|p\n2|11|20|30|4|5|p\n", "slurm_conf": "NodeName=n1 CPUs=4\nPartitionName=p Nodes=n1\nPriorityType=priority/basic\n"}`, http.StatusOK, `"site":"backfill"`},
		"a site's Include":   {"policies", `{"trace": "JobID|Submit|Start|End|NCPUS\n1|10|10|20|4\n", "slurm_conf": "Include /etc/passwd\n"}`, http.StatusBadRequest, "no file"},
		"a policy's command": {"policies", `{"trace": ` + quoted(tiny) + `, "policies": ["easy", "exec-online:true"]}`, http.StatusBadRequest, "this service runs no commands"},
		"a command to rank":  {"compare", `{"instances": [` + quoted(tiny) + `], "solvers": ["mct", "exec:true"]}`, http.StatusBadRequest, "this service runs no commands"},
		"a call":             {"solve", with(tiny, `"solver": "call:f"`), http.StatusBadRequest, "only a client on standard input"},
		"a file":             {"solve", `{"instance": {"file": "/etc/passwd"}}`, http.StatusBadRequest, "reads no files"},
		"a file of a format": {"import", `{"files": ["x"], "format": "sacct", "param": {"nodes": "/etc/passwd"}}`, http.StatusBadRequest, "reads no files"},
		"base64":             {"solve", `{"instance": {"base64": "?"}}`, http.StatusBadRequest, `{"path":"instance.base64"`},
		"gzip":               {"solve", `{"instance": {"base64": "H4sIAAAA"}}`, http.StatusBadRequest, "gzip data is cut short"},
		"time":               {"solve", with(tiny, `"time": 7200`), http.StatusBadRequest, "expected at most 60 seconds"},
		"policies' time":     {"policies", `{"trace": ` + quoted(tiny) + `, "time": 7200}`, http.StatusBadRequest, "expected at most 60 seconds"},
		"compare's time":     {"compare", `{"instances": [` + quoted(tiny) + `], "time": 7200}`, http.StatusBadRequest, "expected at most 60 seconds"},
		"negative time":      {"solve", with(tiny, `"time": -1`), http.StatusBadRequest, `{"path":"time"`},
		"seed":               {"solve", with(tiny, `"seed": -1`), http.StatusBadRequest, `{"path":"seed"`},
		"rolling and start":  {"solve", with(tiny, `"rolling": 1, "solver": "search", "start": {}`), http.StatusBadRequest, "only one of rolling and start"},
		"no start":           {"solve", with(tiny, `"solver": "muscle", "start": {}`), http.StatusBadRequest, `{"path":"start"`},
		"a wrong start":      {"solve", with(tiny, `"solver": "search", "start": {"schema": "allot/solution/1", "jobs": []}`), http.StatusUnprocessableEntity, "refused by the checker"},
		"objective":          {"solve", with(tiny, `"objective": "speed"`), http.StatusBadRequest, `{"path":"objective"`},
		"unsupported":        {"solve", with(example(t, "workflow"), `"solver": "broker"`), http.StatusUnprocessableEntity, `"code":"unsupported"`},
		"too many bytes":     {"solve", with(tiny, "") + strings.Repeat(" ", 30_000), http.StatusRequestEntityTooLarge, "at most 30000 bytes"},
		"too many jobs":      {"solve", with(example(t, "multicluster"), ""), http.StatusRequestEntityTooLarge, "at most 300 names in the whole reading"},
		"too much memory":    {"solve", with(wide, ""), http.StatusRequestEntityTooLarge, "is estimated to take"},
		"a broken solver":    {"solve", with(tiny, `"solver": "broken"`), http.StatusInternalServerError, "no luck"},
		"no such operation":  {"bake", "{}", http.StatusNotFound, `"code":"not_found"`},
		"explain nobody":     {"explain", with(tiny, `"solution": {"schema": "allot/solution/1", "jobs": []}, "job": "a"`), http.StatusUnprocessableEntity, "the checker refuses the schedule"},
		"explain nothing":    {"explain", with(tiny, `"job": "a"`), http.StatusBadRequest, `expected the field \"solution\"`},
		"explain no job":     {"explain", with(tiny, `"solution": {}`), http.StatusBadRequest, `{"path":"job"`},
		"steps of search":    {"explain", with(tiny, `"trace": true, "solver": "search"`), http.StatusBadRequest, "search does not state its steps"},
		"steps and solver":   {"explain", with(tiny, `"job": "a", "solver": "mct"`), http.StatusBadRequest, `{"path":"solver","message":"expected it only with trace"`},
		"steps of two":       {"explain", with(tiny, `"trace": true, "solver": "mct", "solution": {}`), http.StatusBadRequest, "only one of solver and solution"},
		"steps and seed":     {"explain", with(tiny, `"trace": true, "solution": {}, "seed": 2`), http.StatusBadRequest, `{"path":"seed"`},
		"steps by a command": {"explain", with(tiny, `"trace": true, "solver": "exec:true"`), http.StatusBadRequest, "this service runs no commands"},
		"steps of nobody":    {"explain", with(tiny, `"trace": true, "solver": "mct", "job": "nobody"`), http.StatusBadRequest, `{"path":"job"`},
		"too many steps":     {"explain", with(steps, `"trace": true, "solver": "muscle"`), http.StatusRequestEntityTooLarge, "expected steps of at most 30000 bytes"},
		"another schedule":   {"explain", with(tiny, `"trace": true, "solution": `+other), http.StatusBadRequest, `{"path":"solution","message":"expected the schedule that solver mct makes`},
		"backtest at":        {"simulate", with(tiny, `"backtest": true, "at": 1`), http.StatusBadRequest, `{"path":"at"`},
		"backtest quantiles": {"simulate", with(tiny, `"backtest": true, "quantiles": true`), http.StatusBadRequest, `{"path":"quantiles"`},
		"samples":            {"simulate", with(tiny, `"samples": 5`), http.StatusBadRequest, `{"path":"samples"`},
		"no samples":         {"simulate", with(tiny, `"backtest": true, "samples": 0`), http.StatusBadRequest, `{"path":"samples"`},
		"backtest from":      {"simulate", with(tiny, `"backtest": true, "from": 0.5, "to": 0.5`), http.StatusBadRequest, `{"path":"to"`},
		"nothing to test":    {"simulate", with(late, `"backtest": true, "from": 0.4, "to": 0.6`), http.StatusBadRequest, "expected jobs that start between the shares"},
		"schema":             {"schema", `{"name": "x"}`, http.StatusBadRequest, `{"path":"name"`},
		"solver's page":      {"solvers", `{"name": "exec:true"}`, http.StatusBadRequest, `{"path":"name"`},
		"no format":          {"import", `{"files": ["\u0000"]}`, http.StatusBadRequest, "name the format"},
		"two traces":         {"import", `{"files": ["x", "y"], "format": "swf"}`, http.StatusBadRequest, "expected one file"},
		"load":               {"policies", `{"trace": ` + quoted(tiny) + `, "load": 90}`, http.StatusBadRequest, `{"path":"load","message":"expected a load above 0 and at most 10 (1: the jobs need all processors all the time), found 90; is it per cent? write 0.9"`},
		"warm-up":            {"policies", `{"trace": ` + quoted(tiny) + `, "warm_up": 0.5}`, http.StatusBadRequest, `{"path":"warm_up"`},
		"two of a label":     {"compare", `{"instances": [` + quoted(tiny) + `], "solvers": ["x=mct", "x=olb"]}`, http.StatusBadRequest, `{"path":"solvers"`},
		"two questions":      {"simulate", with(tiny, `"job": "a", "submit": {"id": "x", "work": 1}`), http.StatusBadRequest, "expected only one of submit and job"},
		"policies to ask":    {"simulate", with(tiny, `"job": "a", "policies": ["easy"]`), http.StatusBadRequest, `{"path":"policies"`},
		"nobody's job":       {"simulate", with(tiny, `"job": "nobody"`), http.StatusBadRequest, `{"path":"job"`},
		"no picture":         {"draw", with(tiny, `"solutions": [{"schema": "allot/solution/1", "jobs": []}]`), http.StatusUnprocessableEntity, "the checker refuses"},
		"picture's format":   {"draw", with(tiny, `"solutions": [], "format": "gif"`), http.StatusBadRequest, `{"path":"format"`},
	} {
		status, text := post(t, server, c.operation, c.body)
		if status != c.status || !strings.Contains(text, c.want) || !json.Valid([]byte(text)) {
			t.Errorf("%s: %d: %s, want %d with %q", name, status, text, c.status, c.want)
		}
	}
}

// An infeasible instance has a result without a solution, which says why.
func TestInfeasible(t *testing.T) {
	server, _ := begin(t, nil)
	status, text := post(t, server, "solve", with(strings.ReplaceAll(example(t, "ggone"), `"rate": `, `"rate": 9`), `"solver": "ggone", "time": 20`))
	if solved := readAs[Solved](t, text); status != http.StatusOK || solved.Status != model.Infeasible || solved.Reason == "" || solved.Solution != nil {
		t.Errorf("%d: %s", status, text)
	}
}

// With a token only those who know it are answered; without one only those who call this machine by its own name, and no page of another site.
func TestWhoIsAnswered(t *testing.T) {
	s := New(Options{Limits: Public()})
	for name, c := range map[string]struct {
		token, host string
		headers     map[string]string
		status      int
	}{
		"token":          {"secret of this service", "example.org", map[string]string{"Authorization": "Bearer secret of this service"}, http.StatusOK},
		"wrong token":    {"secret of this service", "localhost", map[string]string{"Authorization": "Bearer secret"}, http.StatusForbidden},
		"another scheme": {"secret of this service", "localhost", map[string]string{"Authorization": "Basic secret of this service"}, http.StatusForbidden},
		"no scheme":      {"secretofthisservice", "localhost", map[string]string{"Authorization": "secretofthisservice"}, http.StatusForbidden},
		"lower case":     {"secret of this service", "localhost", map[string]string{"Authorization": "bearer secret of this service"}, http.StatusOK},
		"no token":       {"secret of this service", "localhost", nil, http.StatusForbidden},
		"local":          {"", "localhost:8080", nil, http.StatusOK},
		"loopback":       {"", "[::1]:8080", nil, http.StatusOK},
		"another name":   {"", "evil.example", nil, http.StatusForbidden},
		"another site":   {"", "localhost", map[string]string{"Sec-Fetch-Site": "cross-site"}, http.StatusForbidden},
		"origin":         {"", "localhost", map[string]string{"Origin": "https://evil.example"}, http.StatusForbidden},
		"the same site":  {"", "localhost:8080", map[string]string{"Origin": "http://localhost:8080"}, http.StatusOK},
	} {
		request := httptest.NewRequest(http.MethodPost, "/v1/schema", strings.NewReader("{}"))
		request.Host = c.host
		for key, value := range c.headers {
			request.Header.Set(key, value)
		}
		response := httptest.NewRecorder()
		s.Handler(c.token).ServeHTTP(response, request)
		if response.Code != c.status {
			t.Errorf("%s: %d: %s", name, response.Code, response.Body)
		}
	}
	response := httptest.NewRecorder()
	s.Handler("secret of this service").ServeHTTP(response, httptest.NewRequest(http.MethodGet, "/healthz", nil))
	if response.Code != http.StatusOK || !strings.Contains(response.Body.String(), `"status":"ok"`) {
		t.Errorf("health: %d: %s", response.Code, response.Body)
	}
}

// A run that has no limit of its own ends at the longest time of the service; one that counts evaluations does not see that limit before.
func TestEndsLongRuns(t *testing.T) {
	server, _ := begin(t, func(o *Options) { o.Time, o.Usual = 300*time.Millisecond, 300*time.Millisecond })
	status, text := post(t, server, "solve", with(example(t, "tiny"), `"solver": "stall", "evaluations": 5`))
	if solved := readAs[Solved](t, text); status != http.StatusOK || solved.Stop != model.StopTime || solved.Solution == nil {
		t.Errorf("%d: %s", status, text)
	}
	if status, text = post(t, server, "solve", with(example(t, "tiny"), `"solver": "stall"`)); readAs[Solved](t, text).Stop != model.StopTime {
		t.Errorf("%d: %s", status, text)
	}
}

// What stands in a query is read as a body is: each name once, and nothing is passed over.
func TestQuery(t *testing.T) {
	server, _ := begin(t, nil)
	for query, want := range map[string]string{
		"name=solution":            `{"schema":{`,
		"":                         `{"names":[`,
		"name=solution&name=proof": "name: expected it once",
		"name=%zz":                 "expected a query",
		"name=solution;x=1":        "expected a query",
		"nme=solution":             "unknown field",
		"name=../etc/passwd":       "expected one of",
	} {
		response, err := server.Client().Get(server.URL + "/v1/schema?" + query)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(response.Body)
		_ = response.Body.Close()
		if err != nil || !strings.Contains(string(text), want) || (response.StatusCode == http.StatusOK) != strings.HasPrefix(want, "{") {
			t.Errorf("%s: %d: %.200s (%v), want %s", query, response.StatusCode, text, err, want)
		}
	}
}

// The page of a chart says of each job why it started when it did, as explain does.
func TestPageSaysWhy(t *testing.T) {
	server, _ := begin(t, nil)
	queue := example(t, "twolevel")
	_, text := post(t, server, "solve", with(queue, `"solver": "twolevel"`))
	solution := readAs[Solved](t, text).Solution
	status, text := post(t, server, "draw", with(queue, `"format": "html", "solutions": [`+string(solution)+`]`))
	page := readAs[Drawn](t, text).Text
	in, err := model.ReadInstance(strings.NewReader(queue), "")
	if err != nil {
		t.Fatal(err)
	}
	sol, err := model.ReadSolution(strings.NewReader(string(solution)), "")
	if err != nil {
		t.Fatal(err)
	}
	reasons, err := answers.RulesOf(t.Context(), in, sol)
	if err != nil || len(reasons) == 0 || status != http.StatusOK {
		t.Fatal(status, reasons, err)
	}
	for job, reason := range reasons {
		if begin, _, _ := strings.Cut(reason, "\n"); !strings.Contains(page, begin) {
			t.Errorf("job %s: the page does not say %q", job, reason)
		}
	}
}

// Before there is a schedule, an improvement of the bound states no objective and no jobs that are left.
func TestBoundBeforeSchedules(t *testing.T) {
	in, err := model.ReadInstance(strings.NewReader(example(t, "tiny")), "")
	if err != nil {
		t.Fatal(err)
	}
	var told []Progress
	c := &call{progress: func(p any) { told = append(told, p.(Progress)) }}
	tell := c.improvements(in, false)
	tell(solve.Progress{Objective: math.Inf(1), Left: 3, Bound: model.ProvedBound(1)})
	tell(solve.Progress{Objective: math.Inf(1), Left: 3, Bound: model.ProvedBound(1)}) // no improvement
	tell(solve.Progress{Evaluations: 1, Objective: 7, Left: 2, Bound: model.ProvedBound(1)})
	if len(told) != 2 {
		t.Fatalf("%+v", told)
	}
	if p := told[0]; p.Objective != nil || p.Gap != nil || p.Left != 0 || p.Bound.Or(0) != 1 {
		t.Errorf("%+v", p)
	}
	if p := told[1]; p.Objective == nil || *p.Objective != 7 || p.Left != 2 {
		t.Errorf("%+v", p)
	}
}

package serve

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/allot-opt/allot/internal/peak"
	"github.com/allot-opt/allot/internal/race"
)

// Small requests that stand for terabytes are refused soon, in little memory and in words: which file, at which place, what is exceeded, and the way out.
func TestSmallRequestsThatStandForMuch(t *testing.T) {
	race.OneGoroutine(t)
	server, s := begin(t, func(*Options) {})
	const trace = "JobID|Partition|Submit|Start|End|TimelimitRaw|NCPUS|NNodes\n1|p|2026-01-05T00:00:00|2026-01-05T00:00:00|2026-01-05T00:01:00|10|1|1\n"
	system := "NodeName=n[1-4] CPUs=4\nPartitionName=p Nodes=ALL\n"
	partitions := "NodeName=n[0-260000] CPUs=4\n"
	for k := range 1000 {
		partitions += fmt.Sprintf("PartitionName=p%d Nodes=n[0-260000]\n", k)
	}
	for name, c := range map[string]struct {
		files, names []string
		want         []string
	}{
		"includes":   {[]string{trace, "include inc.conf\n" + system, strings.Repeat("include inc.conf\n", 8)}, []string{"trace.txt", "main.conf", "inc.conf"}, []string{"files[2].line 1", "inc.conf: ", "at most 300 files in the whole reading", "let each file be included once"}},
		"partitions": {[]string{trace, partitions}, []string{"trace.txt", "slurm.conf"}, []string{"files[1].partitions[", ".nodes", "slurm.conf: ", "at most 5,000,000 names in the whole reading", "state fewer of them"}},
	} {
		body, err := json.Marshal(map[string]any{"format": "sacct", "files": c.files, "names": c.names})
		if err != nil {
			t.Fatal(err)
		}
		var status int
		var text string
		began := time.Now()
		grown := peak.Heap(func() { status, text = post(t, server, "import", string(body)) })
		t.Logf("%s: %d MB in %v", name, grown>>20, time.Since(began))
		if status != http.StatusRequestEntityTooLarge || grown > 600<<20 {
			t.Errorf("%s: %d, %d MB: %.300s", name, status, grown>>20, text)
		}
		for _, want := range c.want {
			if !strings.Contains(text, want) {
				t.Errorf("%s: expected %q in %.500s", name, want, text)
			}
		}
		idle(t, s)
	}
}

// A request counts for its client from its first byte: while a body arrives, another one of that client is refused before anything of it is read.
func TestArrivingBodiesCount(t *testing.T) {
	server, s := begin(t, func(o *Options) { o.PerClient, o.Stalling = 1, time.Minute })
	body, feed := io.Pipe()
	done := make(chan int, 1)
	go func() {
		response, err := server.Client().Post(server.URL+"/v1/solve", "application/json", body)
		if err != nil {
			done <- 0
			return
		}
		defer response.Body.Close()
		done <- response.StatusCode
	}()
	whole := with(example(t, "tiny"), `"solver": "mct"`)
	if _, err := io.WriteString(feed, whole[:10]); err != nil {
		t.Fatal(err)
	}
	within(t, "the body arrives", func() bool {
		s.arriving.mutex.Lock()
		defer s.arriving.mutex.Unlock()
		return s.arriving.held == 10
	})
	if status, text := post(t, server, "solve", whole); status != http.StatusTooManyRequests || !strings.Contains(text, "of one client") {
		t.Errorf("a second request: %d: %s", status, text)
	}
	if _, err := io.WriteString(feed, whole[10:]); err != nil || feed.Close() != nil {
		t.Fatal(err)
	}
	if status := <-done; status != http.StatusOK {
		t.Errorf("the first one: %d", status)
	}
	if status, text := post(t, server, "solve", whole); status != http.StatusOK {
		t.Errorf("afterwards: %d: %s", status, text)
	}
}

// One client holds no more than its share of the bytes that arrive, and nobody's bytes are left over.
func TestShareOfArriving(t *testing.T) {
	s := share{store: store{most: 10}, each: 6, of: map[string]int64{}}
	for k, c := range []struct {
		client string
		bytes  int64
		want   bool
	}{{"a", 6, true}, {"a", 1, false}, {"b", 5, false}, {"b", 4, true}, {"c", 1, false}} {
		if got := s.take(c.client, c.bytes); got != c.want {
			t.Errorf("%d: %s takes %d bytes: %v", k, c.client, c.bytes, got)
		}
	}
	s.give("a", 6)
	if !s.take("c", 1) || !s.take("a", 5) || s.take("a", 1) {
		t.Error("what was given back is not there again")
	}
	s.give("a", 5)
	s.give("b", 4)
	s.give("c", 1)
	if s.held != 0 || len(s.of) != 0 {
		t.Errorf("%d bytes are held, by %v", s.held, s.of)
	}
}

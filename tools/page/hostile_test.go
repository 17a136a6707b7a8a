package page

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

// rows says that the table of jobs has so many rows.
func rows(n int) string {
	return fmt.Sprintf(`document.querySelectorAll("#jobs tbody tr").length === %d`, n)
}

// set puts values into fields as a person does: names of fields, each with its value.
func (b *tab) set(fields ...string) {
	b.t.Helper()
	for k := 0; k < len(fields); k += 2 {
		b.run(chromedp.Evaluate(fmt.Sprintf(`{ const field = document.getElementById(%q); field.value = %q; field.dispatchEvent(new Event("change")); }`, fields[k], fields[k+1]), nil))
	}
}

// TestPlaces goes to other places of the page, back and forward: what somebody has changed stays, and a link of the page is opened.
func TestPlaces(t *testing.T) {
	b := open(t, 1400, "light", "")
	b.solved(1)
	b.run(chromedp.Evaluate(`navigator.clipboard.writeText = async () => undefined`, nil))
	b.click("#share")
	b.until("a link", `location.hash.startsWith("#s=") && document.getElementById("link-said").textContent.startsWith("Link copied")`)
	link := value[string](b, `location.hash`)
	b.click(`button[aria-label="Remove J1"]`)
	b.until("removed", rows(39))
	b.run(chromedp.Evaluate(`document.querySelector(".skip").click()`, nil))
	b.until("skipped", `location.hash === "#main"`)
	b.until("the schedule is old", `!document.getElementById("stale").hidden`)
	value[bool](b, settled)
	if n := value[int](b, `document.querySelectorAll("#jobs tbody tr").length`); n != 39 {
		t.Errorf("the link to the schedule leaves %d jobs, want 39", n)
	}
	b.run(chromedp.Evaluate(`history.back()`, nil))
	b.until("the link is opened", `location.hash === `+fmt.Sprintf("%q", link)+` && `+rows(40))
	b.solved(1)
	b.run(chromedp.Evaluate(`history.forward()`, nil))
	b.until("forward", `location.hash === "#main"`)
	b.set("seed", "x")
	b.click("#share")
	b.until("refused", `document.getElementById("link-said").textContent.startsWith("There is no link yet. Seed: expected a whole number")`)
	b.set("seed", "1", "amount", "0")
	b.until("refused", `document.getElementById("setup-fault").textContent === "Limit: expected a whole number of evaluations above 0, found “0”."`)
	b.quiet("places")
}

// TestLinks opens links that no page or another one has made.
func TestLinks(t *testing.T) {
	b := open(t, 1400, "light", "")
	b.solved(1)
	good := `{"v":1,"instance":"{}","solvers":[{"solver":"search","param":{}}],"seed":1,"limit":{"kind":"evaluations","value":5}}`
	for _, one := range []struct{ from, to, want string }{
		{`"v":1`, `"v":2`, "made by another version"},
		{`"instance":"{}"`, `"instance":{}`, "it has no instance"},
		{`"solver":"search"`, `"solver":7`, "a solver has no name"},
		{`"param":{}`, `"param":{"a":1}`, "odd parameters"},
		{`[{"solver":"search","param":{}}]`, `[]`, "one to four solvers"},
		{`"seed":1`, `"seed":1.5`, "its seed is no whole number"},
		{`"value":5`, `"value":-5`, "it has no limit"},
		{`"kind":"evaluations"`, `"kind":"x"`, "it has no limit"},
		{good, `null`, "made by another version"},
		{good, `[`, "a part of it is missing or changed"},
		{`"search"`, `"<img src=x>"`, ""},
	} {
		b.run(chromedp.Evaluate(fmt.Sprintf(`{ const text = %q, said = document.getElementById("link-said"); said.textContent = ""; said.hidden = true;
			new Response(new Blob([text]).stream().pipeThrough(new CompressionStream("deflate-raw"))).arrayBuffer().then(packed => {
				location.hash = "#s=" + btoa(String.fromCharCode(...new Uint8Array(packed))).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, ""); }); }`,
			strings.Replace(good, one.from, one.to, 1)), nil))
		if one.want == "" {
			b.until("a solver that is not known", `document.getElementById("solver-0").value === "<img src=x>"`)
			continue
		}
		b.until(one.want, fmt.Sprintf(`document.getElementById("link-said").textContent.includes(%q)`, one.want))
	}
	// 40 MB of blanks are 40 kB in a link.
	b.run(chromedp.Evaluate(`new Response(new Blob([" ".repeat(40e6)]).stream().pipeThrough(new CompressionStream("deflate-raw"))).arrayBuffer().then(packed => {
		let text = ""; for (const c of new Uint8Array(packed)) text += String.fromCharCode(c);
		location.hash = "#s=" + btoa(text).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, ""); })`, nil))
	b.until("refused", `document.getElementById("link-said").textContent.includes("holds more than 32 MB")`)
	b.quiet("links")
}

// TestDocuments opens documents that are wrong at odd places, or odd and right. The page says what is wrong, and goes on.
func TestDocuments(t *testing.T) {
	b := open(t, 1400, "light", "")
	b.solved(1)
	cluster := `"clusters": [{"id": "c", "machines": [{"id": "m", "processors": 2}]}]`
	for _, one := range []struct{ text, want string }{
		{`{"schema": "allot/instance/1"}`, "clusters"},
		{`{"schema": "allot/instance/1", ` + cluster + `, "jobs": {}}`, "jobs: expected"},
		{`{"schema": "allot/instance/1", ` + cluster + `, "jobs": [1]}`, "jobs[0]: expected"},
		{`{"schema": "allot/instance/1", "clusters": null, "jobs": []}`, "clusters"},
		{`{"schema": "allot/instance/1", ` + cluster + `, "jobs": [{"id": "a", "work": 1e999}]}`, "jobs[0].work"},
		{`{"schema": "allot/instance/1", ` + cluster + `, "jobs": [{"id": "a", "work": 1}, {"id": "a", "work": 1}]}`, "jobs[1].id"},
		{`{"schema": "allot/instance/1", ` + cluster + `, "jobs": [{"id": "a", "work": ` + strings.Repeat("[", 20000) + `}]}`, "at byte"},
		{`{"schema": "allot/instance/1", ` + cluster + `, "jobs": [{"__proto__": {"id": 1}, "id": "a", "work": 1}]}`, "__proto__"},
	} {
		b.drop("solve", fmt.Sprintf(`new File([%q], "odd.json")`, one.text))
		b.until(one.want, fmt.Sprintf(`document.getElementById("faults").textContent.includes(%q)`, one.want))
		b.until("ended", `!document.querySelector(".busy")`)
	}
	b.drop("solve", fmt.Sprintf(`new File([%q], "none.json")`, `{"schema": "allot/instance/1", `+cluster+`, "jobs": []}`))
	b.until("no faults", `document.getElementById("faults").hidden && document.querySelectorAll("#jobs tbody tr").length === 0`)
	b.solved(1)
	b.click("#add-job")
	b.until("added", rows(1))
	b.drop("solve", fmt.Sprintf(`new File([%q], "huge.json")`, `{"schema": "allot/instance/1", `+cluster+`, "jobs": [{"id": "a", "work": 1e17}, {"id": "b", "work": 1e-17}]}`))
	b.until("huge", `document.querySelector('input[data-job="1"]')?.dataset.whole === "b"`)
	b.solved(1)
	b.set("solver-0", "easy")
	b.run(chromedp.Evaluate(fmt.Sprintf(`{ const jobs = Array.from({ length: 20000 }, (_, k) => ({ id: "j" + k, work: 1 + k %% 7, processors: 1 + k %% 2, arrival: k }));
		window.many = new File([%q + JSON.stringify(jobs) + "}"], "many.json"); }`, `{"schema": "allot/instance/1", `+cluster+`, "jobs": `), nil))
	b.drop("solve", "window.many")
	b.until("many", `document.getElementById("jobs").textContent.includes("of 20,000 jobs")`)
	b.solved(1)
	b.click("#run")
	b.solved(1)
	b.quiet("documents")
}

// bomb is a gigabyte of a byte, compressed.
func bomb(t *testing.T, begin string) string {
	t.Helper()
	var text bytes.Buffer
	w, err := gzip.NewWriterLevel(&text, gzip.BestSpeed)
	for k := 0; k < 1000 && err == nil; k++ {
		_, err = w.Write(append([]byte(begin), bytes.Repeat([]byte{' '}, 1e6)...))
		begin = ""
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf(`new File([Uint8Array.from(atob(%q), c => c.charCodeAt(0))], "bomb.swf.gz")`, base64.StdEncoding.EncodeToString(text.Bytes()))
}

// TestBombs drops small files that hold a gigabyte.
func TestBombs(t *testing.T) {
	b := open(t, 1400, "light", "")
	b.solved(1)
	file := bomb(t, "; ")
	b.drop("solve", file)
	b.until("refused", `!document.getElementById("faults").hidden`)
	t.Log(b.text("#faults"))
	b.click("#tab-policies")
	b.drop("policies", file)
	b.until("taken", `!document.getElementById("do-policies").disabled`)
	b.click("#do-policies")
	b.until("refused", `document.querySelector("#policies-result .verdict.bad")`)
	t.Log(b.text("#policies-result"))
	b.click("#tab-solve")
	b.set("example", "tiny.json")
	b.until("goes on", rows(3))
	b.solved(1)
	b.quiet("bombs")
}

// TestSeveral drops several files: together they are one instance where the format allows it, and otherwise none is left out in silence.
func TestSeveral(t *testing.T) {
	b := open(t, 1400, "light", "")
	b.solved(1)
	nodes := "apiVersion: v1\nkind: Node\nmetadata:\n  name: n1\nstatus:\n  allocatable:\n    cpu: \"4\"\n    memory: 8Gi\n    pods: \"110\"\n"
	pods := "apiVersion: v1\nkind: Pod\nmetadata:\n  name: p1\n  namespace: a\n  creationTimestamp: \"2026-01-02T03:04:05Z\"\nspec:\n  activeDeadlineSeconds: 60\n  containers:\n  - name: c\n    resources:\n      requests:\n        cpu: \"1\"\nstatus:\n  phase: Pending\n"
	b.drop("solve", fmt.Sprintf(`new File([%q], "pods.yaml")); data.items.add(new File([%q], "nodes.yaml")`, pods, nodes))
	b.until("one instance", `document.getElementById("imported").textContent.includes("kubernetes") || !document.getElementById("faults").hidden`)
	if got := b.text("#faults"); got != "" {
		t.Errorf("nodes and pods: %s", got)
	}
	b.solved(1)
	b.drop("solve", `new File(["; MaxProcs: 4\n1 0 0 10 2 -1 -1 2 20 -1 1 1 1 1 1 -1 -1 -1\n"], "a.swf")); data.items.add(new File(["; MaxProcs: 4\n"], "b.swf")`)
	b.until("refused", `document.getElementById("faults").textContent.includes("expected one file of this format, found 2")`)
	b.drop("solve", `new File(['{"schema": "allot/instance/1"}'], "a.json")); data.items.add(new File(["x"], "b.txt")`)
	b.until("refused", `document.getElementById("faults").textContent.includes("a.json is an instance: open it alone")`)
	b.click("#tab-policies")
	b.drop("policies", `new File(["x"], "a.swf")); data.items.add(new File(["x"], "b.swf")`)
	b.until("refused", `document.getElementById("policies-result").textContent.includes("Expected one trace, found 2 files.")`)
	if value[bool](b, `["dragover", "drop"].some(kind => document.querySelector("header").dispatchEvent(new DragEvent(kind, { bubbles: true, cancelable: true })))`) {
		t.Error("a file that is dropped on the head takes the place of the page")
	}
	b.quiet("several")
}

// TestTraces takes another trace, stops and compares again while policies are compared.
func TestTraces(t *testing.T) {
	b := open(t, 1400, "light", "")
	b.click("#tab-policies")
	b.click("#trace-example")
	b.until("a trace", `!document.getElementById("do-policies").disabled`)
	b.click("#do-policies")
	b.until("it works", `!document.getElementById("stop-policies").hidden`)
	b.drop("policies", `new File(["; MaxProcs: 4\n1 0 0 10 2 -1 -1 2 20 -1 1 1 1 1 1 -1 -1 -1\n"], "small.swf")`)
	b.until("another trace", `document.getElementById("trace-name").textContent.startsWith("small.swf")`)
	if !value[bool](b, `document.getElementById("do-policies").disabled`) {
		t.Error("two comparisons may run at once")
	}
	b.click("#stop-policies")
	b.until("stopped", `document.querySelector("#policies-result .verdict.bad")?.textContent === "stopped" && document.getElementById("stop-policies").hidden`)
	b.click("#do-policies")
	b.until("compared", `document.getElementById("policies-result").textContent.includes("small: 1 job on 4 processors")`)
	b.drop("policies", `new File(["nothing"], "nothing.swf")`)
	b.click("#do-policies")
	b.until("refused", `document.querySelector("#policies-result .verdict.bad")?.textContent.startsWith("trace: nothing.swf: expected a header with MaxProcs")`)

	// A trace of Slurm with the system beside it, in any order: on the tab Policies, and as an instance.
	sacct := `new File(["JobID|Partition|Submit|Start|End|TimelimitRaw|NCPUS\n1|p|1|2|30|10|8\n2|p|3|5|90|10|8\n"], "sacct.txt")`
	conf := `new File(["ClusterName=x\nInclude nodes.conf\nPartitionName=p Nodes=ALL\n"], "slurm.conf")`
	nodes := `new File(["NodeName=a[1-3] CPUs=8\n"], "nodes.conf")`
	together := conf + "); data.items.add(" + sacct + "); data.items.add(" + nodes
	b.drop("policies", together)
	b.until("taken", `document.getElementById("trace-name").textContent.includes("sacct.txt") && !document.getElementById("do-policies").disabled`)
	b.click("#do-policies")
	b.until("compared", `document.getElementById("policies-result").textContent.includes("sacct: 2 jobs on 24 processors")`)
	b.click("#tab-solve")
	b.drop("solve", together)
	b.until("an instance", rows(2))
	if got := b.text("#imported"); got != "sacct.txt: sacct: read 2 jobs, kept 2" {
		t.Errorf("the import says %q", got)
	}
	b.drop("solve", strings.Replace(conf, "Include nodes.conf", "NodeName=a CPUs=x", 1)+"); data.items.add("+sacct)
	b.until("refused", `document.getElementById("faults").textContent === 'slurm.conf: CPUs: expected a number, found "x" (line 2)'`)
	b.quiet("traces")
}

// hold is a host that gives the engine only when it is let go.
func hold(t *testing.T) (host string, release func()) {
	t.Helper()
	serve(t) // the site is built
	folder, err := site()
	if err != nil {
		t.Fatal(err)
	}
	held, files := make(chan struct{}), http.FileServer(http.Dir(folder))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.URL.Path, "allot.wasm") {
			select {
			case <-held:
			case <-r.Context().Done():
				return
			}
		}
		files.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return server.URL, func() { close(held) }
}

// TestStop stops at odd moments: before the engine has come, as a run begins, and twice.
func TestStop(t *testing.T) {
	host, release := hold(t)
	b := start(t, host)
	b.look(1400, "light")
	b.run(chromedp.Navigate(host + "/"))
	b.until("it waits", `document.querySelector(".busy")?.textContent === "waits for the engine"`)
	b.click("#stop")
	b.until("stopped", `!document.querySelector(".busy") && document.querySelector("#cards .note").textContent === "No schedule: stopped before it began."`)
	release()
	b.until("the engine is here", `document.getElementById("policy-list").childElementCount > 3`)
	b.set("kind", "time", "amount", "60")
	for range 3 {
		b.click("#run")
		b.run(chromedp.Evaluate(`document.getElementById("stop").click(); document.getElementById("stop").click()`, nil))
		b.until("ended", `!document.querySelector(".busy") && !document.getElementById("run").hidden`)
	}
	b.click("#run")
	b.until("a schedule", `document.querySelectorAll("#cards .facts strong").length === 2`)
	objective := b.text("#cards .facts strong")
	b.click("#stop")
	b.solved(1)
	if got := b.text("#comparison tbody td"); got == "" || got == "–" || objective == "" {
		t.Errorf("what was found is lost: %q, then %q", objective, got)
	}
	// Another instance while a solver runs.
	b.click("#run")
	b.set("kind", "evaluations", "amount", "50", "example", "table1.json")
	b.until("another instance", rows(6))
	b.solved(1)
	// Two examples at once: the last one asked for wins.
	b.run(chromedp.Evaluate(`{ const field = document.getElementById("example"), real = window.fetch; let first = true;
		window.fetch = async (...a) => { const hold = first; first = false; const answer = await real(...a); if (hold) { await new Promise(done => { window.late = done; }); } return answer; };
		for (const one of ["four.json", "tiny.json"]) { field.value = one; field.dispatchEvent(new Event("change")); } }`, nil))
	b.until("the second", rows(3))
	b.until("the first has come", `window.late`)
	b.run(chromedp.Evaluate(`window.late()`, nil))
	b.solved(1)
	if n := value[int](b, `document.querySelectorAll("#jobs tbody tr").length`); n != 3 {
		t.Errorf("the example that came late took the place of the one that was asked for last: %d jobs", n)
	}
	b.quiet("stop")
}

// TestHosts opens the page from hosts of several kinds, and goes on when the host has gone.
func TestHosts(t *testing.T) {
	serve(t)
	folder, err := site()
	if err != nil {
		t.Fatal(err)
	}
	files := http.FileServer(http.Dir(folder))
	for name, serve := range map[string]http.HandlerFunc{
		"wrong types": func(w http.ResponseWriter, r *http.Request) {
			if strings.Contains(r.URL.Path, ".wasm") {
				w.Header().Set("Content-Type", "text/plain")
			}
			files.ServeHTTP(w, r)
		},
		"gzip decoded": func(w http.ResponseWriter, r *http.Request) { // some state how they keep it
			if strings.HasSuffix(r.URL.Path, ".gz") {
				w.Header().Set("Content-Encoding", "gzip")
			}
			files.ServeHTTP(w, r)
		},
		"nothing compressed": func(w http.ResponseWriter, r *http.Request) {
			if strings.HasSuffix(r.URL.Path, ".wasm.gz") {
				http.NotFound(w, r)
				return
			}
			files.ServeHTTP(w, r)
		},
		"compresses": func(w http.ResponseWriter, r *http.Request) {
			if strings.HasSuffix(r.URL.Path, ".wasm") {
				w.Header().Set("Content-Encoding", "gzip")
				w.Header().Set("Content-Type", "application/wasm")
				r.URL.Path += ".gz"
			}
			files.ServeHTTP(w, r)
		},
	} {
		t.Run(name, func(t *testing.T) {
			host := httptest.NewServer(serve)
			defer host.Close()
			b := start(t, host.URL)
			b.look(1400, "light")
			b.run(chromedp.Navigate(host.URL + "/"))
			b.solved(1)
			if name != "nothing compressed" { // there the browser notes that the file is missing
				b.quiet(name)
			}
			if name != "compresses" {
				return
			}
			b.run(network.EmulateNetworkConditions(true, 0, 0, 0))
			host.Close()
			b.click("#add-solver")
			b.click("#add-solver")
			b.click("#run")
			b.solved(3)
			if n := value[int](b, `document.querySelectorAll("#cards .facts strong").length`); n != 6 {
				t.Errorf("without the host %d of 6 figures: %s", n, b.text("#cards"))
			}
			b.click("#tab-policies")
			b.click("#trace-example")
			b.until("said", `document.getElementById("policies-result").textContent.startsWith("The trace cannot be fetched")`)
		})
	}
}

package page

import (
	"context"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/allot-opt/allot/tools/internal/needs"
)

var (
	screenshots = flag.String("screenshots", "", "folder to save pictures of the page in")
	built       = flag.String("site", "", "folder of a site that is built already; empty: one is built")
)

var temporary string // folder of the site that the tests have built

func TestMain(m *testing.M) {
	flag.Parse()
	code := m.Run()
	endBrowser()
	_ = os.RemoveAll(temporary) // the folder of temporary files is emptied anyway
	os.Exit(code)
}

// site is the folder of the site, built once.
var site = sync.OnceValues(func() (string, error) {
	if *built != "" {
		return filepath.Abs(*built)
	}
	var err error
	if temporary, err = os.MkdirTemp("", "site"); err != nil {
		return "", err
	}
	output, err := exec.Command("go", "run", "../site", "-C", "../..", "-o", temporary, "-quick").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("the site cannot be built: %w\n%s", err, output)
	}
	return temporary, nil
})

// tab is an open page and what it complained of.
type tab struct {
	context.Context
	t      *testing.T
	host   string
	folder string // of what the page saves

	mu         sync.Mutex
	complaints []string
}

// open opens the page in a headless browser, at a part of its address such as "#s=…"; the test is skipped where there is no browser or no npm.
func open(t *testing.T, width int64, scheme, part string) *tab {
	t.Helper()
	b := start(t, serve(t))
	b.look(width, scheme)
	b.run(chromedp.Navigate(b.host + "/deep/folder/" + part))
	return b
}

// serve serves the site as a host without any settings does, in a folder of it.
func serve(t *testing.T) string {
	t.Helper()
	needs.Program(t, "npm")
	needs.Program(t, "node")
	folder, err := site()
	if err != nil {
		t.Fatal(err)
	}
	host := httptest.NewServer(http.StripPrefix("/deep/folder", http.FileServer(http.Dir(folder))))
	t.Cleanup(host.Close)
	return host.URL
}

// beginBrowser starts the browser that all tests share, each with a tab of its own.
var beginBrowser = sync.OnceValues(func() (context.Context, error) {
	path := browserPath
	options := append(slices.Clone(chromedp.DefaultExecAllocatorOptions[:]), chromedp.ExecPath(path), chromedp.NoSandbox,
		chromedp.Flag("disable-dev-shm-usage", true), chromedp.WSURLReadTimeout(2*time.Minute))
	ctx, cancel := chromedp.NewExecAllocator(context.Background(), options...)
	// The driver logs events that are newer than itself.
	ctx, _ = chromedp.NewContext(ctx, chromedp.WithErrorf(func(string, ...any) {}))
	endBrowser = cancel
	if err := chromedp.Run(ctx); err != nil {
		return nil, err
	}
	return ctx, nil
})

// browserPath is the program of the browser.
var browserPath string

// endBrowser ends the browser that all tests share.
var endBrowser = func() {}

// start opens a tab without a page.
func start(t *testing.T, host string) *tab {
	t.Helper()
	browserPath = needs.Program(t, "chromium")
	whole, err := beginBrowser()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := chromedp.NewContext(whole)
	t.Cleanup(cancel)
	ctx, cancel = context.WithTimeout(ctx, 2*time.Minute) // a watchdog
	t.Cleanup(cancel)
	b := &tab{Context: ctx, t: t, host: host, folder: t.TempDir()}
	chromedp.ListenTarget(ctx, b.listen)
	b.run(network.Enable(), log.Enable(), chromedp.Evaluate("1", nil),
		browser.SetDownloadBehavior(browser.SetDownloadBehaviorBehaviorAllow).WithDownloadPath(b.folder).WithEventsEnabled(true))
	return b
}

// listen notes what should not happen.
func (b *tab) listen(event any) {
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		b.complain("exception: " + e.ExceptionDetails.Error())
	case *runtime.EventConsoleAPICalled:
		text := ""
		for _, a := range e.Args {
			text += " " + string(a.Value) + a.Description
		}
		b.complain(fmt.Sprint("console: ", e.Type, text))
	case *log.EventEntryAdded:
		b.complain(fmt.Sprint("log: ", e.Entry.Level, " ", e.Entry.Text, " ", e.Entry.URL))
	case *network.EventRequestWillBeSent:
		if !strings.HasPrefix(e.Request.URL, b.host) && !strings.HasPrefix(e.Request.URL, "data:") && !strings.HasPrefix(e.Request.URL, "blob:"+b.host) {
			b.complain("request: " + e.Request.URL)
		}
	case *page.EventJavascriptDialogOpening:
		b.complain("dialog: " + e.Message)
	}
}

// complain notes a complaint.
func (b *tab) complain(text string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.complaints = append(b.complaints, text)
}

// quiet fails for each complaint so far.
func (b *tab) quiet(what string) {
	b.t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, text := range b.complaints {
		b.t.Errorf("%s: %s", what, text)
	}
	b.complaints = nil
}

// run runs actions.
func (b *tab) run(actions ...chromedp.Action) {
	b.t.Helper()
	if err := chromedp.Run(b.Context, actions...); err != nil {
		b.t.Fatal(err)
	}
}

// look is a width and a colour scheme.
func (b *tab) look(width int64, scheme string) {
	b.t.Helper()
	b.run(emulation.SetDeviceMetricsOverride(width, 900, 1, width < 500),
		emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}))
}

// value is the value of an expression; a promise is awaited.
func value[T any](b *tab, expression string) (v T) {
	b.t.Helper()
	b.run(chromedp.Evaluate(expression, &v, func(p *runtime.EvaluateParams) *runtime.EvaluateParams { return p.WithAwaitPromise(true) }))
	return v
}

// until waits until an expression is true.
func (b *tab) until(what, expression string) {
	b.t.Helper()
	for {
		if value[bool](b, "Boolean("+expression+")") {
			return
		}
		select {
		case <-b.Done():
			b.t.Fatalf("%s: %s is never true", what, expression)
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// solved waits until all solvers have ended and their charts are drawn.
func (b *tab) solved(solvers int) {
	b.t.Helper()
	b.until("solved", fmt.Sprintf(`document.querySelectorAll("#cards .card .stage").length === %d && !document.querySelector(".busy") && !document.getElementById("run").hidden
		&& [...document.querySelectorAll("#cards .card")].every(c => !c.querySelector(".note").hidden || c.dataset.drawn === "latest")`, solvers))
}

// shoot saves a picture of the page where that is asked for.
func (b *tab) shoot(name string) {
	b.t.Helper()
	if *screenshots == "" {
		return
	}
	var png []byte
	b.run(chromedp.FullScreenshot(&png, 100))
	if err := os.WriteFile(filepath.Join(*screenshots, name+".png"), png, 0o666); err != nil {
		b.t.Fatal(err)
	}
}

// saved waits for a file that the page saves.
func (b *tab) saved(name string) []byte {
	b.t.Helper()
	path := filepath.Join(b.folder, name)
	for {
		if text, err := os.ReadFile(path); err == nil && len(text) > 0 {
			_ = os.Remove(path)
			return text
		}
		select {
		case <-b.Done():
			b.t.Fatalf("%s is never saved", name)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

package browser

import (
	"context"
	_ "embed"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/allot-opt/allot/tools/internal/needs"
)

var screenshots = flag.String("screenshots", "", "folder to save pictures of the page in")

// tab is an open page and what it complained of.
type tab struct {
	context.Context
	t   *testing.T
	url string

	mu         sync.Mutex
	complaints []string
}

var folder string // of the sample pages; empty: they are not made

// makePages makes the sample pages once.
var makePages = sync.OnceValue(func() (err error) {
	if folder, err = os.MkdirTemp("", "pages"); err != nil {
		return err
	}
	output, err := exec.Command("go", "test", "-C", "../..", "-count=1", "-run", "^TestPages$", "./bench/report", "./internal/document", "./draw", "-pages", folder).CombinedOutput()
	if err != nil {
		return fmt.Errorf("the sample pages cannot be made: %w\n%s", err, output)
	}
	return nil
})

func TestMain(m *testing.M) {
	code := m.Run()
	_ = os.RemoveAll(folder) // the folder of temporary files is emptied anyway
	os.Exit(code)
}

// widest is the family of fonts that pages are tried in where their look is not what is tried.
const widest = "DejaVu Sans"

// open opens a sample page in a headless browser that finds the fonts of one family alone.
func open(t *testing.T, name, family string) *tab {
	t.Helper()
	path, only := needs.Program(t, "chromium"), needs.OnlyFont(t, family)
	if err := makePages(); err != nil {
		t.Fatal(err)
	}
	options := append(slices.Clone(chromedp.DefaultExecAllocatorOptions[:]), chromedp.ExecPath(path), chromedp.Env(only), chromedp.NoSandbox,
		chromedp.Flag("disable-dev-shm-usage", true), chromedp.WSURLReadTimeout(2*time.Minute))
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute) // a watchdog
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewExecAllocator(ctx, options...)
	t.Cleanup(cancel)
	// The driver logs events that are newer than itself.
	ctx, cancel = chromedp.NewContext(ctx, chromedp.WithErrorf(func(string, ...any) {}))
	t.Cleanup(cancel)
	b := &tab{Context: ctx, t: t, url: "file://" + filepath.Join(folder, name+".html")}
	chromedp.ListenTarget(ctx, b.listen)
	b.run(network.Enable(), log.Enable(), chromedp.Navigate(b.url))
	return b
}

// listen notes what should not happen.
func (b *tab) listen(event any) {
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		b.complain("exception: " + e.ExceptionDetails.Error())
	case *runtime.EventConsoleAPICalled:
		b.complain(fmt.Sprint("console: ", e.Type, " ", len(e.Args), " values"))
	case *log.EventEntryAdded:
		b.complain(fmt.Sprint("log: ", e.Entry.Level, " ", e.Entry.Text))
	case *network.EventRequestWillBeSent:
		if strings.HasPrefix(e.Request.URL, "data:image/png;base64,") { // asks nobody
			return
		}
		if e.Request.URL != b.url {
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

// settle waits until the page is laid out and drawn.
func (b *tab) settle() {
	b.t.Helper()
	b.run(chromedp.Evaluate(settled, nil, func(p *runtime.EvaluateParams) *runtime.EvaluateParams { return p.WithAwaitPromise(true) }))
}

// check lays the page out and fails for everything that is wrong with it.
func (b *tab) check(what string) {
	b.t.Helper()
	var wrong []string
	b.settle()
	b.run(chromedp.Evaluate(checkScript, &wrong))
	for _, text := range wrong {
		b.t.Errorf("%s: %s", what, text)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, text := range b.complaints {
		b.t.Errorf("%s: %s", what, text)
	}
	b.complaints = nil
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

//go:embed testdata/check.js
var checkScript string

// settled waits until the page is laid out and has looked at its new sizes.
const settled = `new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))`

// openAll opens everything that is folded.
const openAll = `for (const d of document.querySelectorAll("details")) d.open = true; true`

// inEveryFont runs a test of some pages as readers see them who have one of the families of fonts.
func inEveryFont(t *testing.T, pages []string, look func(b *tab, name string)) {
	for _, family := range needs.Fonts {
		for _, page := range pages {
			t.Run(family+" "+page, func(t *testing.T) {
				look(open(t, page, family), page+"-"+strings.ReplaceAll(family, " ", ""))
			})
		}
	}
}

// TestBrowserLayout looks at reports on a telephone and a wide screen, light and dark.
func TestBrowserLayout(t *testing.T) {
	inEveryFont(t, []string{"ordinary", "kinds", "large", "two", "hostile"}, func(b *tab, name string) {
		for _, scheme := range []string{"light", "dark"} {
			for _, width := range []int64{1200, 360} {
				b.look(width, scheme)
				b.shoot(fmt.Sprintf("%s-%s-%d", name, scheme, width))
				b.check(fmt.Sprintf("%s, %d px", scheme, width))
			}
		}
		b.run(chromedp.Evaluate(openAll, nil))
		b.look(1200, "light")
		b.check("everything open")
		b.shoot(name + "-open")
		b.look(360, "dark")
		b.check("everything open, 360 px")
		b.shoot(name + "-open-360")
		b.run(chromedp.Evaluate(`for (const s of document.querySelectorAll(".scroll")) s.scrollLeft = 1e6; true`, nil))
		b.check("scrolled to the right")
	})
}

// columnOf is the texts of a column of a table, and what its heading says of its order.
func (b *tab) columnOf(table string, column int) (texts []string, sorted string) {
	b.t.Helper()
	b.run(
		chromedp.Evaluate(fmt.Sprintf(`[...document.querySelectorAll("#%s tbody tr")].map(r => r.cells[%d].textContent)`, table, column), &texts),
		chromedp.Evaluate(fmt.Sprintf(`document.querySelectorAll("#%s thead th")[%d].getAttribute("aria-sort")`, table, column), &sorted))
	return texts, sorted
}

// TestBrowserSorts clicks headings, and presses keys on them.
func TestBrowserSorts(t *testing.T) {
	b := open(t, "sorts", widest)
	b.look(1200, "light")
	const table, solver, objective, time = "g1-solvers", 0, 3, 8
	heading := func(column int) string {
		return fmt.Sprintf("#%s thead th:nth-child(%d) button", table, column+1)
	}
	expect := func(what string, column int, direction, solvers string) {
		t.Helper()
		order, _ := b.columnOf(table, solver)
		_, sorted := b.columnOf(table, column)
		if got := strings.Join(order, " "); got != solvers || sorted != direction {
			t.Errorf("%s: %s, %s; want %s, %s", what, got, sorted, solvers, direction)
		}
	}
	b.run(chromedp.Click(heading(objective), chromedp.ByQuery))
	expect("click", objective, "ascending", "n1 n9 n10 also none none")
	b.run(chromedp.Click(heading(objective), chromedp.ByQuery))
	expect("click again: missing values stay last", objective, "descending", "n10 n9 n1 also none none")
	b.run(chromedp.Focus(heading(solver), chromedp.ByQuery), chromedp.KeyEvent(kb.Enter))
	expect("Enter: numbers in names count as such", solver, "ascending", "also none n1 n9 n10 none")
	if _, sorted := b.columnOf(table, objective); sorted != "none" {
		t.Errorf("two columns say that they sort: %s", sorted)
	}
	b.run(chromedp.Focus(heading(time), chromedp.ByQuery), chromedp.KeyEvent(" "))
	expect("space: equal rows keep their order", time, "ascending", "n1 n9 n10 also none none")
	b.run(chromedp.Click(heading(time), chromedp.ByQuery))
	expect("equal rows keep their order downwards", time, "descending", "also none none n1 n9 n10")
	b.check("sorted")
}

// TestBrowserButtons switches the colours and brings a curve to the front.
func TestBrowserButtons(t *testing.T) {
	b := open(t, "ordinary", widest)
	b.look(1200, "light")
	var light, dark, back string
	background := `getComputedStyle(document.body).backgroundColor`
	b.run(chromedp.Evaluate(background, &light), chromedp.Click("#theme", chromedp.ByQuery), chromedp.Evaluate(background, &dark))
	b.check("switched to dark")
	b.run(chromedp.Click("#theme", chromedp.ByQuery), chromedp.Evaluate(background, &back))
	if light == dark || light != back {
		t.Errorf("colours %s, %s, %s", light, dark, back)
	}
	var front, after int
	count := `document.querySelectorAll("#g1-p0 > svg .curve.on").length`
	b.run(chromedp.Click("#g1-p0 .legend button", chromedp.ByQuery), chromedp.Evaluate(count, &front), chromedp.Click("#g1-p0 .legend button", chromedp.ByQuery),
		chromedp.Evaluate(`document.querySelectorAll("#g1-p0 .legend [aria-pressed=true]").length`, &after))
	if front != 1 || after != 0 {
		t.Errorf("%d curves in front, then %d pressed", front, after)
	}
	var scheme string
	b.run(emulation.SetEmulatedMedia().WithMedia("print").WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "dark"}}),
		chromedp.Evaluate(background, &scheme))
	if scheme != light {
		t.Errorf("%s on paper, want %s", scheme, light)
	}
}

// TestBrowserAccount looks at an account on a telephone and a wide screen, light and dark: it complains of nothing and asks for nothing.
func TestBrowserAccount(t *testing.T) {
	inEveryFont(t, []string{"account", "hostile-account"}, func(b *tab, name string) {
		b.run(chromedp.Evaluate(openAll, nil))
		for _, width := range []int64{360, 1200} {
			for _, scheme := range []string{"light", "dark"} {
				b.look(width, scheme)
				b.check(fmt.Sprint(name, ", ", width, " wide, ", scheme))
			}
		}
		b.shoot(name)
	})
}

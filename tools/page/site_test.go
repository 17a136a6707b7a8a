package page

import (
	"io/fs"
	"net/url"
	"os"
	"path"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

var (
	links   = regexp.MustCompile(`(?:href|src|srcset)="([^"]*)"`)
	anchors = regexp.MustCompile(`id="([^"]*)"`)
)

// TestSite follows every link of the documentation: it leads to a file of the site, and to a heading that is there.
func TestSite(t *testing.T) {
	serve(t)
	folder, err := site()
	if err != nil {
		t.Fatal(err)
	}
	files, pages := os.DirFS(folder), map[string]string{}
	err = fs.WalkDir(files, ".", func(name string, _ fs.DirEntry, err error) error {
		if err == nil && path.Ext(name) == ".html" {
			var text []byte
			text, err = fs.ReadFile(files, name)
			pages[name] = string(text)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range pages {
		for _, found := range links.FindAllStringSubmatch(text, -1) {
			link, err := url.Parse(strings.ReplaceAll(found[1], "&amp;", "&"))
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			if link.Scheme != "" {
				continue
			}
			to := name
			if link.Path != "" {
				to = path.Join(path.Dir(name), link.Path)
			}
			info, err := fs.Stat(files, to)
			switch {
			case err != nil || info.IsDir():
				t.Errorf("%s: nothing is at %s", name, found[1])
			case link.Fragment != "" && pages[to] != "" && !hasAnchor(pages[to], link.Fragment):
				t.Errorf("%s: %s has no heading %q", name, to, link.Fragment)
			}
		}
	}
	if len(pages) < 50 {
		t.Errorf("only %d pages", len(pages))
	}
}

func hasAnchor(text, name string) bool {
	for _, found := range anchors.FindAllStringSubmatch(text, -1) {
		if found[1] == name {
			return true
		}
	}
	return false
}

// TestDocsLook looks at pages of the documentation.
func TestDocsLook(t *testing.T) {
	b := start(t, serve(t))
	for _, name := range []string{"docs/index", "docs/service"} {
		b.run(chromedp.Navigate(b.host + "/deep/folder/" + name + ".html"))
		b.looks(strings.ReplaceAll(name, "/", "-"))
	}
}

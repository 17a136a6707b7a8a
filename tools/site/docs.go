package main

import (
	"bytes"
	"cmp"
	_ "embed"
	"fmt"
	"html/template"
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

//go:embed docs.html
var docsTemplate string

// docs makes a page of each Markdown file of the repository, at the same place below out, so that relative links stay as they are. Files that pages link to are
// copied beside them.
type docs struct {
	root, out string
	titles    map[string]string // by Markdown file
	copied    map[string]bool
	template  *template.Template
}

// documentation builds all pages.
func documentation(root, out string) error {
	d := &docs{root: root, out: out, titles: map[string]string{}, copied: map[string]bool{}}
	var err error
	if d.template, err = template.New("docs").Parse(docsTemplate); err != nil {
		return err
	}
	names, err := markdownFiles(root)
	if err != nil {
		return err
	}
	for _, name := range names {
		source, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			return err
		}
		d.titles[name] = titleOf(source, name)
	}
	for _, name := range names {
		if err := d.page(name); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	if err := pictures(root, out); err != nil {
		return err
	}
	return copyFile(filepath.Join(root, "web", "docs.css"), filepath.Join(out, "docs.css"))
}

// markdownFiles lists the Markdown files of the repository, with slashes.
func markdownFiles(root string) (names []string, err error) {
	err = filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		base := entry.Name()
		if entry.IsDir() && name != root && (strings.HasPrefix(base, ".") || slices.Contains([]string{"testdata", "node_modules", "dist"}, base)) {
			return filepath.SkipDir
		}
		if !entry.IsDir() && filepath.Ext(base) == ".md" {
			relative, err := filepath.Rel(root, name)
			names = append(names, filepath.ToSlash(relative))
			return err
		}
		return nil
	})
	return names, err
}

// pictures copies the pictures of the documentation, which pages also name in HTML of their own.
func pictures(root, out string) error {
	return filepath.WalkDir(filepath.Join(root, "docs"), func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(name) != ".svg" {
			return err
		}
		relative, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		return copyFile(name, filepath.Join(out, relative))
	})
}

// titleOf is the first heading of a page.
func titleOf(source []byte, name string) string {
	for line := range strings.Lines(string(source)) {
		if heading, ok := strings.CutPrefix(line, "# "); ok {
			return strings.NewReplacer("`", "", "*", "").Replace(strings.TrimSpace(heading))
		}
	}
	return name
}

// pageOf is the page of a Markdown file. The front of a folder is its README; that of the site is the page of web/.
func pageOf(name string) string {
	switch folder, base := path.Split(name); {
	case name == "README.md":
		return "about.html"
	case base == "README.md":
		return folder + "index.html"
	}
	return strings.TrimSuffix(name, ".md") + ".html"
}

// page writes the page of a Markdown file.
func (d *docs) page(name string) error {
	source, err := os.ReadFile(filepath.Join(d.root, name))
	if err != nil {
		return err
	}
	markdown := goldmark.New(goldmark.WithExtensions(extension.Linkify, extension.Strikethrough, extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute))), goldmark.WithParserOptions(parser.WithAutoHeadingID()), goldmark.WithRendererOptions(html.WithUnsafe()))
	tree := markdown.Parser().Parse(text.NewReader(source), parser.WithContext(parser.NewContext(parser.WithIDs(&anchors{seen: map[string]int{}}))))
	if err := d.rewrite(name, tree); err != nil {
		return err
	}
	var body bytes.Buffer
	if err := markdown.Renderer().Render(&body, source, tree); err != nil {
		return err
	}
	table := strings.NewReplacer("<table>", `<div class="scroll" tabindex="0" role="region" aria-label="Table"><table>`, "</table>", "</table></div>", "<pre>", `<pre tabindex="0">`)
	var whole bytes.Buffer
	up := strings.Repeat("../", strings.Count(name, "/"))
	err = d.template.Execute(&whole, map[string]any{
		"Title": d.titles[name], "Up": up, "Groups": d.navigation(name, up), "Body": template.HTML(table.Replace(body.String())), //nolint:gosec // it comes from our own pages
	})
	if err != nil {
		return err
	}
	return writeFile(filepath.Join(d.out, filepath.FromSlash(pageOf(name))), whole.Bytes())
}

// rewrite leads links to the pages of the site. Files that a page links to come along; a link to a folder without a page becomes its text.
func (d *docs) rewrite(name string, tree ast.Node) error {
	var loose []*ast.Link
	err := ast.Walk(tree, func(node ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := node.(type) {
		case *ast.Image:
			_, err := d.target(name, string(n.Destination))
			return ast.WalkContinue, err
		case *ast.Link:
			to, err := d.target(name, string(n.Destination))
			if to == "" {
				loose = append(loose, n)
			}
			n.Destination = []byte(to)
			return ast.WalkContinue, err
		}
		return ast.WalkContinue, nil
	})
	for _, link := range loose {
		parent := link.Parent()
		for child := link.FirstChild(); child != nil; {
			next := child.NextSibling()
			parent.InsertBefore(parent, link, child)
			child = next
		}
		parent.RemoveChild(parent, link)
	}
	return err
}

// target is where a link of a page leads on the site; empty: nowhere.
func (d *docs) target(name, link string) (string, error) {
	address, err := url.Parse(link)
	if err != nil || address.Scheme != "" || address.Path == "" {
		return link, err
	}
	file := path.Join(path.Dir(name), address.Path)
	if strings.HasPrefix(file, "..") {
		return "", nil
	}
	info, err := os.Stat(filepath.Join(d.root, filepath.FromSlash(file)))
	if err != nil {
		return "", err
	}
	if info.IsDir() {
		file = path.Join(file, "README.md")
	}
	switch _, isPage := d.titles[file]; {
	case isPage:
		relative, err := filepath.Rel(path.Dir(name), pageOf(file))
		address.Path = filepath.ToSlash(relative)
		return address.String(), err
	case info.IsDir():
		return "", nil
	}
	to := file
	if !slices.Contains(shown, path.Ext(file)) { // browsers show a text, and Go takes no copy of a source for a package
		to += ".txt"
		address.Path += ".txt"
	}
	if d.copied[file] {
		return address.String(), nil
	}
	d.copied[file] = true
	return address.String(), copyFile(filepath.Join(d.root, filepath.FromSlash(file)), filepath.Join(d.out, filepath.FromSlash(to)))
}

// shown are the files that come along under their own names.
var shown = []string{".json", ".svg", ".png", ".csv", ".txt", ".gz", ".ipynb"}

// group is a part of the navigation.
type group struct {
	Name  string
	Links []link
}

// link is a line of the navigation.
type link struct {
	Title, To string
	Here      bool
}

// navigation lists the pages of docs, by folder.
func (d *docs) navigation(here, up string) []group {
	groups := []group{{Name: "Start"}, {Name: "Tutorials"}, {Name: "Reference"}, {Name: "Topics"}}
	for name, title := range d.titles {
		at := -1
		switch folder := path.Dir(name); {
		case name == "README.md" || name == "docs/README.md":
			at = 0
		case folder == "docs/tutorials":
			at = 1
		case folder == "docs/reference":
			at = 2
		case folder == "docs":
			at = 3
		}
		if at >= 0 {
			groups[at].Links = append(groups[at].Links, link{title, up + pageOf(name), name == here})
		}
	}
	for _, g := range groups {
		slices.SortFunc(g.Links, func(a, b link) int { return cmp.Compare(strings.ToLower(a.Title), strings.ToLower(b.Title)) })
	}
	return groups
}

// anchors names headings as the links of the pages do: in small letters, without punctuation, with hyphens for spaces.
type anchors struct{ seen map[string]int }

// Generate implements parser.IDs.
func (a *anchors) Generate(value []byte, _ ast.NodeKind) []byte {
	var made strings.Builder
	for _, r := range strings.ToLower(strings.TrimSpace(string(util.UnescapePunctuations(value)))) {
		switch {
		case unicode.IsLetter(r) || unicode.IsNumber(r) || r == '-' || r == '_':
			made.WriteRune(r)
		case r == ' ':
			made.WriteByte('-')
		}
	}
	name := made.String()
	n := a.seen[name]
	a.seen[name]++
	if n > 0 {
		name += fmt.Sprint("-", n)
	}
	return []byte(name)
}

// Put implements parser.IDs.
func (a *anchors) Put(value []byte) { a.seen[string(value)]++ }

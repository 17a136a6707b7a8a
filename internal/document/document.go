// Package document is the one form of what commands answer at length: a title, a verdict, and sections with sentences, tables and figures. A document becomes a page in HTML;
// a table also becomes text for a terminal, Markdown and CSV, and a figure a picture. Whatever a text holds is text in each of them.
package document

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"strconv"
	"strings"

	"github.com/allot-opt/allot/internal/kit"
	"github.com/allot-opt/allot/internal/picture"
)

// Document is an answer of text, tables and figures. Its page is self-contained, and the same document gives the same bytes.
type Document struct {
	Kicker, Title, Doc string
	Facts              []Fact
	Short              string   // the result in a sentence or two
	Details            []string // further sentences of the result
	Notes              []string // what a reader must know first, before the result
	Parts              []Part
	Method             []string // how the figures came to be
	By                 string   // what drew it, for the last line
	Last               string   // the rest of the last line; empty: that the page is made of rows
}

// Fact is a line of a page's head.
type Fact struct{ Name, Value string }

// Part is a section of a document.
type Part struct {
	Name    string
	Text    string
	Lines   []string // a list below the text
	Command string   // a command line below that
	Forests []Forest // two beside each other where there is room, as the figures
	Tables  []*Table // nil: none
	Figures []Figure
	Folded  bool // the figures are behind a line that opens them
}

// Printable replaces what does not print, such as marks that turn the direction of writing.
func Printable(s string) string {
	return strings.Map(func(r rune) rune {
		if !strconv.IsPrint(r) {
			return '\uFFFD'
		}
		return r
	}, s)
}

// Listed writes names as in a sentence.
func Listed(names []string) string {
	last := len(names) - 1
	if last < 1 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

//go:embed page.tmpl parts.tmpl page.css page.js
var files embed.FS

// asset reads an embedded file.
func asset(name string) string {
	text, err := files.ReadFile(name)
	if err != nil {
		panic(err) // it is embedded
	}
	return string(text)
}

// Frame is what every page needs: its style, its script, and the policy that allows the page these and the images that it holds itself, as a chart of many small jobs does,
// and nothing else: whatever got into the text, nothing of it runs or asks the network.
type Frame struct {
	Policy string
	Style  template.CSS
	Script template.JS
}

// NewFrame is the frame of a page.
func NewFrame() Frame {
	script := asset("page.js")
	sum := sha256.Sum256([]byte(script))
	return Frame{"default-src 'none'; script-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'",
		template.CSS(picture.Variables() + asset("page.css")), template.JS(script)}
}

// Execute writes a page by a template, which may use those of this package: table and figure.
func Execute(w io.Writer, page any, text string) error {
	parsed, err := template.New("page").ParseFS(files, "parts.tmpl")
	if err == nil {
		parsed, err = parsed.Parse(text)
	}
	if err == nil {
		err = parsed.Execute(w, page)
	}
	if err != nil {
		return fmt.Errorf("page: %w", err)
	}
	return nil
}

// section is a part as the template shows it.
type section struct {
	Part
	ID    string
	Woods []*Drawn
	Plots []*Drawn
}

// HTML writes the page. O(size of the document).
func (d *Document) HTML(w io.Writer) error {
	page := struct {
		*Document
		Frame
		Sections []section
	}{Document: d, Frame: NewFrame()}
	for k, part := range d.Parts {
		s := section{Part: part, ID: "p" + strconv.Itoa(k+1)}
		s.Tables = nil
		for _, t := range kit.That(part.Tables, func(t *Table) bool { return t != nil }) {
			s.Tables = append(s.Tables, t.forPage(fmt.Sprint(s.ID, "-t", len(s.Tables)+1))...)
		}
		s.Woods = allPlaced(part.Forests, s.ID)
		for n := range part.Figures {
			s.Plots = append(s.Plots, part.Figures[n].plot(fmt.Sprintf("%s-f%d", s.ID, n+1)))
		}
		page.Sections = append(page.Sections, s)
	}
	return Execute(w, page, asset("page.tmpl"))
}

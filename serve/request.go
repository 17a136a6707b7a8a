package serve

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/model/budget"
)

// Document is a file that a request brings along: an instance, a solution, a certificate or a trace. In the request it is one of these:
//
//	{…}                   the document itself, where that is JSON
//	"…"                   the document as a text, byte for byte, so that its SHA-256 is that of the file
//	{"base64": "…"}       the document in base64, for files that are compressed
//	{"file": "NAME"}      the name of a file on the machine of the service, where the service allows that
type Document struct {
	Path string // where it stands in the request
	text []byte // nil: it is in a file
	file string
}

// Given says whether the request has the document.
func (d *Document) Given() bool { return d.text != nil || d.file != "" }

// name is what a document without a name goes by.
func (d *Document) name() string {
	if d.file != "" {
		return filepath.Base(d.file)
	}
	return "instance"
}

// open opens the document. Compressed ones are decompressed.
func (d *Document) open() (io.ReadCloser, error) {
	if d.file != "" {
		file, err := model.Open(d.file)
		if err != nil {
			return nil, wrong(joined(d.Path, "file"), "%s", err)
		}
		return file, nil
	}
	return io.NopCloser(bytes.NewReader(d.text)), nil
}

// member is a member of an object: its name and its value as it stands in the text.
type member struct {
	name string
	raw  jsontext.Value
}

// split reads an object into its members, whose values alias the text. It reads no value into memory and is not deeper than the decoder allows.
func split(text []byte) ([]member, error) {
	decoder := jsontext.NewDecoder(bytes.NewBuffer(text), jsontext.AllowDuplicateNames(true))
	if kind := decoder.PeekKind(); kind != '{' {
		if _, err := decoder.ReadValue(); err != nil {
			return nil, syntax(err)
		}
		return nil, wrong("", "expected an object, found %s", kind)
	}
	if _, err := decoder.ReadToken(); err != nil {
		return nil, syntax(err)
	}
	var list []member
	for decoder.PeekKind() != '}' {
		name, err := decoder.ReadToken()
		if err != nil {
			return nil, syntax(err)
		}
		m := member{name: name.String()}
		if m.raw, err = decoder.ReadValue(); err != nil {
			return nil, syntax(err)
		}
		if len(list) == mostMembers {
			return nil, wrong("", "expected at most %d members, found more", mostMembers)
		}
		list = append(list, m)
	}
	if _, err := decoder.ReadToken(); err != nil {
		return nil, syntax(err)
	}
	if _, err := decoder.ReadToken(); err != io.EOF {
		return nil, wrong("", "not JSON: expected the end after the object, found more")
	}
	return list, nil
}

// mostMembers is the largest number of members of a request.
const mostMembers = 200

// elements reads a list into its values, which alias the text.
func elements(path string, text []byte) ([]jsontext.Value, error) {
	decoder := jsontext.NewDecoder(bytes.NewBuffer(text), jsontext.AllowDuplicateNames(true))
	if kind := decoder.PeekKind(); kind != '[' {
		return nil, wrong(path, "expected an array, found %s", kind)
	}
	_, err := decoder.ReadToken()
	var list []jsontext.Value
	for err == nil && decoder.PeekKind() != ']' {
		var raw jsontext.Value
		if raw, err = decoder.ReadValue(); err == nil {
			list = append(list, raw)
		}
		if len(list) > mostMembers {
			return nil, wrong(path, "expected at most %d documents, found more", mostMembers)
		}
	}
	return list, err
}

// syntax is the error of a text that is no JSON.
func syntax(err error) *Error {
	return wrong("", "not JSON: %s", strings.TrimPrefix(err.Error(), "jsontext: "))
}

// request is a request that has been read, but its documents.
type request struct {
	settings  any
	documents map[string][]Document
}

// one is the document of a name.
func (r *request) one(name string) *Document {
	if list := r.documents[name]; len(list) > 0 {
		return &list[0]
	}
	return &Document{Path: name}
}

// read reads the parameters of a request for the operation. All faults are listed.
func (o *Operation) read(text []byte, files bool, b *budget.Budget) (*request, error) {
	if len(bytes.TrimSpace(text)) == 0 {
		text = []byte("{}")
	}
	members, err := split(text)
	if err != nil {
		return nil, err
	}
	r := &request{settings: o.settings(), documents: map[string][]Document{}}
	var faults []Fault
	seen, rest := map[string]bool{}, []byte("{")
	for _, m := range members {
		switch at := slices.IndexFunc(o.Documents, func(p Part) bool { return p.Name == m.name }); {
		case seen[m.name]:
			faults = append(faults, Fault{joined("", m.name), "expected the field once, found it again"})
		case at >= 0:
			list, err := documentsOf(&o.Documents[at], m.raw, files)
			if err != nil {
				faults = append(faults, errorOf(err).Faults...)
			}
			r.documents[m.name] = list
		case !slices.Contains(o.settingNames(), m.name):
			faults = append(faults, Fault{m.name, "unknown field; expected one of " + strings.Join(o.names(), ", ")})
		default:
			if len(rest) > 1 {
				rest = append(rest, ',')
			}
			rest, _ = jsontext.AppendQuote(rest, m.name) // it was a valid text
			rest = append(append(rest, ':'), m.raw...)
		}
		seen[m.name] = true
	}
	for _, p := range o.Documents {
		if p.Required && !seen[p.Name] {
			faults = append(faults, Fault{"", fmt.Sprintf("expected the field %q, found none", p.Name)})
		}
	}
	if err := model.ReadJSON(b.Reader(bytes.NewReader(append(rest, '}'))), "", r.settings); b.Err() != nil {
		return nil, b.Err()
	} else if err != nil {
		faults = append(faults, faultsIn("", err)...)
	}
	if len(faults) > 0 {
		return nil, wrongAt(faults)
	}
	return r, nil
}

// documentsOf reads the value of a part of a request: a document, or a list of them.
func documentsOf(p *Part, raw jsontext.Value, files bool) ([]Document, error) {
	if !p.Several {
		d, err := documentOf(p.Name, raw, files)
		return []Document{d}, err
	}
	values, err := elements(p.Name, raw)
	var list []Document
	for k, value := range values {
		if err != nil {
			break
		}
		var d Document
		d, err = documentOf(fmt.Sprintf("%s[%d]", p.Name, k), value, files)
		list = append(list, d)
	}
	if err == nil && p.Required && len(list) == 0 {
		err = wrong(p.Name, "expected at least one, found none")
	}
	return list, err
}

// documentOf reads one document.
func documentOf(path string, raw jsontext.Value, files bool) (Document, error) {
	d := Document{Path: path, text: raw}
	switch raw.Kind() {
	case '"':
		text, err := jsontext.AppendUnquote(nil, raw)
		d.text = text
		if err != nil {
			return d, wrong(path, "%s", err)
		}
		if d.text == nil {
			d.text = []byte{}
		}
		return d, nil
	case '{':
	default:
		return d, wrong(path, "expected a document (an object) or its text, found %.40s", raw)
	}
	first := bytes.TrimLeft(raw[1:], " \t\r\n")
	if !bytes.HasPrefix(first, []byte(`"file"`)) && !bytes.HasPrefix(first, []byte(`"base64"`)) {
		return d, nil
	}
	var by struct {
		File   string `json:"file,omitempty"`
		Base64 string `json:"base64,omitempty"`
	}
	members, err := split(raw)
	if err != nil || len(members) != 1 || members[0].raw.Kind() != '"' {
		return d, wrong(path, `expected {"file": "NAME"} or {"base64": "…"} and nothing else`)
	}
	value, err := jsontext.AppendUnquote(nil, members[0].raw)
	if by.File = string(value); members[0].name == "base64" {
		by.File, by.Base64 = "", string(value)
	}
	switch {
	case err != nil:
		return d, wrong(path, "%s", err)
	case members[0].name == "file" && !files:
		return d, wrong(joined(path, "file"), "expected the document itself: this service reads no files for its clients (see allot serve --allow-files)")
	case members[0].name == "file" && by.File == "" || by.File == "-":
		return d, wrong(joined(path, "file"), "expected the name of a file, found %q", by.File)
	case members[0].name == "file":
		return Document{Path: path, file: by.File}, nil
	}
	if d.text, err = base64.StdEncoding.DecodeString(by.Base64); err != nil {
		return d, wrong(joined(path, "base64"), "expected base64: %s", err)
	}
	return d, nil
}

package kubernetes

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/allot-opt/allot/formats/lines"
)

// document reads the objects of one file, one after the other: only one of them is in memory as a whole.
type document struct {
	faults  *lines.Faults
	use     func(kind string, object field)
	objects int
}

// read reads a file of JSON or YAML: single objects, several documents, and lists of kind List or of kinds such as PodList.
func (d *document) read(r io.Reader) {
	b := bufio.NewReader(r)
	if begin, err := b.Peek(3); err == nil && string(begin) == "\ufeff" {
		_, _ = b.Discard(3) // they are there
	}
	for {
		c, err := b.ReadByte()
		switch {
		case err == io.EOF:
			d.faults.At("", "expected what kubectl get -o json or -o yaml prints, found an empty file")
			return
		case err != nil:
			d.faults.At("", "%s", err)
			return
		case c == ' ' || c == '\t' || c == '\r' || c == '\n':
			continue
		}
		_ = b.UnreadByte() // it has just been read
		if c == '{' || c == '[' {
			d.json(b)
		} else {
			d.yaml(b)
		}
		break
	}
	if d.objects == 0 && d.faults.None() {
		d.faults.At("", "expected objects of Kubernetes, as kubectl get nodes,pods -o yaml prints them; found none")
	}
}

// object hands on an object. The kind is that of its list where it states none.
func (d *document) object(v *value, p *place, kind string) bool {
	x := field{v, p, d.faults}
	if v.kind != '{' {
		x.fault("expected an object of Kubernetes, found %s", lines.KindName(v.kind))
		return false
	}
	if stated := x.get("kind"); stated.given() || kind == "" {
		kind = stated.required().str()
	}
	if d.objects++; !d.faults.Names(p.String(), v.size()) { // what is kept of it is no more than that
		return false
	}
	if kind != "" {
		d.use(kind, x)
	}
	return !d.faults.Full()
}

// root is the place of a document: the first one has none, for most files have just one.
func root(number int) *place {
	if number == 1 {
		return nil
	}
	return &place{name: fmt.Sprintf("document %d", number)}
}

// json reads values of JSON, one after the other.
func (d *document) json(r io.Reader) {
	j := lines.NewJSON(r)
	for number := 1; ; number++ {
		kind := j.PeekKind()
		if kind == 0 {
			if _, err := j.ReadToken(); err != io.EOF {
				d.faults.At(root(number).String(), "%s", j.Explain(err))
			}
			return
		}
		if kind != '{' {
			d.faults.At(root(number).String(), "expected an object of Kubernetes, found %s", lines.KindName(kind))
			return
		}
		more, err := d.jsonDocument(j, root(number))
		if err != nil {
			d.faults.At(lines.Path(j.StackPointer()), "%s", j.Explain(err))
		}
		if !more || err != nil {
			return
		}
	}
}

// jsonDocument reads an object or a list of objects, one by one.
func (d *document) jsonDocument(j *lines.JSON, p *place) (more bool, err error) {
	if _, err := j.ReadToken(); err != nil {
		return false, err
	}
	whole, b, list := value{kind: '{'}, builder{faults: d.faults}, false
	var known map[string]bool
	for j.PeekKind() != '}' {
		token, err := j.ReadToken()
		if err != nil {
			return false, err
		}
		name, ok := token.String(), false
		if known, ok = b.member(&whole, known, name, p); !ok {
			return false, nil
		}
		whole.list = append(whole.list, value{})
		if name == "items" && j.PeekKind() == '[' {
			list = true
			if more, err := d.jsonItems(j, p.member(name), kindOfList(&whole)); !more || err != nil {
				return false, err
			}
			continue
		}
		if ok, err := b.fromJSON(j, &whole.list[len(whole.list)-1], p.member(name), 1); !ok || err != nil {
			return false, err
		}
	}
	if _, err := j.ReadToken(); err != nil {
		return false, err
	}
	return list || d.object(&whole, p, ""), nil
}

// jsonItems reads the objects of a list.
func (d *document) jsonItems(j *lines.JSON, p *place, kind string) (more bool, err error) {
	if _, err := j.ReadToken(); err != nil {
		return false, err
	}
	for k := 0; j.PeekKind() != ']'; k++ {
		var v value
		b := builder{faults: d.faults}
		if ok, err := b.fromJSON(j, &v, p.element(k), 1); !ok || err != nil {
			return false, err
		}
		if !d.object(&v, p.element(k), kind) {
			return false, nil
		}
	}
	d.objects = max(d.objects, 1) // an empty list is a list
	_, err = j.ReadToken()
	return err == nil, err
}

// kindOfList is the kind of the objects of a list that states a kind such as PodList before them; empty: it states none.
func kindOfList(whole *value) string {
	for k, name := range whole.names {
		if name == "kind" {
			return listed(whole.list[k].text)
		}
	}
	return ""
}

// listed is the kind of the objects of a list of the kind.
func listed(kind string) string {
	item, _ := strings.CutSuffix(kind, "List")
	return item
}

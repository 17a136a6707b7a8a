package kubernetes

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/allot-opt/allot/internal/lines"
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
	if d.objects++; d.objects > maxObjects {
		x.fault("expected at most %d objects, found more", maxObjects)
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

// yamlText cuts a text of YAML into documents and the objects of their lists, so that each is parsed by itself.
type yamlText struct {
	d      *document
	number int // of the document
	head   chunk
	item   chunk
	kind   string // of the list's objects
	state  int
	indent int // of the dashes
	items  int
}

// chunk is lines of YAML.
type chunk struct {
	text   []byte
	before int // lines of the file before it
	values int // at most: each value ends or begins with one of some characters
}

// The states of reading YAML.
const (
	inHead    = iota
	afterList // the line items: has been read
	inItems
)

// yaml reads documents of YAML.
func (d *document) yaml(r io.Reader) {
	s := lines.NewScanner(r)
	y := &yamlText{d: d, number: 1}
	for s.Scan() {
		if !y.line(s.Bytes(), s.Line()) {
			return
		}
	}
	if s.Check(d.faults) {
		y.end()
	}
}

// line takes a line; false ends the reading.
func (y *yamlText) line(line []byte, number int) bool {
	text := bytes.TrimLeft(line, " ")
	indent := len(line) - len(text)
	blank := len(bytes.TrimSpace(text)) == 0 || text[0] == '#'
	dash := len(text) > 0 && text[0] == '-' && (len(text) == 1 || text[1] == ' ')
	separator := bytes.Equal(bytes.TrimRight(line, " "), []byte("---")) || bytes.HasPrefix(line, []byte("--- ")) || bytes.Equal(bytes.TrimRight(line, " "), []byte("..."))
	if separator {
		return y.end()
	}
	switch {
	case y.state == afterList && blank:
		return true
	case y.state == afterList && dash:
		y.state, y.indent = inItems, indent
	case y.state == afterList:
		y.state = inHead
		if !y.add(&y.head, []byte("items:"), number-1) {
			return false
		}
	}
	if y.state == inItems {
		switch {
		case indent == y.indent && dash:
			return y.flush() && y.add(&y.item, line, number)
		case blank || indent > y.indent:
			return y.add(&y.item, line, number)
		}
		if !y.flush() {
			return false
		}
		y.state = inHead
	}
	plain := bytes.TrimRight(line, " ")
	switch {
	case bytes.Equal(plain, []byte("items:")) && y.items == 0:
		y.state = afterList
		return true
	case bytes.Equal(plain, []byte("items: []")):
		y.d.objects = max(y.d.objects, 1) // an empty list is a list
		y.items = max(y.items, 1)
		return true
	case bytes.HasPrefix(plain, []byte("kind: ")):
		y.kind = listed(string(bytes.TrimSpace(plain[len("kind:"):])))
	case blank || line[0] == '%' && len(y.head.text) == 0:
		return true
	}
	return y.add(&y.head, line, number)
}

// add adds a line to a chunk.
func (y *yamlText) add(c *chunk, line []byte, number int) bool {
	if len(c.text) == 0 {
		c.before, c.values = number-1, 0
	}
	c.values++
	for _, b := range line {
		if b == ',' || b == ':' || b == '-' || b == '[' || b == '{' || b == '?' {
			c.values++
		}
	}
	c.text = append(append(c.text, line...), '\n')
	if len(c.text) > maxObject || c.values > 4*maxValues {
		y.d.faults.Line(c.before+1, "expected an object of at most %d bytes and %d values, found a larger one", maxObject, maxValues)
		return false
	}
	return true
}

// flush reads the object of a list that the chunk has.
func (y *yamlText) flush() bool {
	if len(y.item.text) == 0 {
		return true
	}
	p := root(y.number).member("items").element(y.items)
	v, ok := y.parse(&y.item, p)
	y.items++
	if !ok || len(v.list) != 1 {
		return false
	}
	return y.d.object(&v.list[0], p, y.kind)
}

// end ends a document.
func (y *yamlText) end() bool {
	if y.state == afterList { // items: with nothing behind it
		y.items, y.d.objects = max(y.items, 1), max(y.d.objects, 1)
	}
	if !y.flush() {
		return false
	}
	if len(y.head.text) > 0 {
		p := root(y.number)
		v, ok := y.parse(&y.head, p)
		if !ok || y.items == 0 && v.kind != 'n' && !y.whole(&v, p) {
			return false
		}
		y.number++
	}
	y.items, y.kind, y.state = 0, "", inHead
	return true
}

// whole takes a document that is not cut into the objects of a list: it is an object, or a list that is written in another way.
func (y *yamlText) whole(v *value, p *place) bool {
	if v.kind == '{' {
		for k, name := range v.names {
			if name != "items" || v.list[k].kind != '[' {
				continue
			}
			for n := range v.list[k].list {
				if !y.d.object(&v.list[k].list[n], p.member(name).element(n), kindOfList(v)) {
					return false
				}
			}
			y.d.objects = max(y.d.objects, 1)
			return true
		}
	}
	return y.d.object(v, p, "")
}

// parse parses a chunk and empties it.
func (y *yamlText) parse(c *chunk, p *place) (v value, ok bool) {
	var n yaml.Node
	err := unmarshal(c.text, &n)
	c.text = c.text[:0]
	if err != nil {
		y.d.faults.At(p.String(), "%s", explainYAML(err, c.before))
		return v, false
	}
	if n.Kind != yaml.DocumentNode || len(n.Content) == 0 {
		v.kind = 'n'
		return v, true
	}
	b := builder{faults: y.d.faults}
	if n.Content[0].Kind == yaml.SequenceNode && c == &y.item { // the object is the only element
		v.kind = '['
		v.list = make([]value, len(n.Content[0].Content))
		for k, element := range n.Content[0].Content {
			if !b.fromYAML(element, &v.list[k], p, 1) {
				return v, false
			}
		}
		return v, true
	}
	return v, b.fromYAML(n.Content[0], &v, p, 1)
}

// unmarshal parses YAML. The parser panics on some damaged texts; that is an error too.
func unmarshal(text []byte, n *yaml.Node) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%v", r)
		}
	}()
	return yaml.Unmarshal(text, n)
}

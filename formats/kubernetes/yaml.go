package kubernetes

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/allot-opt/allot/formats/lines"
)

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
		return y.listKind()
	case bytes.Equal(plain, []byte("items: []")):
		y.d.objects = max(y.d.objects, 1) // an empty list is a list
		y.items = max(y.items, 1)
		return true
	case blank || line[0] == '%' && len(y.head.text) == 0:
		return true
	}
	return y.add(&y.head, line, number)
}

// listKind takes the kind of the objects of a list from what stands before them.
func (y *yamlText) listKind() bool {
	before := chunk{text: bytes.Clone(y.head.text), before: y.head.before}
	v, ok := y.parse(&before, root(y.number))
	y.kind = kindOfList(&v)
	return ok
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
	if !y.d.faults.Steps(p.String(), c.values) { // before the parser makes them
		return v, false
	}
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

// fromYAML takes a value of YAML.
func (b *builder) fromYAML(n *yaml.Node, v *value, p *place, depth int) bool {
	if !b.count(p, depth) {
		return false
	}
	switch n.Kind {
	case yaml.AliasNode:
		return b.fromYAML(n.Alias, v, p, depth+1)
	case yaml.SequenceNode:
		v.kind = '['
		v.list = make([]value, len(n.Content))
		for k, element := range n.Content {
			if !b.fromYAML(element, &v.list[k], p.element(k), depth+1) {
				return false
			}
		}
	case yaml.MappingNode:
		v.kind = '{'
		var known map[string]bool
		for k := 0; k+1 < len(n.Content); k += 2 {
			key := n.Content[k]
			ok := key.Kind == yaml.ScalarNode && key.Tag != "!!merge"
			if !ok {
				return b.fault(p, "expected names of fields, found another value in the place of one")
			}
			if passedOver(key.Value) {
				continue
			}
			if known, ok = b.member(v, known, key.Value, p); !ok {
				return false
			}
			v.list = append(v.list, value{})
			if !b.fromYAML(n.Content[k+1], &v.list[len(v.list)-1], p.member(key.Value), depth+1) {
				return false
			}
		}
	default:
		v.text = n.Value
		switch n.Tag {
		case "!!null":
			v.kind = 'n'
		case "!!int", "!!float":
			v.kind = '0'
		case "!!bool":
			v.kind = 'f'
			if strings.EqualFold(n.Value, "true") {
				v.kind = 't'
			}
		default:
			v.kind = '"'
		}
	}
	return true
}

// explainYAML says what an error of the reader of YAML means, with the line in the file.
func explainYAML(err error, before int) string {
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	if rest, ok := strings.CutPrefix(text, "line "); ok {
		if digits, message, ok := strings.Cut(rest, ": "); ok {
			if line, err := strconv.Atoi(digits); err == nil {
				return fmt.Sprintf("not YAML: %s at line %d", message, before+line)
			}
		}
	}
	return "not YAML: " + text
}

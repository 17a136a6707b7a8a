package formats_test

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/allot-opt/allot/formats"
	"github.com/allot-opt/allot/model"
)

// fake reads nothing.
type fake struct{}

func (fake) Read(io.Reader, string) (*model.Instance, *model.ImportReport, error) {
	return nil, nil, io.EOF
}

// begins looks for a word at the begin of a file.
func begins(word string) func(string) bool {
	return func(begin string) bool { return strings.HasPrefix(begin, word) }
}

func newFake() formats.Reader { return fake{} }

var (
	_ = formats.Register(formats.Info{Name: "weak", New: newFake, Looks: begins("x"), Weak: true})
	_ = formats.Register(formats.Info{Name: "b", Order: 1, New: newFake, Looks: begins("xx"), Extensions: []string{".b"}})
	_ = formats.Register(formats.Info{Name: "a", Order: 1, New: newFake, Looks: begins("xxx")})
	_ = formats.Register(formats.Info{Name: "named", New: newFake, Extensions: []string{".named", ".b"}})
	_ = formats.Register(formats.Info{Name: "json", Order: 3, New: newFake, JSON: true, Looks: begins("{"), Extensions: []string{".json"}})
)

// The first format in the list is taken that looks right, a weak one after the others; the name of the file counts where the begin tells nothing, and never
// for JSON.
func TestRecognise(t *testing.T) {
	if names := formats.Names(); !slices.Equal(names, []string{"named", "weak", "a", "b", "json"}) {
		t.Errorf("the list is %v", names)
	}
	for _, c := range []struct{ name, begin, want string }{
		{"f", "x", "weak"},
		{"f", "\ufeff  xx", "b"},
		{"f", "xxx", "a"},
		{"f.named", "x", "weak"},
		{"F.NAMED.gz", "y", "named"},
		{"f.b", "y", "named"},
		{"f", "y", ""},
		{"f", "{", "json"},
		{"f.named", "{", "json"},
		{"f.json", "y", "json"},
		{"f.named", "[x", ""},
		{"f.named", "x\x00", ""},
		{"f.named", " \n", ""},
	} {
		path := filepath.Join(t.TempDir(), c.name)
		if err := os.WriteFile(path, []byte(c.begin), 0o600); err != nil {
			t.Fatal(err)
		}
		file, err := formats.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		found := ""
		if file.Format != nil {
			found = file.Format.Name
		}
		rest, err := io.ReadAll(file)
		if found != c.want || string(rest) != c.begin || err != nil || file.Close() != nil {
			t.Errorf("%s %q: found %q, want %q; read %q, %v", c.name, c.begin, found, c.want, rest, err)
		}
	}
}

// What cannot be registered is a bug in the program.
func TestRegisterPanics(t *testing.T) {
	write := func(io.Writer, *model.Instance, *model.Solution) error { return nil }
	formats.RegisterWriter(formats.Writer{Name: "w", Order: 1, Write: write})
	formats.RegisterWriter(formats.Writer{Name: "v", Order: 2, Write: write})
	if w := formats.Writers(); len(w) != 2 || w[0].Name != "w" {
		t.Errorf("the list is %v", w)
	}
	for name, register := range map[string]func(){
		"taken":        func() { formats.Register(formats.Info{Name: "a", New: newFake}) },
		"no name":      func() { formats.Register(formats.Info{New: newFake}) },
		"no reader":    func() { formats.Register(formats.Info{Name: "z"}) },
		"writer taken": func() { formats.RegisterWriter(formats.Writer{Name: "w", Write: write}) },
		"no writer":    func() { formats.RegisterWriter(formats.Writer{Name: "z"}) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			register()
		}()
	}
}

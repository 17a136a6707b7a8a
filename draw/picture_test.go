package draw

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/allot-opt/allot/model"
)

func TestFormatOf(t *testing.T) {
	for name, want := range map[string]Format{"a.svg": SVG, "b.PDF": PDF, "dir.png/B.PNG": PNG, "c.txt": Text, "c.text": Text, "d.gif": "", "svg": "", "": ""} {
		got, err := FormatOf(name)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("FormatOf(%q) = %q, %v; want %q", name, got, err, want)
		}
	}
}

// TestWriteFile: the file has the bytes that Write gives in the format of its name, each time. If the picture cannot be written, there is
// no file.
func TestWriteFile(t *testing.T) {
	sol, in := small(t)
	gantt, err := Gantt(sol, GanttOptions{Instance: in})
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	for name, format := range map[string]Format{"a.svg": SVG, "a.pdf": PDF, "a.PNG": PNG, "a.txt": Text} {
		file := filepath.Join(folder, name)
		if err := gantt.WriteFile(file); err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(file)
		var want bytes.Buffer
		if wrong := gantt.Write(&want, format); err != nil || wrong != nil || want.Len() == 0 || !bytes.Equal(got, want.Bytes()) {
			t.Errorf("%s: %v, %v, %d bytes, want %d", name, err, wrong, len(got), want.Len())
		}
	}
	curves, err := Curves(in, nil, CurveOptions{})
	if err == nil || curves != nil {
		t.Errorf("curves of no schedule: %v, %v", curves, err)
	}
	two, twoSol := example(t)
	if curves, err = Curves(two, []*model.Solution{twoSol}, CurveOptions{}); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		picture    *Picture
		name, want string
	}{
		{gantt, "b.gif", `expected a name that ends in .svg, .pdf, .png, .txt or .html`},
		{gantt, "b", `expected a name that ends in .svg, .pdf, .png, .txt or .html`},
		{curves, "b.txt", `format "text": curves have none; expected svg, pdf or png`},
	} {
		file := filepath.Join(folder, c.name)
		if err := c.picture.WriteFile(file); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one with %q", c.name, err, c.want)
		}
		if _, err := os.Stat(file); !os.IsNotExist(err) {
			t.Errorf("%s is there: %v", c.name, err)
		}
	}
}

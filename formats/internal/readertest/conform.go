package readertest

import (
	"errors"
	"strings"
	"testing"

	"github.com/allot-opt/allot/formats"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/params"
)

// With sets parameters of a reader, each NAME=VALUE, and returns it. It panics where one is refused.
func With[R formats.Reader](reader R, settings ...string) R {
	for _, s := range settings {
		name, value, _ := strings.Cut(s, "=")
		if err := params.Set(reader, name, value); err != nil {
			panic(err)
		}
	}
	return reader
}

// Conform asks of a registered format what holds for each. Its defaults pass its own check. Every numeric parameter is set to odd texts: the reader
// then works on the file, which is small and right, or refuses it with an error, never with a panic. A number out of its range is refused by name. What a
// program sets directly is checked when the file is read, and the most processors are the model's.
func Conform(t *testing.T, format, file string) {
	t.Helper()
	info, ok := formats.Named(format)
	if !ok {
		t.Fatalf("there is no format %s", format)
	}
	if err := params.Check(info.New()); err != nil {
		t.Errorf("the defaults are refused: %v", err)
	}
	for _, p := range params.Of(info.New()) {
		if p.Name == "processors" && p.Range.High != model.MaxProcessors {
			t.Errorf("at most %v processors, expected %d", p.Range.High, model.MaxProcessors)
		}
		if p.Type != "int" {
			continue
		}
		for _, value := range []string{"0", "-1", "NaN", "+Inf", "1e308"} {
			reader := info.New()
			err := params.Set(reader, p.Name, value)
			if wrong := (*params.Error)(nil); value != "0" && (!errors.As(err, &wrong) || wrong.Name != p.Name) {
				t.Errorf("%s=%s: error %v, expected one of the parameter", p.Name, value, err)
			}
			if err != nil {
				continue
			}
			if in, _, err := reader.Read(strings.NewReader(file), "tiny"); err == nil && in == nil {
				t.Errorf("%s=%s: no instance and no error", p.Name, value)
			}
		}
	}
}

// Refused asks of a reader that it refuses a parameter by name, whatever is in the file.
func Refused(t *testing.T, reader formats.Reader, parameter string) {
	t.Helper()
	in, _, err := reader.Read(strings.NewReader(""), "x")
	if wrong := (*params.Error)(nil); !errors.As(err, &wrong) || wrong.Name != parameter || in != nil {
		t.Errorf("error %v, expected one of parameter %s", err, parameter)
	}
}

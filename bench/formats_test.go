package bench

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/params"
)

// tinyFiles holds a small valid file for each importer.
var tinyFiles = map[string]string{
	"swf":      "; MaxProcs: 4\n1 0 0 10 2 -1 -1 2 20 -1 1 -1 -1 -1 -1 -1 -1 -1\n2 5 0 10 2 -1 -1 2 20 -1 1 -1 -1 -1 -1 -1 -1 -1\n",
	"etc":      "1 2\n3 4\n",
	"wfformat": "{}",
	"jobs":     "id,work\na,1\nb,2\n",
	"rcpsp":    "1 0 5 0\n",
	"batsim":   "",
	"sacct":    "JobID|Submit|Start|End|NCPUS\n1|1|2|3|4\n",
}

// The defaults of every importer pass its own check. Every numeric option is set to odd texts: it either works or is refused with an error, never
// with a panic. A number out of its range is refused by name.
func TestImporterParametersAtTheEdges(t *testing.T) {
	for _, info := range Formats() {
		if err := params.Check(info.New()); err != nil {
			t.Errorf("%s: the defaults are refused: %v", info.Name, err)
		}
		for _, p := range params.Of(info.New()) {
			if p.Type != "int" {
				continue
			}
			for _, value := range []string{"0", "-1", "NaN", "+Inf", "1e308"} {
				importer := info.New()
				err := params.Set(importer, p.Name, value)
				if wrong := (*params.Error)(nil); value != "0" && (!errors.As(err, &wrong) || wrong.Name != p.Name) {
					t.Errorf("%s, %s=%s: error %v, expected one of the parameter", info.Name, p.Name, value, err)
				}
				if err != nil {
					continue
				}
				in, _, err := importer.Read(strings.NewReader(tinyFiles[info.Name]), "tiny")
				if err == nil && in == nil {
					t.Errorf("%s, %s=%s: no instance and no error", info.Name, p.Name, value)
				}
			}
		}
	}
}

// Options that a program sets directly are checked when the file is read. A zero does not stand for the default.
func TestImportersCheckTheirFields(t *testing.T) {
	read := func(i Importer, format string) error {
		_, _, err := i.Read(strings.NewReader(tinyFiles[format]), "tiny")
		return err
	}
	unnamed := NewSWFImport()
	unnamed.Cluster = ""
	negative := NewETCImport()
	negative.Jobs = math.MinInt
	for parameter, err := range map[string]error{
		"estimates":       read(&SWFImport{Cluster: "c"}, "swf"),
		"cluster":         read(unnamed, "swf"),
		"jobs":            read(negative, "etc"),
		"missing_runtime": read(&WfFormatImport{Cluster: "c"}, "wfformat"),
	} {
		if wrong := (*params.Error)(nil); !errors.As(err, &wrong) || wrong.Name != parameter {
			t.Errorf("error %v, expected one of parameter %s", err, parameter)
		}
	}
	for _, err := range []error{read(NewSWFImport(), "swf"), read(NewETCImport(), "etc")} {
		if err != nil {
			t.Error(err)
		}
	}
}

// The largest number of processors in the tags equals the model's.
func TestMostProcessorsInTags(t *testing.T) {
	for _, info := range Formats() {
		for _, p := range params.Of(info.New()) {
			if p.Name == "processors" && p.Range.High != model.MaxProcessors {
				t.Errorf("%s: at most %v processors, expected %d", info.Name, p.Range.High, model.MaxProcessors)
			}
		}
	}
}

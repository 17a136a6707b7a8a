package serve

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/allot-opt/allot/formats"
	"github.com/allot-opt/allot/internal/suggest"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/params"
	"github.com/allot-opt/allot/serve/answers"
	"github.com/allot-opt/allot/serve/question"
)

// Imported is the result of import.
type Imported struct {
	Instance Raw                 `json:"instance" schema:"instance" doc:"the instance, as allot import writes it"`
	Report   *model.ImportReport `json:"report" doc:"what was dropped and repaired"`
	Text     string              `json:"text" doc:"the report for people"`
}

// importForeign makes an instance of files in a foreign format.
func (c *call) importForeign(_ context.Context, s *question.Import) (*Imported, error) {
	documents := c.documents["files"]
	if len(s.Names) > 0 && len(s.Names) != len(documents) {
		return nil, wrong("names", "expected a name for each of the %d files, found %d", len(documents), len(s.Names))
	}
	var sources []formats.Source
	var recognised *formats.Info
	for k := range documents {
		source, err := c.contents(&documents[k])
		if err != nil {
			return nil, err
		}
		defer source.Close()
		name := cmp.Or(documents[k].file, "imported")
		if len(s.Names) > 0 {
			name = cmp.Or(s.Names[k], name)
		}
		if k == 0 {
			name = cmp.Or(s.Name, name)
		}
		file := formats.Of(source, name)
		if recognised == nil { // files of a system that stand beside a trace are of no format of their own
			recognised = file.Format
		}
		sources = append(sources, formats.Source{Reader: file, Name: name})
	}
	var info formats.Info
	switch named, known := formats.Named(s.Format); {
	case c.budget.Err() != nil:
		return nil, c.unreadable(&documents[len(sources)-1], c.budget.Err())
	case known:
		info = named
	case s.Format != "":
		return nil, wrong("format", "expected one of %s; found %q%s", strings.Join(formats.Names(), ", "), s.Format, suggest.Words(s.Format, formats.Names()))
	case recognised == nil:
		return nil, wrong("files[0]", "expected a text in one of the formats %s, found none that looks like it: name the format", strings.Join(formats.Names(), ", "))
	default:
		info = *recognised
	}
	reader := info.New()
	if err := c.setReader(reader, s.Param); err != nil {
		return nil, err
	}
	in, report, err := read(reader, sources)
	if err != nil {
		at, input := 0, (*model.InputError)(nil)
		if errors.As(err, &input) {
			at = max(0, slices.IndexFunc(sources, func(s formats.Source) bool { return s.Name == input.File }))
		}
		return nil, c.importError(&documents[at], err)
	}
	if in, err = answers.WithImportObjective(in, s.Objective); err != nil {
		return nil, err
	}
	var text bytes.Buffer
	if err := model.WriteInstance(&text, in); err != nil {
		return nil, err
	}
	return &Imported{bytes.TrimSpace(text.Bytes()), report, report.String()}, nil
}

// read reads one file, or several where the format allows it.
func read(reader formats.Reader, sources []formats.Source) (*model.Instance, *model.ImportReport, error) {
	if several, ok := reader.(formats.FilesReader); ok {
		return several.ReadFiles(sources)
	}
	if len(sources) > 1 {
		return nil, nil, wrong("files", "expected one file of this format, found %d", len(sources))
	}
	return reader.Read(sources[0].Reader, sources[0].Name)
}

// setReader sets the parameters of a reader. One that names a file is refused where clients may name none.
func (c *call) setReader(reader formats.Reader, parameters map[string]any) error {
	list, err := settingsOf(parameters)
	if err != nil {
		return err
	}
	known := params.Of(reader)
	for _, s := range list {
		for _, p := range known {
			if p.Name == s.Name && strings.Contains(p.Doc, "'FILE'") && !c.service.files {
				return wrong(joined("param", s.Name), "expected no name of a file: this service reads no files for its clients (see allot serve --allow-files)")
			}
		}
		if err := params.Set(reader, s.Name, s.Value); err != nil {
			return wrong(joined("param", s.Name), "%s", err)
		}
	}
	return nil
}

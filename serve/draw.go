package serve

import (
	"bytes"
	"context"
	"encoding/base64"
	"slices"
	"strings"

	"github.com/allot-opt/allot/draw"
	"github.com/allot-opt/allot/internal/kit"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/serve/answers"
	"github.com/allot-opt/allot/serve/question"
)

// formatData is the format of the data of a page.
const formatData = "data"

// Drawn is the result of draw.
type Drawn struct {
	Format string `json:"format" doc:"format of the picture"`
	Text   string `json:"text,omitempty" doc:"the picture, of a format that is a text: svg, html, text, data"`
	Base64 string `json:"base64,omitempty" doc:"the picture in base64, of the other formats: png, pdf"`
}

// mostSolutions is the largest number of schedules in one picture. More could not be told apart.
const mostSolutions = 24

// drawPicture draws a picture of schedules.
func (c *call) drawPicture(ctx context.Context, s *question.Draw) (*Drawn, error) {
	in, err := c.instance(c.one("instance"), "", 0)
	if err != nil {
		return nil, err
	}
	documents := c.documents["solutions"]
	if most := mostSolutions; len(documents) > most || s.Plot == "" && len(documents) > 1 {
		return nil, wrong("solutions", "expected one, or with plot at most %d, found %d", most, len(documents))
	}
	var list []*model.Solution
	for k := range documents {
		sol, err := c.accepted(in, &documents[k])
		if err != nil {
			return nil, err
		}
		if len(sol.Jobs) == 0 {
			return nil, wrong(documents[k].Path, "expected a schedule that places a job, found none: there is nothing to draw")
		}
		list = append(list, sol)
	}
	window := draw.Window{}
	if s.From != nil {
		window.From, window.HasFrom = *s.From, true
	}
	if s.To != nil {
		window.To, window.HasTo = *s.To, true
	}
	picture, err := c.picture(ctx, in, list, s, window)
	if err != nil {
		return nil, err
	}
	var drawn bytes.Buffer
	if s.Format == formatData {
		err = picture.WriteData(&drawn)
	} else {
		err = picture.Write(&drawn, draw.Format(s.Format))
	}
	if err != nil {
		return nil, wrong("", "%s", err)
	}
	if s.Format == string(draw.PNG) || s.Format == string(draw.PDF) {
		return &Drawn{Format: s.Format, Base64: base64.StdEncoding.EncodeToString(drawn.Bytes())}, nil
	}
	return &Drawn{Format: s.Format, Text: drawn.String()}, nil
}

// picture makes the chart or the plot.
func (c *call) picture(ctx context.Context, in *model.Instance, list []*model.Solution, s *question.Draw, window draw.Window) (*draw.Picture, error) {
	if s.Plot != "" {
		if err := oneOf("plot", s.Plot, draw.Quantities()); err != nil {
			return nil, err
		}
		if err := oneOf("view", s.View, draw.Views()); err != nil {
			return nil, err
		}
		view := draw.View(s.View)
		if view == "" {
			view = draw.OverTime
		}
		opt := draw.CurveOptions{Quantity: draw.Quantity(s.Plot), View: view, Width: s.Width, Height: s.Height, Title: s.Title, Period: s.Period, Window: window}
		picture, err := draw.Curves(in, list, opt)
		return picture, asWrong(err)
	}
	for _, err := range []error{oneOf("view", s.View, draw.GanttViews()), oneOf("colour", s.Colour, draw.Colours()), oneOf("rows", s.Rows, draw.GanttRows())} {
		if err != nil {
			return nil, err
		}
	}
	opt := draw.GanttOptions{
		Instance: in, Width: s.Width, Height: s.Height, Title: s.Title, Colour: draw.Colour(s.Colour), View: draw.GanttView(s.View), Rows: draw.Rows(s.Rows), Window: window,
	}
	if s.Format == string(draw.HTML) {
		ctx, cancel, err := c.within(ctx, 0, true)
		if err != nil {
			return nil, err
		}
		defer cancel()
		if opt.Reasons, err = answers.RulesOf(ctx, in, list[0]); err != nil {
			return nil, err
		}
	}
	picture, err := draw.Gantt(list[0], opt)
	return picture, asWrong(err)
}

// asWrong is an error of a picture that the request is to blame for.
func asWrong(err error) error {
	if err == nil {
		return nil
	}
	return wrong("", "%s", err)
}

// oneOf says that a text is none of some values; nil: it is, or is empty.
func oneOf[T ~string](path, text string, values []T) error {
	if text == "" || slices.Contains(values, T(text)) {
		return nil
	}
	return wrong(path, "expected one of %s, found %q", strings.Join(kit.Each(values, func(v T) string { return string(v) }), ", "), text)
}

package main

import (
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/allot-opt/allot/lab/advise"
	"github.com/allot-opt/allot/lab/tune"
	"github.com/allot-opt/allot/serve"
	"github.com/allot-opt/allot/serve/question"
)

// everyKind has a setting of each type.
type everyKind struct {
	Time   question.Seconds    `json:"run_time" check:"time"`
	Real   float64             `json:"real" check:"positive"`
	Share  *float64            `json:"share" check:"nonnegative"`
	Whole  int                 `json:"whole" check:"count"`
	Most   *int                `json:"most" check:"counter"`
	Long   int64               `json:"long" check:"counter"`
	Seed   uint64              `json:"seed"`
	Other  *uint64             `json:"other"`
	On     bool                `json:"on"`
	Names  question.Names      `json:"names"`
	Param  question.Parameters `json:"param"`
	Choice string              `json:"choice" enum:"one,two"`
	Text   string              `json:"text"`
	Hidden string              `json:"hidden" flag:"-"`
}

// SetDefaults sets a value that is none of the language for all that can have one.
func (s *everyKind) SetDefaults() {
	*s = everyKind{Time: 1.5, Real: 2, Whole: 3, Long: 4, Seed: 5, On: true, Choice: "one", Text: "usual", Hidden: "hidden"}
}

// What is absent has its default, and stays absent where the default is the question's own; what is given is checked by the range that the request has too.
func TestFlagsOfAQuestion(t *testing.T) {
	usual := func(change func(*everyKind)) *everyKind {
		s := new(everyKind)
		s.SetDefaults()
		change(s)
		return s
	}
	for _, c := range []struct {
		args []string
		want *everyKind
		err  string
	}{
		{nil, usual(func(*everyKind) {}), ""},
		{[]string{"--run-time=2m", "--real=0.5", "--whole=1", "--long=0", "--seed=18446744073709551615", "--on=false", "--choice=two", "--text="}, usual(func(s *everyKind) {
			s.Time, s.Real, s.Whole, s.Long, s.Seed, s.On, s.Choice, s.Text = 120, 0.5, 1, 0, 1<<64-1, false, "two", ""
		}), ""},
		{[]string{"--share=0", "--most=0", "--other=0", "--run-time=0"}, usual(func(s *everyKind) { s.Share, s.Most, s.Other, s.Time = new(0.0), new(0), new(uint64(0)), 0 }), ""},
		{[]string{"--names=b,a", "--names=exec:x,y", "--param=k=v=w", "--param=a=1", "--param=a=2"}, usual(func(s *everyKind) {
			s.Names, s.Param = question.Names{"b", "a", "exec:x,y"}, question.Parameters{"k": "v=w", "a": "2"}
		}), ""},
		{[]string{"--names="}, nil, "--names: expected names separated by commas, found none"},
		{[]string{"--param=k"}, nil, `--param: expected KEY=VALUE, found "k"`},
		{[]string{"--run-time=-1500ms"}, nil, "--run-time: expected a duration ≥ 0, found -1.5s"},
		{[]string{"--real=0"}, nil, "--real: expected a number > 0, found 0"},
		{[]string{"--share=-0.5"}, nil, "--share: expected a number ≥ 0, found -0.5"},
		{[]string{"--whole=0"}, nil, "--whole: expected a number ≥ 1, found 0"},
		{[]string{"--most=-1"}, nil, "--most: expected a number ≥ 0, found -1"},
		{[]string{"--long=-1"}, nil, "--long: expected a number ≥ 0, found -1"},
	} {
		got := new(everyKind)
		app := &cli.App{Writer: io.Discard, ErrWriter: io.Discard, Flags: flagsOf(new(everyKind)), Action: func(ctx *cli.Context) error { return asked(ctx, got) }}
		switch err := app.Run(slices.Concat([]string{"ask"}, c.args)); {
		case err == nil && c.err != "", err != nil && err.Error() != c.err:
			t.Errorf("%v: %v, expected the error %q", c.args, err, c.err)
		case err == nil && !reflect.DeepEqual(got, c.want):
			t.Errorf("%v: %+v, expected %+v", c.args, got, c.want)
		}
	}
	shown := flagsOf(new(everyKind))
	if got := shown[0].(*cli.DurationFlag).Value; len(shown) != 13 || got != 1500*time.Millisecond {
		t.Errorf("%d flags, the first by default %v", len(shown), got)
	}
}

// What a tag has to repeat, as it can call nothing, is what the code says.
func TestTagsSayWhatTheCodeSays(t *testing.T) {
	tag := func(of any, field, key string) string {
		f, _ := reflect.TypeOf(of).FieldByName(field)
		return f.Tag.Get(key)
	}
	if got, want := tag(question.Advise{}, "Only", "enum"), strings.Join(advise.Parts(), ","); got != want {
		t.Errorf("advise --only: %q, expected %q", got, want)
	}
	if got, want := tag(question.Tune{}, "Objective", "doc"), "minimise 'METRIC'; for a policy "+strings.Join(tune.TraceMetrics, " or "); got != want {
		t.Errorf("tune --objective: %q, expected %q", got, want)
	}
	if got, want := tag(limitsAsked{}, "Queue", "absent"), fmt.Sprintf("%d; with --stdio %d", serve.Public().Queue, serve.Private().Queue); got != want {
		t.Errorf("serve --queue: %q, expected %q", got, want)
	}
}

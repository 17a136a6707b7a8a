package main

import (
	"reflect"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/allot-opt/allot/serve/question"
	"github.com/allot-opt/allot/solve"
)

// flagsOf are the flags of a question.
func flagsOf(q question.Settings) []cli.Flag {
	q.SetDefaults()
	value := reflect.ValueOf(q).Elem()
	var flags []cli.Flag
	for _, f := range question.FieldsOf(value.Type()) {
		if f.Flag != "" {
			flags = append(flags, flagOf(&f, value.FieldByIndex(f.Index).Interface()))
		}
	}
	return flags
}

// flagOf is the flag of a setting with its default.
func flagOf(f *question.Field, usual any) cli.Flag {
	switch v := usual.(type) {
	case question.Seconds:
		return &cli.DurationFlag{Name: f.Flag, DefaultText: f.Absent, Usage: f.Usage(), Value: v.Duration()}
	case *question.Seconds:
		return &cli.DurationFlag{Name: f.Flag, DefaultText: f.Absent, Usage: f.Usage()}
	case float64:
		return &cli.Float64Flag{Name: f.Flag, DefaultText: f.Absent, Usage: f.Usage(), Value: v}
	case *float64:
		return &cli.Float64Flag{Name: f.Flag, DefaultText: f.Absent, Usage: f.Usage()}
	case int:
		return &cli.IntFlag{Name: f.Flag, DefaultText: f.Absent, Usage: f.Usage(), Value: v}
	case *int:
		return &cli.IntFlag{Name: f.Flag, DefaultText: f.Absent, Usage: f.Usage()}
	case int64:
		return &cli.Int64Flag{Name: f.Flag, DefaultText: f.Absent, Usage: f.Usage(), Value: v}
	case *int64:
		return &cli.Int64Flag{Name: f.Flag, DefaultText: f.Absent, Usage: f.Usage()}
	case uint64:
		return &cli.Uint64Flag{Name: f.Flag, DefaultText: f.Absent, Usage: f.Usage(), Value: v}
	case *uint64:
		return &cli.Uint64Flag{Name: f.Flag, DefaultText: f.Absent, Usage: f.Usage()}
	case bool:
		return &cli.BoolFlag{Name: f.Flag, Usage: f.Usage(), Value: v}
	case question.Names:
		return &cli.GenericFlag{Name: f.Flag, DefaultText: f.Absent, Usage: f.Usage() + "; separated by commas, exec:COMMAND or exec-online:COMMAND last; may be given several times", Value: new(solverNames)}
	case question.Texts:
		return &cli.GenericFlag{Name: f.Flag, DefaultText: f.Absent, Usage: f.Usage() + "; may be given several times", Value: new(texts)}
	case question.Parameters:
		return &cli.StringSliceFlag{Name: f.Flag, Usage: f.Usage() + "; may be given several times"}
	case string:
		if f.Enum != nil {
			return newChoice(f.Flag, v, f.Usage(), f.Enum...)
		}
		return &cli.StringFlag{Name: f.Flag, DefaultText: f.Absent, Usage: f.Usage(), Value: v}
	}
	panic("allot: no flag has the type of " + f.Name)
}

// asked reads the flags of a question.
func asked(c *cli.Context, q question.Settings) error {
	q.SetDefaults()
	if err := checkChoices(c); err != nil {
		return err
	}
	value := reflect.ValueOf(q).Elem()
	for _, f := range question.FieldsOf(value.Type()) {
		if f.Flag == "" || !c.IsSet(f.Flag) {
			continue
		}
		to := value.FieldByIndex(f.Index)
		if err := setFlag(c, &f, to); err != nil {
			return err
		}
		if number, ok := numberOf(to); ok {
			if wrong := f.Wrong(number); wrong != "" {
				return usageErrorf("--%s: %s", f.Flag, wrong)
			}
		}
	}
	return nil
}

// setFlag gives a setting the value of its flag.
func setFlag(c *cli.Context, f *question.Field, to reflect.Value) error {
	switch field := to.Addr().Interface().(type) {
	case *question.Names:
		*field = question.Names(*c.Generic(f.Flag).(*solverNames))
		if len(*field) == 0 {
			return usageErrorf("--%s: expected names separated by commas, found none", f.Flag)
		}
		return nil
	case *question.Texts:
		*field = question.Texts(*c.Generic(f.Flag).(*texts))
		return nil
	case *question.Parameters:
		var err error
		*field, err = parametersOf(c, f.Flag)
		return err
	}
	value := reflect.ValueOf(c.Value(f.Flag))
	if length, ok := c.Value(f.Flag).(time.Duration); ok {
		value = reflect.ValueOf(length.Seconds())
	}
	if to.Kind() == reflect.Pointer {
		to.Set(reflect.New(to.Type().Elem()))
		to = to.Elem()
	}
	to.Set(value.Convert(to.Type()))
	return nil
}

// parametersOf are the parameters KEY=VALUE of a flag.
func parametersOf(c *cli.Context, flag string) (question.Parameters, error) {
	list := question.Parameters{}
	for _, text := range c.StringSlice(flag) {
		key, value, ok := strings.Cut(text, "=")
		if !ok {
			return nil, usageErrorf("--%s: expected KEY=VALUE, found %q", flag, text)
		}
		list[key] = value
	}
	return list, nil
}

// numberOf is the value of a setting that is a number.
func numberOf(v reflect.Value) (float64, bool) {
	if v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	switch {
	case v.CanInt():
		return float64(v.Int()), true
	case v.CanFloat():
		return v.Float(), true
	}
	return 0, false
}

// texts are the values of a flag that may be given several times; a value may hold commas.
type texts []string

// Set implements cli.Generic.
func (t *texts) Set(text string) error { *t = append(*t, text); return nil }

// String implements cli.Generic.
func (t *texts) String() string { return strings.Join(*t, " ") }

// solverNames are the names of a flag that may be given several times, each time with a list. Lists of the library split the command
// of an exec: name.
type solverNames []string

// Set implements cli.Generic.
func (n *solverNames) Set(list string) error {
	if list != "" {
		*n = append(*n, solve.SplitNames(list)...)
	}
	return nil
}

// String implements cli.Generic.
func (n *solverNames) String() string { return strings.Join(*n, ",") }

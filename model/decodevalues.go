package model

import (
	"math"
	"reflect"
	"strconv"
)

// number reads a number that satisfies the field's check.
func (d *decoder) number(f field, set func(float64)) error {
	if d.json.PeekKind() != '0' {
		return d.wrongKind("a number")
	}
	token, err := d.json.ReadToken()
	if err != nil {
		return err
	}
	text := token.String()
	x, err := strconv.ParseFloat(text, 64)
	if err != nil {
		d.fault("expected a finite number, found %s", clip(text))
		return nil
	}
	if wrong := checkNumber(f.check, x); wrong != "" {
		d.fault("%s", wrong)
		return nil
	}
	set(x)
	return nil
}

// unsigned reads a whole number of up to 64 bits, such as a seed.
func (d *decoder) unsigned(v reflect.Value) error {
	if d.json.PeekKind() != '0' {
		return d.wrongKind("a whole number")
	}
	token, err := d.json.ReadToken()
	if err != nil {
		return err
	}
	text := token.String()
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil { // written in another way, such as 1e3; up to 2⁵³ it is exact
		x, err := strconv.ParseFloat(text, 64)
		if err != nil || !(x >= 0 && x <= 1<<53 && x == math.Trunc(x)) {
			d.fault("expected a whole number in [0, 2^64), found %s", clip(text))
			return nil
		}
		n = uint64(x)
	}
	v.SetUint(n)
	return nil
}

// boolean reads true or false.
func (d *decoder) boolean(v reflect.Value) error {
	if kind := d.json.PeekKind(); kind != 't' && kind != 'f' {
		return d.wrongKind("true or false")
	}
	token, err := d.json.ReadToken()
	if err == nil {
		v.SetBool(token.Bool())
	}
	return err
}

// text reads a text that satisfies the field's check.
func (d *decoder) text(f field, set func(string)) error {
	if d.json.PeekKind() != '"' {
		return d.wrongKind("a text")
	}
	token, err := d.json.ReadToken()
	if err != nil {
		return err
	}
	text := d.intern(token.String())
	if len(d.path) == 1 && isKind(d.path[0].name) {
		d.kinds[d.path[0].name] = text
	}
	if wrong := checkText(f, text); wrong != "" {
		d.fault("%s", wrong)
		return nil
	}
	set(text)
	return nil
}

// intern returns one copy of a short text that occurs often. The table is bounded: past that, texts are kept as they are.
func (d *decoder) intern(text string) string {
	const longest, most = 64, 1 << 16
	if len(text) > longest {
		return text
	}
	if known, ok := d.texts[text]; ok {
		return known
	}
	if len(d.texts) < most {
		d.texts[text] = text
	}
	return text
}

// processorRange reads a number (rigid) or an object of min and max (moldable).
func (d *decoder) processorRange(f field, r *ProcessorRange) error {
	switch d.json.PeekKind() {
	case '0':
		f.check = "count"
		return d.number(f, func(x float64) { *r = Rigid(int(x)) })
	case '{':
		before := len(d.faults.Faults) + d.faults.More
		err := d.structure(reflect.ValueOf(r).Elem())
		if err == nil && len(d.faults.Faults)+d.faults.More == before && r.Min > r.Max {
			d.fault("expected min ≤ max, found min %d and max %d", r.Min, r.Max)
		}
		return err
	default:
		return d.wrongKind("a number or an object of min and max")
	}
}

// metrics reads an object of metric → number, or → object of cluster → number.
func (d *decoder) metrics(m *Metrics) error {
	*m = Metrics{}
	return d.object(func(name string) error {
		if _, twice := (*m)[name]; twice {
			d.fault("expected the metric once, found it again")
			return d.json.SkipValue()
		}
		var value MetricValue
		figure := field{check: "figure"}
		var err error
		if d.json.PeekKind() == '{' {
			err = d.mapping(figure, reflect.ValueOf(&value.ByCluster).Elem())
		} else {
			err = d.number(figure, func(x float64) { value.Total = x })
		}
		if !d.faults.full() {
			(*m)[name] = value
		}
		return err
	})
}

// anything reads a parameter: a number, a text or a truth value.
func (d *decoder) anything(v reflect.Value) error {
	switch d.json.PeekKind() {
	case '0':
		return d.number(field{check: "figure"}, func(x float64) { v.Set(reflect.ValueOf(x)) })
	case '"':
		return d.text(field{}, func(text string) { v.Set(reflect.ValueOf(text)) })
	case 't', 'f':
		token, err := d.json.ReadToken()
		if err == nil {
			v.Set(reflect.ValueOf(token.Bool()))
		}
		return err
	default:
		return d.wrongKind("a number, a text, true or false")
	}
}

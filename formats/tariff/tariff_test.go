package tariff_test

import (
	"bytes"
	"errors"
	"io"
	"math"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/formats/internal/readertest"
	"github.com/allot-opt/allot/formats/tariff"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/params"
)

const exported = "Datetime (UTC),Country,Zone name,Zone id,Carbon intensity gCO₂eq/kWh (direct),Carbon intensity gCO₂eq/kWh (Life cycle),Carbon-free energy percentage (CFE%)\n"

func TestRead(t *testing.T) {
	for _, c := range []struct {
		name, text string
		opt        tariff.Options
		want       tariff.Series
	}{
		{"seconds", "time,value\n0,1\n3600,-2.5\n", tariff.Options{}, tariff.Series{Every: 3600, Values: []float64{1, -2.5}}},
		{"columns in another order, blanks and a byte-order mark", "\ufeffValue, Time\n1, 60\n2, 90\n3, 120\n", tariff.Options{},
			tariff.Series{Begin: 60, Every: 30, Values: []float64{1, 2, 3}}},
		{"half-hours", "time,value\n2026-03-01T00:00Z,1\n2026-03-01T00:30Z,2\n2026-03-01T01:00Z,3\n", tariff.Options{},
			tariff.Series{Dated: true, Begin: 1772323200, Every: 1800, Values: []float64{1, 2, 3}}},
		{"offsets, over the end of summer time", "time,value\n2026-10-25T01:00+02:00,1\n2026-10-25T02:00+02:00,2\n2026-10-25T02:00+01:00,3\n2026-10-25T03:00:00+0100,4\n", tariff.Options{},
			tariff.Series{Dated: true, Begin: 1792882800, Every: 3600, Values: []float64{1, 2, 3, 4}}},
		{"days", "time,value\n1970-01-01,1\n1970-01-02,2\n", tariff.Options{}, tariff.Series{Dated: true, Every: 86400, Values: []float64{1, 2}}},
		{"Electricity Maps", exported + "1970-01-01 00:00:00,Germany,Germany,DE,100,150,5\n1970-01-01 01:00:00,Germany,Germany,DE,110,160.5,5\n", tariff.Options{},
			tariff.Series{Kind: tariff.Carbon, Zone: "DE", Dated: true, Every: 3600, Values: []float64{150, 160.5}}},
		{"its direct emissions", exported + "1970-01-01 00:00:00,Germany,Germany,DE,100,150,5\n1970-01-01 01:00:00,Germany,Germany,DE,110,160.5,5\n", tariff.Options{Direct: true},
			tariff.Series{Kind: tariff.Carbon, Zone: "DE", Dated: true, Every: 3600, Values: []float64{100, 110}}},
		{"an older export", "Datetime (UTC),Country,Zone Name,Zone Id,Carbon Intensity gCO₂eq/kWh (direct),Carbon Intensity gCO₂eq/kWh (LCA)\n1970-01-01 00:00:00,,,SE,1,2\n1970-01-01 01:00:00,,,SE,1,3\n",
			tariff.Options{}, tariff.Series{Kind: tariff.Carbon, Zone: "SE", Dated: true, Every: 3600, Values: []float64{2, 3}}},
	} {
		got, err := tariff.Read(strings.NewReader(c.text), "x.csv", c.opt)
		if err != nil || !reflect.DeepEqual(*got, c.want) {
			t.Errorf("%s: got %+v, %v; want %+v", c.name, got, err, c.want)
		}
	}
}

func TestReadRefuses(t *testing.T) {
	for _, c := range []struct {
		name, text string
		opt        tariff.Options
		want       string
	}{
		{"nothing", "", tariff.Options{}, "x.csv: expected a first row with the names of the columns, found an empty file"},
		{"no values", "time,value\n", tariff.Options{}, "x.csv: expected at least two values, which say how long each holds; found 0"},
		{"one value", "time,value\n0,1\n", tariff.Options{}, "x.csv: expected at least two values, which say how long each holds; found 1"},
		{"another table", "id,work\na,1\n", tariff.Options{}, "x.csv: line 1: expected the columns time and value, or those of an export of Electricity Maps; found no column time"},
		{"no value", "time,price\n0,1\n", tariff.Options{}, "x.csv: line 1: expected the columns time and value, or those of an export of Electricity Maps; found no column value"},
		{"more columns", "time,value,carbon\n0,1,2\n", tariff.Options{}, "x.csv: line 1: expected the columns time and value alone, found 3 columns"},
		{"direct emissions of prices", "time,value\n0,1\n1,1\n", tariff.Options{Direct: true}, "x.csv: line 1: direct emissions: expected an export of Electricity Maps, found a table of time and value"},
		{"a gap", "time,value\n0,1\n3600,2\n10800,3\n", tariff.Options{}, "x.csv: line 4: time: expected 7200, because the values before are 3600 s apart; found 10800"},
		{"a gap between dates", "time,value\n2026-01-01T00:00Z,1\n2026-01-01T01:00Z,1\n2026-01-01T03:00Z,1\n", tariff.Options{},
			"x.csv: line 4: time: expected 2026-01-01T02:00:00Z, because the values before are 3600 s apart; found 2026-01-01T03:00:00Z"},
		{"a shorter step", "time,value\n0,1\n3600,2\n5400,3\n", tariff.Options{}, "x.csv: line 4: time: expected 7200, because the values before are 3600 s apart; found 5400"},
		{"a second off", "time,value\n0,1\n3600,2\n7201,3\n", tariff.Options{}, "x.csv: line 4: time: expected 7200, because the values before are 3600 s apart; found 7201"},
		{"a time twice", "time,value\n0,1\n0,2\n", tariff.Options{}, "x.csv: line 3: time: expected one after 0, that of the row before, found 0"},
		{"another order", "time,value\n3600,1\n0,2\n", tariff.Options{}, "x.csv: line 3: time: expected one after 3600, that of the row before, found 0"},
		{"dates and seconds", "time,value\n0,1\n2026-01-01T00:00Z,2\n", tariff.Options{}, "x.csv: line 3: time: expected dates alone or seconds alone, found both"},
		{"no date", "time,value\n2026-13-01,1\n", tariff.Options{}, `x.csv: line 2: time: expected a date such as 2026-03-01T14:30Z, or seconds; found "2026-13-01"`},
		{"NaN", "time,value\nNaN,1\n", tariff.Options{}, `x.csv: line 2: time: expected a date such as 2026-03-01T14:30Z, or seconds; found "NaN"`},
		{"no number", "time,value\n0,dear\n1,2\n", tariff.Options{}, `x.csv: line 2: value: expected a number, found "dear"`},
		{"an infinite value", "time,value\n0,1\n1,Inf\n", tariff.Options{}, `x.csv: line 3: value: expected a number, found "Inf"`},
		{"a missing value", exported + "1970-01-01 00:00:00,G,G,DE,1,,5\n1970-01-01 01:00:00,G,G,DE,1,2,5\n", tariff.Options{}, `x.csv: line 2: value: expected a number, found ""`},
		{"two zones", exported + "1970-01-01 00:00:00,G,G,DE,1,2,5\n1970-01-01 01:00:00,F,F,FR,1,2,5\n", tariff.Options{}, `x.csv: line 3: expected one zone, "DE", found also "FR"`},
		{"a short row", "time,value\n0,1\n1\n", tariff.Options{}, "x.csv: line 3: expected 2 cells, as the first row has, found 1"},
	} {
		_, err := tariff.Read(strings.NewReader(c.text), "x.csv", c.opt)
		if wrong := (*model.InputError)(nil); !errors.As(err, &wrong) || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %s", c.name, err, c.want)
		}
	}
}

// A table without end is refused, in little memory.
func TestReadIsBounded(t *testing.T) {
	read := func(r io.Reader) error { _, err := tariff.Read(r, "x", tariff.Options{}); return err }
	readertest.Bounded(t, &readertest.Long{Head: "time,value\n0,", Body: strings.Repeat("1", 1<<16), Times: 1 << 10}, read, "expected a line of at most")
	readertest.Bounded(t, &readertest.Long{Head: "time,value\n", Body: "x,x\n", Times: 1 << 22}, read, "expected a date")
}

// What is written is read again, and what steps say of a time is what the table says.
func TestSeries(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := &tariff.Series{
			Dated: rapid.Bool().Draw(t, "dated"), Every: float64(rapid.IntRange(1, 7200).Draw(t, "every")), Begin: float64(rapid.IntRange(0, 1<<31).Draw(t, "begin")),
			Values: rapid.SliceOfN(rapid.Float64Range(-9, 9), 2, 20).Draw(t, "values"),
		}
		if rapid.Bool().Draw(t, "few") {
			for k := range s.Values {
				s.Values[k] = math.Round(s.Values[k] / 9)
			}
		}
		var text bytes.Buffer
		if err := tariff.Write(&text, s); err != nil {
			t.Fatal(err)
		}
		again, err := tariff.Read(&text, "x", tariff.Options{})
		if err != nil || !reflect.DeepEqual(again, s) {
			t.Fatalf("got %+v, %v; want %+v", again, err, s)
		}
		unit := rapid.SampledFrom([]float64{1, 60, 3600}).Draw(t, "unit")
		zero := s.Begin + float64(rapid.IntRange(-2, int(float64(len(s.Values))*s.Every)+2).Draw(t, "zero"))
		steps, err := s.Steps(zero, unit)
		if covered := zero >= s.Begin && zero < s.End(); covered != (err == nil) {
			t.Fatalf("zero %v, %v to %v: %v", zero, s.Begin, s.End(), err)
		}
		if err != nil {
			return
		}
		if steps[0].Time != 0 {
			t.Fatalf("the first step is at %v", steps[0].Time)
		}
		for k := 1; k < len(steps); k++ {
			if steps[k].Time <= steps[k-1].Time || steps[k].Value == steps[k-1].Value {
				t.Fatalf("steps %v", steps)
			}
		}
		for at := zero; at < s.End(); at += s.Every / 2 {
			found := steps[0].Value
			for _, step := range steps {
				if step.Time*unit <= at-zero+1e-6 {
					found = step.Value
				}
			}
			if want := s.Values[int((at-s.Begin+1e-6)/s.Every)]; found != want {
				t.Fatalf("at %v: %v, want %v", at, found, want)
			}
		}
	})
}

// instance has a horizon of two hours, in minutes.
func instance(t *testing.T, vary func(*model.InstanceSpec)) *model.Instance {
	t.Helper()
	b := model.NewBuilder("x").Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Power: &model.PowerSpec{Idle: 1}}}})
	b.Spec().Units, b.Spec().Horizon = &model.Units{Time: "min"}, &model.HorizonSpec{To: 120}
	vary(b.Spec())
	in, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return in
}

func TestJoin(t *testing.T) {
	prices := &tariff.Series{Every: 3600, Values: []float64{1, 2, 3}}
	in, err := prices.Join(instance(t, func(s *model.InstanceSpec) {
		s.Tariff = &model.TariffSpec{Carbon: [][]float64{{0, 7}}, Per: 60000}
	}), false, tariff.Joined{At: "1800"})
	if err != nil {
		t.Fatal(err)
	}
	want := &model.TariffSpec{Price: [][]float64{{0, 1}, {30, 2}, {90, 3}}, Carbon: [][]float64{{0, 7}}, Per: 60000}
	if got := in.Spec().Tariff; !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	dated := &tariff.Series{Dated: true, Begin: 1000, Every: 7200, Values: []float64{1, 2}}
	zero := 1600.0
	in, err = dated.Join(instance(t, func(s *model.InstanceSpec) { s.TimeZero = &zero }), true, tariff.Joined{Per: 1})
	if err != nil {
		t.Fatal(err)
	}
	if got := in.Spec().Tariff; !reflect.DeepEqual(got, &model.TariffSpec{Carbon: [][]float64{{0, 1}, {110, 2}}}) {
		t.Errorf("got %+v", got)
	}
}

func TestJoinRefuses(t *testing.T) {
	prices := &tariff.Series{Every: 3600, Values: []float64{1, 2, 3}}
	dated := &tariff.Series{Dated: true, Every: 3600, Values: []float64{1, 2, 3}}
	plain := func(*model.InstanceSpec) {}
	for _, c := range []struct {
		name   string
		series *tariff.Series
		vary   func(*model.InstanceSpec)
		how    tariff.Joined
		want   string
	}{
		{"a date of seconds", prices, plain, tariff.Joined{At: "2026-01-01"}, "parameter at: expected a number of seconds"},
		{"seconds of dates", dated, plain, tariff.Joined{At: "7"}, "parameter at: expected a date"},
		{"no date", dated, plain, tariff.Joined{}, "parameter at: expected the date of time 0"},
		{"before", prices, plain, tariff.Joined{At: "-1"}, "expected values at time 0 of the instance, -1; found values from 0 to 10800"},
		{"behind", prices, plain, tariff.Joined{At: "10800"}, "expected values at time 0 of the instance, 10800"},
		{"too short", prices, plain, tariff.Joined{At: "3601"}, "horizon.to: expected at most 119.98"},
		{"an unknown unit", prices, func(s *model.InstanceSpec) { s.Units.Time = "tick" }, tariff.Joined{}, "units.time: expected a unit of time"},
		{"of a cluster", prices, func(s *model.InstanceSpec) { s.Clusters[0].Tariff = &model.TariffSpec{Price: [][]float64{{0, 1}}} }, tariff.Joined{}, "clusters[0].tariff: expected no tariff of its own"},
		{"repeats", prices, func(s *model.InstanceSpec) { s.Tariff = &model.TariffSpec{Carbon: [][]float64{{0, 1}}, Period: 9} }, tariff.Joined{}, "tariff.period: expected a tariff that does not repeat"},
		{"another unit", prices, func(s *model.InstanceSpec) { s.Tariff = &model.TariffSpec{Carbon: [][]float64{{0, 1}}} }, tariff.Joined{}, "parameter per: expected 1, that of the tariff of the instance, found 60000"},
	} {
		_, err := c.series.Join(instance(t, c.vary), false, c.how)
		input, parameter := (*model.InputError)(nil), (*params.Error)(nil)
		if err == nil || !strings.HasPrefix(err.Error(), c.want) || !errors.As(err, &input) && !errors.As(err, &parameter) {
			t.Errorf("%s: got %v, want %s", c.name, err, c.want)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add("time,value\n0,1\n3600,-2.5\n", false)
	f.Add(exported+"1970-01-01 00:00:00,G,G,DE,1,2,5\n1970-01-01 01:00:00,G,G,DE,1,2,5\n", true)
	f.Add("time,value\n2026-03-01T00:00+01:00,1e9\n2026-03-01T00:30+01:00,2\n2026-03-01T01:00+01:00,3\n", false)
	f.Fuzz(func(t *testing.T, text string, direct bool) {
		s, err := tariff.Read(strings.NewReader(text), "x", tariff.Options{Direct: direct})
		if wrong := (*model.InputError)(nil); err != nil {
			if !errors.As(err, &wrong) || len(wrong.Faults) == 0 {
				t.Fatalf("error %v", err)
			}
			return
		}
		if len(s.Values) < 2 || !(s.Every > 0) {
			t.Fatalf("got %+v", s)
		}
		if _, err := s.Steps(s.Begin, 1); err != nil {
			t.Fatal(err)
		}
	})
}

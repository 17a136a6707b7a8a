package bench

import (
	"cmp"
	"encoding/csv"
	"errors"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/allot-opt/allot/formats/lines"
	"github.com/allot-opt/allot/model"
)

// BestKnownFile names a CSV file that states the best known objective of instances, such as those of a benchmark in the literature. No schedule
// comes with such a value, so allot cannot check it: it only compares with it.
type BestKnownFile struct {
	File     string `json:"file" check:"text" doc:"CSV file with a header line, in the folder of the instance files"`
	Instance string `json:"instance,omitempty" check:"text" doc:"column with the names of the instance files, with or without their extensions; absent: instance"`
	Value    string `json:"value" check:"text" doc:"column with the values; an empty cell states none"`
	Metric   string `json:"metric" check:"id" doc:"metric that the values are of; it must be the objective of the instances"`
}

// StatedBest is the best known objective of an instance, as a file states it.
type StatedBest struct {
	Metric   string  `json:"metric"`
	Value    float64 `json:"value"`
	Rounding float64 `json:"rounding"` // half a unit of the last digit that the file states; the true value may be lower by as much
	File     string  `json:"file"`     // as in the suite
}

// validate adds the faults of the fields.
func (b *BestKnownFile) validate(f *lines.Faults, path string, source *InstanceSource) {
	switch {
	case b == nil:
		return
	case source.Generate != "":
		f.At(path, "expected it beside files only, as it refers to them by name")
	case source.Measured != nil:
		f.At(path, "expected it without measured, as the values are of whole instances")
	}
	if m, ok := model.MetricNamed(b.Metric); !ok || m.PerCluster {
		f.At(path+".metric", "expected a metric with one value, see allot metrics; found %q", b.Metric)
	}
}

// read returns the values of the file, by the name of the instance file.
func (b *BestKnownFile) read(folder string) (values map[string]StatedBest, err error) {
	path := filepath.FromSlash(b.File)
	if !filepath.IsAbs(path) {
		path = filepath.Join(folder, path)
	}
	file, err := model.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	faults := lines.NewFaults(path)
	rows := csv.NewReader(file)
	header, err := rows.Read()
	if errors.Is(err, io.EOF) {
		faults.At("", "expected a header line, found nothing")
		return nil, faults.Err()
	}
	places := [2]int{}
	for k, column := range []string{b.column(), b.Value} {
		if places[k] = slices.Index(header, column); err == nil && places[k] < 0 {
			faults.Line(1, "expected a column %q, found %q", column, header)
			return nil, faults.Err()
		}
	}
	values = map[string]StatedBest{}
	for err == nil {
		var row []string
		if row, err = rows.Read(); err != nil {
			break
		}
		line, _ := rows.FieldPos(0)
		name, text := row[places[0]], row[places[1]]
		if text == "" {
			continue
		}
		value, wrong := strconv.ParseFloat(text, 64)
		if wrong != nil || math.IsNaN(value) || math.IsInf(value, 0) {
			faults.Line(line, "expected a number in column %q, found %q", b.Value, text)
			return nil, faults.Err()
		}
		if _, twice := values[name]; twice {
			faults.Line(line, "expected names that differ in column %q, found %q again", b.column(), name)
			return nil, faults.Err()
		}
		values[name] = StatedBest{Metric: b.Metric, Value: value, Rounding: lastDigit(text) / 2, File: b.File}
	}
	if !errors.Is(err, io.EOF) {
		faults.At("", "%s", err)
		return nil, faults.Err()
	}
	return values, nil
}

// bestKnown reads the best known values of the source's instances; nil: the source names no file.
func (source *InstanceSource) bestKnown(s *Suite) (map[string]StatedBest, error) {
	if source.BestKnown == nil {
		return nil, nil
	}
	folder, err := s.dataFolder()
	if err != nil {
		return nil, err
	}
	return source.BestKnown.read(folder)
}

// lastDigit returns the place value of the last digit of a number: 0.01 of 2.50, 1 of 47 and 100 of 1.25e4.
func lastDigit(text string) float64 {
	mantissa, exponent, _ := strings.Cut(strings.ToLower(text), "e")
	_, decimals, _ := strings.Cut(mantissa, ".")
	power, _ := strconv.Atoi(exponent) // 0 if there is none; the caller has read the number
	return math.Pow10(power - len(decimals))
}

// column is the column with the names of the instance files.
func (b *BestKnownFile) column() string {
	return cmp.Or(b.Instance, "instance")
}

// statedOf returns what the values say of an instance file, or nil if they do not name it. A value may name the file without its last extensions.
func statedOf(path string, values map[string]StatedBest) *StatedBest {
	for name := filepath.Base(path); name != ""; name = strings.TrimSuffix(name, filepath.Ext(name)) {
		if value, ok := values[name]; ok {
			return &value
		}
		if filepath.Ext(name) == "" {
			break
		}
	}
	return nil
}

// row returns the stated value as a row to compare with, or false if there is none.
func (p *PlannedInstance) row() (Row, bool) {
	if p.BestKnown == nil {
		return Row{}, false
	}
	return Row{Group: p.Group, Instance: p.Name, InstanceSHA256: p.SHA256, Jobs: p.Jobs, Minimised: p.BestKnown.Metric, Objective: &p.BestKnown.Value, Stated: p.BestKnown}, true
}

// Stated returns the best known objectives that files state, as rows without a schedule.
func (r *RunFile) Stated() []Row {
	var rows []Row
	for k := range r.Instances {
		if row, ok := r.Instances[k].row(); ok {
			rows = append(rows, row)
		}
	}
	return rows
}

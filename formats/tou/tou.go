// Package tou reads batches for one machine under time-of-use prices: the price of energy changes by the interval, and the machine has states that save power
// between jobs.
//
// Source: O. Benedikt, I. Módos, Z. Hanzálek (2020), "Power of pre-processing: production scheduling with variable energy pricing and power-saving states",
// CPAIOR 2020; the generator is at github.com/CTU-IIG/EnergyStatesAndCostsSchedulingData. The layout is that of data/tou.
//
// The unit of time is the interval. The machine has one processor; its busy power counts as idle plus the difference. The states that save power are named off1, off2
// and so on. The machine spends the first and the last interval in the first of them, as in the paper; the horizon leaves these two out. The objective is energy_cost. The optimum and the schedule of the file are passed over.
package tou

import (
	"errors"
	"fmt"
	"io"
	"regexp"

	"github.com/allot-opt/allot/formats"
	"github.com/allot-opt/allot/formats/lines"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/model/budget"
)

// formatName is the name of the format in reports.
const formatName = "tou"

var _ = formats.Register(formats.Info{
	Name: formatName, Doc: "a batch for one machine with prices by the interval and states that save power", Example: "allot import tou large-nosby-00.json", Order: 7,
	New: func() formats.Reader { return NewReader() }, JSON: true,
	Looks: func(begin string) bool { return fieldOfTimes.MatchString(begin) },
})

// fieldOfTimes finds the field that files of no other format have.
var fieldOfTimes = regexp.MustCompile(`"processing_times"\s*:\s*\[`)

// Reader reads a batch.
type Reader struct {
	Cluster string `doc:"'ID' of the cluster"`
}

// NewReader makes a reader with its defaults.
func NewReader() *Reader { return &Reader{Cluster: "cluster"} }

// file is a file of the format.
type file struct {
	Name    string    `json:"name,omitempty" check:"id"`
	Times   []float64 `json:"processing_times" check:"nonnegative"`
	Price   []float64 `json:"price" check:"finite"`
	Power   power     `json:"power"`
	Horizon int       `json:"horizon" check:"count"`

	Optimum *float64 `json:"optimum,omitempty" check:"figure"`
	Seconds string   `json:"gurobi_seconds,omitempty"`
	Status  int      `json:"status,omitempty" check:"copies"`
	Starts  []int    `json:"starts,omitempty" check:"copies"`
}

type power struct {
	Busy float64 `json:"busy" check:"nonnegative"`
	Idle float64 `json:"idle" check:"nonnegative"`
	Off  []off   `json:"off"`
}

type off struct {
	Power    float64 `json:"power" check:"nonnegative"`
	Shutdown way     `json:"shutdown"`
	Startup  way     `json:"startup"`
}

type way struct {
	Time  float64 `json:"time" check:"nonnegative"`
	Power float64 `json:"power" check:"nonnegative"`
}

// Read implements [formats.Reader]. Job k, from 1, is that of the k-th processing time.
//
// The error is a [*params.Error], or a [*model.InputError] that lists everything wrong with its JSON path: an unknown field, a number out of range, prices that
// are not one an interval, a busy power below that of the idle machine. Memory grows with the numbers in the file.
func (o *Reader) Read(r io.Reader, name string) (*model.Instance, *model.ImportReport, error) {
	if err := formats.Check(o, o.Cluster); err != nil {
		return nil, nil, err
	}
	var f file
	r, faults := lines.Begin(r, name)
	if err := model.ReadJSON(r, name, &f); err != nil {
		return nil, nil, err
	}
	if !faults.Names("processing_times", len(f.Times)*budget.NamesOf[model.JobSpec]()) {
		return nil, nil, faults.Err()
	}
	wrong := &model.InputError{File: name}
	fault := func(path, format string, args ...any) {
		wrong.Faults = append(wrong.Faults, model.Fault{Path: path, Message: fmt.Sprintf(format, args...)})
	}
	if len(f.Price) != f.Horizon {
		fault("price", "expected %d prices, one for each interval of the horizon, found %d", f.Horizon, len(f.Price))
	}
	if f.Power.Busy < f.Power.Idle {
		fault("power.busy", "expected at least the idle power, %v, found %v", f.Power.Idle, f.Power.Busy)
	}
	if off := f.Power.Off; len(off) > 0 {
		if f.Horizon < 3 {
			fault("horizon", "expected at least 3 intervals, of which the machine is off in the first and the last, found %d", f.Horizon)
		}
		if off[0].Power != 0 {
			fault("power.off[0].power", "expected 0, because the machine is in the state in the first and the last interval, which the horizon leaves out; found %v", off[0].Power)
		}
	}
	if len(wrong.Faults) > 0 {
		return nil, nil, wrong
	}
	in, err := model.New(f.spec(o.Cluster))
	if found := (*model.InputError)(nil); errors.As(err, &found) {
		found.File = name
	}
	if err != nil {
		return nil, nil, err
	}
	return in, &model.ImportReport{Format: formatName, File: name, Read: len(f.Times), Kept: len(f.Times)}, nil
}

// spec is the instance.
func (f *file) spec(cluster string) model.InstanceSpec {
	machine := &model.PowerSpec{Idle: f.Power.Idle, Busy: f.Power.Busy - f.Power.Idle}
	for k, state := range f.Power.Off {
		machine.Off = append(machine.Off, model.OffSpec{Name: fmt.Sprint("off", k+1), Power: state.Power, Down: model.WaySpec(state.Shutdown), Up: model.WaySpec(state.Startup)})
	}
	if len(machine.Off) > 0 {
		machine.Begin, machine.End = machine.Off[0].Name, machine.Off[0].Name
	}
	tariff := &model.TariffSpec{}
	for k, price := range f.Price {
		tariff.Price = append(tariff.Price, []float64{float64(k), price})
	}
	spec := model.InstanceSpec{
		Name:      f.Name,
		Units:     &model.Units{Time: "interval"},
		Objective: map[string]float64{"energy_cost": 1},
		Tariff:    tariff,
		Horizon:   &model.HorizonSpec{To: float64(f.Horizon)},
		Clusters:  []model.ClusterSpec{{ID: cluster, Machines: []model.MachineSpec{{ID: "machine", Power: machine}}}},
	}
	if len(machine.Off) > 0 { // the first and the last interval are spent off, at no cost
		spec.Horizon = &model.HorizonSpec{From: 1, To: float64(f.Horizon - 1)}
	}
	for k, time := range f.Times {
		spec.Jobs = append(spec.Jobs, model.JobSpec{ID: fmt.Sprint(k + 1), Work: new(time)})
	}
	return spec
}

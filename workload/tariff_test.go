package workload_test

import (
	"bytes"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/allot-opt/allot/formats/tariff"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/workload"
)

// The table in data/tariff is what the workload makes, as its SOURCE.md says.
func TestTariffData(t *testing.T) {
	w := workload.Default[workload.Tariff]()
	w.Days, w.FirstHour = 366, 14
	price, _, err := w.Hours(1)
	if err != nil {
		t.Fatal(err)
	}
	var made bytes.Buffer
	if err := tariff.Write(&made, &tariff.Series{Every: 3600, Values: price}); err != nil {
		t.Fatal(err)
	}
	if kept, err := os.ReadFile("../data/tariff/generated.csv"); err != nil || !bytes.Equal(kept, made.Bytes()) {
		t.Errorf("data/tariff/generated.csv is not what the workload makes: %v", err)
	}
}

// The means, the cycles and the noise are those of the recipe, and carbon follows the prices at half their height.
func TestTariffHours(t *testing.T) {
	w := workload.Default[workload.Tariff]()
	w.Days = 3640 // 520 weeks
	price, carbon, err := w.Hours(5)
	if err != nil {
		t.Fatal(err)
	}
	mean := func(values []float64, counts func(hour int) bool) float64 {
		sum, n := 0.0, 0.0
		for k, x := range values {
			if counts(k % 168) {
				sum, n = sum+x, n+1
			}
		}
		return sum / n
	}
	near := func(what string, got, want, by float64) {
		if math.Abs(got-want) > by {
			t.Errorf("%s: %v, expected %v", what, got, want)
		}
	}
	weekday := func(hour int) bool { return hour < 120 }
	weekend := func(hour int) bool { return hour >= 120 }
	near("weekdays", mean(price, weekday), 0.1, 0.001)
	near("weekends", mean(price, weekend), 0.085, 0.001)
	near("carbon of weekdays", mean(carbon, weekday), 300, 3)
	near("carbon of weekends", mean(carbon, weekend), 300*(1-0.15/2), 3)
	of := func(values []float64, hour int) float64 {
		return mean(values, func(h int) bool { return h < 120 && h%24 == hour })
	}
	for _, h := range []int{1, 13, 23} { // cheaper than the evening
		if of(price, h) > of(price, 18)-0.02 || of(carbon, h) > of(carbon, 18)-20 {
			t.Errorf("hour %d: %v and %v g, in the evening %v and %v g", h, of(price, h), of(carbon, h), of(price, 18), of(carbon, 18))
		}
	}
	square, follows, n := 0.0, 0.0, 0.0
	var usual [24]float64
	for h := range usual {
		usual[h] = of(price, h)
	}
	for k := range price[:len(price)-1] {
		if h := k % 168; h < 119 {
			a, b := price[k]-usual[h%24], price[k+1]-usual[(h+1)%24]
			square, follows, n = square+a*a, follows+a*b, n+1
		}
	}
	near("noise", math.Sqrt(square/n), 0.015, 0.001)
	near("noise of the hour before", follows/square, 0.9, 0.02)
}

// A share of the hours, the cheapest, have negative prices; the others are as they were.
func TestTariffNegative(t *testing.T) {
	w := workload.Default[workload.Tariff]()
	w.Days = 10
	before, _, err := w.Hours(3)
	if err != nil {
		t.Fatal(err)
	}
	w.Negative = 0.1
	price, _, err := w.Hours(3)
	if err != nil {
		t.Fatal(err)
	}
	below := 0
	most, least := 0.0, math.Inf(1)
	for k, x := range price {
		if x < 0 {
			below++
			most = max(most, before[k])
			continue
		}
		if x != before[k] {
			t.Errorf("hour %d: %v, was %v", k, x, before[k])
		}
		least = min(least, x)
	}
	if below != 24 || most > least {
		t.Errorf("%d hours of 240 are negative; they were at most %v, the others are at least %v", below, most, least)
	}
}

// The jobs take the load that was asked for, in quarters of an hour, and the horizon has room for each.
func TestTariffBatch(t *testing.T) {
	w := workload.Default[workload.Tariff]()
	for seed := range uint64(20) {
		in, err := w.Generate(seed)
		if err != nil {
			t.Fatal(err)
		}
		used := 0.0
		var widths []int
		for k := range in.Jobs() {
			j := &in.Jobs()[k]
			used += j.Work * float64(j.Min)
			widths = append(widths, j.Min)
			if j.Work <= 0 || math.Mod(j.Work, 900) != 0 || j.Work > 86400 {
				t.Errorf("seed %d: job %s takes %v", seed, j.ID, j.Work)
			}
		}
		if load := used / (32 * 86400); math.Abs(load-0.6) > 0.03 {
			t.Errorf("seed %d: load %v", seed, load)
		}
		if slices.Min(widths) != 1 || slices.Max(widths) != 8 {
			t.Errorf("seed %d: widths %v", seed, widths)
		}
		if in.Features()&^(model.ParallelJobs|model.HorizonLimits) != 0 {
			t.Errorf("seed %d: %s", seed, in.Features())
		}
	}
}

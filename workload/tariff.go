package workload

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/params"
)

var _ = Register(Info{
	Name: "tariff",
	Doc:  "rigid jobs on nodes that can sleep, where the price and the carbon of power change by the hour",
	Source: "allot; the cycles of prices, their return to the mean and negative prices are those that R. Weron (2014), Electricity price forecasting: a review of the state-of-the-art with a look into " +
		"the future, Int. J. Forecasting 30(4), doi:10.1016/j.ijforecast.2014.08.008, lists; the numbers are made up",
	New: func() Workload {
		return &Tariff{Jobs: 40, Days: 1, Nodes: 8, Processors: 4, Load: 0.6, Price: 0.1, Carbon: 300, Daily: 0.3, Weekly: 0.15, Noise: 0.15, Sleep: true}
	},
})

// Tariff is a batch under a tariff by the hour. The hours, from hour FirstHour of a week on, which begins on Monday at midnight:
//
//   - The daily cycle d(h), h from 0 to 24, is low at night and at noon, when the sun shines, and high in the morning and in the evening: a sum of two cosines with peaks near
//     8 h and 19 h, which lies in [−1, 1]. At weekends the prices are lower by Weekly, and the cycle is half as high.
//   - The noise is a sequence of first order: each hour is 0.9 of the hour before, and normal noise beside, so that its standard deviation is Noise. Wind makes it: prices and
//     carbon have the same, half of it for carbon.
//   - price = Price·(1 + Daily·d + noise − weekend), in EUR/kWh and in steps of 0.0001; carbon = Carbon·(1 + Daily·d/2 + noise/2 − weekend/2), in g/kWh and whole, at least 0.
//   - If Negative is above 0, that share of the hours, the cheapest, have prices below 0: what they lack of the cheapest of the others, and at least 0.0001.
//
// The batch: all jobs are there when the horizon of Days days begins. A job has 1, 2, 4 or 8 processors, but no more than all nodes have, each equally probable; run
// times are log-uniform from 0.5 to 8, and are then scaled so that all jobs take Load of the processors' time, in quarters of an hour. Nodes have Processors processors. One
// takes 90 W when it is on, 30 W more for each busy processor and, with Sleep, 6 W when it sleeps; it takes 5 minutes and 90 W to get there and 10 minutes and 120 W to get back.
// The objective is energy_cost. Units: s, W, EUR.
//
// O(jobs + hours·log hours).
type Tariff struct {
	Jobs       int     `range:"[1, 1000000]" doc:"number of jobs"`
	Days       int     `range:"[1, 3660]" doc:"days of the tariff, and of the horizon"`
	FirstHour  int     `range:"[0, 167]" doc:"hour of the week in which the tariff begins; 0: Monday at midnight"`
	Nodes      int     `range:"[1, 100000]" doc:"number of nodes"`
	Processors int     `range:"[1, 1024]" doc:"processors of a node"`
	Load       float64 `range:"(0, 1]" doc:"processors × time of the jobs ÷ what there is in the horizon"`
	Price      float64 `range:"[1e-3, 1e6]" doc:"mean price of a kWh"`
	Carbon     float64 `range:"[0, 1e6]" doc:"mean carbon of a kWh in g"`
	Daily      float64 `range:"[0, 10]" doc:"height of the daily cycle, relative to the mean"`
	Weekly     float64 `range:"[0, 1]" doc:"by how much weekends are cheaper, relative to the mean"`
	Noise      float64 `range:"[0, 10]" doc:"standard deviation of the noise, relative to the mean"`
	Negative   float64 `range:"[0, 1)" doc:"share of the hours with a price below 0"`
	Sleep      bool    `doc:"nodes can sleep"`
}

// Seconds.
const (
	tariffHour    = 3600.0
	tariffQuarter = 900.0
)

// Generate implements [Workload].
func (w *Tariff) Generate(seed uint64) (*model.Instance, error) {
	price, carbon, err := w.Hours(seed)
	if err != nil {
		return nil, err
	}
	to := float64(w.Days) * 24 * tariffHour
	b := model.NewBuilder(fmt.Sprintf("tariff-n%d-s%d", w.Jobs, seed)).Minimise("energy_cost", 1)
	s := b.Spec()
	s.Units = &model.Units{Time: "s", Work: "s", Cost: "EUR"}
	s.Horizon = &model.HorizonSpec{To: to}
	s.Tariff = &model.TariffSpec{Price: hourly(price), Carbon: hourly(carbon), Per: 3.6e6}
	power := &model.PowerSpec{Idle: 90, Busy: 30}
	if w.Sleep {
		power.Off = []model.OffSpec{{Name: "sleep", Power: 6, Down: model.WaySpec{Time: 300, Power: 90}, Up: model.WaySpec{Time: 600, Power: 120}}}
	}
	b.Cluster(model.ClusterSpec{ID: "nodes", Machines: []model.MachineSpec{{ID: "n", Count: w.Nodes, Processors: w.Processors, Power: power}}})
	w.jobs(b, rand.New(rand.NewPCG(seed, 0x6a6f6273)), to) // "jobs"
	return b.Build()
}

// jobs adds the jobs, which have until the end of the horizon.
func (w *Tariff) jobs(b *model.Builder, rng *rand.Rand, to float64) {
	widest := w.Nodes * w.Processors
	sizes, times, total := make([]int, w.Jobs), make([]float64, w.Jobs), 0.0
	for k := range sizes {
		sizes[k], times[k] = min(widest, 1<<rng.IntN(4)), math.Exp2(-1+4*rng.Float64())
		total += float64(sizes[k]) * times[k]
	}
	scale := w.Load * float64(widest) * to / total
	for k := range sizes {
		time := min(max(math.Round(times[k]*scale/tariffQuarter), 1), math.Floor(to/tariffQuarter)) * tariffQuarter
		b.Job(model.JobSpec{ID: "J" + strconv.Itoa(k+1), Processors: model.Rigid(sizes[k]), Work: &time})
	}
}

// Hours are the price and the carbon of each hour, see [Tariff]. The error is a [*params.Error].
func (w *Tariff) Hours(seed uint64) (price, carbon []float64, err error) {
	if err := params.Check(w); err != nil {
		return nil, nil, err
	}
	rng := rand.New(rand.NewPCG(seed, 0x746172696666)) // "tariff"
	const kept = 0.9                                   // of the noise of the hour before
	noise := w.Noise * rng.NormFloat64()
	for k := range 24 * w.Days {
		if k > 0 {
			noise = kept*noise + math.Sqrt(1-kept*kept)*w.Noise*rng.NormFloat64()
		}
		hour := (w.FirstHour + k) % 168
		cycle, weekend := dailyCycle(float64(hour%24)+0.5), 0.0
		if hour >= 5*24 {
			cycle, weekend = cycle/2, w.Weekly
		}
		price = append(price, w.Price*(1+w.Daily*cycle+noise-weekend))
		carbon = append(carbon, math.Round(max(0, w.Carbon*(1+(w.Daily*cycle+noise-weekend)/2))))
	}
	if below := int(math.Round(w.Negative * float64(len(price)))); below > 0 {
		least := slices.Sorted(slices.Values(price))[min(below, len(price)-1)]
		for k, x := range price {
			if x < least {
				price[k] = min(x-least, -1e-4)
			}
		}
	}
	for k, x := range price {
		price[k] = math.Round(x*1e4)/1e4 + 0 // no −0
	}
	return price, carbon, nil
}

// dailyCycle is what the hour of a day does to prices, from −1 to 1.
func dailyCycle(hour float64) float64 {
	day := 2 * math.Pi / 24
	return (0.5*math.Cos(day*(hour-15.5)) + 0.7*math.Cos(2*day*(hour-7.5))) / 1.2
}

// hourly are the values as pairs of time and value. Hours of equal value are one pair.
func hourly(values []float64) [][]float64 {
	var list [][]float64
	for k, x := range values {
		if k == 0 || x != values[k-1] {
			list = append(list, []float64{float64(k) * tariffHour, x})
		}
	}
	return list
}

package forecast

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/model"
)

// The jobs that arrive after T are those of whole days before T, each moved by a whole number of days, and each day after T has all jobs of one of them. There are
// none where the jobs go back for less than a day. All jobs are looked at for each, which shares no code with the draw.
func TestArrivalsAreThoseOfPastDays(t *testing.T) {
	exact, none := 0, 0
	rapid.Check(t, func(r *rapid.T) {
		var jobs []model.JobSpec
		at := 0.0
		for k := range rapid.IntRange(1, 12).Draw(r, "jobs") {
			at += float64(rapid.IntRange(0, 5).Draw(r, "gap"))
			jobs = append(jobs, model.JobSpec{ID: fmt.Sprint("j", k), Arrival: at, Work: new(2.0), Estimate: new(2.0)})
		}
		opt := Defaults()
		opt.Day, opt.Days = float64(rapid.IntRange(1, 8).Draw(r, "day")), rapid.IntRange(1, 4).Draw(r, "days")
		at += float64(rapid.IntRange(0, 8).Draw(r, "after"))
		if exactly := jobs[0].Arrival + opt.Day; exactly > at && rapid.IntRange(0, 2).Draw(r, "exactly a day") == 0 {
			at = exactly
		}
		in := buildAny(r, 1, jobs)
		truth, err := replay(t.Context(), in, under{discipline: disciplines()["easy"]}, opt.Seed)
		if err != nil {
			r.Fatal(err)
		}
		m := truth.momentAt(at, nil, newHistory(nil), &opt)
		back := at - jobs[0].Arrival
		days := min(int(math.Floor(back/opt.Day)), opt.Days)
		if back == opt.Day {
			exact++
		}
		if days == 0 {
			if none++; m.past != nil {
				r.Fatalf("jobs since %v before T, a day of %v: arrivals are drawn of %d days", back, opt.Day, m.past.days)
			}
			return
		}
		if m.past == nil || m.past.days != days {
			r.Fatalf("jobs since %v before T, a day of %v: past %+v, want %d days", back, opt.Day, m.past, days)
		}
		watch := starts{left: 1}
		l := &later{moment: m, watch: &watch, run: rapid.IntRange(0, 3).Draw(r, "run")}
		drawn := map[int][]int{} // by day after T: numbers of jobs
		for {
			number, arrives, more := l.arrival()
			if !more {
				break
			}
			day := int(math.Ceil((arrives-at)/opt.Day)) - 1
			shift := (arrives - truth.specs[number].Arrival) / opt.Day
			if shift != math.Trunc(shift) || shift < 1 || int(shift)-day-1 >= days || int(shift)-day < 1 {
				r.Fatalf("job %d of %v arrives at %v: on day %d after %v, from %v days back", number, truth.specs[number].Arrival, arrives, day, at, shift)
			}
			drawn[day] = append(drawn[day], number)
		}
		for day, numbers := range drawn {
			found := false
			for back := 1; back <= days; back++ {
				var all []int
				for k := range truth.specs {
					if from := at - float64(back)*opt.Day; truth.specs[k].Arrival > from && truth.specs[k].Arrival <= from+opt.Day {
						all = append(all, k)
					}
				}
				found = found || slices.Equal(all, numbers)
			}
			if !found || day >= horizon {
				r.Fatalf("day %d after T has the jobs %v, which are those of no day before it", day, numbers)
			}
		}
	})
	if exact < race.Enough(3) || none < race.Enough(3) {
		t.Errorf("%d cases of exactly a day, %d of less", exact, none)
	}
}

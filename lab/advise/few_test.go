package advise

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// A month counts with the jobs that it has, be it one: its factor, its advice and what it tells of later months are those of the definition.
func TestMonthsOfFewJobs(t *testing.T) {
	for lone := range 4 {
		var jobs []Past
		for hour := range 9 * 30 * 24 {
			used := 1000 + 1000*float64(hour*7%100)/100
			at := float64(hour) * 3600
			month, within := int(at/Month), hour%(30*24)
			if month >= 6 && (month%2 == 0 && within != 100 || month%2 == 1 && within%10 > lone) && within != 100*lone { // months of one or two jobs between others
				continue
			}
			jobs = append(jobs, Past{Kind: Kind{User: "u", Requested: 86400}, Arrival: at, End: at + used, Used: used, Processors: 1})
		}
		a := advise(jobs, rules)
		given, factor := adviseNaive(jobs, rules)
		if !slices.Equal(a.Given, given) || slices.Max(given) == 0 {
			t.Errorf("%d: the advice differs from the definition", lone)
		}
		few := 0
		for m, month := range a.Months {
			if month.Factor != factor[m+1] {
				t.Errorf("%d, month %d of %d jobs: factor %v, want %v", lone, m+1, month.Jobs, month.Factor, factor[m+1])
			}
			if month.Jobs == 1 || month.Jobs == 2 {
				if few++; month.Advised != month.Jobs {
					t.Errorf("%d, month %d: %d of %d jobs have advice", lone, m+1, month.Advised, month.Jobs)
				}
			}
		}
		if few == 0 {
			t.Errorf("%d: no month has one job or two", lone)
		}
	}
}

// What is known of memory, devices and limits is stated for one job as for many, and not for none.
func TestSentencesOfFewJobs(t *testing.T) {
	numbers := map[int]string{0: "", 1: "1 job", 2: "2 jobs", 1000: "1000 jobs"}
	for memory, ofMemory := range numbers {
		for devices, ofDevices := range numbers {
			p := NeedsPart{MemoryJobs: memory, DevicesJobs: devices, MemoryUsed: 0.5, DevicesUsed: 0.25}
			text := strings.Join(p.section(8).Lines, "\n")
			if none := memory+devices == 0; none != strings.Contains(text, "does not say what memory or devices jobs used") {
				t.Errorf("%d jobs with memory, %d with devices: %s", memory, devices, text)
			}
			for says, want := range map[string]string{": they used at their highest 50 % of the memory": ofMemory, " with GPUs: the GPUs were busy 25 % of the time": ofDevices} {
				if got := strings.Contains(text, says); got != (want != "") || got && !strings.Contains("\n"+text, "\n"+want+says) {
					t.Errorf("%d jobs with memory, %d with devices: %s", memory, devices, text)
				}
			}
		}
	}
	for asked, want := range map[int]string{0: "The trace states no time limits.", 1: "1 job asked for a limit; they used", 2: "2 jobs asked for a limit; they used"} {
		p := LimitsPart{Asked: asked}
		if text := strings.Join(p.section(8).Lines, "\n"); !strings.HasPrefix(text, want) {
			t.Errorf("%d jobs with a limit: %s", asked, text)
		}
	}
	for all := range 4 {
		want := ""
		if all > 2 {
			want = fmt.Sprintf("The table has 2 of %d rows; --json has all.", all)
		}
		if got := strings.Join(more(all, 2, "row"), ""); got != want {
			t.Errorf("%d rows: %q, want %q", all, got, want)
		}
	}
}

package cheap

import (
	"testing"
	"time"

	"github.com/allot-opt/allot/formats/swf"
	"github.com/allot-opt/allot/formats/tariff"
	"github.com/allot-opt/allot/internal/realdata"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/sim"
	"github.com/allot-opt/allot/sim/backfill"
)

// BenchmarkWaiting replays KTH-SP2 under easy, plain and with jobs that wait for cheaper starts, one right after the other. The ratio of their times includes that
// each job looks for its start. Target: at most 1.5.
func BenchmarkWaiting(b *testing.B) {
	const file, table = "KTH-SP2-1996-2.swf.gz", "generated.csv"
	in, _, err := swf.NewReader().Read(realdata.Open(b, "swf", file), file)
	if err != nil {
		b.Fatal(err)
	}
	series, err := tariff.Read(realdata.Open(b, "tariff", table), table, tariff.Options{})
	if err != nil {
		b.Fatal(err)
	}
	if in, err = series.Join(in, false, tariff.Joined{}); err != nil {
		b.Fatal(err)
	}
	trace, _, err := sim.TraceOf(in)
	if err != nil {
		b.Fatal(err)
	}
	replay := func(in *model.Instance, rules sim.Discipline) time.Duration {
		began := time.Now()
		totals, err := sim.Run(b.Context(), &sim.Trace{Jobs: trace.Jobs}, in.Processors(), rules, rules.Deferring(in, sim.Options{}))
		if err != nil || totals.Finished != int64(len(trace.Jobs)) {
			b.Fatal(totals.Finished, err)
		}
		return time.Since(began)
	}
	for _, rule := range rules {
		b.Run("rule="+rule, func(b *testing.B) {
			budget := DefaultBudget()
			budget.PriceBudget, budget.PriceRule = "6h", rule
			plain, waits := backfill.EASY(1, 1, backfill.DefaultRanking()), backfill.EASY(1, 1, backfill.DefaultRanking())
			waits.Defer = budget.Deferral
			var without, with time.Duration
			for b.Loop() {
				without += replay(in, plain)
				with += replay(in, waits)
			}
			b.ReportMetric(float64(with)/float64(without), "ratio")
			b.ReportMetric(float64(len(trace.Jobs))*float64(b.N)/with.Seconds(), "jobs/s")
		})
	}
}

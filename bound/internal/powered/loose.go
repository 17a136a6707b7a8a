package powered

// looseRates are, from the head of a job on, the least rates since then: by bucket, with their integral by limit.
type looseRates struct {
	job   int32 // −1: of none
	rate  []float64
	paid  []float64
	floor []int32 // by bucket: the last, as these rates do not rise
}

// newLooseRates makes room for the rates.
func newLooseRates(limits int) *looseRates {
	r := &looseRates{job: -1, rate: make([]float64, limits), paid: make([]float64, limits), floor: make([]int32, limits-1)}
	for b := range r.floor {
		r.floor[b] = int32(limits - 2)
	}
	return r
}

// set finds the rates of a loose way's job from those of its cluster. Before the bucket of the head they are that of this bucket.
func (r *looseRates) set(w *Way, limits, rate []float64) {
	r.job = w.job
	head := bucketOf(limits, w.Head)
	least := rate[head]
	for b := range len(limits) - 1 {
		if b > head {
			least = min(least, rate[b])
		}
		r.rate[b] = least
		r.paid[b+1] = r.paid[b] + least*(limits[b+1]-limits[b])
	}
}

// holdLoosely adds to the slope by the prices of a cluster what a loose way holds that starts at the time: each part of it in the bucket of the least rate from
// its head to then.
func (p *Problem) holdLoosely(slope []float64, w *Way, start float64) {
	c := &p.clusters[w.Cluster]
	rate := func(b int) float64 { return w.Power*c.rates[b] + c.price[b] }
	least := bucketOf(p.Limits, w.Head)
	first, end := bucketOf(p.Limits, start), start+w.Length
	for b := least; b < len(c.rates); b++ {
		if rate(b) < rate(least) {
			least = b
		}
		switch {
		case w.Length == 0 && b == first:
			slope[least] += w.Width
			return
		case w.Length > 0 && p.Limits[b] >= end && b > first:
			return
		case w.Length > 0 && b >= first:
			held := min(end, p.Limits[b+1]) - max(start, p.Limits[b])
			if b+2 == len(p.Limits) {
				held = end - max(start, p.Limits[b])
			}
			slope[least] += w.Width * max(0, held)
		}
	}
}

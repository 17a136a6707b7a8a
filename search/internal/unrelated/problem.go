package unrelated

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/allot-opt/allot/bound"
	"github.com/allot-opt/allot/model"
)

// problem is an instance as the engine sees it. The letter k stands for a position in jobs. Machines are the processors of all
// clusters, numbered in sequence. A weighted time is a time multiplied by the price of its machine and divided by unit.
// Weighted loads that sum to 1 stand for the lower bound.
type problem struct {
	in        *model.Instance
	weight    float64             // of the makespan in the objective
	jobs      []int               // the jobs that can run
	left      []model.Unscheduled // the jobs that cannot
	clusterOf []int32             // by machine
	first     []int               // by cluster: its first machine
	price     []float64           // by cluster: price of its processor time
	unit      float64             // lower bound of the makespan; not above 0: there is nothing to search
	rate      []float64           // by cluster: price/unit
	dense     []float64           // weighted times at k·C + c, for cluster c of C; nil: there are too many to keep
	// pairs are places for jobs in order of regret: the weighted time at the place less the least weighted time of the job. The
	// first best of them have no regret.
	pairs []pair
	best  int
	// fits lists, by cluster, the jobs of its pairs in order of regret.
	fits [][]int32
	// places lists, by job, the clusters of its pairs in order of regret.
	places [][]int32
}

// pair is a place for a job: the position k of the job and a cluster.
type pair struct{ k, cluster int32 }

// Limits of what the engine keeps: weighted times, places for each job, pairs of job and cluster that prices are found from.
const (
	maxDense  = 1 << 23
	maxPlaces = 24
	maxSample = 500_000
)

// newProblem prepares an instance. The result is incomplete if ctx ends.
func newProblem(ctx context.Context, in *model.Instance, start *model.Solution) *problem {
	p := &problem{in: in, first: firstMachines(in)}
	for c := range in.Clusters() {
		for range in.Clusters()[c].Processors {
			p.clusterOf = append(p.clusterOf, int32(c))
		}
	}
	longest := p.split(ctx, start)
	if ctx.Err() != nil || len(p.jobs) == 0 {
		return p
	}
	p.findPrices(ctx)
	p.unit = max(p.unit, longest)
	if ctx.Err() != nil || !(p.unit > 0) || math.IsInf(p.unit, 0) {
		return p
	}
	p.rate = make([]float64, len(p.price))
	for c, price := range p.price {
		p.rate[c] = price / p.unit
	}
	p.findPairs(ctx)
	return p
}

// time is the time of a job on a cluster; +Inf if it cannot run there.
func (p *problem) time(job, cluster int) float64 {
	t := p.in.DurationOn(job, cluster, 1)
	if t != t {
		return math.Inf(1)
	}
	return t
}

// weighted is the weighted time of the job at position k.
func (p *problem) weighted(k, cluster int) float64 {
	if p.dense != nil {
		return p.dense[k*len(p.rate)+cluster]
	}
	return p.time(p.jobs[k], cluster) * p.rate[cluster]
}

// split separates the jobs that can run from those that cannot, and returns the longest of the least times of those that can run. The
// others keep the reasons that the start gives.
func (p *problem) split(ctx context.Context, start *model.Solution) (longest float64) {
	nowhere := map[string]bool{}
	for j := range p.in.Jobs() {
		if j%64 == 0 && ctx.Err() != nil {
			return 0
		}
		least := math.Inf(1)
		for c := range p.in.Clusters() {
			least = min(least, p.time(j, c))
		}
		if math.IsInf(least, 1) {
			nowhere[p.in.Jobs()[j].ID] = true
			continue
		}
		p.jobs = append(p.jobs, j)
		longest = max(longest, least)
	}
	for _, u := range start.Unscheduled {
		if nowhere[u.Job] {
			p.left = append(p.left, u)
		}
	}
	return longest
}

// findPrices finds the prices of the clusters and the lower bound that they prove. If there are too many jobs it takes evenly
// spaced ones.
func (p *problem) findPrices(ctx context.Context) {
	clusters := p.in.Clusters()
	processors, speeds := make([]int, len(clusters)), make([]float64, len(clusters))
	for c := range clusters {
		processors[c], speeds[c] = clusters[c].Processors, clusters[c].Machines[0].Speed
	}
	sample := min(len(p.jobs), max(maxSample/len(clusters), 2*len(clusters)))
	rows := make([]float64, sample*len(clusters))
	for s := range sample {
		if s%64 == 0 && ctx.Err() != nil {
			return
		}
		for c := range clusters {
			rows[s*len(clusters)+c] = p.time(p.jobs[s*len(p.jobs)/sample], c)
		}
	}
	found := bound.FindPrices(ctx, processors, speeds, sample, func(s int) []float64 { return rows[s*len(clusters):][:len(clusters)] })
	total := 0.0
	for c := range found.Price { // no price is so low that loads vanish
		found.Price[c] = max(found.Price[c], 1e-6/float64(len(p.clusterOf)))
		total += found.Price[c] * float64(processors[c])
	}
	for c := range found.Price {
		found.Price[c] /= total
	}
	p.price = found.Price
	for k, job := range p.jobs {
		if k%64 == 0 && ctx.Err() != nil {
			return
		}
		least := math.Inf(1)
		for c := range clusters {
			least = min(least, p.price[c]*p.time(job, c))
		}
		p.unit += least
	}
}

// findPairs lists the places of each job that have the least regret.
func (p *problem) findPairs(ctx context.Context) {
	C := len(p.rate)
	if len(p.jobs)*C <= maxDense {
		p.dense = make([]float64, 0, len(p.jobs)*C)
	}
	var places []pair
	var regrets []float64
	type place struct {
		cluster int32
		w       float64
	}
	row := make([]place, 0, maxPlaces+1) // of a job, the least first
	for k, job := range p.jobs {
		if k%64 == 0 && ctx.Err() != nil {
			return
		}
		row = row[:0]
		for c := range C {
			w := p.time(job, c) * p.rate[c]
			if p.dense != nil {
				p.dense = append(p.dense, w)
			}
			if math.IsInf(w, 1) || len(row) == maxPlaces && w >= row[len(row)-1].w {
				continue
			}
			at := len(row)
			for at > 0 && row[at-1].w > w {
				at--
			}
			row = slices.Insert(row, at, place{int32(c), w})
			row = row[:min(len(row), maxPlaces)]
		}
		for _, r := range row {
			places, regrets = append(places, pair{int32(k), r.cluster}), append(regrets, r.w-row[0].w)
		}
	}
	order := increasing(ctx, regrets)
	if order == nil {
		return
	}
	p.pairs = make([]pair, len(places))
	p.fits, p.places = make([][]int32, C), make([][]int32, len(p.jobs))
	for to, from := range order {
		pair := places[from]
		if regrets[from] == 0 {
			p.best++
		}
		p.pairs[to] = pair
		p.fits[pair.cluster] = append(p.fits[pair.cluster], pair.k)
		p.places[pair.k] = append(p.places[pair.k], pair.cluster)
	}
}

// increasing is the order of numbers, which are at least 0; equal numbers stay in order of position. It sorts bucket by bucket,
// so that it can stop between two buckets; nil if ctx ends.
func increasing(ctx context.Context, numbers []float64) []int32 {
	const shift = 46 // buckets of 64 to an octave
	bucket := func(x float64) uint64 { return math.Float64bits(max(x, 0)) >> shift }
	ends := make([]int32, 1<<(64-shift-1)+1)
	for _, x := range numbers {
		ends[bucket(x)+1]++
	}
	for b := range len(ends) - 1 {
		ends[b+1] += ends[b]
	}
	order := make([]int32, len(numbers))
	for k, x := range numbers {
		order[ends[bucket(x)]] = int32(k)
		ends[bucket(x)]++
	}
	from := int32(0)
	for _, to := range ends {
		if to-from > 1 {
			if ctx.Err() != nil {
				return nil
			}
			slices.SortStableFunc(order[from:to], func(a, b int32) int { return cmp.Compare(numbers[a], numbers[b]) })
		}
		from = max(from, to)
	}
	return order
}

// settle returns a machine for each job that can run. A job that the start leaves out goes where its weighted time is least. If
// unit is 0, each job takes no time somewhere and goes there.
func (p *problem) settle(at []int32) []int32 {
	placed := make([]int32, len(p.jobs))
	for k, job := range p.jobs {
		placed[k] = at[job]
		if p.unit == 0 {
			for c := range p.in.Clusters() {
				if p.time(job, c) == 0 {
					placed[k] = int32(p.first[c])
				}
			}
			continue
		}
		if at[job] >= 0 {
			continue
		}
		least := math.Inf(1)
		for c := range p.price {
			if w := p.time(job, c) * p.price[c]; w < least {
				least, placed[k] = w, int32(p.first[c])
			}
		}
	}
	return placed
}

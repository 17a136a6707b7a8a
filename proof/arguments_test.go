package proof_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/proof"
)

// Arguments about areas and single jobs prove what the formulas say, on instances of all kinds, whether or not jobs with hard deadlines are owed.
func TestArgumentsProveWhatTheyShould(t *testing.T) {
	race.OneGoroutine(t)
	rng, seen := rand.New(rand.NewPCG(1, 7)), tally{}
	for range race.Fewer(1500, 120) {
		n := odd(t, rng)
		n.everything(t, rng, seen)
		n.omitting().everything(t, rng, seen)
	}
	for _, kind := range []string{"chain", "raised chain", "raised over", "no chain refuted", "area", "area of weights", "weights refuted", "area of a licence", "unlimited refuted", "pigeonhole", "energetic verified", "energetic refuted",
		"energetic not certified", "energetic memory verified", "energetic memory refuted", "area of memory", "memory without limit refuted", "licence and memory refuted", "energetic licence verified", "energetic licence refuted", "mean", "mean of some", "mean of any", "over", "missed", "unfinished", "finished", "mcp", "cost", "over_budget", "workflow_failures", "area levels", "area levels not certified"} {
		if seen[kind] < race.Fewer(40, 1) {
			t.Errorf("%s: %d cases, the test says little: %v", kind, seen[kind], seen)
		}
	}
}

func (n *naive) everything(t *testing.T, rng *rand.Rand, seen tally) {
	if len(n.must) == 0 {
		n.says(t, seen, "nothing", "makespan", 1e-3, proof.Refuted, proof.Argument{Area: &proof.Area{Prices: make([]float64, len(n.in.Clusters()))}})
		return
	}
	n.chain(t, rng, seen)
	n.areas(t, rng, seen)
	n.holes(t, rng, seen)
	n.intervals(t, rng, seen)
	n.alone(t, seen)
	n.blocks(t, seen)
}

func (n *naive) chain(t *testing.T, rng *rand.Rand, seen tally) {
	jobs := []int{n.must[rng.IntN(len(n.must))]}
	value := n.head[jobs[0]] + n.least[jobs[0]]
	for {
		last := jobs[len(jobs)-1]
		next := slices.IndexFunc(n.must, func(j int) bool { return slices.Contains(n.in.Jobs()[j].After, last) && rng.IntN(3) > 0 })
		if next < 0 {
			break
		}
		jobs = append(jobs, n.must[next])
		value = max(value, n.head[n.must[next]]) + n.least[n.must[next]]
	}
	n.proves(t, seen, "chain", "makespan", value, proof.Argument{CriticalPath: &proof.CriticalPath{Jobs: jobs}})
	other := rng.IntN(len(n.in.Jobs()) + 2)
	last := jobs[len(jobs)-1]
	if other >= len(n.in.Jobs()) || !n.has[other] || !slices.Contains(n.in.Jobs()[other].After, last) {
		n.says(t, seen, "no chain", "makespan", 1e-3, proof.Refuted, proof.Argument{CriticalPath: &proof.CriticalPath{Jobs: append(jobs, other)}})
	}
}

func (n *naive) areas(t *testing.T, rng *rand.Rand, seen tally) {
	jobs := n.some(rng)
	listed := jobs
	if rng.IntN(3) == 0 {
		jobs, listed = n.must, nil
	}
	prices, capacity, work := make([]float64, len(n.in.Clusters())), 0.0, 0.0
	for c := range prices {
		prices[c] = float64(rng.IntN(4))
		capacity += prices[c] * float64(n.in.Clusters()[c].Processors)
	}
	for _, j := range jobs {
		least := math.Inf(1)
		for c, price := range prices {
			if x := n.area(j, c); !math.IsInf(x, 1) {
				least = min(least, price*x)
			}
		}
		work += least
	}
	by := proof.Argument{Area: &proof.Area{Jobs: listed, Prices: prices}}
	if capacity == 0 {
		n.says(t, seen, "no capacity", "makespan", 1e-3, proof.Refuted, by)
	} else {
		n.proves(t, seen, "area", "makespan", work/capacity+n.around(jobs), by)
	}
	n.weighted(t, rng, seen, jobs, prices)
	n.remembered(t, rng, seen, jobs, prices)
	if len(n.in.Licences()) == 0 {
		return
	}
	by = proof.Argument{Area: &proof.Area{Jobs: listed, Licence: "l"}}
	switch copies := n.copies(); copies {
	case -1:
		n.says(t, seen, "unlimited", "makespan", 1e-3, proof.Refuted, by)
	case 0:
		n.says(t, seen, "no copies", "makespan", 1e-3, proof.Refuted, by)
	default:
		work = 0
		for _, j := range jobs {
			work += n.needs(j) * n.least[j]
		}
		n.proves(t, seen, "area of a licence", "makespan", work/float64(copies)+n.around(jobs), by)
	}
}

// remembered gives the memory of the clusters prices besides. A job holds its memory on each of its processors.
func (n *naive) remembered(t *testing.T, rng *rand.Rand, seen tally, jobs []int, prices []float64) {
	memory, capacity, unlimited := n.memoryPrices(rng)
	for c := range prices {
		capacity += prices[c] * float64(n.in.Clusters()[c].Processors)
	}
	work := 0.0
	for _, j := range jobs {
		least := math.Inf(1)
		for c, price := range prices {
			if x := n.area(j, c); !math.IsInf(x, 1) {
				least = min(least, (price+memory[c]*n.specs[j].Memory)*x)
			}
		}
		work += least
	}
	by := proof.Argument{Area: &proof.Area{Jobs: jobs, Prices: prices, Memory: memory}}
	switch {
	case unlimited || capacity == 0:
		n.says(t, seen, "memory without limit", "makespan", 1e-3, proof.Refuted, by)
	default:
		n.proves(t, seen, "area of memory", "makespan", work/capacity+n.around(jobs), by)
	}
	by.Area.Weights = make([][]proof.Weight, len(prices))
	n.says(t, seen, "memory and weights", "makespan", 1e-3, proof.Refuted, by)
}

// memoryPrices are prices of the memory of the clusters, what all of it is worth, and whether some of it is not limited.
func (n *naive) memoryPrices(rng *rand.Rand) (prices []float64, capacity float64, unlimited bool) {
	for _, cluster := range n.in.Clusters() {
		all := 0.0
		for _, m := range cluster.Machines {
			all += float64(m.Count) * m.Memory
		}
		price := float64(rng.IntN(3))
		if math.IsInf(all, 1) && rng.IntN(4) > 0 {
			price = 0
		}
		prices = append(prices, price)
		if unlimited = unlimited || price > 0 && math.IsInf(all, 1); price > 0 {
			capacity += price * all
		}
	}
	return prices, capacity, unlimited
}

// weighted gives the jobs weights by their size.
func (n *naive) weighted(t *testing.T, rng *rand.Rand, seen tally, jobs []int, prices []float64) {
	weights, capacity := make([][]proof.Weight, len(prices)), 0.0
	for c := range weights {
		for _, size := range rng.Perm(4) {
			if rng.IntN(3) > 0 {
				weights[c] = append(weights[c], proof.Weight{Size: size + 1, Weight: rng.IntN(5)})
			}
		}
		capacity += prices[c] * heaviest(weights[c], n.in.Clusters()[c].Processors)
	}
	by := proof.Argument{Area: &proof.Area{Jobs: jobs, Prices: prices, Weights: weights}}
	if slices.ContainsFunc(jobs, func(j int) bool { return !n.rectangle(j) }) {
		n.says(t, seen, "weights", "makespan", 1e-3, proof.Refuted, by)
		return
	}
	work := 0.0
	for _, j := range jobs {
		least := math.Inf(1)
		for c, price := range prices {
			if n.in.CanRun(j, c) {
				size, time := n.on(j, c)
				weight := 0
				for _, w := range weights[c] {
					if w.Size == size {
						weight = w.Weight
					}
				}
				least = min(least, price*float64(weight)*time)
			}
		}
		work += least
	}
	if capacity == 0 {
		n.says(t, seen, "no weight", "makespan", 1e-3, proof.Refuted, by)
		return
	}
	n.proves(t, seen, "area of weights", "makespan", work/capacity+n.around(jobs), by)
}

// heaviest is the most that jobs of the sizes weigh that fit beside each other, found by trying all.
func heaviest(weights []proof.Weight, room int) float64 {
	most := 0.0
	for k, w := range weights {
		if w.Size <= room {
			most = max(most, float64(w.Weight)+heaviest(weights[k:], room-w.Size))
		}
	}
	return most
}

func (n *naive) holes(t *testing.T, rng *rand.Rand, seen tally) {
	jobs := n.some(rng)
	times := make([]float64, len(jobs))
	for k, j := range jobs {
		times[k] = n.least[j]
	}
	slices.Sort(times)
	value := n.around(jobs)
	for k := range times {
		if k*n.in.Processors() < len(jobs) { // one processor has k + 1 of them
			value += times[k]
		}
	}
	n.proves(t, seen, "pigeonhole", "makespan", value, proof.Argument{Pigeonhole: &proof.Pigeonhole{Jobs: jobs}})
}

func (n *naive) intervals(t *testing.T, rng *rand.Rand, seen tally) {
	makespan := 0.25
	for _, j := range n.must {
		makespan = max(makespan, n.head[j]+n.least[j]+n.tail[j])
	}
	makespan *= []float64{0.5, 1, 1, 1.25, 1.5}[rng.IntN(5)]
	from := makespan * float64(rng.IntN(4)) / 8
	to := from + makespan*float64(1+rng.IntN(6))/8
	prices, capacity := make([]float64, len(n.in.Clusters())), 0.0
	memory, all, unlimited := n.memoryPrices(rng)
	if rng.IntN(2) == 0 {
		memory, all, unlimited = nil, 0, false
	}
	capacity = all
	for c := range prices {
		prices[c] = float64(rng.IntN(3))
		capacity += prices[c] * float64(n.in.Clusters()[c].Processors)
	}
	rectangles := true
	for j := range n.in.Jobs() {
		rectangles = rectangles && n.rectangle(j)
	}
	need, over := 0.0, false
	copies, of, overLicence := n.copies(), 0.0, false
	held := func(j int, time float64) float64 { // in the interval; +Inf: it does not end in time
		end := makespan - n.tail[j]
		if n.head[j]+time > end {
			return math.Inf(1)
		}
		return max(0, min(to-from, time, n.head[j]+time-from, to-(end-time)))
	}
	for _, j := range n.must {
		least := math.Inf(1)
		for c, price := range prices {
			if size, time := n.on(j, c); n.in.CanRun(j, c) {
				if x := held(j, time); !math.IsInf(x, 1) {
					if memory != nil {
						price += memory[c] * n.specs[j].Memory
					}
					least = min(least, x*float64(size)*price)
				}
			}
		}
		need, over = need+least, over || math.IsInf(least, 1)
		if x := held(j, n.least[j]); math.IsInf(x, 1) {
			overLicence = true
		} else {
			of += x * n.needs(j)
		}
	}
	verdict := func(refutes bool) proof.Verdict {
		if refutes {
			return proof.Verified
		}
		return proof.Refuted
	}
	want, kind := verdict(over || need > capacity*(to-from)), "energetic"
	if memory != nil {
		kind = "energetic memory"
	}
	if unlimited {
		want = proof.Refuted
	} else if !rectangles {
		want = proof.NotCertified
	}
	n.says(t, seen, kind, "makespan", makespan, want, proof.Argument{Energetic: &proof.Energetic{Makespan: makespan, From: from, To: to, Prices: prices, Memory: memory}})
	if len(n.in.Licences()) > 0 {
		n.says(t, seen, "energetic licence", "makespan", makespan, verdict(copies >= 0 && (overLicence || of > float64(copies)*(to-from))),
			proof.Argument{Energetic: &proof.Energetic{Makespan: makespan, From: from, To: to, Licence: "l"}})
		if memory != nil {
			n.says(t, seen, "licence and memory", "makespan", makespan, proof.Refuted, proof.Argument{Energetic: &proof.Energetic{Makespan: makespan, From: from, To: to, Licence: "l", Memory: memory}})
			n.says(t, seen, "licence and memory", "makespan", 1e-3, proof.Refuted, proof.Argument{Area: &proof.Area{Licence: "l", Memory: memory}})
		}
	}
}

func (n *naive) alone(t *testing.T, seen tally) {
	by := proof.Argument{EachAlone: &proof.EachAlone{}}
	proves := func(metric string) {
		kind, x := metric, n
		if slices.Contains(omission, metric) {
			x = n.omitting()
		}
		if metric == "over_deadline" {
			kind = "over"
		}
		value := x.counts()[metric]
		if x.proves(t, seen, kind, metric, value, by); value == 0 && kind != "over" {
			seen[kind]--
		}
	}
	for _, metric := range []string{"over_deadline", "missed", "miss_rate", "unfinished", "finished", "data_moved", "work_done", "cost", "over_budget", "workflow_failures", "mean_slowdown", "slowdown_without_deadline", "bounded_slowdown"} {
		proves(metric)
	}
	for metric, value := range map[string]func(j int) float64{
		"mean_response": func(j int) float64 { return n.head[j] + n.least[j] + n.first - n.in.Jobs()[j].Arrival },
		"mean_wait":     func(j int) float64 { return n.head[j] + n.first - n.in.Jobs()[j].Arrival },
		"mcp":           n.performance,
	} {
		kind := "mean"
		if metric == "mcp" {
			kind = "mcp"
		} else if !n.all {
			kind = "mean of some"
		}
		if n.open() {
			seen["mean of any"]++
		}
		n.proves(t, seen, kind, metric, n.leastMean(value), by)
	}
}

// omission are the metrics that count what a schedule leaves out.
var omission = []string{"missed", "miss_rate", "unfinished", "finished", "data_moved", "work_done", "workflow_failures"}

// open says that a schedule may place some job or leave it out.
func (n *naive) open() bool {
	for j, has := range n.has {
		if !has && !n.never[j] {
			return true
		}
	}
	return false
}

// counts are the least values of metrics that add up over jobs.
func (n *naive) counts() map[string]float64 {
	count := map[string]float64{}
	for j := range n.in.Jobs() {
		job, late := &n.in.Jobs()[j], false
		if dated := n.specs[j].Deadline != nil; dated {
			late = n.never[j] || n.head[j]+n.least[j]+n.first > job.Deadline+1e-6
			count["dated"]++
		}
		if late {
			count["missed"]++
		}
		if n.never[j] {
			count["unfinished"]++
		}
		if !n.has[j] {
			continue
		}
		count["finished"]++
		count["bounded_slowdown"] = 1
		count["data_moved"] += n.specs[j].Input + n.specs[j].Output
		count["work_done"] += float64(job.Tasks) * job.Work
		count["cost"] += n.price(j)
		if n.specs[j].Budget != nil && n.price(j) > *n.specs[j].Budget+1e-6 {
			count["over_budget"]++
		}
		if n.least[j] > 0 {
			count["mean_slowdown"] = 1
			if n.specs[j].Deadline == nil {
				count["slowdown_without_deadline"] = 1
			}
		}
		count["over_deadline"] += max(0, n.head[j]+n.least[j]+n.first-job.Deadline)
	}
	count["miss_rate"] = 100 * count["missed"] / max(1, count["dated"])
	count["workflow_failures"] = n.failures()
	return count
}

// leastMean tries all sets of jobs that a schedule may place.
func (n *naive) leastMean(value func(j int) float64) float64 {
	if len(n.must) == 0 {
		return 0
	}
	least := math.Inf(1)
	for set := range 1 << len(n.specs) {
		sum, count, allowed := 0.0, 0.0, true
		for j := range n.specs {
			placed := set>>j&1 == 1
			if allowed = allowed && (placed || !n.has[j]) && (!placed || !n.never[j]); allowed && placed {
				sum, count = sum+value(j), count+1
			}
		}
		if allowed {
			least = min(least, sum/count)
		}
	}
	return least
}

// performance is the least cp that a job alone on a cluster leaves it, without idle time.
func (n *naive) performance(j int) float64 {
	least := math.Inf(1)
	for c := range n.in.Clusters() {
		if time := n.shortest(j, c); !math.IsInf(time, 1) {
			over, makespan, _ := n.weights(c)
			end := n.head[j] + time
			least = min(least, makespan*end+over*max(0, end+n.first-n.in.Jobs()[j].Deadline))
		}
	}
	return least
}

// price is the least cost of a job: on one group of machines, which takes all of its tasks.
func (n *naive) price(j int) float64 {
	least, job := math.Inf(1), &n.in.Jobs()[j]
	for c := range n.in.Clusters() {
		cluster := &n.in.Clusters()[c]
		if math.IsInf(n.area(j, c), 1) {
			continue
		}
		for g := range cluster.Machines {
			m := &cluster.Machines[g]
			held := float64(job.Tasks) * n.time(j, c, 1, m.Speed, math.Inf(1))
			if cluster.Uniform {
				held = n.area(j, c)
			}
			if n.in.ProcessorsFor(job, m) > 0 {
				least = min(least, held*m.Cost)
			}
		}
	}
	return least
}

// failures is the number of workflows that fail however early and cheap their jobs are.
func (n *naive) failures() (failed float64) {
	for k, w := range n.in.Workflows() {
		end, cost := math.Inf(-1), 0.0
		for j := range n.specs {
			switch {
			case n.in.Jobs()[j].Workflow != k:
			case n.never[j]:
				end = math.Inf(1)
			default:
				end, cost = max(end, n.head[j]+n.least[j]+n.first), cost+n.price(j)
			}
		}
		if end > w.Deadline+1e-6 || math.IsInf(end, 1) || cost > w.Budget+1e-6 {
			failed++
		}
	}
	return failed
}

// blocks tries all ways to share the jobs among the clusters by their least areas at speed 1: a cluster takes its part of the work at its highest speed.
func (n *naive) blocks(t *testing.T, seen tally) {
	by := proof.Argument{AreaLevels: &proof.AreaLevels{}}
	spread := false
	for j := range n.in.Jobs() {
		spread = spread || n.grid(j)
	}
	if !n.all || spread {
		n.says(t, seen, "area levels", "mcp", 1e-3, proof.NotCertified, by)
		return
	}
	clusters := n.in.Clusters()
	fastest, areas, runs := make([]float64, len(clusters)), make([]float64, len(n.specs)), make([]bool, len(clusters))
	for c := range clusters {
		for _, m := range clusters[c].Machines {
			fastest[c] = max(fastest[c], m.Speed)
		}
	}
	for j := range areas {
		areas[j] = math.Inf(1)
		for c := range clusters {
			if x := n.area(j, c); !math.IsInf(x, 1) {
				runs[c], areas[j] = true, min(areas[j], x*fastest[c])
			}
		}
	}
	least, jobs, work := math.Inf(1), make([]float64, len(clusters)), make([]float64, len(clusters))
	var share func(j int)
	share = func(j int) {
		if j == len(areas) {
			sum := 0.0
			for c := range clusters {
				_, makespan, _ := n.weights(c)
				sum += jobs[c] * work[c] * makespan / float64(clusters[c].Processors) / fastest[c]
			}
			least = min(least, sum/float64(len(areas)))
			return
		}
		for c := range clusters {
			if runs[c] {
				jobs[c], work[c] = jobs[c]+1, work[c]+areas[j]
				share(j + 1)
				jobs[c], work[c] = jobs[c]-1, work[c]-areas[j]
			}
		}
	}
	share(0)
	n.proves(t, seen, "area levels", "mcp", least, by)
}

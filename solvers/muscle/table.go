package muscle

import (
	"math"
	"math/bits"
	"slices"

	"github.com/allot-opt/allot/internal/kit"
)

// compositionTable is MUSCLE's table of the compositions of jobs that fill a space exactly (§4.1, Table 2), with the
// state of its search (§4.2). Jobs are numbered in queue order, rows by their number of processors from 1.
//
// A composition is stored as the job that was appended and the number of the composition of the others, so that it takes
// 12 bytes with its place in the row, however many jobs it holds.
type compositionTable struct {
	sizes []int32             // by job: its processors
	all   []*compositionBlock // by number, from 1, in blocks: growing moves nothing
	size  uint32              // the next number
	rows  []*compositionRow   // nil: no composition ("NULL")
	next  map[int32][]int32   // by size s and row r: the first head in row r − s that may still be disjoint from row r
	state []packState         // by job
	left  []int               // by size: jobs not yet allocated
	some  []int               // the sizes that jobs have, ascending
	least int                 // no job not yet allocated is smaller
	count int                 // the jobs not yet allocated
	q     []int32             // the jobs found for the space, in order
	walks []uint32            // of Algorithm 2: the rests of the compositions that it is looking through, innermost last
	calls uint32              // top-level calls of Algorithm 2
	last  []uint32            // by composition: the last of these calls that looked through it; nil: none yet
	sums  []uint64            // bit r: some of the jobs not yet allocated have r processors together; empty: not known yet
	poll  *kit.Poll

	source uint32 // the composition from which the last call of fill chose its jobs
	taken  int32  // how many jobs of it were taken before
	row    int    // and its row, the processors that the jobs fill
}

// packState says whether a job is taken: allocated, or in q, which counts as allocated.
type packState uint8

const (
	packFree packState = iota
	packQueued
	packAllocated
)

// composition is (head, the jobs of the composition numbered rest, in order); 0 is no job.
type composition struct {
	head int32
	rest uint32
}

// compositionBlock holds the compositions of successive numbers.
type compositionBlock [1 << 12]composition

// at is the composition with number n.
func (t *compositionTable) at(n uint32) composition {
	const block = uint32(len(compositionBlock{}))
	return t.all[n/block][n%block]
}

// add stores a composition and returns its number.
func (t *compositionTable) add(c composition) uint32 {
	const block = uint32(len(compositionBlock{}))
	n := t.size
	t.size++
	if n/block == uint32(len(t.all)) {
		t.all = append(t.all, &compositionBlock{})
	}
	t.all[n/block][n%block] = c
	return n
}

// compositionRow is one row of the table. Heads ascend from first to last, as jobs are appended in queue order.
type compositionRow struct {
	list    []uint32 // numbers of the compositions
	heads   []uint64 // bit j: job j heads a composition
	before  []int32  // by word of heads: the compositions before those with their heads in it
	members []uint64 // bit j: job j is in a composition of the row

	// A search for the fewest allocated jobs need not begin at the first composition again: counts only grow, the counts before from are
	// above floor, and no count is below it.
	known []int32 // by position: allocated jobs when last counted; math.MaxInt32: never a candidate again
	floor int32
	from  int
}

// newCompositionTable prepares the table for jobs of the given sizes, none above the largest space.
func newCompositionTable(sizes []int32, largest int, poll *kit.Poll) *compositionTable {
	sum, widest := 0, 0
	for _, s := range sizes {
		sum, widest = sum+int(s), max(widest, int(s))
	}
	t := &compositionTable{
		sizes: sizes,
		size:  1,
		rows:  make([]*compositionRow, min(sum, largest)+1), // rows above the sum of all sizes stay empty
		next:  map[int32][]int32{},
		state: make([]packState, len(sizes)),
		left:  make([]int, widest+1),
		least: 1,
		count: len(sizes),
		poll:  poll,
	}
	for _, s := range sizes {
		t.left[s]++
	}
	for s, n := range t.left {
		if n > 0 {
			t.some = append(t.some, s)
		}
	}
	return t
}

// build fills the table (Algorithm 1). It says false where the context ended first.
func (t *compositionTable) build() bool {
	top := 0 // the rows above are still empty
	for j := range t.sizes {
		job, s := int32(j), int(t.sizes[j])
		next := t.next[t.sizes[j]]
		if next == nil {
			next = make([]int32, len(t.rows))
			t.next[t.sizes[j]] = next
		}
		// The paper goes through the rows upwards and passes over compositions with the job itself. Downwards there are
		// none: row r − s gets the job after row r.
		top = min(top+s, len(t.rows)-1)
		for r := top; r > s; r-- {
			if source := t.rows[r-s]; source != nil && next[r] < job {
				if rest := t.firstSharingNoJob(source, t.rows[r], job, &next[r]); rest > 0 {
					t.append(r, composition{job, rest})
				}
			}
			if t.poll.Stopped(1) {
				return false
			}
		}
		t.append(s, composition{head: job})
	}
	return true
}

// firstSharingNoJob is the first composition in the row source none of whose jobs is in the other row; 0: there is none. It looks only at
// compositions whose heads come before the job end. A composition that is not disjoint never will be, as rows only grow: from keeps where the
// search for this pair of rows goes on.
func (t *compositionTable) firstSharingNoJob(source, row *compositionRow, end int32, from *int32) uint32 {
	if row == nil {
		return source.list[0]
	}
	heads, members := source.heads, row.members
	w := *from >> 6
	word := heads[w] &^ members[w] >> (*from & 63) << (*from & 63)
	for {
		for ; word != 0; word &= word - 1 {
			b := bits.TrailingZeros64(word)
			n := source.list[source.before[w]+int32(bits.OnesCount64(heads[w]&(1<<b-1)))]
			if t.disjoint(t.at(n).rest, members) {
				*from = w<<6 + int32(b)
				return n
			}
			t.poll.Spend(1)
		}
		if w++; w > end>>6 {
			*from = end
			return 0
		}
		word = heads[w] &^ members[w]
	}
}

// disjoint says whether no job of the composition is in the set.
func (t *compositionTable) disjoint(n uint32, set []uint64) bool {
	for n > 0 {
		c := t.at(n)
		if set[c.head>>6]>>(c.head&63)&1 != 0 {
			return false
		}
		n = c.rest
	}
	return true
}

// append appends the composition to the tail of row r.
func (t *compositionTable) append(r int, c composition) {
	row := t.rows[r]
	if row == nil {
		words := (len(t.sizes) + 63) / 64
		row = &compositionRow{heads: make([]uint64, words), before: make([]int32, words), members: make([]uint64, words)}
		t.rows[r] = row
	}
	w, bit := c.head>>6, uint64(1)<<(c.head&63)
	if row.heads[w] == 0 {
		row.before[w] = int32(len(row.list))
	}
	row.heads[w] |= bit
	row.members[w] |= bit
	row.list = append(row.list, t.add(c))
	for c.rest > 0 {
		c = t.at(c.rest)
		row.members[c.head>>6] |= 1 << (c.head & 63)
	}
}

// fill chooses jobs that fill a space of r processors as far as can be and allocates them (Algorithm 3); their order is
// that on the processors. Without any it fails. The answer is valid until the next call.
//
// A space fails just where every job left is wider, as row s holds every job of size s alone.
func (t *compositionTable) fill(r int) []int32 {
	if r < t.smallest() {
		return nil
	}
	t.sums = t.sums[:0]
	for rc := min(r, len(t.rows)-1); rc > 0 && !t.poll.Stopped(1); rc-- {
		if t.rows[rc] == nil {
			continue
		}
		t.q = t.q[:0]
		t.calls++
		n, taken := t.fewest(rc)
		if taken == 0 {
			t.enqueue(n)
		} else if taken == math.MaxInt32 || !t.canSum(rc, r) || !t.alternatives(n) {
			for _, job := range t.q {
				t.state[job] = packFree
			}
			continue
		}
		t.source, t.taken, t.row = n, taken, rc
		for _, job := range t.q {
			t.allocate(job)
		}
		return t.q
	}
	return nil
}

// allocate counts the job as allocated from now on.
func (t *compositionTable) allocate(job int32) {
	t.state[job] = packAllocated
	t.left[t.sizes[job]]--
	t.count--
}

// alternatives puts the jobs of the composition into q, and for each that is taken others of its size from the table
// (Algorithm 2). The paper's recursion is a stack here; as its failure anywhere is the failure of the whole, nothing has
// to be handed back.
func (t *compositionTable) alternatives(n uint32) bool {
	t.walks = t.walks[:0]
	t.visit(n)
	for len(t.walks) > 0 {
		rest := &t.walks[len(t.walks)-1]
		if *rest == 0 {
			t.walks = t.walks[:len(t.walks)-1]
			continue
		}
		c := t.at(*rest)
		*rest = c.rest
		job := c.head
		if t.state[job] == packFree {
			t.state[job] = packQueued
			t.q = append(t.q, job)
			continue
		}
		switch other, taken := t.fewest(int(t.sizes[job])); {
		case taken == 0:
			t.enqueue(other)
		case taken == math.MaxInt32 || t.poll.Stopped(1):
			return false
		default:
			t.visit(other)
		}
	}
	return true
}

// enqueue puts a composition of jobs that are not taken into q.
func (t *compositionTable) enqueue(n uint32) {
	for n > 0 {
		c := t.at(n)
		t.state[c.head] = packQueued
		t.q = append(t.q, c.head)
		n = c.rest
	}
}

// visit begins to look through the composition.
func (t *compositionTable) visit(n uint32) {
	if t.last == nil {
		t.last = make([]uint32, t.size)
	}
	t.last[n] = t.calls
	t.walks = append(t.walks, n)
}

// visited says whether this call of Algorithm 2 has looked through the composition.
func (t *compositionTable) visited(n uint32) bool { return t.last != nil && t.last[n] == t.calls }

// fewest finds in row r the composition with the fewest taken jobs, the first of several, among those that this call of
// Algorithm 2 has not visited, and the number of these jobs; math.MaxInt32: there is none.
//
// A job alone in its composition is no candidate once it is taken: to look through it would only lead back to this row
// for an alternative, with the same candidates. Without it the same composition is found, and in a row of such jobs the
// same failure, sooner.
func (t *compositionTable) fewest(r int) (n uint32, taken int32) {
	row := t.rows[r]
	if row.known == nil {
		row.known = make([]int32, len(row.list))
	}
	for row.floor < math.MaxInt32 {
		for x := row.from; x < len(row.list); x++ {
			if row.known[x] <= row.floor && t.takenIn(row, x) == row.floor && !t.visited(row.list[x]) {
				return row.list[x], row.floor
			}
			if x == row.from && row.known[x] > row.floor {
				row.from++
			}
		}
		t.poll.Spend(len(row.list) >> 3)
		if row.from < len(row.list) {
			return t.fewestAbove(row)
		}
		row.floor, row.from = slices.Min(row.known), 0
	}
	return 0, math.MaxInt32
}

// fewestAbove is fewest for a row in which no composition with as few as floor taken jobs is left: all were visited or
// have jobs in q.
func (t *compositionTable) fewestAbove(row *compositionRow) (n uint32, taken int32) {
	taken = math.MaxInt32
	for x, candidate := range row.list {
		if row.known[x] >= taken || t.visited(candidate) {
			continue
		}
		if k := t.takenIn(row, x); k < taken {
			n, taken = candidate, k
		}
	}
	t.poll.Spend(len(row.list) >> 3)
	return n, taken
}

// takenIn counts the taken jobs of the composition at position x; math.MaxInt32 where it is one job that is
// taken. It keeps the number of the allocated ones.
func (t *compositionTable) takenIn(row *compositionRow, x int) int32 {
	var jobs [3]int32 // by state
	first := t.at(row.list[x])
	jobs[t.state[first.head]]++
	for n := first.rest; n > 0; {
		c := t.at(n)
		jobs[t.state[c.head]]++
		n = c.rest
	}
	row.known[x] = jobs[packAllocated]
	if alone := first.rest == 0; alone && jobs[packFree] == 0 {
		if jobs[packAllocated] == 1 {
			row.known[x] = math.MaxInt32
		}
		return math.MaxInt32
	}
	return jobs[packQueued] + jobs[packAllocated]
}

// smallest is the least size of the jobs not yet allocated; above every size where there are none.
func (t *compositionTable) smallest() int {
	for t.least < len(t.left) && t.left[t.least] == 0 {
		t.least++
	}
	if t.count == 0 {
		return math.MaxInt
	}
	return t.least
}

// canSum says whether some of the jobs not yet allocated have rc processors together, for a space of r. Where no jobs have, Algorithm 2 need not be
// run: it would fail, as its q is such a set of jobs.
func (t *compositionTable) canSum(rc, r int) bool {
	if len(t.sums) == 0 {
		t.sums = append(t.sums, make([]uint64, r/64+1)...)
		t.sums[0] = 1
		for _, s := range t.some {
			if s > r {
				break
			}
			// n jobs of one size are jobs of 1, 2, 4, … times the size and one of the rest.
			for n, k := min(t.left[s], r/s), 1; n > 0; n, k = n-k, 2*k {
				k = min(k, n)
				shiftOr(t.sums, k*s)
			}
		}
	}
	return t.sums[rc>>6]>>(rc&63)&1 != 0
}

// shiftOr adds to the set of numbers every member plus d, as far as the set reaches.
func shiftOr(set []uint64, d int) {
	words, shift := d>>6, d&63
	for w := len(set) - 1; w >= words; w-- {
		sum := set[w-words] << shift
		if shift > 0 && w > words {
			sum |= set[w-words-1] >> (64 - shift)
		}
		set[w] |= sum
	}
}

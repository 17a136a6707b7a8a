package draw

import (
	"cmp"
	"errors"
	"fmt"
	"image/color"
	"math"
	"slices"

	"github.com/allot-opt/allot/internal/numtext"
	"github.com/allot-opt/allot/internal/picture"
	"github.com/allot-opt/allot/internal/timetext"
)

// Colour is what the colours of the jobs on a Gantt chart mean.
type Colour string

// The meanings.
const (
	ByJob  Colour = "job"  // nothing, but jobs side by side have colours that can be told apart
	ByUser Colour = "user" // who submitted the job
	ByWait Colour = "wait" // how long the job waited
	ByLate Colour = "late" // whether the job meets its deadline
)

// Colours lists all meanings.
func Colours() []Colour { return []Colour{ByJob, ByUser, ByWait, ByLate} }

// mostClasses is the largest number of classes of jobs on a picture.
const mostClasses = 8

// scheme gives each job one of a few fills.
type scheme struct {
	by    Colour
	fills []color.NRGBA
	of    []int    // fill by job
	names []string // of the fills, for the key; nil: they have no meaning
}

// The fills of classes. Each list can be told apart in normal and in colour-blind vision.
var (
	othersFill = color.NRGBA{0xdd, 0xdd, 0xdd, 0xff}
	// waitFills are light for short waits and dark for long ones: Paul Tol's "YlOrBr" scheme (Tol 2021, section 4) after a blue for none.
	waitFills = []color.NRGBA{
		{0x77, 0xaa, 0xdd, 0xff}, {0xfe, 0xe3, 0x91, 0xff}, {0xfe, 0xc4, 0x4f, 0xff}, {0xfb, 0x9a, 0x29, 0xff},
		{0xec, 0x70, 0x14, 0xff}, {0xcc, 0x4c, 0x02, 0xff}, {0x8c, 0x2d, 0x04, 0xff},
	}
	lateFills = []color.NRGBA{{0x77, 0xaa, 0xdd, 0xff}, othersFill, {0xee, 0x88, 0x66, 0xff}}
)

// newScheme colours the jobs of a layout, with at most the given number of classes.
func newScheme(l *layout, by Colour, most int) (*scheme, error) {
	if by != "" && !slices.Contains(Colours(), by) {
		return nil, fmt.Errorf("unknown meaning of colours %q: expected job, user, wait or late", by)
	}
	if !l.known && by != "" && by != ByJob {
		return nil, fmt.Errorf("colours by %s: expected the instance with the solution, because only the instance states this", by)
	}
	switch by {
	case ByUser:
		return schemeByUser(l, most)
	case ByWait:
		return schemeByWait(l, most), nil
	case ByLate:
		return schemeByLate(l)
	}
	s := &scheme{by: ByJob, of: l.fillsOfJobs()}
	for fill := range fills() {
		s.fills = append(s.fills, fillColour(fill))
	}
	return s, nil
}

// schemeByUser gives the users who hold most processor time a fill each, and all others one together.
func schemeByUser(l *layout, most int) (*scheme, error) {
	held := map[string]float64{}
	for k := range l.jobs {
		held[l.jobs[k].user] = 0 // also of jobs that a window hides
	}
	blocks := l.blocks
	if l.onProcessors != nil {
		blocks = l.onProcessors
	}
	for k := range blocks {
		b := &blocks[k]
		held[l.jobs[b.job].user] += (b.end - b.start) * float64(b.last-b.first+1)
	}
	var users []string
	others := 0
	for user := range held {
		if user != "" {
			users = append(users, user)
		}
	}
	if len(users) == 0 && len(l.jobs) > 0 {
		return nil, errors.New("colours by user: expected jobs that state their user, found none")
	}
	slices.SortFunc(users, func(a, b string) int {
		return cmp.Or(cmp.Compare(held[b], held[a]), numtext.Natural(a, b))
	})
	if len(users) >= most {
		others, users = len(users)-most+1, users[:most-1]
	}
	s := &scheme{by: ByUser, fills: slices.Clone(light[:len(users)])}
	class := map[string]int{}
	for k, user := range users {
		class[user] = k
		s.names = append(s.names, "user "+picture.Clip(picture.Printable(user), mostLabelled))
	}
	for k := range l.jobs {
		c, known := class[l.jobs[k].user]
		if !known {
			c = len(users)
		}
		s.of = append(s.of, c)
	}
	s.fills = append(s.fills, othersFill)
	switch _, unnamed := held[""]; {
	case others > 0:
		s.names = append(s.names, numtext.CountedGrouped(others, "other user"))
	case unnamed:
		s.names = append(s.names, "no user stated")
	default:
		s.fills = s.fills[:len(users)]
	}
	return s, nil
}

// schemeByWait divides the jobs by how long they waited.
func schemeByWait(l *layout, most int) *scheme {
	most = min(most, len(waitFills))
	longest := 0.0
	for k := range l.jobs {
		longest = max(longest, l.jobs[k].wait())
	}
	limits := waitLimits(longest, l.unit, most-1)
	s := &scheme{by: ByWait, names: []string{"no wait"}}
	for _, limit := range limits {
		s.names = append(s.names, "wait up to "+timetext.Of(limit, l.unit, picture.Number))
	}
	for k := range s.names {
		// The longest waits have the darkest fill, however many classes there are.
		s.fills = append(s.fills, waitFills[k*(len(waitFills)-1)/max(len(s.names)-1, 1)])
	}
	for k := range l.jobs {
		class := 0
		if wait := l.jobs[k].wait(); wait > 0 {
			class, _ = slices.BinarySearch(limits, wait)
			class = min(class+1, len(limits))
		}
		s.of = append(s.of, class)
	}
	return s
}

// waitLimits are at most most limits of classes of waits, ascending. The last is at least the longest wait. They are familiar lengths of time where the unit is
// known, else powers of ten.
func waitLimits(longest float64, unit string, most int) []float64 {
	if longest <= 0 {
		return nil
	}
	each, known := timetext.Seconds(unit)
	if top := longest * each; !known || top < 1 || top > 1e9 {
		var limits []float64
		for power := math.Ceil(math.Log10(longest)); len(limits) < most; power-- {
			limits = append(limits, math.Pow(10, power))
		}
		slices.Reverse(limits)
		limits[len(limits)-1] = max(limits[len(limits)-1], longest) // a power of ten may be rounded down
		return limits
	}
	ladder := []float64{1, 10, 60, 600, 3600, 6 * 3600, 86400, 7 * 86400, 30 * 86400, 365 * 86400, 10 * 365 * 86400, 100 * 365 * 86400}
	end := 0
	for end < len(ladder)-1 && ladder[end] < longest*each {
		end++
	}
	limits := slices.Clone(ladder[max(0, end+1-most) : end+1])
	for k := range limits {
		limits[k] /= each
	}
	return limits
}

// schemeByLate divides the jobs by whether they meet their deadlines.
func schemeByLate(l *layout) (*scheme, error) {
	s := &scheme{by: ByLate, fills: lateFills, names: []string{"on time", "no deadline", "late"}}
	none := true
	for k := range l.jobs {
		j := &l.jobs[k]
		class := 0
		switch {
		case j.late():
			class = 2
		case math.IsInf(j.deadline, 1):
			class = 1
		}
		none = none && class == 1
		s.of = append(s.of, class)
	}
	if none && len(l.jobs) > 0 {
		return nil, errors.New("colours by late: expected jobs that have a deadline, found none")
	}
	return s, nil
}

// edge is the colour of the outline around a fill.
func (s *scheme) edge(fill int) color.NRGBA { return mix(s.fills[fill], picture.Ink, 0.45) }

// letters is the colour of a text on a fill: that of the two with more contrast.
func (s *scheme) letters(fill int) color.NRGBA {
	if picture.Contrast(picture.Paper, s.fills[fill]) > picture.Contrast(picture.Ink, s.fills[fill]) {
		return picture.Paper
	}
	return picture.Ink
}

// used says which fills the jobs of some blocks have.
func (s *scheme) used(blocks []block) []bool {
	used := make([]bool, len(s.fills))
	for k := range blocks {
		used[s.of[blocks[k].job]] = true
	}
	return used
}

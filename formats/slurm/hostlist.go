package slurm

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/allot-opt/allot/formats/lines"
	"github.com/allot-opt/allot/model/budget"
)

// maxHosts is the most nodes that a job or a partition may ask for or allow: more than any system has.
const maxHosts = 1 << 18

// maxHostName is the longest name of a node, in bytes.
const maxHostName = 255

// maxDigits is the most digits of a number in a hostlist.
const maxDigits = 9

// expandHosts lists the names that a hostlist such as cn[001-050,052],login1 or r[1-2]n[01-16] stands for. They are drawn from the budget of
// the reading before they are written out.
func expandHosts(list string, b *budget.Budget) ([]string, error) {
	var names []string
	for _, part := range splitOutside(list) {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		expanded, err := expandHost(part, b)
		if err != nil {
			return nil, err
		}
		names = append(names, expanded...)
	}
	return names, nil
}

// splitOutside cuts a list at the commas that are not in brackets.
func splitOutside(list string) []string {
	inside := false
	return strings.FieldsFunc(list, func(r rune) bool {
		switch r {
		case '[':
			inside = true
		case ']':
			inside = false
		}
		return r == ',' && !inside
	})
}

// expandHost expands one element of a hostlist, with any number of brackets.
func expandHost(part string, b *budget.Budget) ([]string, error) {
	names := []string{""}
	for part != "" {
		open := strings.IndexByte(part, '[')
		if open < 0 {
			open = len(part)
		}
		plain := part[:open]
		if strings.IndexByte(plain, ']') >= 0 {
			return nil, fmt.Errorf("expected a list of nodes such as cn[001-050,052], found %s", lines.Quote(part))
		}
		ends := []string{plain}
		if part = part[open:]; part != "" {
			inner, rest, closed := strings.Cut(part[1:], "]")
			if !closed {
				return nil, fmt.Errorf("expected a ] at the end of %s", lines.Quote(part))
			}
			var err error
			if ends, err = expandRanges(plain, inner, b); err != nil {
				return nil, err
			}
			part = rest
		}
		if len(names[0])+len(ends[0]) > maxHostName {
			return nil, fmt.Errorf("expected names of nodes of at most %d bytes, found a longer one", maxHostName)
		}
		if len(names) == 1 && names[0] == "" {
			names = ends
			continue
		}
		if err := b.Text(len(names)*len(ends), len(names[0])+len(ends[0])); err != nil {
			return nil, err
		}
		longer := make([]string, 0, len(names)*len(ends))
		for _, name := range names {
			for _, end := range ends {
				longer = append(longer, name+end)
			}
		}
		names = longer
	}
	return names, nil
}

// expandRanges lists the numbers of ranges such as 001-050,052, with their leading zeros, each behind the prefix.
func expandRanges(prefix, ranges string, b *budget.Budget) ([]string, error) {
	var numbers []string
	for r := range strings.SplitSeq(ranges, ",") {
		low, high, several := strings.Cut(strings.TrimSpace(r), "-")
		if !several {
			high = low
		}
		first, err := strconv.ParseUint(low, 10, 32)
		last, wrong := strconv.ParseUint(high, 10, 32)
		if err != nil || wrong != nil || last < first || len(low) > maxDigits || len(high) > maxDigits {
			return nil, fmt.Errorf("expected numbers and ranges such as 001-050, found %s", lines.Quote(r))
		}
		if len(prefix)+len(high) > maxHostName {
			return nil, fmt.Errorf("expected names of nodes of at most %d bytes, found a longer one", maxHostName)
		}
		if err := b.Text(int(last-first)+1, len(prefix)+len(high)); err != nil {
			return nil, err
		}
		numbers = slices.Grow(numbers, int(last-first)+1)
		name := []byte(prefix)
		for n := first; n <= last; n++ {
			name = name[:len(prefix)]
			for width, least := len(low), pow10(len(low)-1); width > 1 && n < least; width, least = width-1, least/10 {
				name = append(name, '0') // a leading zero
			}
			numbers = append(numbers, string(strconv.AppendUint(name, n, 10)))
		}
	}
	return numbers, nil
}

// pow10 is a power of 10.
func pow10(k int) uint64 {
	p := uint64(1)
	for ; k > 0; k-- {
		p *= 10
	}
	return p
}

// compressHosts writes names as a hostlist, for people: runs of one prefix and width become a range.
func compressHosts(names []string) string {
	var parts []string
	for from := 0; from < len(names); {
		prefix, digits := splitName(names[from])
		var ranges []string
		to := from
		for to < len(names) {
			first := to
			p, d := splitName(names[first])
			if p != prefix || len(d) != len(digits) || digits == "" && to > from {
				break
			}
			for to++; to < len(names) && follows(names[to-1], names[to]); to++ {
			}
			_, last := splitName(names[to-1])
			if d != last {
				d += "-" + last
			}
			ranges = append(ranges, d)
		}
		if text := strings.Join(ranges, ","); len(ranges) == 1 && to == from+1 {
			parts = append(parts, prefix+text)
		} else {
			parts = append(parts, prefix+"["+text+"]")
		}
		from = to
	}
	return strings.Join(parts, ",")
}

// splitName splits a name into its beginning and the digits at its end.
func splitName(name string) (prefix, digits string) {
	prefix = strings.TrimRightFunc(name, func(r rune) bool { return r < unicode.MaxASCII && unicode.IsDigit(r) })
	if len(name)-len(prefix) > maxDigits {
		prefix = name[:len(name)-maxDigits]
	}
	return prefix, name[len(prefix):]
}

// follows reports whether a name has the next number.
func follows(a, b string) bool {
	prefix, digits := splitName(a)
	p, d := splitName(b)
	if p != prefix || len(d) != len(digits) || d == "" {
		return false
	}
	x, err := strconv.Atoi(digits)
	y, wrong := strconv.Atoi(d)
	return err == nil && wrong == nil && y == x+1
}

// arrayTasks lists the tasks of a pending array, such as 0-9%4, 1,3-5 or 0-8:2, and how many of them may run at once (0: any number). A list that Slurm cut
// short ends in "..."; the tasks up to there are listed.
func arrayTasks(text string, b *budget.Budget) (tasks []int, atOnce int, cut bool, err error) {
	list, limit, limited := strings.Cut(text, "%")
	if limited {
		if atOnce, err = lines.Whole(limit, 0); err != nil {
			return nil, 0, false, err
		}
	}
	if list, cut = strings.CutSuffix(list, "..."); cut { // what is behind the last comma may be half a number
		list = list[:max(strings.LastIndexByte(list, ','), 0)]
	}
	if hexadecimal, ok := strings.CutPrefix(list, "0x"); ok {
		tasks, err = bitTasks(hexadecimal, b)
		return tasks, atOnce, cut, err
	}
	for part := range strings.SplitSeq(strings.Trim(list, "[]"), ",") {
		if part == "" {
			continue
		}
		span, step, stepped := strings.Cut(part, ":")
		low, high, several := strings.Cut(span, "-")
		if !several {
			high = low
		}
		by := 1
		first, err1 := lines.Whole(low, 0)
		last, err2 := lines.Whole(high, 0)
		var err3 error
		if stepped {
			by, err3 = lines.Whole(step, 1)
		}
		if errors.Join(err1, err2, err3) != nil || last < first {
			return nil, 0, false, fmt.Errorf("expected tasks of an array such as 0-9%%4 or 1,3-5, found %s", lines.Quote(text))
		}
		if err := b.Names((last-first)/by + 1); err != nil {
			return nil, 0, false, err
		}
		for k := first; k <= last; k += by {
			tasks = append(tasks, k)
		}
	}
	slices.Sort(tasks)
	return slices.Compact(tasks), atOnce, cut, nil
}

// bitTasks lists the tasks of an array that is written as a hexadecimal number with a bit for each.
func bitTasks(digits string, b *budget.Budget) (tasks []int, err error) {
	if err := b.Names(4 * len(digits)); err != nil {
		return nil, err
	}
	for k := range len(digits) {
		nibble, err := strconv.ParseUint(digits[len(digits)-1-k:len(digits)-k], 16, 8)
		if err != nil {
			return nil, fmt.Errorf("expected hexadecimal digits, found %s", lines.Quote(digits))
		}
		for bit := range 4 {
			if nibble>>bit&1 == 1 {
				tasks = append(tasks, 4*k+bit)
			}
		}
	}
	return tasks, nil
}

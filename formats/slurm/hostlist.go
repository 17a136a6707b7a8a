package slurm

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/allot-opt/allot/internal/lines"
)

// maxHosts is the most names that one hostlist may stand for: more nodes than any system has.
const maxHosts = 1 << 18

// maxHostName is the longest name of a node, in bytes.
const maxHostName = 255

// maxDigits is the most digits of a number in a hostlist.
const maxDigits = 9

// expandHosts lists the names that a hostlist such as cn[001-050,052],login1 or r[1-2]n[01-16] stands for. Ranges that stand for more than [maxHosts] names
// are refused before they are written out.
func expandHosts(list string) ([]string, error) {
	var names []string
	for _, part := range splitOutside(list) {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		expanded, err := expandHost(part, maxHosts-len(names))
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

// expandHost expands one element of a hostlist, with any number of brackets, to at most the given number of names.
func expandHost(part string, most int) ([]string, error) {
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
		var numbers []string
		if part = part[open:]; part != "" {
			inner, rest, closed := strings.Cut(part[1:], "]")
			if !closed {
				return nil, fmt.Errorf("expected a ] at the end of %s", lines.Quote(part))
			}
			var err error
			if numbers, err = expandRanges(inner, most); err != nil {
				return nil, err
			}
			part = rest
		} else {
			numbers = []string{""}
		}
		if len(names)*len(numbers) > most {
			return nil, fmt.Errorf("expected at most %d nodes, found more", maxHosts)
		}
		longer := make([]string, 0, len(names)*len(numbers))
		for _, name := range names {
			for _, number := range numbers {
				if longer = append(longer, name+plain+number); len(longer[len(longer)-1]) > maxHostName {
					return nil, fmt.Errorf("expected names of nodes of at most %d bytes, found a longer one", maxHostName)
				}
			}
		}
		names = longer
	}
	return names, nil
}

// expandRanges lists the numbers of ranges such as 001-050,052, with their leading zeros.
func expandRanges(ranges string, most int) ([]string, error) {
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
		if last-first >= uint64(most-len(numbers)) {
			return nil, fmt.Errorf("expected at most %d nodes, found more", maxHosts)
		}
		for n := first; n <= last; n++ {
			numbers = append(numbers, fmt.Sprintf("%0*d", len(low), n))
		}
	}
	return numbers, nil
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
func arrayTasks(text string, most int) (tasks []int, atOnce int, cut bool, err error) {
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
		tasks, err = bitTasks(hexadecimal, most)
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
		if (last-first)/by >= most-len(tasks) {
			return nil, 0, false, fmt.Errorf("expected at most %d jobs in all, found more", maxJobs)
		}
		for k := first; k <= last; k += by {
			tasks = append(tasks, k)
		}
	}
	slices.Sort(tasks)
	return slices.Compact(tasks), atOnce, cut, nil
}

// bitTasks lists the tasks of an array that is written as a hexadecimal number with a bit for each.
func bitTasks(digits string, most int) (tasks []int, err error) {
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
		if len(tasks) > most {
			return nil, fmt.Errorf("expected at most %d jobs in all, found more", maxJobs)
		}
	}
	return tasks, nil
}

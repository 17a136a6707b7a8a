package swf

import (
	"bufio"
	"fmt"
	"strconv"

	"github.com/allot-opt/allot/model"
)

// naming numbers the users, groups or queues of an instance, because a trace has numbers instead of names.
type naming struct {
	label   string // of the comments that say which number is which
	of      func(j *model.Job) string
	numbers map[string]int64
	named   []string // those that a comment explains, in order of their numbers
}

// namesOf numbers the users, groups and queues of the jobs, which are given in order of arrival.
func namesOf(in *model.Instance, order []int) [3]naming {
	names := [3]naming{{label: "User", of: (*model.Job).User}, {label: "Group", of: (*model.Job).Group}, {label: "Queue", of: (*model.Job).Queue}}
	for k := range names {
		n := &names[k]
		n.numbers = map[string]int64{}
		whole := true
		for _, job := range order {
			name := n.of(&in.Jobs()[job])
			if _, known := n.numbers[name]; known || name == "" {
				continue
			}
			n.named = append(n.named, name)
			number, err := strconv.ParseInt(name, 10, 64)
			whole = whole && err == nil && number >= 0 && number <= largestNumber && strconv.FormatInt(number, 10) == name
			n.numbers[name] = number
		}
		if whole {
			n.named = nil
		}
		for k, name := range n.named {
			n.numbers[name] = int64(k + 1)
		}
	}
	return names
}

// write writes the comments that say which number is which.
func (n *naming) write(out *bufio.Writer) {
	for k, name := range n.named {
		fmt.Fprintf(out, "; %s: %d %s\n", n.label, k+1, oneLine(name))
	}
}

// number is the job's; −1: not stated.
func (n *naming) number(j *model.Job) int64 {
	if number, known := n.numbers[n.of(j)]; known {
		return number
	}
	return -1
}

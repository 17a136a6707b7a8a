package papers

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Plain says in plain words what the claim states of our quantities.
func (c *Claim) Plain() string {
	if c.Form == statement || c.Quantity == "" && c.Target == nil {
		return "“" + c.Text + "”"
	}
	text := c.Quantity + " of " + c.Policy
	if c.Target != nil {
		text = c.Policy
	}
	if c.Against != "" && c.Form != sign && c.Form != percent && c.Form != equivalence {
		text += " compared with " + c.Against
	}
	text += ": "
	side, moves := map[string]string{"less": "below", "more": "above"}[c.Direction], map[string]string{"less": "falling", "more": "rising", "none": "no trend"}[c.Direction]
	switch c.Form {
	case percent:
		side = map[bool]string{true: "above", false: "below"}[*c.Value > 0]
		text += fmt.Sprintf("%s %% %s that of %s", strconv.FormatFloat(math.Abs(*c.Value), 'f', -1, 64), side, c.Against)
	case sign:
		text += side + " that of " + c.Against
	case trend:
		text += moves + map[string]string{"panels": " from panel to panel"}[c.Along]
		if c.Along != "panels" {
			text += " along the axis"
		}
	case peak:
		text += map[string]string{"less": "lowest", "more": "highest"}[c.Direction] + " in the middle of the axis"
	case equivalence:
		if c.Target != nil {
			text += "the stated values"
			break
		}
		text += fmt.Sprintf("within %g %% of that of %s", *c.Within, c.Against)
	case interaction:
		if _, words, found := strings.Cut(c.Where, ": "); found {
			return text + words + " (" + side + " 0)"
		}
		return text + c.contrastText() + " is " + side + " 0"
	case limit:
		text += c.States()
	case nearest:
		return text + "nearest to the stated values at " + c.At[0]
	}
	return text + c.places()
}

// places names the points of the claim; empty: all.
func (c *Claim) places() string {
	if len(c.At) == 0 {
		return ""
	}
	return " at " + shortened(c.At)
}

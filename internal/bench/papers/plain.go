package papers

import (
	"fmt"
	"math"
	"strconv"
)

// Plain says in plain words what the claim states of our quantities.
func (c *Claim) Plain() string {
	if c.Quantity == "" && c.Target == nil {
		return "“" + c.Text + "”"
	}
	own := c.Quantity + " of " + c.Policy
	versus := own + " compared with " + c.Against
	side, moves := map[string]string{"less": "below", "more": "above"}[c.Direction], map[string]string{"less": "falls", "more": "rises"}[c.Direction]
	axis := " along the axis"
	if c.Along == "panels" {
		axis = " from panel to panel"
	}
	text := ""
	switch c.Form {
	case Percent:
		side = "below"
		if *c.Value > 0 {
			side = "above"
		}
		text = fmt.Sprintf("%s is %s %% %s that of %s", own, strconv.FormatFloat(math.Abs(*c.Value), 'f', -1, 64), side, c.Against)
	case Sign:
		text = fmt.Sprintf("%s is %s that of %s", own, side, c.Against)
	case Trend:
		switch {
		case c.Direction == "none":
			text = versus + " shows no trend" + axis
		case c.Against == "":
			text = own + " " + moves + axis
		default:
			text = versus + " " + moves + axis
		}
	case Peak:
		text = versus + " is " + map[string]string{"less": "lowest", "more": "highest"}[c.Direction] + " in the middle of the axis"
	case Equivalence:
		if c.Target != nil {
			return fmt.Sprintf("%s has the stated values%s", c.Policy, c.places())
		}
		text = fmt.Sprintf("%s is the same as that of %s, within %g %%", own, c.Against, *c.Within)
	case Interaction:
		if c.Against == "" {
			versus = own
		}
		return fmt.Sprintf("%s: %s is %s 0", versus, c.contrastText(), side)
	case Limit:
		text = own + " is " + c.States()
		if c.Against != "" {
			text = versus + " is " + c.States()
		}
	case Nearest:
		return fmt.Sprintf("%s is nearest to the stated values at %s", c.Policy, c.At[0])
	default:
		return "“" + c.Text + "”"
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

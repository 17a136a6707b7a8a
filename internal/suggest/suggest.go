// Package suggest finds the name that a user may have meant when he mistyped one.
package suggest

import (
	"fmt"

	"github.com/xrash/smetrics"
)

// longest is the largest length of a name that is compared. It limits the time, which grows with the product of the lengths.
const longest = 64

// Words returns the end of a message, such as `; did you mean "search"?`, with the known name that is most like the one found. It is empty if none
// is like it.
func Words(found string, known []string) string {
	const alike, prefix, boost = 0.85, 4, 0.7 // similarity by Jaro and Winkler, which counts a common prefix of four letters more
	best, most := "", alike
	for _, name := range known {
		if found == "" || name == "" || len(found) > longest || len(name) > longest {
			continue
		}
		if s := smetrics.JaroWinkler(found, name, boost, prefix); s > most {
			best, most = name, s
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf("; did you mean %q?", best)
}

// Package suggest finds the name that somebody who made a typing error may have meant.
package suggest

import (
	"fmt"

	"github.com/xrash/smetrics"
)

// longest is the most letters of a name that is compared: the time grows with the product of the lengths.
const longest = 64

// Words ask for the known name that is most like the one found, as `; did you mean "search"?`, the end of a message. They are empty where none is
// like it.
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

package draw

import (
	"strings"

	"github.com/allot-opt/allot/internal/picture"
)

// plain is printable for a terminal: only characters that take exactly one column everywhere.
func plain(text string) string {
	const lastLatin = 0x24f // beyond it come combining marks and, later, wide characters
	return strings.Map(func(r rune) rune {
		if r > lastLatin && r != '…' {
			return '?'
		}
		return r
	}, picture.Printable(text))
}

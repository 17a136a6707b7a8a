package lines

import (
	"slices"
	"strconv"
	"strings"
)

// Numbers reports whether all words are numbers, as far as a guess at the format of a file goes.
func Numbers(words []string) bool {
	return !slices.ContainsFunc(words, func(word string) bool {
		_, err := strconv.ParseFloat(word, 64)
		return err != nil
	})
}

// Cells are the cells of the first line of a text, apart by commas, without quotes and white space around them.
func Cells(text string) []string {
	line, _, _ := strings.Cut(text, "\n")
	cells := strings.Split(line, ",")
	for k, cell := range cells {
		cells[k] = strings.Trim(strings.TrimSpace(cell), `"`)
	}
	return cells
}

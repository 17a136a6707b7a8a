package solve

import (
	"fmt"
	"regexp"
	"strings"
)

// schemes make solvers of names that begin with a word and a colon, by that word.
var schemes = map[string]func(name string) (Info, error){}

// RegisterScheme makes solvers of all names that begin with the scheme and a colon, as exec:COMMAND, by the function. What stands behind the colon
// may hold commas and plus signs, so it takes the rest of a list and of a+b. It is called in a package-level variable declaration; a scheme that is
// taken is a bug in the program and panics.
func RegisterScheme(scheme string, open func(name string) (Info, error)) string {
	if _, taken := schemes[scheme]; taken || scheme == "" || strings.ContainsAny(scheme, reserved) {
		panic(fmt.Sprintf("solve: cannot register the scheme %q", scheme))
	}
	schemes[scheme] = open
	return scheme
}

// reserved are the characters that separate names, parameters and labels, so that no name of a solver holds them.
const reserved = "+,:= "

// schemeOf is what makes solvers of names that begin as this one does; nil: nothing.
func schemeOf(name string) func(name string) (Info, error) {
	scheme, _, found := strings.Cut(name, ":")
	if !found {
		return nil
	}
	return schemes[scheme]
}

// External says whether the text that names a solver, see [Choose], or a stage of it, is a program from outside: whoever takes names from a
// file should ask before he runs it.
func External(text string) bool {
	_, text, _ = cutLabel(text)
	stages := stageTexts(text)
	return schemeOf(stages[len(stages)-1]) != nil
}

// SplitNames splits a list of texts that name solvers, see [Choose], at its commas. What stands behind a scheme, as the command of an exec: name,
// may hold commas, so it takes the rest of the list.
func SplitNames(list string) []string {
	var names []string
	for {
		list = strings.TrimSpace(list)
		first, rest, more := strings.Cut(list, ",")
		if External(first) {
			return append(names, list)
		}
		names = append(names, strings.TrimSpace(first))
		if !more {
			return names
		}
		list = rest
	}
}

// cutLabel splits label=name… into its label and the rest; false: there is no label. The first = is that of a parameter where a colon
// stands before it.
func cutLabel(text string) (label, rest string, found bool) {
	label, rest, found = strings.Cut(text, "=")
	if !found || strings.Contains(label, ":") {
		return "", text, false
	}
	return strings.TrimSpace(label), strings.TrimLeft(rest, " "), true
}

// stageTexts splits a+b+… into its stages, each with its parameters. What stands behind a scheme may hold plus signs, so it takes the rest.
func stageTexts(text string) []string {
	var stages []string
	for schemeOf(text) == nil {
		plus := plusBetween(text)
		if plus < 0 {
			break
		}
		stages = append(stages, text[:plus])
		text = text[plus+1:]
	}
	return append(stages, text)
}

// signAhead matches what ends in front of the plus sign of a number, as in x=+5 and x=1e+06.
var signAhead = regexp.MustCompile(`=([-+]?[0-9.]+[eE])?$`)

// plusBetween is where the first plus sign between two stages is; −1: nowhere. One that belongs to a number is none.
func plusBetween(text string) int {
	for k := range len(text) {
		if text[k] != '+' {
			continue
		}
		digit := k+1 < len(text) && (text[k+1] == '.' || '0' <= text[k+1] && text[k+1] <= '9')
		if !digit || !signAhead.MatchString(text[:k]) {
			return k
		}
	}
	return -1
}

package solve

import (
	"fmt"
	"regexp"
	"strings"
)

// schemes maps a word to the function that makes a solver from a name. It is used for names that begin with the word and a colon.
var schemes = map[string]func(name string) (Info, error){}

// RegisterScheme registers the function that makes solvers from all names that begin with the scheme and a colon, as in exec:COMMAND. The text
// after the colon may hold commas and plus signs, so such a name extends to the end of a list or of a chain a+b. Call it in a package-level
// variable declaration. A scheme that is taken is a bug in the program and panics.
func RegisterScheme(scheme string, open func(name string) (Info, error)) string {
	if _, taken := schemes[scheme]; taken || scheme == "" || strings.ContainsAny(scheme, reserved) {
		panic(fmt.Sprintf("solve: cannot register the scheme %q", scheme))
	}
	schemes[scheme] = open
	return scheme
}

// reserved lists the characters that separate names, parameters and labels. The name of a solver holds none of them.
const reserved = "+,:= "

// schemeOf returns the function registered for the scheme that the name begins with, or nil.
func schemeOf(name string) func(name string) (Info, error) {
	scheme, _, found := strings.Cut(name, ":")
	if !found {
		return nil
	}
	return schemes[scheme]
}

// External reports whether a text that names a solver, see [Choose], makes allot run a program from outside in one of its stages. A caller that
// takes names from a file should ask the user before it runs one.
func External(text string) bool { return Scheme(text) != "" }

// Scheme returns the scheme of the last stage of a text that names a solver, such as exec; empty: it has none, see [External].
func Scheme(text string) string {
	_, text, _ = cutLabel(text)
	stages := stageTexts(text)
	last := stages[len(stages)-1]
	if schemeOf(last) == nil {
		return ""
	}
	scheme, _, _ := strings.Cut(last, ":")
	return scheme
}

// SplitNames splits a list of texts that name solvers, see [Choose], at its commas. The text after a scheme, such as the command after exec:, may
// hold commas, so it extends to the end of the list.
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

// cutLabel splits label=name… into the label and the rest, or returns false if there is no label. If a colon stands before the first =, that =
// belongs to a parameter.
func cutLabel(text string) (label, rest string, found bool) {
	label, rest, found = strings.Cut(text, "=")
	if !found || strings.Contains(label, ":") {
		return "", text, false
	}
	return strings.TrimSpace(label), strings.TrimLeft(rest, " "), true
}

// stageTexts splits a+b+… into its stages, each with its parameters. The text after a scheme may hold plus signs, so it extends to the end.
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

// signAhead matches a text that ends just before the plus sign of a number, as in x=+5 and x=1e+06.
var signAhead = regexp.MustCompile(`=([-+]?[0-9.]+[eE])?$`)

// plusBetween returns the index of the first plus sign that separates two stages, or −1. It skips the plus sign of a number.
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

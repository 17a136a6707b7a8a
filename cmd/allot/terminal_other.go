//go:build !linux && !darwin

package main

import (
	"os"

	"golang.org/x/term"
)

// isTerminal reports whether the file is a terminal.
func isTerminal(file *os.File) bool { return term.IsTerminal(int(file.Fd())) }

// widthOf is the number of columns of a terminal; 0: it does not say.
func widthOf(terminal *os.File) int {
	columns, _, _ := term.GetSize(int(terminal.Fd())) // 0 with an error
	return columns
}

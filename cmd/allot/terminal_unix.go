//go:build linux || darwin

package main

import (
	"os"

	"github.com/creack/pty"
)

// isTerminal reports whether the file is a terminal. The library asks the system itself, where the one for other systems compiles all that the system knows.
func isTerminal(file *os.File) bool {
	_, err := pty.GetsizeFull(file)
	return err == nil
}

// widthOf is the number of columns of a terminal; 0: it does not say.
func widthOf(terminal *os.File) int {
	_, columns, _ := pty.Getsize(terminal) // 0 with an error
	return columns
}

package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/allot-opt/allot/internal/kit"
	"github.com/allot-opt/allot/internal/suggest"
)

// suitesFolder is where a clone of the repository has its suites.
var suitesFolder = filepath.Join("bench", "suites")

// findSuite returns the path of the suite that an argument means: a file, or the name of a suite of the repository when the command runs anywhere
// within a clone of it. The suites are not part of the program, because most of them read files of the clone.
func findSuite(arg string) (string, error) {
	_, err := os.Stat(arg)
	if arg == "-" || !errors.Is(err, fs.ErrNotExist) || filepath.Base(arg) != arg || filepath.Ext(arg) != "" {
		return arg, nil // if the file cannot be read, its reader says why
	}
	folder, names := suitesAround()
	if folder == "" {
		return "", usageErrorf("%s: expected the file of a suite, found none; the suites that have names are in %s of a clone of the repository, and the command runs outside one",
			arg, filepath.ToSlash(suitesFolder))
	}
	if slices.Contains(names, arg) {
		return filepath.Join(folder, arg+".json"), nil
	}
	return "", usageErrorf("%s: expected the file of a suite, or a suite of %s, one of %s; found neither%s",
		arg, filepath.ToSlash(suitesFolder), strings.Join(names, ", "), suggest.Words(arg, names))
}

// suitesAround finds the folder of suites in the working folder or the nearest one above it, and the names of its suites, in order. The folder is empty
// if there is none.
func suitesAround() (folder string, names []string) {
	for up, last := ".", ""; ; up = filepath.Join(up, "..") {
		here, err := filepath.Abs(up)
		if err != nil || here == last {
			return "", nil
		}
		last = here
		folder := filepath.Join(up, suitesFolder)
		if found, err := filepath.Glob(filepath.Join(folder, "*.json")); err == nil && len(found) > 0 {
			return folder, kit.Each(found, func(path string) string { return strings.TrimSuffix(filepath.Base(path), ".json") })
		}
	}
}

// Command concurrent lists the packages whose tests may run more than one goroutine. The race detector finds nothing in the others:
//
//	go run ./internal/race/cmd/concurrent [FLAG…] [PACKAGE…]    the arguments of go list, such as -tags highs ./...
//
// It looks at the files of a package, its tests, and the packages of this module that it imports itself, as it may share with their goroutines what it hands
// them. Where one of these files starts a goroutine, or may hand a function to one, the package is listed: at a go statement, at a method or function named as
// one of the list in handsOver, and at an import of net/http. A package that is further away has tests of its own.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	paths, err := concurrent(ctx, "", os.Args[1:])
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "concurrent:", err)
		os.Exit(1)
	}
	for _, path := range paths {
		fmt.Println(path)
	}
}

// listed is what go list says of a package, or of a package together with its test files.
type listed struct {
	ImportPath, Dir            string
	GoFiles, CgoFiles, Imports []string
	Module                     *struct{ Main bool }
}

// concurrent returns the import paths of the packages whose tests may run more than one goroutine, as go list orders them. Empty: the folder of this
// process.
func concurrent(ctx context.Context, folder string, arguments []string) ([]string, error) {
	command := exec.CommandContext(ctx, "go", append([]string{"list", "-test", "-deps", "-json=ImportPath,Dir,GoFiles,CgoFiles,Imports,Module"}, arguments...)...)
	command.Dir, command.Stderr = folder, os.Stderr
	output, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	looked, starts, imports := map[string]bool{}, map[string]bool{}, map[string][]string{} // by file, by package, by package
	var tests []listed
	for list := json.NewDecoder(bytes.NewReader(output)); ; {
		var p listed
		if err := list.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		if p.Module == nil || !p.Module.Main {
			continue
		}
		if strings.HasSuffix(p.ImportPath, ".test") { // the program that go test makes
			tests = append(tests, p)
			continue
		}
		imports[p.ImportPath] = p.Imports
		for _, name := range slices.Concat(p.GoFiles, p.CgoFiles) {
			path := filepath.Join(p.Dir, name)
			found, known := looked[path]
			if !known {
				file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
				if err != nil {
					return nil, err
				}
				found = startsGoroutine(file)
				looked[path] = found
			}
			starts[p.ImportPath] = starts[p.ImportPath] || found
		}
	}
	delete(starts, watcher) // its own tests have it together with its test files, by another name
	var paths []string
	for _, p := range tests {
		path := strings.TrimSuffix(p.ImportPath, ".test")
		near := append(imports[path], path, path+" ["+p.ImportPath+"]", path+"_test ["+p.ImportPath+"]")
		if slices.ContainsFunc(near, func(path string) bool { return starts[path] }) {
			paths = append(paths, path)
		}
	}
	return paths, nil
}

// watcher is a package whose goroutine only reads figures of the runtime, so that it makes nobody's tests concurrent but its own.
const watcher = "github.com/allot-opt/allot/internal/peak"

// handsOver are the names of functions and methods that call what they get from another goroutine.
var handsOver = []string{"AddCleanup", "AfterFunc", "Go", "Parallel", "SetFinalizer"}

// startsGoroutine says whether a file starts a goroutine, or may hand a function to one.
func startsGoroutine(file *ast.File) bool {
	found := slices.ContainsFunc(file.Imports, func(i *ast.ImportSpec) bool { return i.Path.Value == `"net/http"` })
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			found = true
		case *ast.SelectorExpr:
			found = found || slices.Contains(handsOver, n.Sel.Name)
		}
		return !found
	})
	return found
}

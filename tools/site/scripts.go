package main

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/evanw/esbuild/pkg/api"
)

// worker bundles the script of the workers, with wasm_exec.js of the Go that builds the engine before it.
func worker(root, out string) error {
	goroot, err := goRoot()
	if err != nil {
		return err
	}
	options := bundle(root, out, "worker.ts")
	options.Format = api.FormatIIFE // workers of any browser take it
	options.Inject = []string{filepath.Join(goroot, "lib", "wasm", "wasm_exec.js")}
	return written(api.Build(options))
}

// bundle are the options for a script of web/src.
func bundle(root, out, entry string) api.BuildOptions {
	return api.BuildOptions{
		EntryPoints: []string{filepath.Join(root, "web", "src", entry)}, Outdir: out, Bundle: true, Write: true, Target: api.ES2022,
		MinifyWhitespace: true, MinifyIdentifiers: true, MinifySyntax: true, LegalComments: api.LegalCommentsNone,
		Loader: map[string]api.Loader{".html": api.LoaderText, ".css": api.LoaderText},
	}
}

// written is the error of a bundle with all its messages; warnings count.
func written(result api.BuildResult) error {
	var faults []error
	for _, m := range append(result.Errors, result.Warnings...) {
		place := ""
		if m.Location != nil {
			place = fmt.Sprintf("%s:%d:%d: ", m.Location.File, m.Location.Line, m.Location.Column+1)
		}
		faults = append(faults, errors.New(place+m.Text))
	}
	return errors.Join(faults...)
}

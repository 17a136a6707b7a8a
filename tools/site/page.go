package main

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// page builds the page itself: its text, style and script, and the examples that it offers.
func page(root, out string) error {
	if err := modules(root); err != nil {
		return err
	}
	options := bundle(root, out, "main.ts")
	options.EntryPointsAdvanced, options.EntryPoints = []api.EntryPoint{{InputPath: options.EntryPoints[0], OutputPath: "page"}}, nil
	options.Format = api.FormatIIFE
	options.Plugins = []api.Plugin{gantt(root)}
	if err := written(api.Build(options)); err != nil {
		return err
	}
	for from, to := range map[string]string{"web/index.html": "index.html", "web/page.css": "page.css", "data/swf/KTH-SP2-1996-2.swf.gz": "examples/KTH-SP2-1996-2.swf.gz"} {
		if err := copyFile(filepath.Join(root, from), filepath.Join(out, to)); err != nil {
			return err
		}
	}
	names, err := filepath.Glob(filepath.Join(root, "examples", "*.json"))
	for _, name := range names {
		if err == nil {
			err = copyFile(name, filepath.Join(out, "examples", filepath.Base(name)))
		}
	}
	return err
}

// gantt gives the chart of allot gantt's page, which is one function made of parts, as the module allot:gantt.
func gantt(root string) api.Plugin {
	folder := filepath.Join(root, "draw", "page")
	return api.Plugin{Name: "gantt", Setup: func(build api.PluginBuild) {
		build.OnResolve(api.OnResolveOptions{Filter: "^allot:gantt$"}, func(a api.OnResolveArgs) (api.OnResolveResult, error) {
			return api.OnResolveResult{Path: a.Path, Namespace: "gantt"}, nil
		})
		build.OnLoad(api.OnLoadOptions{Filter: ".*", Namespace: "gantt"}, func(api.OnLoadArgs) (api.OnLoadResult, error) {
			text := `export { default as body } from "./body.html"; export { default as style } from "./style.css"; export { gantt };` + "\n"
			parts, err := os.ReadFile(filepath.Join(folder, "parts"))
			for _, name := range strings.Fields(string(parts)) {
				part, failed := os.ReadFile(filepath.Join(folder, name))
				if failed != nil {
					err = failed
				}
				text += string(part)
			}
			return api.OnLoadResult{Contents: &text, ResolveDir: folder, Loader: api.LoaderJS}, err
		})
	}}
}

// copyFile copies a file, and makes the folder that it goes to.
func copyFile(from, to string) error {
	text, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return writeFile(to, text)
}

// writeFile writes a file, and makes the folder that it goes to.
func writeFile(name string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return err
	}
	return os.WriteFile(name, text, 0o666)
}

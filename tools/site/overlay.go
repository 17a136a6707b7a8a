package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// smallSorts writes a form of package slices in which all sorts of slices by a function share their code, as those of package sort do: Go compiles it anew for each type
// otherwise. Both packages have the same algorithm, made from one template, so that they order alike what is equal. It returns the file that tells go build.
func smallSorts(goroot, folder string) (overlay string, err error) {
	text, err := os.ReadFile(filepath.Join(goroot, "src", "sort", "zsortfunc.go"))
	if err != nil {
		return "", err
	}
	shared := strings.Replace(string(text), "package sort\n", "package slices\n", 1)
	for _, name := range []string{"func pdqsort_func(data lessSwap, a, b, limit int) {", "func stable_func(data lessSwap, n int) {"} {
		if !strings.Contains(shared, name) {
			return "", fmt.Errorf("package sort of this Go: expected %s", name)
		}
	}
	shared += `
type lessSwap struct {
	Less func(i, j int) bool
	Swap func(i, j int)
}

func pdqsortCmpFunc[E any](data []E, a, b, limit int, cmp func(a, b E) int) {
	pdqsort_func(lessSwap{func(i, j int) bool { return cmp(data[i], data[j]) < 0 }, func(i, j int) { data[i], data[j] = data[j], data[i] }}, a, b, limit)
}

func stableCmpFunc[E any](data []E, n int, cmp func(a, b E) int) {
	stable_func(lessSwap{func(i, j int) bool { return cmp(data[i], data[j]) < 0 }, func(i, j int) { data[i], data[j] = data[j], data[i] }}, n)
}
`
	file := filepath.Join(folder, "zsortanyfunc.go")
	if err := os.WriteFile(file, []byte(shared), 0o666); err != nil {
		return "", err
	}
	replaced, err := json.Marshal(map[string]map[string]string{"Replace": {filepath.Join(goroot, "src", "slices", "zsortanyfunc.go"): file}})
	if err != nil {
		return "", err
	}
	overlay = filepath.Join(folder, "overlay.json")
	return overlay, os.WriteFile(overlay, replaced, 0o666)
}

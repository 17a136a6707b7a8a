package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// overlay writes other forms of files of Go's packages, which make the engine smaller, and returns the file that tells go build. It says which it does not make, as this Go
// has other ones: the engine is larger then.
func overlay(goroot, folder string, say func(format string, parts ...any)) (string, error) {
	replaced := map[string]string{}
	replace := func(name, text string) error {
		file := filepath.Join(folder, strings.ReplaceAll(name, "/", "_"))
		replaced[filepath.Join(goroot, "src", filepath.FromSlash(name))] = file
		return os.WriteFile(file, []byte(text), 0o666)
	}
	for name, form := range map[string]func(goroot string) (string, error){
		"slices/zsortanyfunc.go":                 smallSorts,
		"image/png/reader.go":                    unreadPictures,
		"crypto/internal/boring/notboring.go":    func(string) (string, error) { return noBoring, nil },
		"crypto/internal/fips140/sha256/cast.go": func(string) (string, error) { return "package sha256\n", nil },
	} {
		_, err := os.Stat(filepath.Join(goroot, "src", filepath.FromSlash(name)))
		text := ""
		if err == nil {
			text, err = form(goroot)
		}
		if err != nil {
			say("%s stays as it is, and the engine is larger: %v", name, err)
			continue
		}
		if err := replace(name, text); err != nil {
			return "", err
		}
	}
	told, err := json.Marshal(map[string]map[string]string{"Replace": replaced})
	if err != nil {
		return "", err
	}
	file := filepath.Join(folder, "overlay.json")
	return file, os.WriteFile(file, told, 0o666)
}

// noBoring stands for BoringCrypto, which is nowhere but on Linux: without it, SHA-256 brings no ciphers and random numbers along. The test of SHA-256 for FIPS 140 goes for
// the same reason.
const noBoring = `package boring

import "hash"

const available = false

func NewSHA224() hash.Hash     { panic("no BoringCrypto") }
func NewSHA256() hash.Hash     { panic("no BoringCrypto") }
func SHA224([]byte) [28]byte   { panic("no BoringCrypto") }
func SHA256([]byte) [32]byte   { panic("no BoringCrypto") }
`

// unreadPictures is the reader of PNG without its registration, by which it would be in each program that writes PNG.
func unreadPictures(goroot string) (string, error) {
	text, err := os.ReadFile(filepath.Join(goroot, "src", "image", "png", "reader.go"))
	if err != nil {
		return "", err
	}
	const registration = `	image.RegisterFormat("png", pngHeader, Decode, DecodeConfig)`
	if !strings.Contains(string(text), registration) {
		return "", fmt.Errorf("expected %s", strings.TrimSpace(registration))
	}
	return strings.Replace(string(text), registration, "\t_ = image.RegisterFormat", 1), nil
}

// smallSorts is a form of package slices in which all sorts of slices by a function share their code, as those of package sort do: Go compiles it anew for each type
// otherwise. Both packages have the same algorithm, made from one template, so that they order alike what is equal.
func smallSorts(goroot string) (string, error) {
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
	return shared, nil
}

package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// firstLoad are the files that the page fetches when it is opened. Those that have compressed forms travel so.
var firstLoad = []string{"index.html", "page.css", "page.js", "worker.js", "allot.wasm"}

// weigh writes how many bytes the page transfers when it is opened: of each file as it is, by gzip and by brotli, and in all.
func weigh(w io.Writer, out string) error {
	var all [3]int64
	fmt.Fprintf(w, "%-12s %11s %11s %11s\n", "bytes", "raw", "gzip", "brotli")
	for _, name := range firstLoad {
		sizes, err := sizesOf(filepath.Join(out, name))
		if err != nil {
			return err
		}
		for k, size := range sizes {
			all[k] += size
		}
		fmt.Fprintf(w, "%-12s %11d %11d %11d\n", name, sizes[0], sizes[1], sizes[2])
	}
	fmt.Fprintf(w, "%-12s %11d %11d %11d\n", "on the wire", all[0], all[1], all[2])
	return nil
}

// sizesOf are the sizes of a file: as it is, by gzip and by brotli; where a form is missing, it travels as it is.
func sizesOf(name string) (sizes [3]int64, err error) {
	for k, ending := range [...]string{"", ".gz", ".br"} {
		info, err := os.Stat(name + ending)
		switch {
		case err == nil:
			sizes[k] = info.Size()
		case k > 0 && os.IsNotExist(err):
			sizes[k] = sizes[0]
		default:
			return sizes, err
		}
	}
	return sizes, nil
}

// Command site builds the static site: the page with its engine for js/wasm and the compressed forms, and the documentation.
//
//	go -C tools run ./site -C .. -o ../dist/site
//
// It needs Go, Node.js and npm. The same commit and compiler give the same bytes.
package main

import (
	"flag"
	"log"
	"os"
	"path/filepath"
)

func main() {
	log.SetFlags(0)
	root := flag.String("C", ".", "`folder` of the repository")
	out := flag.String("o", "dist/site", "`folder` of the page")
	quick := flag.Bool("quick", false, "compress less, for trials")
	only := flag.Bool("page", false, "build only the page, beside an engine that is there")
	flag.Parse()
	if err := site(*root, *out, *quick, *only); err != nil {
		log.Fatal("site: ", err)
	}
}

// site builds all files of the page.
func site(root, out string, quick, only bool) error {
	if err := os.MkdirAll(out, 0o777); err != nil {
		return err
	}
	if err := worker(root, out); err != nil {
		return err
	}
	if err := page(root, out); err != nil {
		return err
	}
	for _, name := range []string{"page.js", "worker.js", "index.html", "page.css"} {
		if err := compress(filepath.Join(out, name), quick); err != nil {
			return err
		}
	}
	if err := documentation(root, out); err != nil {
		return err
	}
	if only {
		return nil
	}
	name := filepath.Join(out, "allot.wasm")
	if err := engine(root, name); err != nil {
		return err
	}
	if err := compress(name, quick); err != nil {
		return err
	}
	return weigh(os.Stdout, out)
}

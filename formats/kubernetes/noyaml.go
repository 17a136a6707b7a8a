//go:build page

package kubernetes

import "io"

// The page reads objects as JSON: the reader of YAML would be a large part of what it is made of.
func (d *document) yaml(io.Reader) {
	d.faults.At("", "expected JSON, found what may be YAML: the page reads what kubectl get -o json prints, and allot import kubernetes reads both")
}

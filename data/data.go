// Package data holds the real trace that an experiment runs, so that the program needs nothing beside it. The folder has further inputs, see README.md.
package data

import _ "embed" // the trace

// KTH is the trace KTH-SP2 of the Parallel Workloads Archive in the Standard Workload Format, compressed by gzip; swf/SOURCE.md has its source.
//
//go:embed swf/KTH-SP2-1996-2.swf.gz
var KTH []byte

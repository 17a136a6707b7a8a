package bench

import (
	// The formats that suites and the command read. Each package registers its own.
	_ "github.com/allot-opt/allot/formats/batsim"
	_ "github.com/allot-opt/allot/formats/etc"
	_ "github.com/allot-opt/allot/formats/jobcsv"
	_ "github.com/allot-opt/allot/formats/kubernetes"
	_ "github.com/allot-opt/allot/formats/openb"
	_ "github.com/allot-opt/allot/formats/rcpsp"
	_ "github.com/allot-opt/allot/formats/slurm"
	_ "github.com/allot-opt/allot/formats/swf"
	_ "github.com/allot-opt/allot/formats/tou"
	_ "github.com/allot-opt/allot/formats/wfformat"
)

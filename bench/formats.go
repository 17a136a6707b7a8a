package bench

import (
	// The formats that suites and the command read. Each package registers its own.
	_ "github.com/allot-opt/allot/model/batsim"
	_ "github.com/allot-opt/allot/model/etc"
	_ "github.com/allot-opt/allot/model/jobcsv"
	_ "github.com/allot-opt/allot/model/rcpsp"
	_ "github.com/allot-opt/allot/model/slurm"
	_ "github.com/allot-opt/allot/model/swf"
	_ "github.com/allot-opt/allot/model/wfformat"
)

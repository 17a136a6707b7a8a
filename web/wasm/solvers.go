//go:build js && !readers

package main

import _ "github.com/allot-opt/allot/solvers" // registers the solvers

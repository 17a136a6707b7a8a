//go:build page && !readers

package bench

import (
	// The engine of the page reads traces alone: another one reads the other formats, see web/wasm.
	_ "github.com/allot-opt/allot/formats/swf"
)

// Command typecheck looks at the types of all packages of a module for the platform that GOOS and GOARCH name, from their sources alone, as
// building for that platform takes ten times as long:
//
//	GOOS=windows GOARCH=amd64 typecheck    in the folder of the module
package main

import (
	"fmt"
	"os"

	"golang.org/x/tools/go/packages"
)

func main() {
	const mode = packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedEmbedFiles | packages.NeedImports | packages.NeedDeps |
		packages.NeedTypes | packages.NeedTypesSizes | packages.NeedSyntax
	list, err := packages.Load(&packages.Config{Mode: mode}, "./...")
	if err != nil {
		fmt.Fprintln(os.Stderr, "typecheck:", err)
		os.Exit(1)
	}
	if packages.PrintErrors(list) > 0 {
		os.Exit(1)
	}
}

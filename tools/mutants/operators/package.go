//go:build unix

package operators

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/printer"
	"go/token"
	"go/types"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// source is a file of the package.
type source struct {
	path string // absolute
	name string // in the repository
	text []byte
	tree *ast.File
}

// at is the position in the text.
func (s *source) at(fset *token.FileSet, pos token.Pos) int { return fset.Position(pos).Offset }

// pack is the package that is mutated, with its types.
type pack struct {
	path    string // of imports
	folder  string
	fset    *token.FileSet
	sources []*source
	types   *types.Package
	info    *types.Info
	imports types.Importer
}

// load reads a package, such as ./proof, without its tests.
func load(ctx context.Context, opt *Options, pattern string) (*pack, error) {
	out, err := opt.Go(ctx, "list", "-export", "-deps", "-json=ImportPath,Dir,GoFiles,Export,DepOnly", pattern)
	if err != nil {
		return nil, fmt.Errorf("go list %s: %s", pattern, bytes.TrimSpace(out))
	}
	p := &pack{fset: token.NewFileSet()}
	exports := map[string]string{}
	decoder := json.NewDecoder(bytes.NewReader(out))
	for {
		var found struct {
			ImportPath, Dir, Export string
			GoFiles                 []string
			DepOnly                 bool
		}
		if err := decoder.Decode(&found); err == io.EOF {
			break
		} else if err != nil {
			return nil, fmt.Errorf("go list %s: %w", pattern, err)
		}
		exports[found.ImportPath] = found.Export
		if found.DepOnly {
			continue
		}
		if p.path != "" {
			return nil, fmt.Errorf("expected one package, found %s and %s", p.path, found.ImportPath)
		}
		p.path, p.folder = found.ImportPath, found.Dir
		for _, name := range found.GoFiles {
			if err := p.parse(opt.Root, filepath.Join(found.Dir, name)); err != nil {
				return nil, err
			}
		}
	}
	p.imports = importer.ForCompiler(p.fset, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
	p.info = &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{}}
	trees := make([]*ast.File, len(p.sources))
	for k, s := range p.sources {
		trees[k] = s.tree
	}
	p.types, err = (&types.Config{Importer: p.imports}).Check(p.path, p.fset, trees, p.info)
	return p, err
}

// parse reads a file. The name of it in the repository is what stands in mutants.
func (p *pack) parse(root, path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	tree, err := parser.ParseFile(p.fset, path, text, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	name, err := filepath.Rel(root, path)
	if err != nil {
		return err
	}
	p.sources = append(p.sources, &source{path, filepath.ToSlash(name), text, tree})
	return nil
}

// shown is the text of a node without comments, in one line and shortened.
func (p *pack) shown(node ast.Node) string {
	const most = 48
	text := []rune(strings.Join(strings.Fields(p.printed(node)), " "))
	if len(text) > most {
		text = append(append(text[:most/2:most/2], '…'), text[len(text)-most/2:]...)
	}
	return string(text)
}

// printed is the text of a node without comments.
func (p *pack) printed(node ast.Node) string {
	var text bytes.Buffer
	if err := printer.Fprint(&text, p.fset, node); err != nil {
		panic(err) // the node comes from the parser, and a buffer takes all
	}
	return text.String()
}

// faults type-checks texts of the files of the package, by path, together with an additional file. It returns the errors.
func (p *pack) faults(texts map[string]string) (found []types.Error, err error) {
	fset := token.NewFileSet()
	var trees []*ast.File
	for path, text := range texts {
		tree, err := parser.ParseFile(fset, path, text, parser.SkipObjectResolution)
		if err != nil {
			return nil, fmt.Errorf("a bug of this program: it writes what is no Go: %w", err)
		}
		trees = append(trees, tree)
	}
	config := types.Config{Importer: p.imports, Error: func(err error) {
		if e, ok := err.(types.Error); ok { //nolint:errorlint // the type checker promises this type
			found = append(found, e)
		}
	}}
	_, _ = config.Check(p.path, fset, trees, nil) // its error is the first of those found
	return found, nil
}

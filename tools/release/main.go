// Command release builds the archives of a release: one for each system, with the program, the licences, the README and the examples. Beside each is a
// list of the modules in the program (SBOM, CycloneDX), and beside all are SHA256SUMS and, if ALLOT_SIGNING_KEY names a key, its signature.
// Links of the README to what is not in the archive lead to the repository, at the commit of the release.
//
//	go -C tools run ./release -C .. -o ../dist
//	go -C tools run ./release -C .. -o FOLDER -bare -platforms linux/amd64    the program and the licences of its modules, for a wheel
//
// The version is that which the Go tool stamps: the tag of the commit, else a pseudo-version. The sources must have no changes. The same
// commit and compiler give the same bytes.
package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"debug/buildinfo"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

func main() {
	log.SetFlags(0)
	root := flag.String("C", ".", "`folder` of the repository")
	out := flag.String("o", "dist", "`folder` of the archives, made anew")
	platforms := flag.String("platforms", "linux/amd64,linux/arm64,darwin/amd64,darwin/arm64,windows/amd64", "systems, separated by commas")
	bare := flag.Bool("bare", false, "of one platform: only the program and the licences of its modules, not in an archive, also of sources with changes")
	flag.Parse()
	if *bare {
		if err := program(*root, *out, *platforms); err != nil {
			log.Fatal("release: ", err)
		}
		return
	}
	if err := release(*root, *out, strings.Split(*platforms, ","), os.Getenv(keyVariable)); err != nil {
		log.Fatal("release: ", err)
	}
}

// file is a file of an archive.
type file struct {
	name string // with slashes
	mode fs.FileMode
	data []byte
}

// release makes the archives, the lists of their modules, the checksums and, with the file of a key, their signature.
func release(root, out string, platforms []string, key string) error {
	if text, err := command(root, nil, "git", "status", "--porcelain"); err != nil {
		return err
	} else if len(text) > 0 {
		return fmt.Errorf("the sources have changes; commit them first:\n%s", text)
	}
	stamp, err := command(root, nil, "git", "log", "-1", "--format=%cI")
	if err != nil {
		return err
	}
	when, err := time.Parse(time.RFC3339, strings.TrimSpace(string(stamp)))
	if err != nil {
		return err
	}
	common, err := commonFiles(root)
	if err != nil {
		return err
	}
	commit, err := command(root, nil, "git", "rev-parse", "HEAD")
	if err != nil {
		return err
	}
	linkOutside(common, strings.TrimSpace(string(commit)))
	built := out + ".partial"
	if err := errors.Join(os.RemoveAll(built), os.MkdirAll(built, 0o777)); err != nil {
		return err
	}
	defer remove(built)
	var sums strings.Builder
	for _, platform := range platforms {
		name, archive, modules, err := build(root, platform, common, when)
		if err != nil {
			return fmt.Errorf("%s: %w", platform, err)
		}
		for _, f := range []file{{name, 0, archive}, {name + ".cdx.json", 0, modules}} {
			if err := os.WriteFile(filepath.Join(built, f.name), f.data, 0o666); err != nil {
				return err
			}
			fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256(f.data), f.name)
		}
		log.Printf("%s: %.1f MB", name, float64(len(archive))/1e6)
	}
	if err := os.WriteFile(filepath.Join(built, "SHA256SUMS"), []byte(sums.String()), 0o666); err != nil {
		return err
	}
	note, err := sign(built, key)
	if err != nil {
		return err
	}
	log.Print(note)
	return errors.Join(os.RemoveAll(out), os.Rename(built, out))
}

// tags leave out canvases that gonum/plot would link into the program and allot does not use. One of them needs svgo, whose licence is made for texts.
const tags = "-tags=minimal"

// program builds the program of a platform and collects the licences of its modules, into a folder that it makes if need be.
func program(root, out, platform string) error {
	if err := os.MkdirAll(out, 0o777); err != nil {
		return err
	}
	_, environment, err := compile(root, platform, out)
	if err != nil {
		return err
	}
	licences, err := licencesOf(root, environment)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(out, licencesName), licences, 0o666)
}

// licencesName is the file of the licences of the modules.
const licencesName = "THIRD-PARTY-LICENCES"

// compile builds the program of a platform in a folder. It returns the name of the program and the environment of the Go tool for the platform.
func compile(root, platform, folder string) (program string, environment []string, err error) {
	system, processor, ok := strings.Cut(platform, "/")
	if !ok {
		return "", nil, errors.New("expected a platform such as linux/amd64")
	}
	program = "allot"
	if system == "windows" {
		program += ".exe"
	}
	if folder, err = filepath.Abs(folder); err != nil { // the Go tool runs in another one
		return "", nil, err
	}
	environment = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+system, "GOARCH="+processor, "GOFLAGS=", "GOWORK=off")
	_, err = command(root, environment, "go", "build", tags, "-trimpath", "-buildvcs=true", "-ldflags=-s -w", "-o", filepath.Join(folder, program), "./cmd/allot")
	return program, environment, err
}

// build makes the archive of a platform, .zip for Windows, else .tar.gz, and the list of the modules in its program.
func build(root, platform string, common []file, when time.Time) (name string, archive, modules []byte, err error) {
	folder, err := os.MkdirTemp("", "release")
	if err != nil {
		return "", nil, nil, err
	}
	defer remove(folder)
	program, environment, err := compile(root, platform, folder)
	if err != nil {
		return "", nil, nil, err
	}
	binary := filepath.Join(folder, program)
	info, err := buildinfo.ReadFile(binary)
	if err != nil {
		return "", nil, nil, err
	}
	version := info.Main.Version
	if version == "" || version == "(devel)" {
		return "", nil, nil, errors.New("the Go tool has stamped no version: build in a clone, with its history, not in a worktree or a copy")
	}
	graph, err := command(root, environment, "go", "mod", "graph")
	if err != nil {
		return "", nil, nil, err
	}
	if modules, err = bill(info, string(graph), when); err != nil {
		return "", nil, nil, err
	}
	data, err := os.ReadFile(binary)
	if err != nil {
		return "", nil, nil, err
	}
	licences, err := licencesOf(root, environment)
	if err != nil {
		return "", nil, nil, err
	}
	top := fmt.Sprintf("allot-%s-%s", strings.TrimPrefix(version, "v"), strings.ReplaceAll(platform, "/", "-"))
	files := append(slices.Clone(common), file{program, 0o755, data}, file{licencesName, 0o644, licences})
	slices.SortFunc(files, func(a, b file) int { return strings.Compare(a.name, b.name) })
	for k := range files {
		files[k].name = top + "/" + files[k].name
	}
	if strings.HasPrefix(platform, "windows/") {
		archive, err = zipped(files, when)
		return top + ".zip", archive, modules, err
	}
	archive, err = tarred(files, when)
	return top + ".tar.gz", archive, modules, err
}

// remove removes a folder that is no longer needed.
func remove(folder string) {
	if err := os.RemoveAll(folder); err != nil {
		log.Print(err)
	}
}

// commonFiles are what every archive has beside the program.
func commonFiles(root string) ([]file, error) {
	var files []file
	for _, name := range []string{"LICENSE", "README.md", "CHANGELOG.md", "CITATION.cff"} {
		data, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			return nil, err
		}
		files = append(files, file{name, 0o644, data})
	}
	for _, pattern := range []string{"examples/*.json", "examples/external/*.py", "examples/online/*.py", "data/swf/KTH-SP2-1996-2.swf.gz", "data/swf/SOURCE.md"} {
		found, err := fs.Glob(os.DirFS(root), pattern)
		if err != nil {
			return nil, err
		}
		for _, name := range found {
			data, err := os.ReadFile(filepath.Join(root, name))
			if err != nil {
				return nil, err
			}
			files = append(files, file{name, 0o644, data})
		}
	}
	return files, nil
}

// where is a link or the source of a picture in Markdown or HTML.
var where = regexp.MustCompile(`(!?\[[^\]]*\]\(|\bsrc(?:set)?=")([^)"\s]+)`)

// linkOutside makes links of pages in Markdown to what is not among the files lead to the repository at a commit.
func linkOutside(files []file, commit string) {
	for k := range files {
		if !strings.HasSuffix(files[k].name, ".md") {
			continue
		}
		files[k].data = where.ReplaceAllFunc(files[k].data, func(link []byte) []byte {
			parts := where.FindSubmatch(link)
			before, target := string(parts[1]), string(parts[2])
			path, _, _ := strings.Cut(target, "#")
			if path == "" || strings.Contains(target, ":") || slices.ContainsFunc(files, func(f file) bool { return f.name == path }) {
				return link
			}
			kind := "blob"
			if !strings.HasPrefix(before, "[") {
				kind = "raw" // a picture
			}
			return fmt.Appendf(nil, "%shttps://github.com/allot-opt/allot/%s/%s/%s", before, kind, commit, target)
		})
	}
}

// licencesOf are the licences of the modules that are in the program, which their terms ask to hand on.
func licencesOf(root string, environment []string) ([]byte, error) {
	text, err := command(root, environment, "go", "list", tags, "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}} {{.Dir}}{{end}}{{end}}", "./cmd/allot")
	if err != nil {
		return nil, err
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	slices.Sort(lines)
	var b bytes.Buffer
	for _, line := range slices.Compact(lines) {
		words := strings.Fields(line)
		if len(words) != 3 {
			continue
		}
		found, err := filepath.Glob(filepath.Join(words[2], "[CLN][IO][CPT][EIY]*")) // LICENSE, LICENCE, NOTICE, COPYING
		if err != nil {
			return nil, err
		}
		if len(found) == 0 {
			return nil, fmt.Errorf("module %s has no licence", words[0])
		}
		for _, path := range found {
			licence, err := os.ReadFile(path)
			if err != nil {
				return nil, err
			}
			fmt.Fprintf(&b, "==== %s %s: %s\n\n%s\n", words[0], words[1], filepath.Base(path), licence)
		}
	}
	goroot, err := command(root, nil, "go", "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	licence, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(goroot)), "LICENSE"))
	if errors.Is(err, fs.ErrNotExist) { // some distributions keep it elsewhere
		return append(b.Bytes(), "==== Go: https://go.dev/LICENSE\n"...), nil
	}
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(&b, "==== the Go standard library\n\n%s\n", licence)
	return b.Bytes(), nil
}

// tarred makes a .tar.gz.
func tarred(files []file, when time.Time) ([]byte, error) {
	var b bytes.Buffer
	compressed, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	w := tar.NewWriter(compressed)
	for _, f := range files {
		header := &tar.Header{Name: f.name, Mode: int64(f.mode), Size: int64(len(f.data)), ModTime: when, Format: tar.FormatPAX}
		if err := w.WriteHeader(header); err != nil {
			return nil, err
		}
		if _, err := w.Write(f.data); err != nil {
			return nil, err
		}
	}
	if err := errors.Join(w.Close(), compressed.Close()); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// zipped makes a .zip.
func zipped(files []file, when time.Time) ([]byte, error) {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, f := range files {
		header := &zip.FileHeader{Name: f.name, Method: zip.Deflate, Modified: when.UTC()}
		header.SetMode(f.mode)
		entry, err := w.CreateHeader(header)
		if err != nil {
			return nil, err
		}
		if _, err := io.Copy(entry, bytes.NewReader(f.data)); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// command runs a command in the folder and returns what it writes.
func command(folder string, environment []string, words ...string) ([]byte, error) {
	c := exec.Command(words[0], words[1:]...)
	c.Dir, c.Env = folder, environment
	text, err := c.Output()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		return nil, fmt.Errorf("%s: %w\n%s", strings.Join(words, " "), err, exit.Stderr)
	}
	return text, err
}

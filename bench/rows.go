package bench

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"github.com/allot-opt/allot/model"
)

// rowsFile is the name of the file of rows in a run folder. A shard or worker has its own file of rows, see rowsNamed.
const rowsFile = "rows.jsonl"

// rowsNamed returns the name of the file of rows of a shard or a worker.
func rowsNamed(part string) string {
	if part == "" {
		return rowsFile
	}
	return "rows-" + part + ".jsonl"
}

// maxLine is the largest length of a line in a file of rows, in bytes.
const maxLine = 1 << 26

// ReadRows reads the rows of a run from its folder, those of all its shards, or from a file of JSON lines as [WriteJSON] and the runner write them.
// An error names the file and the line. The last line of a file may be incomplete, because the run was killed or is still going on. If it has no line
// feed and is not a row, it is left out. If a cell has several rows, the first counts; if they differ in more than times, that row has a fault.
func ReadRows(path string) ([]Row, error) {
	paths := []string{path}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		if paths, err = rowFiles(path); err != nil {
			return nil, err
		}
		if len(paths) == 0 {
			paths = []string{filepath.Join(path, rowsFile)} // opening it says what is missing
		}
	}
	var m merged
	for _, path := range paths {
		file, err := model.Open(path)
		if err != nil {
			return nil, err
		}
		rows, _, err := readRows(file, model.InputName(path))
		if err := errors.Join(err, file.Close()); err != nil {
			return nil, err
		}
		m.add(rows)
	}
	return m.rows, nil
}

// rowsName matches the names of the files of rows in a run folder. A copy under another name is not read.
var rowsName = regexp.MustCompile(`^rows(-w?[1-9][0-9]*)?\.jsonl$`)

// rowFiles returns the paths of the files of rows in a run folder: of the whole plan, of the shards by number, of the workers. It skips a pipe with
// such a name, because reading it would wait for ever.
func rowFiles(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var paths []string
	for _, entry := range entries {
		if rowsName.MatchString(entry.Name()) && entry.Type()&(fs.ModeNamedPipe|fs.ModeDir) == 0 {
			paths = append(paths, filepath.Join(dir, entry.Name()))
		}
	}
	slices.SortFunc(paths, func(a, b string) int { return cmp.Or(len(a)-len(b), cmp.Compare(a, b)) }) // 2 before 10
	return paths, nil
}

// lineRow is a row with the place that it was read from.
type lineRow struct {
	Row
	at string // the file and the line
}

// readRows reads one row per line. It returns the text after the last line feed as rest; if that is a row, it is the last of the rows too.
func readRows(r io.Reader, name string) (rows []lineRow, rest []byte, err error) {
	buffered := bufio.NewReaderSize(r, 1<<16)
	for number := 1; ; number++ {
		at := fmt.Sprintf("%s:%d", name, number)
		line, ended, err := readLine(buffered)
		if err != nil {
			return nil, nil, &model.InputError{File: at, Faults: []model.Fault{{Message: err.Error()}}}
		}
		if len(bytes.TrimSpace(line)) > 0 {
			var row Row
			err := model.ReadJSON(bytes.NewReader(line), at, &row)
			if err != nil && !ended {
				return rows, line, nil
			} else if err != nil {
				return nil, nil, err
			}
			row.Kind = kindOf(row.Fault)
			rows = append(rows, lineRow{row, at})
		}
		if !ended {
			return rows, line, nil
		}
	}
}

// readLine reads a line without its line feed, and reports whether it ended with one.
func readLine(r *bufio.Reader) (line []byte, ended bool, err error) {
	for {
		part, err := r.ReadSlice('\n')
		line = append(line, part...)
		full := errors.Is(err, bufio.ErrBufferFull)
		switch {
		case full && len(line) <= maxLine:
			continue
		case full:
			return nil, false, fmt.Errorf("expected a line of at most %d bytes, found a longer one", maxLine)
		case err == io.EOF:
			return line, false, nil
		case err != nil:
			return nil, false, err
		}
		return line[:len(line)-1], true, nil
	}
}

// fresh returns the rows that were written since the last call.
func (f *Followed) fresh() ([]lineRow, error) {
	paths, err := rowFiles(f.dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var fresh []lineRow
	for _, path := range paths {
		text, err := f.more(path)
		if err != nil {
			return nil, err
		}
		rows, _, err := readRows(bytes.NewReader(text), path)
		if err != nil {
			return nil, err
		}
		fresh = append(fresh, rows...)
	}
	return fresh, nil
}

// more returns the lines that were appended to a file.
func (f *Followed) more(path string) ([]byte, error) {
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil || info.Size() <= f.ends[path] {
		return nil, err
	}
	text, err := io.ReadAll(io.NewSectionReader(file, f.ends[path], info.Size()-f.ends[path]))
	text = text[:bytes.LastIndexByte(text, '\n')+1]
	f.ends[path] += int64(len(text))
	return text, err
}

// Followed tells how many of a plan's cells have a row, again and again while others run them.
type Followed struct {
	dir  string
	ends map[string]int64 // how much of each file of rows was read, up to a line feed
	plan *Plan
	done map[string]bool
}

// Follow follows the rows of a plan in a run folder.
func (p *Plan) Follow(dir string) *Followed {
	return &Followed{dir: dir, ends: map[string]int64{}, plan: p, done: map[string]bool{}}
}

// Missing returns the indices of the plan's cells that have no row now.
func (f *Followed) Missing() ([]int, error) {
	if err := f.refresh(); err != nil {
		return nil, err
	}
	var missing []int
	for place := range f.plan.Cells {
		if !f.done[f.plan.Cells[place].Key] {
			missing = append(missing, place)
		}
	}
	return missing, nil
}

// Missing returns the indices of the plan's cells that have no row in the run folder and were not refused by their solvers. It is an error, which wraps
// [ErrOtherRun], if the folder holds rows of another suite or version, unless they may be mixed.
func (p *Plan) Missing(dir string, mixed bool) ([]int, error) {
	follow := p.Follow(dir)
	rows, err := follow.fresh()
	if errors.As(err, new(*fs.PathError)) {
		err = fmt.Errorf("%w: %w", ErrNoFolder, err)
	} else if err == nil && !mixed {
		err = checkRows(rows, p)
	}
	if err != nil {
		return nil, err
	}
	for k := range rows {
		follow.done[rows[k].Key] = true
	}
	if run, err := ReadRun(dir); err == nil {
		for key := range run.Refused {
			follow.done[key] = true
		}
	}
	return follow.Missing()
}

// refresh notes the cells that have a row by now.
func (f *Followed) refresh() error {
	rows, err := f.fresh()
	for k := range rows {
		f.done[rows[k].Key] = true
	}
	return err
}

// WriteJSON writes the rows as JSON lines.
func WriteJSON(w io.Writer, rows []Row) error {
	encoder := json.NewEncoder(w)
	for _, row := range rows {
		if err := encoder.Encode(row); err != nil {
			return err
		}
	}
	return nil
}

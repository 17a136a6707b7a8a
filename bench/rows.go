package bench

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/allot-opt/allot/model"
)

// rowsFile is the name of the file that holds the rows in a run folder.
const rowsFile = "rows.jsonl"

// maxLine is the largest length of a line in a file of rows, in bytes.
const maxLine = 1 << 26

// ReadRows reads the rows of a run from its folder, or from a file of JSON lines as [WriteJSON] and the runner write them. An error names the file
// and the line. The last line may be incomplete, because the run was killed or still goes on. If it has no line feed and is not a row, it is left
// out.
func ReadRows(path string) ([]Row, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		path = filepath.Join(path, rowsFile)
	}
	file, err := model.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	rows, _, err := readRows(file, model.InputName(path))
	return rows, err
}

// readRows reads one row per line. It returns the text after the last line feed as rest; if that is a row, it is the last of the rows too.
func readRows(r io.Reader, name string) (rows []Row, rest []byte, err error) {
	buffered := bufio.NewReaderSize(r, 1<<16)
	lines := map[string]int{} // line number of each row, by its key
	for number := 1; ; number++ {
		line, ended, err := readLine(buffered)
		if err != nil {
			return nil, nil, &model.InputError{File: fmt.Sprintf("%s:%d", name, number), Faults: []model.Fault{{Message: err.Error()}}}
		}
		if len(bytes.TrimSpace(line)) > 0 {
			var row Row
			at := fmt.Sprintf("%s:%d", name, number)
			err := model.ReadJSON(bytes.NewReader(line), at, &row)
			switch before, twice := lines[row.Key]; {
			case err != nil && !ended:
				return rows, line, nil
			case err != nil:
				return nil, nil, err
			case twice && row.Key != "":
				return nil, nil, &model.InputError{File: at, Faults: []model.Fault{{Path: "key", Message: fmt.Sprintf("expected a row of another run than that in line %d, found %q again", before, row.Key)}}}
			}
			lines[row.Key] = number
			rows = append(rows, row)
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

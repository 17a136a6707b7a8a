package bench

import "errors"

// RunFormat is the format of the file suite.json of a run folder.
const RunFormat = "allot-run/1"

// RunFile is the file suite.json of a run folder: what is run. Beside it are rows.jsonl, a [Row] a line, appended to as runs end, and
// best, the [BestStore] unless another was named.
type RunFile struct {
	Format    string            `json:"format" enum:"allot-run/1"`
	Version   string            `json:"version"` // of allot
	Suite     Suite             `json:"suite"`
	Best      string            `json:"best"` // folder of the best-known solutions; relative: to the run folder
	Cells     int               `json:"cells"`
	Instances []PlannedInstance `json:"instances"`
	Skipped   []Skipped         `json:"skipped,omitempty"`
}

// ReadRun reads what a run folder says of itself; [ReadRows] reads its rows.
func ReadRun(dir string) (*RunFile, error) {
	return nil, errors.New("not yet")
}

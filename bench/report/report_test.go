package report_test

import (
	"bytes"
	"os"
	"testing"

	"github.com/allot-opt/allot/bench/report"
)

type buffer = bytes.Buffer

func TestX(t *testing.T) {
	os.WriteFile("/tmp/r.html", write(t, ordinary(), report.Options{}), 0o666)
}

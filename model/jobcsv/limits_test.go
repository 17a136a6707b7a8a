package jobcsv_test

import (
	"io"
	"testing"

	"github.com/allot-opt/allot/model/internal/readertest"
	"github.com/allot-opt/allot/model/jobcsv"
)

func TestReadHoldsLittleOfAWrongFile(t *testing.T) {
	readertest.Table(t, "id,arrival,processors,work", ",0,1,1", 3, func(r io.Reader) error {
		_, _, err := jobcsv.Read(r, "j.csv", jobcsv.Options{Processors: 4})
		return err
	})
}

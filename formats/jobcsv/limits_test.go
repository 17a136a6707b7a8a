package jobcsv_test

import (
	"io"
	"testing"

	"github.com/allot-opt/allot/formats/internal/readertest"
)

func TestReadHoldsLittleOfAWrongFile(t *testing.T) {
	readertest.Table(t, "id,arrival,processors,work", ",0,1,1", 3, func(r io.Reader) error {
		_, _, err := with("processors=4").Read(r, "j.csv")
		return err
	})
}

package batsim_test

import (
	"io"
	"testing"

	"github.com/allot-opt/allot/formats/batsim"
	"github.com/allot-opt/allot/formats/internal/readertest"
)

func TestReadHoldsLittleOfAWrongFile(t *testing.T) {
	const header = "job_id,submission_time,requested_number_of_resources,execution_time,allocated_resources"
	readertest.Table(t, header, ",0,1,1,0", 4, func(r io.Reader) error {
		_, _, err := batsim.NewReader().Read(r, "j.csv")
		return err
	})
}

package openb_test

import (
	"io"
	"testing"

	"github.com/allot-opt/allot/formats/internal/readertest"
	"github.com/allot-opt/allot/formats/openb"
)

func TestReadHoldsLittleOfAWrongFile(t *testing.T) {
	nodes := file(t, tinyNodes)
	const header = "name,cpu_milli,memory_mib,num_gpu,gpu_milli,creation_time,deletion_time"
	readertest.Table(t, header, ",1,1,0,0,0,1", 4, func(r io.Reader) error {
		_, _, err := readertest.With(openb.NewReader(), "nodes="+nodes).Read(r, "pods.csv")
		return err
	})
}

package bench

import (
	"fmt"
	"slices"
	"strings"

	"github.com/allot-opt/allot/model"
)

// Workload makes instances by a recipe. Its parameters are exported fields, documented by tags as those of a solver are.
type Workload interface {
	Generate(seed uint64) (*model.Instance, error)
}

// WorkloadInfo documents a workload.
type WorkloadInfo struct {
	Name   string
	Doc    string
	Source string
	New    func() Workload
}

var workloads = map[string]WorkloadInfo{}

// RegisterWorkload adds a workload; it is called from the file of the workload. A name that is taken panics.
func RegisterWorkload(info WorkloadInfo) WorkloadInfo {
	if _, taken := workloads[info.Name]; taken || info.Name == "" {
		panic(fmt.Sprintf("bench: cannot register a workload as %q", info.Name))
	}
	workloads[info.Name] = info
	return info
}

// Workloads lists the registered workloads by name.
func Workloads() []WorkloadInfo {
	list := make([]WorkloadInfo, 0, len(workloads))
	for _, info := range workloads {
		list = append(list, info)
	}
	slices.SortFunc(list, func(a, b WorkloadInfo) int { return strings.Compare(a.Name, b.Name) })
	return list
}

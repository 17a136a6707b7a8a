package place

import (
	"math"

	"github.com/allot-opt/allot/model"
)

// What a machine may lack beside resources, see [Site.Lacks].
const (
	Processors = "processors"
	Memory     = "memory"
)

// Lacks lists what the machine has too little of to give a job of the kind the number of processors: resources by name, in the order of the needs, then [Memory] and [Processors].
//
// Complexity: O(needs · devices of the machine).
func (s *Site) Lacks(r *Room, k *Kind, machine, processors int) (names []string) {
	free, size := s.Look(r, machine), s.size(k, machine)
	blocks := (processors + size - 1) / size
	for _, need := range k.Node.Resources {
		fits := int(min(free.Amounts[need.Resource]/need.Amount, model.Amount(blocks)))
		if s.in.Resources()[need.Resource].Devices {
			fits = s.devicesFor(&free, need)
		}
		if fits < blocks {
			names = append(names, s.in.Resources()[need.Resource].ID)
		}
	}
	if k.Memory > 0 && !math.IsInf(free.Machine.Memory, 1) && Times(free.Memory, free.Machine.Memory, k.Memory, processors) < processors {
		names = append(names, Memory)
	}
	if free.Free < processors {
		names = append(names, Processors)
	}
	return names
}

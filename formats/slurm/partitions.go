package slurm

import (
	"maps"
	"slices"

	"github.com/allot-opt/allot/internal/each"
	"github.com/allot-opt/allot/internal/lines"
	"github.com/allot-opt/allot/model"
)

// partitionSpecs are the partitions as the model takes them, by the texts with which jobs name them; tie says what binds a job to the machines of one that has only
// some of its cluster's.
func (s *system) partitionSpecs(places map[string]*place, tie func(p *model.PartitionSpec, name string)) []model.PartitionSpec {
	var list []model.PartitionSpec
	for _, names := range slices.Sorted(maps.Keys(places)) {
		at := places[names]
		if len(at.clusters) == 0 { // no node is in it
			continue
		}
		p := model.PartitionSpec{ID: lines.Name(names), Closed: true}
		if len(s.clusters) > 1 {
			p.Clusters = each.Of(at.clusters, func(c int) string { return s.clusters[c].name })
		}
		if at.licence != "" {
			tie(&p, at.licence)
		}
		for k, part := range at.parts { // a job of several partitions may take the one that allows most
			p.Closed = p.Closed && part.closed
			limit, machines := min(max(part.limit, 0), 1e12)*60, int(min(max(part.machines, 0), model.MaxProcessors))
			if k == 0 || limit == 0 || p.Limit > 0 && limit > p.Limit {
				p.Limit = limit
			}
			if k == 0 || machines == 0 || p.Machines > 0 && machines > p.Machines {
				p.Machines = machines
			}
		}
		list = append(list, p)
	}
	return list
}

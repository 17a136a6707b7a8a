package slurm

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/allot-opt/allot/formats/lines"
	"github.com/allot-opt/allot/internal/kit"
	"github.com/allot-opt/allot/model"
)

// partitions are the partitions as the model takes them, by the texts with which jobs name them. A feature binds a job to the machines of one that has only some of
// its cluster's.
func (n *layouts) partitions() []model.PartitionSpec {
	var list []model.PartitionSpec
	for _, names := range slices.Sorted(maps.Keys(n.places)) {
		at := n.places[names]
		if len(at.clusters) == 0 { // no node is in it
			continue
		}
		p := model.PartitionSpec{ID: lines.Name(names), Closed: true}
		open := kit.Each(slices.DeleteFunc(slices.Clone(at.parts), func(part *part) bool { return part.closed || len(part.hosts) == 0 }), func(part *part) string { return part.name })
		if len(open) > 0 {
			p.Closed = false
			at = n.placeOf(strings.Join(open, ","), "")
		}
		if len(n.sys.clusters) > 1 {
			p.Clusters = kit.Each(at.clusters, func(c int) string { return n.sys.clusters[c].name })
		}
		if at.partial {
			p.Feature = at.feature()
		}
		if n.sys.tiers {
			p.Tier = slices.MaxFunc(at.parts, func(a, b *part) int { return cmp.Compare(a.tier, b.tier) }).tier
		}
		for k, part := range at.parts { // a job of several partitions may take the one that allows most
			limit := inSeconds(min(max(part.limit, 0), 1e12))
			if k == 0 || limit == 0 || p.Limit > 0 && limit > p.Limit {
				p.Limit = limit
			}
			if k == 0 || part.nodes == 0 || p.Machines > 0 && part.nodes > p.Machines {
				p.Machines = part.nodes
			}
		}
		p.Default = len(at.parts) == 1 && at.parts[0].usual && at.parts[0].name == p.ID && !slices.ContainsFunc(list, func(other model.PartitionSpec) bool { return other.Default })
		list = append(list, p)
	}
	return list
}

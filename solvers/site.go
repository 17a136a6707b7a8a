package solvers

import (
	"fmt"
	"sync/atomic"

	"github.com/allot-opt/allot/formats/slurm"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/sim"
	"github.com/allot-opt/allot/sim/backfill"
	"github.com/allot-opt/allot/solve"
)

// knownSite is what an instance states of its site, as the order slurm takes it.
type knownSite struct {
	spec *model.SiteSpec
	site backfill.Site
}

// lastSite is the site that was read last: runs on the same instance, and on its parts, share it.
var lastSite atomic.Pointer[knownSite]

// onSite is an order on the site that an instance states. It stays as it is where it is not the order slurm, where a program has put it on a site, and where the instance states none.
func onSite(r backfill.Ranking, spec *model.SiteSpec, qualityOf func(id string) string) (backfill.Ranking, error) {
	if r.Order != "slurm" || r.Site != nil || spec == nil {
		return r, nil
	}
	known := lastSite.Load()
	if known == nil || known.spec != spec {
		settings, associations, qualities, err := slurm.OfSite(spec)
		if err != nil {
			return r, fmt.Errorf("order slurm: %w", err)
		}
		known = &knownSite{spec, backfill.Site{Settings: settings.Priority, Associations: associations}}
		known.site.Qualities = qualities
		for _, p := range settings.Partitions {
			known.site.Partitions = append(known.site.Partitions, p.Partition())
		}
		lastSite.Store(known)
	}
	stated := map[string]bool{}
	for _, q := range known.site.Qualities {
		stated[q.Name] = true
	}
	site := known.site
	site.Of = func(id string) (quality string, nice, factor float64) {
		if quality = qualityOf(id); !stated[quality] {
			quality = ""
		}
		return quality, 0, 0
	}
	return r, r.OnSite(&site)
}

// checkOrder says what keeps an order from an instance; nil: nothing.
func checkOrder(r backfill.Ranking, in *model.Instance) error {
	r, err := onSite(r, in.Site(), func(string) string { return "" })
	if err == nil {
		err = r.CheckOrder(in)
	}
	if err != nil {
		return fmt.Errorf("%w: %w", solve.ErrUnsupported, err)
	}
	return nil
}

// ordered is the discipline of an order, which counts by what the instance of the run states of its site. checkOrder has passed it.
func ordered(r backfill.Ranking, rules func(r backfill.Ranking) sim.Discipline) sim.Discipline {
	d := rules(r)
	d.General = func(platform *sim.Platform, seed uint64) sim.Policy {
		sited, err := onSite(r, platform.Site(), platform.QualityOf)
		if err != nil {
			panic(err)
		}
		return rules(sited).General(platform, seed)
	}
	return d
}

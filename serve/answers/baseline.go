package answers

import (
	"context"

	"github.com/allot-opt/allot/internal/kit"
	"github.com/allot-opt/allot/lab"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/sim"
	"github.com/allot-opt/allot/solve"
)

// usualBaseline is the policy of a site whose instance states none.
const usualBaseline = "easy"

// Baseline is the policy of the site that an instance is of, which is the first that others are compared with: the one that the instance states under the label [lab.Site], else EASY.
func Baseline(in *model.Instance) string {
	if policy, _ := lab.SitePolicy(in); policy != "" {
		return lab.Site + "=" + policy
	}
	return usualBaseline
}

// PoliciesOn are the policies to compare on an instance: those that are named, else the usual ones; behind that of the site where the instance states one. An assumed one stands before
// others only where none is named.
func PoliciesOn(in *model.Instance, named, usual []string) []string {
	policy, assumed := lab.SitePolicy(in)
	list := named
	if len(named) == 0 {
		list = usual
	}
	if policy == "" || assumed && len(named) > 0 {
		return list
	}
	others := kit.That(list, func(name string) bool { return name != policy && name != Baseline(in) })
	return append([]string{Baseline(in)}, others...)
}

// NamedPolicy is the policy that is named, else that of the site.
func NamedPolicy(in *model.Instance, named string) string {
	if named != "" {
		return named
	}
	policy, _ := lab.SitePolicy(in)
	if policy == "" {
		return usualBaseline
	}
	return policy
}

// aboutRecord says how near a policy comes to the record of an instance that states the policy of its site, see [lab.AgainstRecord]; nothing of another instance.
func aboutRecord(ctx context.Context, in *model.Instance, label string, policy solve.Policy, seed uint64, anyway bool) (about []string, withheld bool, err error) {
	options, known := lab.Defaults().In(in.Units().Time)
	if lab.SiteText(in) == "" || !known {
		return nil, false, nil
	}
	run := lab.Run{Policy: label, Online: true}
	if hasRecord(in) {
		if run.Solution, _, err = solve.Simulate(ctx, policy, in, sim.Options{Seed: seed}); err != nil {
			return nil, false, err
		}
	}
	return lab.AgainstRecord(ctx, in, run, options, anyway)
}

// AboutRecord says how near the on-line policy of a run comes to the record of its instance; nothing where the instance states no policy of a site.
func (t *Traced) AboutRecord(ctx context.Context) ([]string, error) {
	policy, online := solve.PolicyOf(t.Choice.Solver)
	if !online {
		return nil, nil
	}
	about, _, err := aboutRecord(ctx, t.In, t.Choice.Label, policy, t.Seed, true)
	return about, err
}

// hasRecord reports whether the instance states when jobs really started.
func hasRecord(in *model.Instance) bool {
	for k := range in.Jobs() {
		if _, known := in.Recorded(k); known {
			return true
		}
	}
	return false
}

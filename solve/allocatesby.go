package solve

import "github.com/allot-opt/allot/model"

// OtherObjective returns the metric by which the solver allocates the jobs, see [Info].AllocatesBy, if the instance minimises anything else; otherwise
// it is empty.
func (i *Info) OtherObjective(in *model.Instance) string {
	same := i.AllocatesBy == ""
	for _, term := range in.ObjectiveTerms() {
		switch {
		case term.Weight == 0:
		case term.Metric != i.AllocatesBy || term.Weight < 0:
			return i.AllocatesBy
		default:
			same = true
		}
	}
	if same {
		return ""
	}
	return i.AllocatesBy
}

package multifactor

import "math"

// Terms are the weighted terms of a priority.
type Terms struct {
	Age, Assoc, Fairshare, JobSize, Partition, QOS, TRES float64
	Site, Nice                                           float64
}

// Most is the highest priority.
const Most = math.MaxUint32

// Priority is the sum of the terms, in Slurm's order, cut to a whole number from 1 to [Most]. Slurm sums the terms of a job of several partitions in another order.
func (t *Terms) Priority(several bool) float64 {
	var sum float64
	if several {
		sum = t.Partition + (t.Age + t.Assoc + t.Fairshare + t.JobSize + t.QOS + t.TRES + t.Site - t.Nice)
	} else {
		sum = t.Age + t.Assoc + t.Fairshare + t.JobSize + t.Partition + t.QOS + t.TRES + t.Site - t.Nice
	}
	return min(max(1, math.Trunc(sum)), Most)
}

package spaceshare

// Rounding says how a partition size is made whole.
type Rounding string

// The three roundings.
const (
	Nearest Rounding = "nearest" // a half goes up
	Ceil    Rounding = "ceil"
	Floor   Rounding = "floor"
)

// PartitionSize is P/((Q+1) + S/2) as a whole number of at least 1: the number of processors for the next job, where the system has
// P processors, Q jobs are queued besides that job, and S jobs hold a processor. The computation is in whole numbers, so that a half is
// one exactly. (Abawajy 2004, eq. 2.)
func PartitionSize(processors, queued, running int, rounding Rounding) int {
	over, under := 2*processors, 2*(queued+1)+running
	size := over / under
	rest := over % under
	if rounding == Ceil && rest > 0 || rounding == Nearest && rest >= under-rest {
		size++
	}
	return max(1, size)
}

// Target is the number of processors that a job is to get: the partition size, but no more than the job's maximum parallelism
// (Abawajy 2004, eq. 1), which is its most processors or its tasks, whichever is less; and no less than its least processors.
func Target(size, least, most, tasks int) int {
	return max(least, min(most, tasks, size))
}

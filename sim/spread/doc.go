// Package spread chooses processors for a job that may spread over several clusters, and shares the job's tasks among them. Policies of
// package sim use it.
//
// All processors come from one cluster if possible: the one with the fewest free processors that has enough. Otherwise they come from several
// clusters, the one with the most free processors first; ties go to the first cluster. Within a cluster the fastest machines come first.
//
// # Tasks
//
// Of the tasks, processor i gets ⌊tasks·speed_i/Σ speed⌋, and each remaining task goes to the processor with the least (b+1)/speed, where b is the
// number of its tasks so far; ties go to the lowest index. So the last processor finishes as early as the speeds allow. A processor may get none.
//
// The comparisons are exact. A float64 is a whole number times a power of two, so all speeds are whole numbers in a common
// unit; the quotients are compared by cross-multiplication. Processors of equal speed therefore differ by at most one task.
package spread

// Package spread chooses processors for a job that may spread over several clusters, and shares the job's tasks among them. Policies of
// package sim use it.
//
// All processors come from one cluster if possible: the one with the fewest free processors that has enough. Otherwise they come from several
// clusters, the one with the most free processors first; ties go to the first cluster. Within a cluster the fastest machines come first.
package spread

// Package spread chooses the processors of a job that may hold those of several clusters, and shares the job's tasks among them. Policies of
// package sim use it.
//
// All processors come from one cluster if possible, from that with the fewest free ones that has enough. Else they come from several clusters,
// in the order of most free ones; ties go to the first cluster. Within a cluster the fastest machines come first.
package spread

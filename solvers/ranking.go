package solvers

import "github.com/allot-opt/allot/sim/backfill"

// Queue holds the parameters of a solver that determine the order in which the policy serves its queue. [backfill.Ranking] states what they mean,
// with sources.
type Queue struct {
	Order       string   `enum:"fcfs,sjf,ljf,saf,wfp3,f1,multifactor,priority" doc:"order of the queue: by arrival; least or greatest estimate; least estimate × processors; (wait/estimate)³ × processors; F1 of Carastan-Santos and de Camargo; Slurm's multifactor priority; the priority of the user's class"`
	BoundWait   *float64 `range:"[0, 1e18]" zero:"none" doc:"a job that has waited longer than this goes to the front of the queue, whatever the order"`
	WeightAge   float64  `range:"[-1e18, 1e18]" doc:"multifactor: weight of the waiting time divided by max_age"`
	MaxAge      float64  `range:"(0, 1e18]" doc:"multifactor: waiting time at which the factor of age reaches 1"`
	WeightSize  float64  `range:"[-1e18, 1e18]" doc:"multifactor: weight of the processors divided by max_size"`
	MaxSize     *float64 `range:"(0, 1e18]" zero:"the system's" doc:"multifactor: number of processors at which the factor of size reaches 1"`
	FavourSmall bool     `doc:"multifactor: favour small jobs: the factor of size is 1 − processors/max_size"`
	WeightShare float64  `range:"[-1e18, 1e18]" doc:"multifactor: weight of the fair share of the user, 2^(-usage/share)"`
	HalfLife    float64  `range:"[0, 1e18]" zero:"no decay" doc:"multifactor: half-life of the usage"`
	Damping     float64  `range:"(0, 1e18]" doc:"multifactor: divides the exponent of the fair share"`
	WeightClass float64  `range:"[-1e18, 1e18]" doc:"multifactor: weight of the priority of the user's class divided by max_class"`
	MaxClass    float64  `range:"(0, 1e18]" doc:"multifactor: priority of a class at which its factor reaches 1"`
}

// newQueue is the order of arrival, with the defaults of the other orders.
func newQueue() Queue {
	f := backfill.DefaultFactors()
	return Queue{
		Order: backfill.ByArrival, WeightAge: f.Age, MaxAge: f.MaxAge, WeightSize: f.Size, MaxSize: f.MaxSize, FavourSmall: f.FavourSmall,
		WeightShare: f.Share, HalfLife: f.HalfLife, Damping: f.Damping, WeightClass: f.Class, MaxClass: f.MaxClass,
	}
}

// ranking is the order as the policy takes it.
func (q *Queue) ranking() backfill.Ranking {
	return backfill.Ranking{By: q.Order, BoundWait: q.BoundWait, Factors: backfill.Factors{
		Age: q.WeightAge, MaxAge: q.MaxAge, Size: q.WeightSize, MaxSize: q.MaxSize, FavourSmall: q.FavourSmall,
		Share: q.WeightShare, HalfLife: q.HalfLife, Damping: q.Damping, Class: q.WeightClass, MaxClass: q.MaxClass,
	}}
}

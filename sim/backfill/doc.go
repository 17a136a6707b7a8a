// Package backfill holds the policies first come first served, EASY, conservative and flexible backfilling, for traces on
// one pool of processors (with an index of the queue, millions of jobs a second) and for instances with clusters, memory and
// licences.
//
// # Rules
//
// At each instant, after all ends and arrivals, in queue order (arrival, then position):
//
//   - FCFS: heads start while they fit.
//   - EASY: heads start while they fit. The first that does not is reserved at the earliest estimated end (shadow time) at which it
//     fits, all jobs estimated to end at that instant counted as free; extra is what is then left. Later jobs start, in queue
//     order, if they fit now and either now + estimate ≤ shadow or their processors ≤ extra, which shrinks by them. The
//     reservation is made afresh at every instant.
//   - Flexible: EASY with the queue in order of priority, sorted again at each instant.
//   - Conservative: every queued job has a reservation, the earliest at which it fits beside those made before. When a job ends
//     early, the jobs in queue order in turn give up their reservation for the earliest that there is now, which is never later.
//     The engine is woken at the earliest reservation of a job that fits already.
//
// A running job that has outlived its estimate is taken to end one step from now. Conservative then makes all reservations
// afresh at each instant, in queue order, and is not woken: it could not keep a promise.
//
// Sources: D. A. Lifka (1995), The ANL/IBM SP scheduling system, JSSPP, doi:10.1007/3-540-60153-8_35 (EASY);
// A. W. Mu'alem, D. G. Feitelson (2001), IEEE Trans. Parallel Distrib. Syst. 12(6), doi:10.1109/71.932708 (EASY and conservative).
package backfill

// Package backfill holds the policies [FCFS] (first come, first served), [EASY], [Conservative] and [Flexible] backfilling. Each is a
// [sim.Discipline], for traces on equal processors (hundreds of thousands of jobs a second) as for instances with clusters of machines, memory and licences.
//
// # Rules
//
// At each instant, after all ends and arrivals, in queue order (arrival, then position):
//
//   - FCFS: the head of the queue starts as long as it fits.
//   - EASY: the head of the queue starts while it fits. The first job that does not fit gets a reservation at the shadow time: the
//     earliest estimated end at which it fits, where the processors of all jobs that are estimated to end by then count as free. The
//     processors that it leaves free are called extra. A later job starts, in queue order, if it fits now and either now + estimate ≤
//     shadow time or its processors ≤ extra; in the second case extra shrinks by its processors. Each instant makes the reservation
//     afresh.
//   - Flexible: EASY with the queue in order of priority, sorted again at each instant.
//   - Conservative: every queued job has a reservation, the earliest at which it fits beside the reservations made before. When a job
//     ends early, each queued job in turn, in queue order, exchanges its reservation for the earliest one available now, which is
//     never later. The policy asks to be woken at the earliest reservation of a job that already fits.
//
// A running job that has outlived its estimate is expected to end one step from now. Conservative then makes all
// reservations afresh at each instant, in queue order, and does not ask to be woken: it could not keep such a promise.
//
// On clusters of machines:
//
//   - A job starts on the cluster on which it ends first by its estimate, of those on which it may start now; ties go to the first
//     cluster. Conservative puts a job where it can start first, and of those places where it ends first.
//   - A reservation holds processors and memory of machines, and licences. Under EASY a later job may start if it ends by the shadow
//     time, or leaves enough of everything for the reserved job then. On one cluster of equal processors that is the rule of the extra
//     processors.
//   - A job that would miss its hard deadline, by its estimate, on the processors that it would get now if the system were empty is dropped; under conservative one that finds
//     no reservation by then.
//   - FCFS, EASY, flexible and Slurm run a moldable job on its rigid maximum: the most processors that it may hold, but no more than it has tasks.
//     A job that may hold more than there is takes what the empty cluster on which it runs can give it at once (of one machine where it must
//     stay on one), and never fewer than it must hold. See [sim.Platform.Rigid].
//   - On a system of several clusters they spread jobs whose span is the grid, rigid and moldable: such a job takes what the whole empty system
//     can give it, wherever it starts. Package spread states how the clusters are chosen: one if possible, that with the fewest free
//     processors that has enough, and not that on which the job ends first. The tasks are shared by the time rule of the model over all
//     the processors. All are held until the job ends. Licences come from the pools of all its clusters. A reservation is for the room of
//     the whole system, on whatever clusters the job then fits. Such a job with a hard deadline is dropped when it would miss the deadline,
//     by its estimate, on the processors that it would get now if the system were empty.
//   - Conservative and Local keep a job on one cluster. Conservative gives a moldable job the fewest processors that it may hold.
//   - [Local] is flexible backfilling on some of the clusters, in any [Order]; it too runs a moldable job on its rigid maximum.
//   - Where jobs ask something of single machines, or a rule other than first chooses among machines (package place), every machine counts by itself and a
//     job stays on one cluster. A job gets the machines and devices that the rule chooses among those with room for whole blocks. They must be open to
//     it from its start for as long as it takes, by its estimate, on the slowest of them; with machines of different speed or bandwidth it may leave
//     slow ones out for that. A later job under EASY takes the machines that the rule chooses if it ends by the shadow time or if the reserved job
//     then still finds a place; else those that the rule chooses in what is free both now and at the shadow time beside the place of the reserved job.
//     Times at which machines are closed or opened are instants while jobs wait, and reservations may begin then. A job to which closed times leave no
//     start any more is dropped; under conservative also one that finds no reservation before its machines are closed for good.
//   - There a job that would miss its hard deadline, by its estimate, on the machines of the rule gets those that the rule chooses among machines with at
//     least a speed and a bandwidth: of those with which it ends in time, if all machines are like the slowest, the ones with which it takes longest. Where
//     none will do, and faster processors may take tasks from slower ones, it gets the fastest. A job that would miss its hard deadline now, and at each later
//     time at which machines are closed or opened, even if nothing else ran, is dropped.
//   - Where an instance states two or more partitions, each has a queue of its own. A job waits in the queues of the partitions that it names, or else in one of the name that it states. Queues that
//     share machines or a pool of licences are a region; the partitions show at the beginning what they share, and the rest shows as jobs arrive. A queue has the machines of its partition and those that its jobs can use beside them. A region of one queue
//     decides by the rules above, at the instants at which something happens to it, as if the others did not exist. In a region of several queues the jobs of all are gone through, a higher
//     tier first, and in a tier in the order of the queue; a job of several partitions is met once for each, and starts once, on machines of the partition in which it is met. Under FCFS the first job
//     of a queue that does not fit closes the queue, and its machines are kept from the jobs behind. Under EASY a job starts if it fits, from now until its estimated end, beside the reservations made
//     so far, and of each queue the first depth jobs that cannot start get one. Conservative gives all jobs of a region reservations, with tiers before the order; with a limit on the reservations
//     all queues are one region. A job stays on one cluster. The parameter queues=one keeps one queue of all jobs instead.
//   - Where clusters have power caps, the power that is left is part of every room, with the caps to come. FCFS, EASY of any depth and flexible start a job if it fits, from now until its estimated end, beside the
//     reservations made so far; the first depth jobs that cannot start, under FCFS the first, get one, and a job for which there is no time by the plan is dropped. Jobs stay on one cluster, and queues whose
//     machines share a cap are a region.
//   - Where machines sleep by a rule, a job that starts now is taken to end as much later as the slowest of them takes to wake.
//   - Jobs that run already go on where they are, to their ends, and count among the running. Those that take no time hold nothing.
//   - Where machines have local jobs (background load), a job may outlive its estimate as any other may: the policies know nothing of the load.
//
// Sources: D. A. Lifka (1995), The ANL/IBM SP scheduling system, JSSPP, doi:10.1007/3-540-60153-8_35 (EASY);
// A. W. Mu'alem, D. G. Feitelson (2001), IEEE Trans. Parallel Distrib. Syst. 12(6), doi:10.1109/71.932708 (EASY and conservative).
package backfill

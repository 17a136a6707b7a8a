// Package spaceshare holds two policies that share the processors of a system in space among moldable jobs: [Dynamic], which releases
// each processor when the processor's own tasks have ended, and [MAP], which holds all processors of a job until the job ends. Each is
// a [sim.Discipline].
//
// # Rules
//
// Jobs wait in one queue, in order of arrival. The head of the queue gets a partition: the processors on which all its tasks run.
//
//   - Size: the partition size is P/((Q+1) + S/2), rounded, and at least 1, for P processors in the system, Q queued jobs without the head,
//     and S jobs that hold a processor. See [PartitionSize].
//   - Target: the head should get as many processors as the partition size, limited to its tasks and to the number that it may
//     hold. See [Target].
//   - Start: the policy Dynamic starts the head as soon as the pool of free processors holds min(target, α), on as many as there are, up to
//     the target ([Available]); or as soon as the target is free ([Wait]). MAP waits for the target.
//   - Selection: the processors come from one cluster if possible: the one with the fewest free processors that has enough.
//     Otherwise they come from several clusters, the one with the most free processors first; ties go to the first cluster.
//   - Tasks: a processor runs as many tasks as its speed is of all speeds in the partition, rounded down. Each remaining task goes to the
//     processor that would finish it first. See package spread.
//   - Turns: the scheduler takes its turn when a job arrives and when a job departs. Dynamic also takes a turn when processors come back
//     and the pool then holds at least α. In a turn it starts heads of the queue until one has to wait.
//
// A policy sees the ends that happen, and nothing of how long a job will run. An estimate decides in one place only: a job with a
// hard deadline that it would miss, by its estimate, is dropped when its turn to start has come.
//
// Source: J. H. Abawajy (2004), Dynamic parallel job scheduling in multi-cluster computing systems, ICCS 2004, LNCS 3036, 27–34. Its rival
// is a policy of T. Thyagaraj, S. P. Dandamudi (2001), An efficient adaptive scheduling scheme for distributed memory multicomputers, IEEE
// Trans. Parallel Distrib. Syst. 12(7), 758–768. Here MAP stands for it: static space-sharing with the partition sizes of the first paper.
//
// # Deviations from the paper
//
//   - The paper does not say how the partition size is rounded, nor when exactly a job starts: both are options.
//   - The paper shares the tasks by the speeds of the whole system, which gives out fewer tasks than there are. Here the speeds of the
//     partition count, and the tasks that are left are given out too.
//   - Its fitness factor contains the level of multiprogramming, which is the same for all processors and cancels.
//   - A processor that gets no task, because others run it sooner, is not taken: it stays in the pool.
//   - "When there are α processors in the pool" is read as: at each instant at which processors come back and the pool then holds α or more.
//
// # Beyond the paper
//
//   - A job never holds fewer processors than its minimum: it waits for them. A rigid job is one whose minimum is its maximum. Where
//     the rule of the tasks would leave fewer processors than that with a task, each processor of the partition gets one first. A job with
//     fewer tasks than its minimum of processors runs as the time rule of the model says, and releases the processors of a cluster together.
//   - A job whose span is one cluster or one machine stays within it, on the cluster or the machine with the fewest free processors that has
//     enough. Its target is not larger than what the largest of them can give it.
//   - On a cluster that gives out whole machines a job takes one, as the model says, whatever the target is.
//   - Within a cluster the fastest machines come first. Memory and minimum bandwidth limit which processors a job can use.
package spaceshare

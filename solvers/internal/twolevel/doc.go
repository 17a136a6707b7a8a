// Package twolevel is the two-level scheduler of a grid: a meta-scheduler classifies each job at its submission and sends it to a cluster.
// There a local scheduler, with its own queue and its own reservation, starts it by flexible backfilling.
//
// # Meta-scheduler
//
// The priority P of a job is a weighted sum of three parts, computed once, when the job is submitted:
//
//   - Deadline: margin = max(0, deadline − estimate − submission) is compared with the mean E of the margins of the jobs before it. The
//     interval from 0 to 2E is divided into one piece per level, each twice as long as the one before; the first is the highest level.
//     Then r = margin/estimate lowers the level by ⌊r⌋ if r ≥ 1, or raises it by ⌊−log₂ r⌋.
//   - Licences: ⌈n·levels/|L|⌉ for n of the |L| licences.
//   - User: the priority of the class of the user.
//
// The rule Load sends the job to the first cluster whose queue holds no load of jobs of priority P or more, otherwise to the cluster
// with the least such load. The load of a job is its estimate times the reference speed. The rule Ordering breaks ties by the least
// number of such jobs, then at random. A job that depends on other jobs is classified when it is submitted and sent to a cluster when
// they have ended.
//
// # Local schedulers
//
// Each cluster has a [backfill.Local]. It decides at the events of its cluster: a job joins its queue, a part of a job ends there, or a
// job of any cluster gives back copies of a licence of the whole grid. [MS] orders the queue by P, [None] by arrival (and the
// meta-scheduler then takes all P as 0), and [LS] by a priority that changes with time: aging, nearness of the deadline, scarcity of the
// licences, shortness.
//
// # Source
//
// M. Pasquali, R. Baraglia, G. Capannini, L. Ricci, D. Laforenza (2011), A multi-level scheduler for batch jobs on grids, J. Supercomputing
// 57(1), 81–98, doi:10.1007/s11227-011-0571-y, §4.
//
// The source leaves open, and this package assumes: a window of 100 margins, of which the first job has only its own; 10 levels; weights
// of 1, and 0.001 for aging; for the local deadline scores of 0.1 to 10 and k = 2. All are fields of [Options]. Further deviations:
//
//   - The text of Ordering contradicts itself. Here it counts the jobs of priority P or more.
//   - Licences are pools of a cluster or of the grid, as the instance states them. A reservation counts the copies of its cluster as it
//     counts processors.
//   - A job without a deadline gets 0 for it from the meta-scheduler and the low score from the local one.
//   - A job may have more than one task: its estimate is then that of the tasks of one processor. Jobs that state run times cluster by
//     cluster and no estimate count with the least of these. A job need not stay on one machine.
//   - Jobs with hard deadlines that cannot be met any more are dropped.
package twolevel

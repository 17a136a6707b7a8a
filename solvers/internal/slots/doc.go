// Package slots holds the policies [Static] and [Dynamic]: advance reservation of time slots for stochastic workflows, the rivals of the
// G/G/1 workload allocation. Each is a [sim.Discipline].
//
// # Rules
//
// Every processor is a single server with a calendar of slots. A slot for a task is (μ + k·σ)/speed long (eq. 23 of the paper): the
// execution time by the task's estimate, times 1 + k·cv. The task runs in its slot, on its processor, and pays for the time that it runs.
//
//   - Static reserves slots for all tasks of a workflow when the workflow is submitted, in topological order and, of those that are next, in
//     queue order. The slot of a task begins only after the slots of the tasks that it depends on.
//   - Dynamic reserves the slot of a task when the task is ready: when all tasks that it waits for have ended.
//
// A slot is the one that ends first of those within the budget; ties go to the cheaper machine, then to the one that stands first in the
// instance. On a processor it is the first gap that is long enough. What the workflow has paid, what its other slots cost and, under Static,
// the least that its tasks without a slot can cost, must stay within its budget. If no slot does, or if the slot that ends first ends after
// the deadline, the task is rejected, and under Static the whole workflow: tasks of it that arrive later are rejected too, those that have
// slots already keep them. Deadline and budget are those of the workflow. Those of a single
// task, which only the cost of a schedule depends on, reject nothing; a hard deadline of a task does.
//
// With the option NoWait a slot may not begin later than when the task is ready or, under Static, than when the slots that it waits for end: the
// paper's workflows have no slack and are scheduled without any delay (§5.2).
//
// A task that ends early returns the rest of its slot, which others may reserve. Slots that are reserved already stay where they are. A task
// that outlives its slot is killed at the slot's end; so are, in effect, the tasks that wait for it, and their slots are returned. With
// overrun extend the task runs on. Its slot then doubles each time that it is used up, and the later slots of the processor move back as far
// as they must; they move forward again, but never before the time that they were reserved for. A task that is not ready when its slot begins
// keeps the processor waiting.
//
// # What a policy sees
//
// It sees the estimate of a task and the coefficient of variation of its work, never how long it really runs. Where an instance holds only
// the tasks that a workflow really takes, and not those of the branches that it does not, Static knows the branches at submission.
// That favours it.
//
// Source: Y. Patel, J. Darlington (2006), A novel approach to allocating QoS-constrained workflow-based jobs in a multi-cluster grid, Proc.
// MGC '06, doi:10.1145/1186675.1186678, §5.2 and eq. 23, which names the two and leaves the choice of the slot open.
package slots

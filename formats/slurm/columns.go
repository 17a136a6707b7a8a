package slurm

import "slices"

// Fate is what becomes of a column of sacct.
type Fate string

// The fates.
const (
	Used       Fate = "used"       // the instance depends on it
	Counted    Fate = "counted"    // an instance cannot express it: the report counts the jobs of which it says something
	Irrelevant Fate = "irrelevant" // it says nothing of when a job could start
)

// Column is a column of sacct, and what becomes of it.
type Column struct {
	Name string
	Fate Fate
	Why  string
}

// Columns are all columns that sacct of versions 20.11 to 25.11 can print (sacct --helpformat), by name.
func Columns() []Column { return slices.Clone(columns) }

// columns are the columns of [Columns].
var columns = []Column{
	{"Account", Used, "group of the job"},
	{"AdminComment", Irrelevant, aText},
	{"AllocCPUS", Used, "the same as NCPUS"},
	{"AllocGRES", Used, "generic resources, where AllocTRES is absent"},
	{"AllocNodes", Used, "the same as NNodes"},
	{"AllocTRES", Used, "memory and generic resources that the job held"},
	{"AssocID", Irrelevant, aNumber},
	{"AveCPU", Irrelevant, aMeasure},
	{"AveCPUFreq", Irrelevant, aMeasure},
	{"AveDiskRead", Irrelevant, aMeasure},
	{"AveDiskWrite", Irrelevant, aMeasure},
	{"AvePages", Irrelevant, aMeasure},
	{"AveRSS", Irrelevant, aMeasure},
	{"AveVMSize", Irrelevant, aMeasure},
	{"BlockID", Irrelevant, aNumber},
	{"Cluster", Used, "all jobs of a file must be of one cluster"},
	{"Comment", Irrelevant, aText},
	{"Constraints", Used, "features that every node of the job has, where the nodes' file states features; else counted"},
	{"ConsumedEnergy", Irrelevant, aMeasure},
	{"ConsumedEnergyRaw", Irrelevant, aMeasure},
	{"Container", Irrelevant, aText},
	{"CPUTime", Irrelevant, "NCPUS times Elapsed"},
	{"CPUTimeRAW", Irrelevant, "NCPUS times Elapsed"},
	{"DBIndex", Irrelevant, aNumber},
	{"DerivedExitCode", Irrelevant, anExit},
	{"Elapsed", Used, "the run time, where ElapsedRaw is not stated and the clock changed during the run"},
	{"ElapsedRaw", Used, "the run time, where the clock changed during the run"},
	{"Eligible", Used, "arrival, where it is later than Submit: a begin time, a dependency or a hold kept the job back until then"},
	{"End", Used, "end of the run"},
	{"ExitCode", Irrelevant, anExit},
	{"Extra", Irrelevant, aText},
	{"FailedNode", Irrelevant, anExit},
	{"Flags", Irrelevant, "how Slurm started the job"},
	{"GID", Irrelevant, "the group of Unix: accounts are the groups"},
	{"Group", Used, "group of the job, where Account is absent"},
	{"JobID", Used, "id of the job; a + marks a part of a heterogeneous job, which is counted"},
	{"JobIDRaw", Irrelevant, aNumber},
	{"JobName", Irrelevant, aText},
	{"Layout", Irrelevant, "of the tasks of a step"},
	{"Licenses", Counted, "no file of a trace says how many copies there were"},
	{"MaxDiskRead", Irrelevant, aMeasure},
	{"MaxDiskReadNode", Irrelevant, aMeasure},
	{"MaxDiskReadTask", Irrelevant, aMeasure},
	{"MaxDiskWrite", Irrelevant, aMeasure},
	{"MaxDiskWriteNode", Irrelevant, aMeasure},
	{"MaxDiskWriteTask", Irrelevant, aMeasure},
	{"MaxPages", Irrelevant, aMeasure},
	{"MaxPagesNode", Irrelevant, aMeasure},
	{"MaxPagesTask", Irrelevant, aMeasure},
	{"MaxRSS", Irrelevant, aMeasure},
	{"MaxRSSNode", Irrelevant, aMeasure},
	{"MaxRSSTask", Irrelevant, aMeasure},
	{"MaxVMSize", Irrelevant, aMeasure},
	{"MaxVMSizeNode", Irrelevant, aMeasure},
	{"MaxVMSizeTask", Irrelevant, aMeasure},
	{"McsLabel", Counted, "with a label a node may run the jobs of that label only"},
	{"MinCPU", Irrelevant, aMeasure},
	{"MinCPUNode", Irrelevant, aMeasure},
	{"MinCPUTask", Irrelevant, aMeasure},
	{"NCPUS", Used, "processors that the job held"},
	{"NNodes", Used, "nodes that the job held: an equal part of its processors, memory and generic resources lies on each"},
	{"NodeList", Irrelevant, "the nodes that the job held, which a policy may choose in another way"},
	{"NTasks", Irrelevant, "of a step"},
	{"Partition", Used, "queue of the job; with the file of nodes, the nodes that it may run on"},
	{"Planned", Irrelevant, "Start − Eligible"},
	{"PlannedCPU", Irrelevant, "NCPUS times Planned"},
	{"PlannedCPURAW", Irrelevant, "NCPUS times Planned"},
	{"Priority", Used, "user class \"priority N\", for order=priority; it is the priority when Slurm last computed it"},
	{"QOS", Used, "quality of service; its limits and its preemption are in no file: counted where the file has several"},
	{"QOSRAW", Irrelevant, "number of QOS"},
	{"QOSREQ", Irrelevant, "the QOS that was asked for: QOS is the one that held"},
	{"Reason", Counted, "the last reason for which the job waited: limits, reservations and the like"},
	{"ReqCPUFreq", Irrelevant, aFrequency},
	{"ReqCPUFreqGov", Irrelevant, aFrequency},
	{"ReqCPUFreqMax", Irrelevant, aFrequency},
	{"ReqCPUFreqMin", Irrelevant, aFrequency},
	{"ReqCPUS", Used, "processors, where NCPUS and AllocCPUS are absent"},
	{"ReqGRES", Used, "generic resources, where AllocTRES, AllocGRES and ReqTRES are absent"},
	{"ReqMem", Used, "memory, where AllocTRES and ReqTRES are absent"},
	{"ReqNodes", Used, "nodes, where NNodes and AllocNodes are absent"},
	{"ReqTRES", Used, "whether the job asked for as many nodes as it held, and for which types of generic resources; memory and generic resources where AllocTRES is absent"},
	{"Reservation", Counted, "no file of a trace says which nodes it had, and when"},
	{"ReservationId", Counted, "as Reservation"},
	{"Reserved", Irrelevant, "Start − Eligible"},
	{"ResvCPU", Irrelevant, "NCPUS times Reserved"},
	{"ResvCPURAW", Irrelevant, "NCPUS times Reserved"},
	{"Restarts", Counted, "a job that was requeued: without sacct -D its earlier runs are not in the file"},
	{"SegmentSize", Counted, "the job asked for nodes that are close to each other"},
	{"SLUID", Irrelevant, aNumber},
	{"Start", Used, "the recorded start, and begin of the run"},
	{"State", Counted, "jobs that were preempted, requeued, suspended or hit by a node that failed"},
	{"StdErr", Irrelevant, aText},
	{"StdIn", Irrelevant, aText},
	{"StdOut", Irrelevant, aText},
	{"Submit", Used, "arrival"},
	{"SubmitLine", Irrelevant, aText},
	{"Suspended", Counted, "time in which the job held no processors"},
	{"SystemComment", Irrelevant, aText},
	{"SystemCPU", Irrelevant, aMeasure},
	{"Timelimit", Used, "estimate"},
	{"TimelimitRaw", Used, "estimate, in minutes"},
	{"TotalCPU", Irrelevant, aMeasure},
	{"TRESUsageInAve", Irrelevant, aMeasure},
	{"TRESUsageInMax", Irrelevant, aMeasure},
	{"TRESUsageInMaxNode", Irrelevant, aMeasure},
	{"TRESUsageInMaxTask", Irrelevant, aMeasure},
	{"TRESUsageInMin", Irrelevant, aMeasure},
	{"TRESUsageInMinNode", Irrelevant, aMeasure},
	{"TRESUsageInMinTask", Irrelevant, aMeasure},
	{"TRESUsageInTot", Irrelevant, aMeasure},
	{"TRESUsageOutAve", Irrelevant, aMeasure},
	{"TRESUsageOutMax", Irrelevant, aMeasure},
	{"TRESUsageOutMaxNode", Irrelevant, aMeasure},
	{"TRESUsageOutMaxTask", Irrelevant, aMeasure},
	{"TRESUsageOutMin", Irrelevant, aMeasure},
	{"TRESUsageOutMinNode", Irrelevant, aMeasure},
	{"TRESUsageOutMinTask", Irrelevant, aMeasure},
	{"TRESUsageOutTot", Irrelevant, aMeasure},
	{"UID", Used, "user, where User is absent"},
	{"User", Used, "user of the job"},
	{"UserCPU", Irrelevant, aMeasure},
	{"WCKey", Irrelevant, aText},
	{"WCKeyID", Irrelevant, aNumber},
	{"WorkDir", Irrelevant, aText},
}

// Why columns say nothing of when a job could start.
const (
	aText      = "a text for people or programs"
	aNumber    = "a number of the database"
	aMeasure   = "measured while the job ran"
	anExit     = "how the job ended"
	aFrequency = "the frequency of the processors"
)

package model

// The wire types: the fields of an instance file before defaults are applied. A program fills them in to build
// an instance (see [Builder]), and the JSON Schema is generated from them. [Builder.Build] and [ReadInstance]
// turn them into an [Instance].
//
// The tag `check` states what a value must satisfy if it is present:
//
//	positive     a finite number in [1e-18, 1e18]
//	nonnegative  a finite number in [0, 1e18]
//	finite       a finite number in [-1e18, 1e18]
//	count        a whole number in [1, 2³¹−1]
//	copies       a whole number in [0, 2³¹−1]
//	amount       0 or a number in [1e-6, 1e12] with at most six decimals
//	id           a text of 1 to 1,000 bytes
//	set          a set of processors as text
//
// and, for what programs compute, which is bounded by what it is computed from:
//
//	time         a finite number of at least 0
//	figure       a finite number
//	counter      a whole number in [0, 2⁵³]
//	text         a text of 1 to 100,000 bytes
//
// Names in maps are like an id; other texts have at most 100,000 bytes. All are UTF-8.
//
// In Go a zero number in a field that is not a pointer means that the field is absent.

// InstanceSchema and SolutionSchema are the values of the "schema" field of the two file formats.
const (
	InstanceSchema = "allot/instance/1"
	SolutionSchema = "allot/solution/1"
)

// InstanceSpec is an instance as written in a file.
type InstanceSpec struct {
	Schema        string             `json:"schema" doc:"the format: allot/instance/1"`
	Name          string             `json:"name,omitempty" doc:"a name for people"`
	Units         *Units             `json:"units,omitempty" doc:"units of the numbers; for people"`
	TimeZero      *float64           `json:"time_zero,omitempty" check:"nonnegative" doc:"Unix time, in seconds, of time 0: for dates that people are shown, and for policies that keep to the clock (backfill); absent: not known"`
	TimeZone      string             `json:"time_zone,omitempty" check:"id" doc:"zone in which dates are shown, such as Europe/Stockholm; unstated: the record has clock times without a zone, and time_zero takes them as UTC; absent: the zone of the machine that shows them"`
	Caveats       []string           `json:"caveats,omitempty" check:"text" doc:"what the record that the instance was made of states and the instance leaves out, where that touches more than 2 % of the jobs; for people"`
	Objective     map[string]float64 `json:"objective,omitempty" check:"finite" doc:"metric → weight; the weighted sum is minimised, and a metric for which high is better enters negated; absent: {makespan: 1}"`
	Weights       *WeightsSpec       `json:"weights,omitempty" doc:"weights of the comprehensive performance cp, for clusters without their own"`
	UserClasses   map[string]float64 `json:"user_classes,omitempty" check:"nonnegative" doc:"class of users → priority"`
	Licences      map[string]int     `json:"licences,omitempty" check:"copies" doc:"licence → copies in the pool of the whole grid"`
	Devices       []string           `json:"devices,omitzero" check:"id" doc:"the resources of machines that come in whole devices, such as gpu: a need below 1 is a share of one device, any other a number of whole devices that no other job holds"`
	Queueing      *QueueingSpec      `json:"queueing,omitempty" doc:"the queueing view of the batch (G/G/1)"`
	Overheads     *Overheads         `json:"overheads,omitempty" doc:"overheads of every cluster without its own"`
	Workflows     []WorkflowSpec     `json:"workflows,omitempty" doc:"groups of jobs with an overall deadline and budget"`
	Partitions    []PartitionSpec    `json:"partitions,omitempty" doc:"the partitions of the record that the instance was made of; only jobs that are added later, and questions about jobs, are bound by them"`
	Policy        string             `json:"policy,omitempty" check:"id" doc:"the policy of the site that the record is of, as allot solve --solver names it, such as backfill:order=priority: what others are compared with; absent: not known"`
	PolicyAssumed bool               `json:"policy_assumed,omitempty" doc:"nobody knows the site's policy: what policy states is assumed"`
	Site          *SiteSpec          `json:"site,omitempty" doc:"what the order slurm counts by beside its parameters; absent: all accounts, users, partitions and qualities of service count alike"`
	Tariff        *TariffSpec        `json:"tariff,omitempty" doc:"what power costs, and emits, by time; of every cluster without its own"`
	Horizon       *HorizonSpec       `json:"horizon,omitempty" doc:"the time within which jobs start and end, and power counts; absent: jobs are free, and power counts from the earliest arrival to the last end"`
	Clusters      []ClusterSpec      `json:"clusters" doc:"the clusters, at least one"`
	Jobs          []JobSpec          `json:"jobs" doc:"the jobs, in queue order"`
}

// UnstatedZone is the time zone of an instance whose record has clock times and does not say in which zone.
const UnstatedZone = "unstated"

// Units names the units of measurement. They are for people: no computation depends on them.
type Units struct {
	Time   string `json:"time,omitempty" doc:"unit of every time; absent: seconds"`
	Work   string `json:"work,omitempty" doc:"unit of work; speed is in work per time"`
	Data   string `json:"data,omitempty" doc:"unit of input, output and message; bandwidth is in data per time"`
	Memory string `json:"memory,omitempty" doc:"unit of memory"`
	Cost   string `json:"cost,omitempty" doc:"unit of cost and budget"`
}

// WeightsSpec weighs the three terms of eq. 1 of MUSCLE (2004); an absent weight is 1.
type WeightsSpec struct {
	OverDeadline *float64 `json:"over_deadline,omitempty" check:"nonnegative" doc:"weight of the total time over deadlines; absent: 1"`
	Makespan     *float64 `json:"makespan,omitempty" check:"nonnegative" doc:"weight of the makespan; absent: 1"`
	IdleTime     *float64 `json:"idle_time,omitempty" check:"nonnegative" doc:"weight of the idle processor time; absent: 1"`
}

// QueueingSpec is the queueing view of the batch.
type QueueingSpec struct {
	Rate   float64  `json:"rate,omitempty" check:"positive" doc:"arrival rate λ of the batch, jobs per time; absent: estimated from the arrivals"`
	CV     *float64 `json:"cv,omitempty" check:"nonnegative" doc:"coefficient of variation of the inter-arrival times; absent: estimated from the arrivals"`
	Period float64  `json:"period,omitempty" check:"positive" doc:"scheduling period T; absent: jobs/λ"`
	K      *float64 `json:"k,omitempty" check:"nonnegative" doc:"standard deviations added to the mean work (eq. 23); absent: 1.645"`
	Charge string   `json:"charge,omitempty" enum:"response,service" doc:"what a task pays for: its response time or its service time; absent: response"`
}

// Overheads are times that a processor spends on a job besides its work.
type Overheads struct {
	ContextSwitch float64 `json:"context_switch,omitempty" check:"nonnegative" doc:"time a processor spends to switch to a job; absent: 0"`
}

// WorkflowSpec is a group of jobs with an overall deadline and budget.
type WorkflowSpec struct {
	ID       string   `json:"id" check:"id" doc:"unique name"`
	Deadline *float64 `json:"deadline,omitempty" check:"nonnegative" doc:"absolute time by which all its jobs should have ended"`
	Budget   *float64 `json:"budget,omitempty" check:"nonnegative" doc:"limit of the total cost of its jobs"`
}

// ClusterSpec is one cluster.
type ClusterSpec struct {
	ID         string         `json:"id" check:"id" doc:"unique name"`
	Allocation string         `json:"allocation,omitempty" enum:"processor,machine" doc:"processor: processors are allocated one by one; machine: a job takes one whole machine, which counts as one processor of rate processors × speed; absent: processor"`
	Weights    *WeightsSpec   `json:"weights,omitempty" doc:"weights of this cluster's cp; absent: the instance's"`
	Licences   map[string]int `json:"licences,omitempty" check:"copies" doc:"licence → copies in the pool of this cluster only"`
	Network    *Network       `json:"network,omitempty" doc:"network between the cluster's processors"`
	Overheads  *Overheads     `json:"overheads,omitempty" doc:"overheads of this cluster; absent: the instance's"`
	Tariff     *TariffSpec    `json:"tariff,omitempty" doc:"what power costs here, and emits; absent: the instance's"`
	PowerCap   [][]float64    `json:"power_cap,omitempty" check:"nonnegative" doc:"pairs [time, power], by time: from then on the idle power of all machines and the running processors may take so much; before the first, and absent: any power"`
	Machines   []MachineSpec  `json:"machines" doc:"the machines, at least one; processors are numbered from 0 in their order"`
}

// TariffSpec is what power costs, and emits, by time. A value holds from its time until the next.
// docs/power.md has the rules.
type TariffSpec struct {
	Price  [][]float64 `json:"price,omitempty" check:"finite" doc:"pairs [time, value], by time: cost of a priced unit from then on; it may be negative"`
	Carbon [][]float64 `json:"carbon,omitempty" check:"finite" doc:"pairs [time, value], by time: carbon of a priced unit from then on"`
	Period float64     `json:"period,omitempty" check:"positive" doc:"the values repeat after this time; absent: the last holds for ever"`
	Per    float64     `json:"per,omitempty" check:"positive" doc:"power × time of one priced unit, such as 3.6e6 for kWh, if power is in W and time in s; absent: 1"`
}

// HorizonSpec is the time that a schedule is made for.
type HorizonSpec struct {
	From float64 `json:"from,omitempty" check:"nonnegative" doc:"no job starts before; absent: 0"`
	To   float64 `json:"to" check:"positive" doc:"no job ends after"`
}

// PartitionSpec is a partition: where a job that names it as its queue may run, and what it may ask for. The jobs of an instance state themselves where they
// run; [Instance.InPartition] says it of another one.
type PartitionSpec struct {
	ID       string   `json:"id" check:"id" doc:"unique name, as in queue of a job"`
	Clusters []string `json:"clusters,omitempty" check:"id" doc:"clusters that have its machines; absent: all"`
	Feature  string   `json:"feature,omitempty" check:"id" doc:"feature of its machines; absent: all machines of its clusters are in it"`
	Licence  string   `json:"licence,omitempty" check:"id" doc:"licence that only its machines can run; absent: all machines of its clusters are in it"`
	Limit    float64  `json:"limit,omitempty" check:"positive" doc:"longest estimate of a job; absent: none"`
	Machines int      `json:"machines,omitempty" check:"count" doc:"most machines that a job may ask for; absent: any number"`
	Tier     float64  `json:"tier,omitempty" check:"nonnegative" doc:"jobs of a partition of a higher tier go before others where the two share machines; absent: 0"`
	Closed   bool     `json:"closed,omitempty" doc:"it starts no jobs"`
	Default  bool     `json:"default,omitempty" doc:"a job that is added without a queue goes there; one partition at most"`
}

// SiteSpec is what the order slurm counts by beside its parameters, in lines as Slurm prints them.
type SiteSpec struct {
	Settings  []string `json:"settings,omitempty" check:"text" doc:"lines of slurm.conf: PriorityFlags, PriorityWeightTRES, PriorityUsageResetPeriod, and of partitions PriorityJobFactor and TRESBillingWeights"`
	Accounts  []string `json:"accounts,omitempty" check:"text" doc:"lines of sacctmgr show assoc -P, the first of them the header: shares of accounts and users"`
	Qualities []string `json:"qualities,omitempty" check:"text" doc:"lines of sacctmgr show qos -P, the first of them the header: priorities of qualities of service"`
}

// Network connects the processors of a cluster.
type Network struct {
	Latency   float64 `json:"latency,omitempty" check:"nonnegative" doc:"time added for a job that exchanges messages; absent: 0"`
	Bandwidth float64 `json:"bandwidth,omitempty" check:"positive" doc:"bandwidth of a job's message, data per time; absent: unlimited"`
}

// MachineSpec is a group of identical machines.
type MachineSpec struct {
	ID         string             `json:"id" check:"id" doc:"name, unique in the cluster"`
	Count      int                `json:"count,omitempty" check:"count" doc:"number of identical machines; absent: 1"`
	Processors int                `json:"processors,omitempty" check:"count" doc:"processors of one machine; absent: 1"`
	Speed      float64            `json:"speed,omitempty" check:"positive" doc:"work per time of one processor; absent: 1"`
	Memory     *float64           `json:"memory,omitempty" check:"nonnegative" doc:"memory of one machine; absent: unlimited"`
	Bandwidth  float64            `json:"bandwidth,omitempty" check:"positive" doc:"bandwidth of input and output, data per time; absent: unlimited"`
	Cost       float64            `json:"cost,omitempty" check:"nonnegative" doc:"cost per processor and time unit; absent: 0"`
	Licences   []string           `json:"licences,omitzero" check:"id" doc:"licences the machine can run; absent: all"`
	Resources  map[string]float64 `json:"resources,omitempty" check:"amount" doc:"resource → amount of one machine that the jobs there share, such as {gpu: 8}"`
	Features   []string           `json:"features,omitzero" check:"id" doc:"what a job may ask for by name, such as a100 or ib"`
	Closed     []ClosedSpec       `json:"closed,omitzero" doc:"times in which the machine runs only the jobs of a reservation, or none"`
	Background *Background        `json:"background,omitempty" doc:"load of local jobs that share the processors"`
	Queue      *QueueSpec         `json:"queue,omitempty" doc:"the machine as a G/G/1 server"`
	Power      *PowerSpec         `json:"power,omitempty" doc:"power that the machine takes; absent: none but what jobs state"`
}

// PowerSpec is the power of one machine.
type PowerSpec struct {
	Idle         float64   `json:"idle,omitempty" check:"nonnegative" doc:"power of one machine that is on; absent: 0"`
	Busy         float64   `json:"busy,omitempty" check:"nonnegative" doc:"more for each busy processor; a machine allocated whole counts as one. Absent: 0"`
	Off          []OffSpec `json:"off,omitzero" doc:"states that save power, in which the machine serves nobody; absent: it is always on"`
	Begin        string    `json:"begin,omitempty" check:"id" doc:"state when the horizon begins: a name of off, or idle; absent: idle"`
	End          string    `json:"end,omitempty" check:"id" doc:"state when the horizon ends: a name of off, or idle; absent: idle"`
	SuspendAfter *float64  `json:"suspend_after,omitempty" check:"nonnegative" doc:"the machine goes to the first state of off by itself when it has been idle for so long; absent: it goes whenever that is cheapest"`
}

// OffSpec is a state that saves power.
type OffSpec struct {
	Name  string  `json:"name" check:"id" doc:"unique name"`
	Power float64 `json:"power,omitempty" check:"nonnegative" doc:"power in the state; absent: 0"`
	Down  WaySpec `json:"down,omitzero" doc:"the way into the state; absent: it takes no time"`
	Up    WaySpec `json:"up,omitzero" doc:"the way back; absent: it takes no time"`
}

// WaySpec is a way between on and off.
type WaySpec struct {
	Time  float64 `json:"time,omitempty" check:"nonnegative" doc:"how long it takes; absent: 0"`
	Power float64 `json:"power,omitempty" check:"nonnegative" doc:"power meanwhile; absent: 0"`
}

// ClosedSpec is a time in which a machine is closed: a job runs there only if its reservation is For.
type ClosedSpec struct {
	From float64  `json:"from,omitempty" check:"nonnegative" doc:"begin; absent: 0"`
	To   *float64 `json:"to,omitempty" check:"positive" doc:"end; absent: never"`
	For  string   `json:"for,omitempty" check:"id" doc:"reservation whose jobs run there meanwhile; absent: no job does"`
}

// Background is the load of local jobs on a machine: they arrive at random, take an exponential time and share the
// processor half and half while they run.
type Background struct {
	Load float64 `json:"load" check:"nonnegative" doc:"fraction of a processor's time that local jobs ask for"`
	Mean float64 `json:"mean" check:"positive" doc:"mean time of a local job"`
}

// QueueSpec describes a machine as a G/G/1 server.
type QueueSpec struct {
	ServiceRate     float64  `json:"service_rate,omitempty" check:"positive" doc:"service rate μ, jobs per time; absent: speed / mean work"`
	ArrivalVariance *float64 `json:"arrival_variance,omitempty" check:"nonnegative" doc:"variance of the inter-arrival times; absent: from queueing.cv at equal load"`
	ServiceVariance *float64 `json:"service_variance,omitempty" check:"nonnegative" doc:"variance of the service times; absent: from the jobs' works and work_cv"`
}

// JobSpec is one job. One of Work, Runtime and Estimate is required.
type JobSpec struct {
	ID             string             `json:"id" check:"id" doc:"unique name"`
	Arrival        float64            `json:"arrival,omitempty" check:"nonnegative" doc:"release time; absent: 0"`
	Processors     ProcessorRange     `json:"processors,omitzero" doc:"processors the job runs on: a number (rigid) or {min, max} (moldable); absent: 1"`
	Tasks          int                `json:"tasks,omitempty" check:"count" doc:"equal tasks that the job consists of; absent: the maximum of processors"`
	Work           *float64           `json:"work,omitempty" check:"nonnegative" doc:"work of one task; absent: estimate × reference_speed"`
	WorkCV         float64            `json:"work_cv,omitempty" check:"nonnegative" doc:"coefficient of variation of the work; absent: 0"`
	Runtime        map[string]float64 `json:"runtime,omitempty" check:"nonnegative" doc:"cluster → execution time there with the maximum number of processors, instead of the time rule; on clusters it omits the job cannot run"`
	Estimate       *float64           `json:"estimate,omitempty" check:"nonnegative" doc:"execution time that the user asked for, at reference_speed; absent: the true time"`
	ReferenceSpeed float64            `json:"reference_speed,omitempty" check:"positive" doc:"speed that estimate refers to; absent: 1"`
	Span           string             `json:"span,omitempty" enum:"machine,cluster,grid" doc:"processors must come from one machine, one cluster, or may spread over the grid; absent: cluster"`
	Memory         float64            `json:"memory,omitempty" check:"nonnegative" doc:"memory of one task, which each processor of the job needs: on n processors of a machine, n times as much; absent: 0"`
	Input          float64            `json:"input,omitempty" check:"nonnegative" doc:"data moved before the work, over the machine's bandwidth; absent: 0"`
	Output         float64            `json:"output,omitempty" check:"nonnegative" doc:"data moved after the work; absent: 0"`
	Message        float64            `json:"message,omitempty" check:"nonnegative" doc:"data that the tasks exchange over the cluster's network; absent: 0"`
	MinBandwidth   float64            `json:"min_bandwidth,omitempty" check:"nonnegative" doc:"bandwidth that the machine must offer; absent: 0"`
	Deadline       *float64           `json:"deadline,omitempty" check:"nonnegative" doc:"absolute time by which the job should end; absent: none"`
	DeadlineHard   bool               `json:"deadline_hard,omitempty" doc:"a plan that misses the deadline must leave the job out"`
	Budget         *float64           `json:"budget,omitempty" check:"nonnegative" doc:"limit of the job's cost; absent: none"`
	Licences       map[string]int     `json:"licences,omitempty" check:"copies" doc:"licence → copies needed while the job runs"`
	User           string             `json:"user,omitempty" check:"id" doc:"who submitted the job; for figures by user"`
	Group          string             `json:"group,omitempty" check:"id" doc:"group or account that the user belongs to"`
	Queue          string             `json:"queue,omitempty" check:"id" doc:"queue or partition that the job was submitted to"`
	Quality        string             `json:"quality,omitempty" check:"id" doc:"quality of service, by its name in Slurm"`
	UserClass      string             `json:"user_class,omitempty" check:"id" doc:"class of the user, one of user_classes"`
	Workflow       string             `json:"workflow,omitempty" check:"id" doc:"workflow the job belongs to, one of workflows"`
	After          []string           `json:"after,omitempty" doc:"jobs that must end before this one starts"`
	Block          int                `json:"block,omitempty" check:"count" doc:"its processors come in blocks of this size, each on one machine; absent: 1"`
	Resources      map[string]float64 `json:"resources,omitempty" check:"amount" doc:"resource → what each block holds on its machine while the job runs"`
	Machines       ProcessorRange     `json:"machines,omitzero" doc:"distinct machines that a rigid job runs on: a number or {min, max}; absent: any number"`
	PerMachine     int                `json:"per_machine,omitempty" check:"count" doc:"blocks of a rigid job on every machine that it runs on; absent: any number"`
	Features       [][]string         `json:"features,omitempty" check:"id" doc:"lists of features: of each list, every machine that the job runs on has at least one"`
	Exclusive      bool               `json:"exclusive,omitempty" doc:"no other job runs on its machines meanwhile"`
	Reservation    string             `json:"reservation,omitempty" check:"id" doc:"the job runs only on machines, and at times, that are closed for this reservation"`
	Running        *RunningSpec       `json:"running,omitempty" doc:"the job runs already, from time 0 on; its times state what is left"`
	Power          *float64           `json:"power,omitempty" check:"nonnegative" doc:"power of one of its processors while it runs, above idle; absent: busy of the machine"`
	Recorded       *float64           `json:"recorded,omitempty" check:"nonnegative" doc:"when the job really started, by the record that the instance was made of; only comparisons with the record read it"`
	Requested      *float64           `json:"requested,omitempty" check:"nonnegative" doc:"what the user asked for, below the estimate: the job ran longer, and the import raised the estimate to its run time; forecasts know only this"`
}

// RunningSpec says where a job runs already at time 0. No solver moves it; blocks, machines, features and closed times do not concern it.
type RunningSpec struct {
	Cluster    string                        `json:"cluster" check:"id" doc:"cluster that it runs on"`
	Processors ProcessorSet                  `json:"processors" check:"set" doc:"processors of that cluster that it holds"`
	Holds      map[string]map[string]float64 `json:"holds,omitempty" check:"amount" doc:"machine → resource → amount that it holds there"`
	Devices    DevicesHeld                   `json:"devices,omitempty" check:"set" doc:"resource → machine → numbers of the devices that it holds there; each holds an equal part of the amount"`
	Elapsed    float64                       `json:"elapsed,omitempty" check:"nonnegative" doc:"how long it has run at time 0; absent: 0"`
}

// ProcessorRange is the number of processors a job may use, Min to Max. The zero value means absent (one processor).
type ProcessorRange struct {
	Min int `json:"min" check:"count"`
	Max int `json:"max" check:"count"`
}

// Rigid is the range of a job that runs on n processors, no more and no less.
func Rigid(n int) ProcessorRange { return ProcessorRange{n, n} }

// Moldable is the range of a job that may start on any number of processors from min to max.
func Moldable(min, max int) ProcessorRange { return ProcessorRange{min, max} }

package question

import (
	"github.com/allot-opt/allot/formats/slurm"
	"github.com/allot-opt/allot/internal/claim"
	"github.com/allot-opt/allot/lab"
)

// Advise asks for a weekly page for a site. Only the command line asks it.
type Advise struct {
	slurm.Files
	Policy     string  `json:"policy,omitempty" doc:"the 'POLICY' of the site, as for allot policies" absent:"the one that the trace states, else easy"`
	Anyway     bool    `json:"anyway,omitempty" doc:"show what rests on replays even if the policy of the site does not explain what was recorded"`
	Risk       float64 `json:"risk,omitempty" check:"[0.0001,0.5]" doc:"a time limit may kill this 'SHARE' of later jobs at most, such as 0.01 for 1 in 100"`
	Only       string  `json:"only,omitempty" enum:"limits,needs,waits,load,policies" doc:"make only one 'PART'"`
	Anonymise  bool    `json:"anonymise,omitempty" doc:"replace the names of users, accounts, jobs, queues, clusters and machines by labels"`
	More       float64 `json:"more,omitempty" check:"(0,10]" doc:"how much more nodes are tried, as a 'SHARE' of those there are, such as 0.1 for 10 %"`
	Confidence float64 `json:"confidence,omitempty" check:"[0.5,0.9999]" doc:"confidence 'P' of intervals and limits"`
	Replicates int     `json:"replicates,omitempty" check:"[100,1000000]" doc:"'N' replicates of the bootstrap"`
	Seed       uint64  `json:"seed,omitempty" doc:"seed 'N' of the bootstrap and of the policies' random draws"`
}

// SetDefaults sets what an absent setting means.
func (s *Advise) SetDefaults() {
	usual := lab.Defaults()
	s.Risk, s.More, s.Confidence, s.Replicates, s.Seed = 0.01, 0.1, usual.Confidence, usual.Replicates, usual.Seed
}

// Tune asks for parameters of a solver or policy that serve better. Only the command line asks it.
type Tune struct {
	slurm.Files
	Policy     string   `json:"policy,omitempty" doc:"tune policy 'NAME' on a trace, as for allot policies"`
	Vary       Texts    `json:"vary,omitempty" doc:"vary 'PARAM', PARAM=A,B,C or PARAM=LOW..HIGH" absent:"all that say where to look"`
	Runs       int      `json:"runs,omitempty" check:"[20,)" doc:"stop after 'N' runs in all, those of the judgement included" absent:"no limit"`
	Total      Seconds  `json:"total,omitempty" check:"[1,)" doc:"stop after 'DURATION' in all" absent:"1m, if --runs is not given"`
	Time       *Seconds `json:"time,omitempty" check:"time" doc:"stop each run after 'DURATION', such as 1s; 0: no limit" absent:"as the suite says"`
	Evals      *int64   `json:"evaluations,omitempty" flag:"evals" check:"counter" doc:"stop each run after 'N' evaluations of schedules; 0: no limit" absent:"as the suite says"`
	Objective  string   `json:"objective,omitempty" doc:"minimise 'METRIC'; for a policy mean_wait or bounded_slowdown" absent:"mean_wait for a policy, else that of the instances"`
	Test       string   `json:"test,omitempty" enum:"rank,mean" doc:"drop candidates by 'TEST', where rank counts all instances alike and mean by their size" absent:"mean for a policy, else rank"`
	HeldOut    *float64 `json:"held_out,omitempty" check:"(0,0.9]" doc:"set 'SHARE' of the instances aside, or of the time of a trace" absent:"1/3"`
	Confidence float64  `json:"confidence,omitempty" check:"(0,1)" doc:"confidence 'P' of the judgement"`
	Seed       uint64   `json:"seed,omitempty" doc:"seed 'N' of the samples and of the runs"`
	Workers    int      `json:"workers,omitempty" check:"count" doc:"use 'N' workers in each run"`
	Jobs       int      `json:"jobs,omitempty" check:"count" doc:"run 'N' runs at a time" absent:"processors"`
	Steal      bool     `json:"steal,omitempty" doc:"share the runs with other programs that give the same command"`
	Anyway     bool     `json:"anyway,omitempty" doc:"tune even if the policy of the site does not explain what was recorded"`
	Judge      Texts    `json:"judge,omitempty" doc:"with --slurm-conf: do not look for settings, but show the effect of 'SETTING', such as PriorityWeightAge=1000" absent:"none: look for settings"`
}

// SetDefaults sets what an absent setting means.
func (s *Tune) SetDefaults() {
	usual := lab.Defaults()
	s.Confidence, s.Seed, s.Workers = usual.Confidence, usual.Seed, 1
}

// Suite asks for the runs of a suite. Only the command line asks it.
type Suite struct {
	Jobs      int      `json:"jobs,omitempty" check:"count" doc:"run 'N' runs at a time" absent:"processors / workers"`
	Workers   int      `json:"workers,omitempty" check:"count" doc:"use 'N' workers in each run" absent:"as the suite says"`
	Time      *Seconds `json:"time,omitempty" check:"time" doc:"stop each run after 'DURATION', such as 10s; 0: no limit" absent:"as the suite says"`
	Evals     *int64   `json:"evaluations,omitempty" flag:"evals" check:"counter" doc:"stop each run after 'N' evaluations of schedules; 0: no limit" absent:"as the suite says"`
	AllowExec bool     `json:"allow_exec,omitempty" doc:"allow the suite to run commands as solvers (exec:COMMAND)"`
	Mixed     bool     `json:"mixed,omitempty" doc:"continue in a folder that has rows of another suite, budget or version of allot, and keep those rows"`
	Stale     Seconds  `json:"stale,omitempty" check:"[1,)" doc:"take over the claims and locks of a program on another host after 'DURATION' without a sign of life from it"`
}

// SetDefaults sets what an absent setting means.
func (s *Suite) SetDefaults() { s.Stale = Seconds(claim.Stale.Seconds()) }

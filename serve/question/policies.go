package question

import (
	"github.com/allot-opt/allot/formats/slurm"
	"github.com/allot-opt/allot/lab"
	"github.com/allot-opt/allot/lab/forecast"
	"github.com/allot-opt/allot/serve/answers"
)

// Policies asks how policies do on a trace.
type Policies struct {
	slurm.Files
	Name       string   `json:"name,omitempty" flag:"-" doc:"name of the trace's file, for the report" absent:"trace"`
	Policies   Names    `json:"policies,omitempty" doc:"'NAMES' of policies, as for allot compare --solvers; each is compared with the first" absent:"the site's, if the trace states one, and fcfs,easy,conservative"`
	Load       *float64 `json:"load,omitempty" doc:"stretch or shrink the gaps between arrivals to the offered load 'L'" absent:"the load of the trace"`
	Processors int      `json:"processors,omitempty" check:"count" doc:"'N' processors of the system of a trace whose file lacks or misstates them" absent:"as the file says"`
	WarmUp     float64  `json:"warm_up,omitempty" doc:"do not count jobs that arrive in the first or the last 'SHARE' of the time"`
	Day        *float64 `json:"day,omitempty" doc:"length of a day, 'TIME' in the unit of the trace" absent:"24 hours"`
	Narrow     int      `json:"narrow,omitempty" check:"counter" doc:"a narrow job has at most 'N' processors"`
	Short      *float64 `json:"short,omitempty" doc:"a short job runs for at most 'TIME', in the unit of the trace" absent:"1 hour"`
	Confidence float64  `json:"confidence,omitempty" doc:"confidence 'P' of the intervals"`
	Replicates int      `json:"replicates,omitempty" check:"counter" doc:"'N' replicates of the bootstrap"`
	Block      int      `json:"block,omitempty" check:"counter" doc:"'N' days in a block of the bootstrap" absent:"1.5 times the cube root of the number of days, at most a tenth of the days, and at least 3"`
	Seed       uint64   `json:"seed,omitempty" doc:"seed 'N' of the bootstrap and of the policies' random draws"`
	Anyway     bool     `json:"anyway,omitempty" doc:"compare even if the policy of the site does not explain what was recorded"`
	Time       Seconds  `json:"time,omitempty" check:"time" doc:"limit 'DURATION' of the time of each policy or solver, from when the trace is read" absent:"none"`
}

// SetDefaults sets what an absent setting means.
func (s *Policies) SetDefaults() {
	usual := lab.Defaults()
	s.Narrow, s.Confidence, s.Replicates, s.Seed = usual.Narrow, usual.Confidence, usual.Replicates, usual.Seed
}

// Options are those of the comparison.
func (s *Policies) Options() answers.TraceOptions {
	return answers.TraceOptions{
		Options: lab.Options{WarmUp: s.WarmUp, Narrow: s.Narrow, Confidence: s.Confidence, Replicates: s.Replicates, Block: s.Block, Seed: s.Seed, AsSite: true, Anyway: s.Anyway},
		Load:    s.Load, Days: s.Day, Shorts: s.Short,
	}
}

// Simulate asks when the jobs of a queue would start.
type Simulate struct {
	slurm.Files
	Job         string     `json:"job,omitempty" doc:"ask about the job 'ID' of the instance"`
	Policies    Names      `json:"policies,omitempty" doc:"without --submit, --job, --quantiles and --backtest: 'NAMES' of on-line policies, as for allot compare --solvers" absent:"the site's, if the instance states one, and fcfs,easy,conservative,multifactor"`
	At          *float64   `json:"at,omitempty" flag:"-" check:"time" doc:"submit the job, or forecast, at this time" absent:"the job's arrival; without a job 0"`
	Solver      string     `json:"solver,omitempty" doc:"with --submit, --job, --quantiles or --backtest: 'NAME' of an on-line solver; allot solvers lists them" absent:"the site's policy, as the instance states it, else easy"`
	Anyway      bool       `json:"anyway,omitempty" doc:"compare policies even if that of the site does not explain what was recorded"`
	Param       Parameters `json:"param,omitempty" doc:"set a parameter of the solver, 'KEY=VALUE'"`
	Quantiles   bool       `json:"quantiles,omitempty" doc:"forecast P10, P50 and P90 of the start of the job, or of all waiting jobs"`
	Backtest    bool       `json:"backtest,omitempty" doc:"measure on a trace how good such forecasts are"`
	Processors  int        `json:"processors,omitempty" check:"count" doc:"with --backtest or --history: 'N' processors of the system of a trace whose file lacks or misstates them" absent:"as the file says"`
	Runs        int        `json:"runs,omitempty" check:"counter" doc:"simulate 'N' futures for a forecast"`
	Least       int        `json:"least,omitempty" check:"counter" doc:"draw from jobs of the same user if at least 'N' of them have ended, otherwise from the same size class if it has that many"`
	Recent      int        `json:"recent,omitempty" check:"counter" doc:"draw only from the last 'N' of these jobs; 0: from all"`
	Trials      int        `json:"trials,omitempty" check:"counter" doc:"calibrate the quantiles by at most 'N' forecasts of the past; 0: take those of the futures as they are"`
	Independent bool       `json:"independent,omitempty" doc:"draw each run time independently; otherwise jobs that are alike run long or short together"`
	Arrivals    bool       `json:"arrivals,omitempty" doc:"let more jobs arrive, as on earlier days (where a forecast can begin in the middle of a run); false: no more jobs arrive"`
	Day         *float64   `json:"day,omitempty" check:"positive" doc:"length of a day, 'TIME' in the unit of the instance" absent:"24 hours"`
	Samples     *int       `json:"samples,omitempty" check:"counter" doc:"with --backtest: forecast at the arrivals of 'N' jobs" absent:"1000"`
	From        *float64   `json:"from,omitempty" check:"nonnegative" doc:"with --backtest: only jobs that arrive after this 'SHARE' of the time" absent:"0.1"`
	To          *float64   `json:"to,omitempty" check:"nonnegative" doc:"with --backtest: only jobs that arrive by this 'SHARE' of the time" absent:"1"`
	Seed        uint64     `json:"seed,omitempty" doc:"seed 'N' of all random draws: run times, samples, the policy and local jobs"`
}

// SetDefaults sets what an absent setting means.
func (s *Simulate) SetDefaults() {
	usual := forecast.Defaults()
	s.Seed = 1
	s.Runs, s.Least, s.Recent, s.Trials, s.Arrivals = usual.Runs, usual.Least, usual.Recent, usual.Trials, true
}

// Options are those of the forecasts.
func (s *Simulate) Options(workers int) forecast.Options {
	opt := forecast.Defaults()
	opt.Runs, opt.Least, opt.Recent, opt.Trials = s.Runs, s.Least, s.Recent, s.Trials
	opt.Independent, opt.Arrivals, opt.Seed, opt.Workers = s.Independent, s.Arrivals, s.Seed, workers
	if s.Day != nil {
		opt.Day = *s.Day
	}
	return opt
}

// Sampling are the jobs at whose arrivals a backtest forecasts.
func (s *Simulate) Sampling() forecast.Sampling {
	usual := forecast.Sampling{Samples: 1000, From: 0.1, To: 1}
	if s.From != nil {
		usual.From = *s.From
	}
	if s.To != nil {
		usual.To = *s.To
	}
	if s.Samples != nil {
		usual.Samples = *s.Samples
	}
	return usual
}

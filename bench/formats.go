package bench

import (
	"io"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/model/batsim"
	"github.com/allot-opt/allot/model/etc"
	"github.com/allot-opt/allot/model/jobcsv"
	"github.com/allot-opt/allot/model/rcpsp"
	"github.com/allot-opt/allot/model/slurm"
	"github.com/allot-opt/allot/model/swf"
	"github.com/allot-opt/allot/model/wfformat"
	"github.com/allot-opt/allot/params"
)

// Importer reads an instance from a file of a foreign format. Its options are exported fields, documented by tags, see package params. In the doc
// of an option, 'N' in quotes stands for its value.
type Importer interface {
	Read(r io.Reader, name string) (*model.Instance, *model.ImportReport, error)
}

// FormatInfo documents a foreign format.
type FormatInfo struct {
	Name, Doc, Example string
	New                func() Importer // makes an importer with its defaults
}

// Formats lists the foreign formats.
func Formats() []FormatInfo {
	return []FormatInfo{
		{"swf", "a trace in the Standard Workload Format", "allot import swf --jobs 2000 --batch TRACE.swf.gz", func() Importer {
			return NewSWFImport()
		}},
		{"etc", "a matrix of expected times to compute", "allot import etc u_c_hihi.0.gz", func() Importer { return NewETCImport() }},
		{"wfformat", "a workflow in WfCommons' WfFormat", "allot import wfformat --processors 16 workflow.json", func() Importer { return NewWfFormatImport() }},
		{"jobs", "a CSV table of jobs, whose header names fields of a job", "allot import jobs --processors 25 jobs.csv", func() Importer {
			return NewJobsImport()
		}},
		{"sacct", "a trace of Slurm: what sacct -P prints, or the lines of JobComp's filetxt", "allot import sacct --processors 1024 sacct.txt", func() Importer {
			return NewSacctImport()
		}},
		{"rcpsp", "a project with scarce resources, from PSPLIB (.sm) or in Patterson's layout (.rcp)", "allot import rcpsp j301_1.sm", func() Importer { return NewRCPSPImport() }},
		{"batsim", "the table of jobs that Batsim writes (jobs.csv)", "allot import batsim out_jobs.csv", func() Importer { return NewBatsimImport() }},
	}
}

// SWFImport reads workload traces in the Standard Workload Format, see [swf.Read].
type SWFImport struct {
	First             int    `range:"[0, inf)" doc:"skip the first 'N' jobs of the file"`
	Jobs              int    `range:"[0, inf)" zero:"all" doc:"take at most 'N' jobs"`
	Processors        int    `range:"[0, 16777216]" zero:"as the file says" doc:"'N' processors of the system"`
	Cluster           string `doc:"'ID' of the cluster"`
	Batch             bool   `doc:"release every job at 0"`
	AbsoluteTime      bool   `doc:"keep the submit times as they are in the file"`
	PreferRequested   bool   `doc:"prefer the requested number of processors to the allocated one; =false: the other way round"`
	Estimates         string `enum:"raise,keep,ignore" doc:"'POLICY' for the requested times, which become the estimates (raise: to at least the run time; ignore: no estimates)"`
	Memory            string `enum:"none,used,requested" doc:"take 'WHICH' memory from the file"`
	TooWide           string `enum:"drop,repair,keep" doc:"'ACTION' for jobs wider than the system (repair: make them as wide as the system)"`
	ZeroRuntime       string `enum:"drop,repair,keep" doc:"'ACTION' for jobs of run time 0 (repair: 1 s)"`
	UnknownRuntime    string `enum:"drop,repair" doc:"'ACTION' for jobs without a run time (repair: take the CPU time or the requested time)"`
	UnknownProcessors string `enum:"drop,repair" doc:"'ACTION' for jobs without a number of processors (repair: 1)"`
	UnknownSubmit     string `enum:"drop,repair" doc:"'ACTION' for jobs without a submit time (repair: that of the job above)"`
}

// NewSWFImport makes the importer with its defaults.
func NewSWFImport() *SWFImport {
	return &SWFImport{
		Cluster: "cluster", PreferRequested: true, Estimates: "raise", Memory: "none",
		TooWide: "drop", ZeroRuntime: "drop", UnknownRuntime: "drop", UnknownProcessors: "drop", UnknownSubmit: "drop",
	}
}

// Check implements [params.Checker].
func (f *SWFImport) Check() error { return named(f.Cluster) }

// Options converts the options to those of package swf.
func (f *SWFImport) Options() swf.Options {
	opt := swf.Options{
		First: f.First, Jobs: f.Jobs, Processors: f.Processors, Cluster: f.Cluster,
		Batch: f.Batch, AbsoluteTime: f.AbsoluteTime, PreferRequested: f.PreferRequested,
		Estimates: swf.Estimates(f.Estimates), TooWide: swf.Action(f.TooWide), ZeroRuntime: swf.Action(f.ZeroRuntime),
		UnknownRuntime: swf.Action(f.UnknownRuntime), UnknownProcessors: swf.Action(f.UnknownProcessors), UnknownSubmit: swf.Action(f.UnknownSubmit),
	}
	if f.Memory != "none" {
		opt.Memory = swf.Memory(f.Memory)
	}
	return opt
}

// Read implements [Importer].
func (f *SWFImport) Read(r io.Reader, name string) (*model.Instance, *model.ImportReport, error) {
	if err := params.Check(f); err != nil {
		return nil, nil, err
	}
	return swf.Read(r, name, f.Options())
}

// ETCImport reads matrices of execution times, see [etc.Read].
type ETCImport struct {
	First int `range:"[0, inf)" doc:"skip the first 'N' jobs of the file"`
	Jobs  int `range:"[0, inf)" zero:"all" doc:"take at most 'N' jobs"`
}

// NewETCImport makes the importer with its defaults.
func NewETCImport() *ETCImport { return &ETCImport{} }

// Read implements [Importer].
func (f *ETCImport) Read(r io.Reader, name string) (*model.Instance, *model.ImportReport, error) {
	if err := params.Check(f); err != nil {
		return nil, nil, err
	}
	return etc.Read(r, name, etc.Options{First: f.First, Jobs: f.Jobs})
}

// WfFormatImport reads workflows of WfCommons, see [wfformat.Read].
type WfFormatImport struct {
	Processors     int    `range:"[0, 16777216]" zero:"as the file says" doc:"'N' processors of the system"`
	Cluster        string `doc:"'ID' of the cluster"`
	MissingRuntime string `enum:"keep,drop" doc:"'ACTION' for tasks without a run time (keep: with length 0)"`
	Memory         bool   `doc:"read the memory of each task"`
}

// NewWfFormatImport makes the importer with its defaults.
func NewWfFormatImport() *WfFormatImport {
	return &WfFormatImport{Cluster: "cluster", MissingRuntime: "keep"}
}

// Check implements [params.Checker].
func (f *WfFormatImport) Check() error { return named(f.Cluster) }

// Read implements [Importer].
func (f *WfFormatImport) Read(r io.Reader, name string) (*model.Instance, *model.ImportReport, error) {
	if err := params.Check(f); err != nil {
		return nil, nil, err
	}
	return wfformat.Read(r, name, wfformat.Options{
		Processors: f.Processors, Cluster: f.Cluster, MissingRuntime: wfformat.Action(f.MissingRuntime), Memory: f.Memory,
	})
}

// JobsImport reads CSV tables of jobs, see [jobcsv.Read].
type JobsImport struct {
	Processors int    `range:"[0, 16777216]" zero:"required" doc:"'N' processors of the cluster"`
	Cluster    string `doc:"'ID' of the cluster"`
}

// NewJobsImport makes the importer with its defaults. Processors has no default and must be set.
func NewJobsImport() *JobsImport { return &JobsImport{Cluster: "cluster"} }

// Check implements [params.Checker].
func (f *JobsImport) Check() error { return named(f.Cluster) }

// Read implements [Importer].
func (f *JobsImport) Read(r io.Reader, name string) (*model.Instance, *model.ImportReport, error) {
	if err := params.Check(f); err != nil {
		return nil, nil, err
	}
	return jobcsv.Read(r, name, jobcsv.Options{Processors: f.Processors, Cluster: f.Cluster})
}

// SacctImport reads traces of Slurm, see [slurm.ReadTrace].
type SacctImport struct {
	Processors int    `range:"[0, 16777216]" zero:"the most that ran jobs at one time" doc:"'N' processors of the system"`
	Cluster    string `doc:"'ID' of the cluster"`
}

// NewSacctImport makes the importer with its defaults.
func NewSacctImport() *SacctImport { return &SacctImport{Cluster: "cluster"} }

// Check implements [params.Checker].
func (f *SacctImport) Check() error { return named(f.Cluster) }

// Read implements [Importer].
func (f *SacctImport) Read(r io.Reader, name string) (*model.Instance, *model.ImportReport, error) {
	if err := params.Check(f); err != nil {
		return nil, nil, err
	}
	return slurm.ReadTrace(r, name, slurm.TraceOptions{Processors: f.Processors, Cluster: f.Cluster})
}

// RCPSPImport reads projects under scarce resources, see [rcpsp.Read].
type RCPSPImport struct {
	Layout  string `enum:"auto,sm,rcp" doc:"'LAYOUT' of the file (sm: PSPLIB's; rcp: Patterson's; auto: as the file begins)"`
	Cluster string `doc:"'ID' of the cluster"`
}

// NewRCPSPImport makes the importer with its defaults.
func NewRCPSPImport() *RCPSPImport { return &RCPSPImport{Layout: "auto", Cluster: "cluster"} }

// Check implements [params.Checker].
func (f *RCPSPImport) Check() error { return named(f.Cluster) }

// Read implements [Importer].
func (f *RCPSPImport) Read(r io.Reader, name string) (*model.Instance, *model.ImportReport, error) {
	if err := params.Check(f); err != nil {
		return nil, nil, err
	}
	return rcpsp.Read(r, name, rcpsp.Options{Layout: rcpsp.Layout(f.Layout), Cluster: f.Cluster})
}

// BatsimImport reads the table of jobs that Batsim writes, see [batsim.Read].
type BatsimImport struct {
	Processors int    `range:"[0, 16777216]" zero:"as the file says" doc:"'N' processors of the system"`
	Cluster    string `doc:"'ID' of the cluster"`
}

// NewBatsimImport makes the importer with its defaults.
func NewBatsimImport() *BatsimImport { return &BatsimImport{Cluster: "cluster"} }

// Check implements [params.Checker].
func (f *BatsimImport) Check() error { return named(f.Cluster) }

// Read implements [Importer].
func (f *BatsimImport) Read(r io.Reader, name string) (*model.Instance, *model.ImportReport, error) {
	if err := params.Check(f); err != nil {
		return nil, nil, err
	}
	return batsim.Read(r, name, batsim.Options{Processors: f.Processors, Cluster: f.Cluster})
}

// named refuses an empty cluster id.
func named(cluster string) error {
	if cluster == "" {
		return &params.Error{Name: "cluster", Expected: "the id of the cluster", Found: cluster}
	}
	return nil
}

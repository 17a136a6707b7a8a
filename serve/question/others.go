package question

import "github.com/allot-opt/allot/formats/slurm"

// Explain asks why a job runs where and when it does, or how a solver came to its schedule.
type Explain struct {
	slurm.Files
	Job    string  `json:"job,omitempty" flag:"-" doc:"id of the job; with --trace absent: the steps about all jobs"`
	Trace  bool    `json:"trace,omitempty" doc:"give each step of the solver that made the solution, which runs again, or of the one that --solver names: the rule that decided, the scores of the clusters, and which job was placed where and when"`
	Solver string  `json:"solver,omitempty" doc:"with --trace and without a solution: follow the solver 'NAME'; NAME:KEY=VALUE:… sets parameters"`
	Seed   *uint64 `json:"seed,omitempty" doc:"with --solver: seed 'N' of the random numbers" absent:"1"`
}

// SetDefaults sets what an absent setting means.
func (*Explain) SetDefaults() {}

// RunSeed is the seed of the run to follow.
func (s *Explain) RunSeed() uint64 {
	if s.Seed == nil {
		return 1
	}
	return *s.Seed
}

// Draw asks for a picture.
type Draw struct {
	Format string   `json:"format,omitempty" flag:"-" enum:"svg,html,text,png,pdf,data" doc:"format of the picture; html is a page, of a chart of one schedule only, and data what the script of that page reads, in JSON whose form may change with any version" absent:"svg"`
	Plot   string   `json:"plot,omitempty" flag:"-" doc:"the quantity to plot over time, as allot plot" absent:"a Gantt chart of the first solution"`
	View   string   `json:"view,omitempty" flag:"-" doc:"view of the chart or of the plot, as allot gantt --view and allot plot --view"`
	Width  int      `json:"width,omitempty" check:"counter" doc:"width of 'N' pixels, or of N columns of text" absent:"by the format"`
	Height int      `json:"height,omitempty" check:"counter" doc:"height of 'N' pixels, or of N lines of text" absent:"as much as needed"`
	Title  string   `json:"title,omitempty" doc:"'TEXT' above the picture" absent:"by the instance"`
	Colour string   `json:"colour,omitempty" flag:"-" doc:"what the colours of a chart show, as allot gantt --colour"`
	Rows   string   `json:"rows,omitempty" flag:"-" doc:"rows of a chart, as allot gantt --rows"`
	From   *float64 `json:"from,omitempty" flag:"-" check:"time" doc:"begin of the part of the time to show" absent:"all"`
	To     *float64 `json:"to,omitempty" flag:"-" check:"time" doc:"end of the part of the time to show" absent:"all"`
	Period float64  `json:"period,omitempty" flag:"-" check:"positive" doc:"length of a period of a plot" absent:"a week, or less for short schedules"`
}

// SetDefaults sets what an absent setting means.
func (s *Draw) SetDefaults() { s.Format = "svg" }

// Import asks for an instance of files in a foreign format. The readers declare its flags, see package formats.
type Import struct {
	Name      string     `json:"name,omitempty" flag:"-" doc:"name of the first file, which the instance gets where the text states none" absent:"imported"`
	Names     []string   `json:"names,omitempty" flag:"-" doc:"names of the files in their order, by which faults call them and one includes another" absent:"imported, but for the first"`
	Format    string     `json:"format,omitempty" flag:"-" doc:"name of the format, as allot import" absent:"the one that the text looks like"`
	Param     Parameters `json:"param,omitempty" flag:"-" doc:"parameters of the reader, which are the options of allot import, with _ for -"`
	Objective string     `json:"objective,omitempty" flag:"-" doc:"metric that the instance minimises" absent:"bounded_slowdown if jobs arrive over time, otherwise makespan"`
}

// SetDefaults sets what an absent setting means.
func (*Import) SetDefaults() {}

// Solvers asks for the list of solvers, or about one.
type Solvers struct {
	Name string `json:"name,omitempty" flag:"-" doc:"the solver to describe in full" absent:"list all"`
}

// SetDefaults sets what an absent setting means.
func (*Solvers) SetDefaults() {}

// Schema asks for a JSON Schema, or for their names.
type Schema struct {
	Name string `json:"name,omitempty" flag:"-" doc:"the schema to give" absent:"list the names"`
}

// SetDefaults sets what an absent setting means.
func (*Schema) SetDefaults() {}

// Check asks whether a solution is right. It has no settings.
type Check struct{}

// SetDefaults sets what an absent setting means.
func (*Check) SetDefaults() {}

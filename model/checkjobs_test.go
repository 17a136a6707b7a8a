package model_test

import (
	"math"
	"testing"

	"github.com/allot-opt/allot/model"
)

var brokenJobs = []broken{
	{"before the arrival", move("stated", "c2", "0", 4, 10), []string{"early-start job stated cluster c2 [4, 10): the job arrives at 5"}},
	{"too short", move("one copy", "c1", "5", 0, 4), []string{"wrong-end job one copy cluster c1 resource 5 [0, 4): expected to take 5, takes 4"}},
	{"too long", move("one copy", "c1", "5", 0, 5.5), []string{"wrong-end job one copy cluster c1 resource 5 [0, 5.5): expected to take 5, takes 5.5"}},
	{"no time", move("one copy", "c1", "5", 0, 0), []string{"wrong-end job one copy cluster c1 resource 5: expected to take 5, takes 0"}},
	{"transfer forgotten", move("data", "c1", "6", 0, 10), []string{"wrong-end job data cluster c1 resource 6 [0, 10): expected to take 13, takes 10"}},
	{"stated run time of the other cluster", move("stated", "c1", "10-11", 13, 19), []string{"wrong-end job stated cluster c1 resource 10-11 [13, 19): expected to take 12, takes 6"}},
	{"too few processors", move("first", "c1", "0-2", 0, 20), []string{
		"processor-count job first cluster c1 [0, 20): expected 4 to 4 processors, found 3",
		"precedence job second cluster c1 [10, 15): job first must end first and ends at 20",
		"overlap job second cluster c1 resource 0 [10, 15): job first holds the processor until 20"}},
	{"too many processors", move("one copy", "c1", "5,11", 0, 5), []string{
		"licence job one copy cluster c1 resource n [0, 5): the machine does not run licence matlab",
		"wrong-end job one copy cluster c1 resource 5,11 [0, 5): expected to take 2.5, takes 5",
		"processor-count job one copy cluster c1 [0, 5): expected 1 to 1 processors, found 2",
		"overlap job smp cluster c1 resource 11 [2.5, 5): job one copy holds the processor until 5"}},
	{"two whole machines", move("stated", "c2", "0-1", 20, 26), []string{
		"wrong-end job stated cluster c2 resource 0-1 [20, 26): expected to take 3, takes 6",
		"processor-count job stated cluster c2 [20, 26): expected 1 to 1 processors, found 2"}},
	{"moldable below its least", move("spread", "c1", "8-9", 20, 23), []string{"processor-count job spread cluster c1 [20, 23): expected 3 to 8 processors, found 2"}},
	{"over two machines", move("smp", "c1", "7-10", 20, 40), []string{"span job smp cluster c1 [20, 40): the job's span is machine"}},
	{"over two machines of one group", move("smp", "c1", "3-6", 20, 40), []string{"span job smp cluster c1 [20, 40): the job's span is machine"}},
	{"over two clusters", change("first", func(p *model.Placement) {
		*p = model.Placement{Job: "first", Start: 20, End: 30, Pieces: []model.Piece{
			{Cluster: "c1", Processors: set("0-2"), Tasks: 3, Start: 20, End: 30}, {Cluster: "c2", Processors: set("1"), Tasks: 1, Start: 20, End: 25}}}
	}), []string{"span job first cluster c1 [20, 30): the job's span is cluster",
		"precedence job second cluster c1 [10, 15): job first must end first and ends at 30"}},
	{"cluster without a run time", move("only c2", "c1", "11", 20, 23), []string{"ineligible job only c2 cluster c1 [20, 23): the job states no run time for the cluster"}},
	{"before its predecessor ends", move("second", "c1", "2-3", 9, 14), []string{
		"precedence job second cluster c1 [9, 14): job first must end first and ends at 10",
		"overlap job second cluster c1 resource 2 [9, 10): job first holds the processor until 10"}},
	{"predecessor left out", func(s *model.Solution) {
		s.Jobs = s.Jobs[1:]
		s.Unscheduled = append(s.Unscheduled, model.Unscheduled{Job: "first", Reason: "no"})
	}, []string{"precedence job second cluster c1 [10, 15): job first must end first and is not placed"}},
	{"after a hard deadline", move("stated", "c2", "0", 24.5, 30.5), []string{"hard-deadline job stated cluster c2 [24.5, 30.5): the deadline 30 is hard"}},

	{"pieces beside processors", change("spread", func(p *model.Placement) { p.Cluster, p.Processors = "c1", set("10") }),
		[]string{"pieces job spread cluster c1 [1, 4): expected the cluster and its processors in the pieces alone, found them beside"}},
	{"a task too few", change("spread", func(p *model.Placement) { p.Pieces[0].Tasks, p.Pieces[0].End = 5, 2.5 }),
		[]string{"tasks job spread cluster c1 [1, 4): expected 12 tasks, the pieces run 11"}},
	{"a piece without tasks", change("spread", func(p *model.Placement) { p.Pieces[0].Tasks = 0 }),
		[]string{"tasks job spread cluster c1 [1, 2.5): expected 1 to 12 tasks, found 0"}},
	{"a piece with more tasks than there are", change("spread", func(p *model.Placement) { p.Pieces[0].Tasks = math.MaxInt }),
		[]string{"tasks job spread cluster c1 [1, 2.5): expected 1 to 12 tasks, found 9223372036854775807"}},
	{"a piece starts later", change("spread", func(p *model.Placement) { p.Pieces[0].Start, p.Pieces[0].End = 2, 3.5 }), []string{
		"pieces job spread cluster c1 [1, 4): expected every piece to start with the job at 1, one starts at 2",
		"overlap job smp cluster c1 resource 8 [2.5, 3.5): job spread holds the processor until 3.5"}},
	{"the job ends with no piece", change("spread", func(p *model.Placement) { p.End = 5 }), []string{"pieces job spread cluster c1 [1, 5): the last piece ends at 4"}},
	{"a piece takes too long", change("spread", func(p *model.Placement) { p.Pieces[0].End = 2.25 }),
		[]string{"wrong-end job spread cluster c1 resource 8-9 [1, 2.25): expected to take 1.5, takes 1.25"}},
	{"a piece on a foreign processor", change("spread", func(p *model.Placement) { p.Pieces[1].Processors = set("9") }),
		[]string{"foreign-processor job spread cluster c2 resource 9 [1, 4): c2 has the processors 0-1"}},
	{"a piece with bad times", change("spread", func(p *model.Placement) { p.Pieces[0].End = 0.5 }),
		[]string{"bad-time job spread cluster c1 [1, 0.5): expected 0 ≤ start ≤ end, found 1 and 0.5"}},
	{"pieces that overlap", change("spread", func(p *model.Placement) {
		p.Pieces[1] = model.Piece{Cluster: "c1", Processors: set("9-10"), Tasks: 6, Start: 1, End: 2.5}
		p.End = 2.5
	}), []string{"overlap job spread cluster c1 resource 9 [1, 2.5): job spread holds the processor until 2.5"}},
}

func TestCheckRefusesBrokenJobs(t *testing.T) { checkBroken(t, brokenJobs) }

var brokenResources = []broken{
	{"overlap", move("own pool too", "c1", "7", 4, 9), []string{
		"overlap job own pool too cluster c1 resource 7 [4, 5): job own pool holds the processor until 5",
		"licence job own pool too cluster c1 resource ansys [4, 9): the jobs running need 3 copies, the pool has 2"}},
	{"overlap of jobs that start together", move("one copy", "c1", "6", 0, 5), []string{
		"overlap job data cluster c1 resource 6 [0, 5): job one copy holds the processor until 5"}},
	{"overlap on some of the processors", move("first", "c1", "3-6", 0, 10), []string{
		"overlap job two copies cluster c1 resource 4 [0, 10): job first holds the processor until 10",
		"overlap job one copy cluster c1 resource 5 [0, 5): job first holds the processor until 10",
		"overlap job data cluster c1 resource 6 [0, 10): job first holds the processor until 10"}},
	{"overlap of whole machines", move("one more", "c2", "0", 8, 13), []string{
		"overlap job one more cluster c2 resource 0 [8, 11): job stated holds the processor until 11"}},
	{"memory of one job", change("second", func(p *model.Placement) { p.Processors = set("0-2") }), []string{
		"processor-count job second cluster c1 [10, 15): expected 2 to 2 processors, found 3",
		"memory job second cluster c1 resource m[0] [10, 15): the tasks running there need 120, the machine has 100"}},
	{"memory of two jobs", move("heavy", "c1", "2", 14, 19), []string{
		"memory job heavy cluster c1 resource m[0] [14, 19): the tasks running there need 110, the machine has 100"}},
	{"bandwidth", move("data", "c1", "11", 20, 40), []string{
		"bandwidth job data cluster c1 resource n [20, 40): the machine offers 2, the job needs 5"}},
	{"licence that the machine does not run", move("one copy", "c1", "11", 20, 22.5), []string{
		"licence job one copy cluster c1 resource n [20, 22.5): the machine does not run licence matlab"}},
	{"pool of the grid", move("one more", "c1", "7", 10, 20), nil},
	{"pool of the grid exceeded", move("one more", "c2", "0", 0, 5), []string{
		"licence job one more resource matlab [0, 5): the jobs running need 4 copies, the pool has 3"}},
	{"pool of the cluster exceeded", func(s *model.Solution) {
		move("own pool", "c1", "2", 20, 25)(s)
		move("own pool too", "c1", "3", 24, 29)(s)
	}, []string{"licence job own pool too cluster c1 resource ansys [24, 29): the jobs running need 3 copies, the pool has 2"}},
	{"no copies in the pool of the grid for other clusters", move("own pool", "c2", "0", 20, 22.5), []string{
		"licence job own pool resource ansys [20, 22.5): the jobs running need 2 copies, the pool has 0"}},
}

func TestCheckRefusesWhatResourcesDoNotAllow(t *testing.T) { checkBroken(t, brokenResources) }

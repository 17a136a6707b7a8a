package slurm

import (
	"fmt"
	"strings"
	"testing"

	"github.com/allot-opt/allot/model"
)

// Memory that is asked for is that of the job, or, up to 20.11, of each processor or each node.
func TestRequestedMemory(t *testing.T) {
	for text, want := range map[string]float64{
		"16G": 16384, "4000M": 4000, "4000Mc": 16000, "16Gn": 32768, "1.5G": 1536, "2T": 2 << 20, "512K": 0.5, "0": 0, "0n": 0, "0Mc": 0, "0G": 0, "16G?": 16384,
		"x": -1, "Gx": -1, "lotsn": -1, "-1G": -1, "4X": -1,
	} {
		got, err := requestedMemory(text, 4, 2)
		if (err != nil) != (want < 0) || err == nil && got != want {
			t.Errorf("%s of 4 processors on 2 nodes: %v, %v, expected %v", text, got, err, want)
		}
		if err != nil && !strings.HasPrefix(err.Error(), "ReqMem: expected a memory such as 16G or 4000Mc, found ") {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// Generic resources in each way in which they are written.
func TestGenericResourcesInEachForm(t *testing.T) {
	for text, want := range map[string]string{
		"": "[]", "(null)": "[]", ":": "[]", "=,:": "[]", strings.Repeat("x", maxHostName+1): "[]", "gpu": "[gpu::1]", "gpu:2": "[gpu::2]", "gpu:a": "[gpu:a:1]", "gpu:a:2(S:0-1),gpu:b:4": "[gpu:a:2 gpu:b:4]",
		"gres:gpu:a:2": "[gpu:a:2]", "gres/gpu=2": "[gpu::2]", "gres/gpu:a=3": "[gpu:a:3]", "gpu:2(IDX:0-1)": "[gpu::2 0-1]", "gpu:0": "[gpu::0]", "gpu:1,(null)": "[gpu::1]", " gpu:1 , nvme:2": "[gpu::1 nvme::2]",
	} {
		got := []string{}
		for _, g := range gresOf(text) {
			got = append(got, strings.TrimSpace(fmt.Sprintf("%s:%s:%d %s", g.name, g.kind, g.count, g.numbers)))
		}
		if fmt.Sprint(got) != want {
			t.Errorf("%q: %v, expected %s", text, got, want)
		}
	}
}

// A node takes as many blocks of a job as its processors, its memory and each of its generic resources have room for.
func TestBlocksOfANode(t *testing.T) {
	host := &host{cpus: 16, memory: 1000, resources: map[string]int{"gpu": 4, "nvme": 9}}
	for _, c := range []struct {
		block   int
		memory  float64
		generic map[string]string
		want    int
	}{
		{4, 0, nil, 4}, {5, 0, nil, 3}, {17, 0, nil, 0}, {4, 100, nil, 2}, {4, 1, nil, 4}, {4, 0, map[string]string{"gpu": "2"}, 2}, {4, 0, map[string]string{"gpu": "1"}, 4}, {1, 0, map[string]string{"gpu": "1"}, 4},
		{4, 0, map[string]string{"gpu": "5"}, 0}, {4, 0, map[string]string{"gpu": "0"}, 4}, {4, 0, map[string]string{"gpu": "1", "nvme": "4"}, 2}, {4, 250, map[string]string{"gpu": "1"}, 1}, {4, 0, map[string]string{"shard": "1"}, 0},
	} {
		if got := blocksOn(&kind{host: host}, &layout{block: c.block, memory: c.memory}, c.generic); got != c.want {
			t.Errorf("%+v: %d blocks", c, got)
		}
	}
}

// What is left out is told by how many jobs it touches, the most first, of equals the first.
func TestLeftOutByNumber(t *testing.T) {
	l := leftOut{touched: 50}
	for _, n := range []struct {
		reason string
		count  int
	}{{"b: told", 2}, {"a", 9}, {"c", 2}} {
		l.counts.Notes = append(l.counts.Notes, model.ImportNote{Reason: n.reason, Count: n.count})
	}
	if got, want := l.warning(100, "job"), "50 of 100 jobs (50.0 %) are touched by what the instance leaves out: 9 a; 2 b; 2 c"; got != want {
		t.Errorf("got %s, expected %s", got, want)
	}
	for k := range mostShown {
		l.counts.Notes = append(l.counts.Notes, model.ImportNote{Reason: fmt.Sprint("of all ", k), Count: 1})
	}
	if got := l.warning(100, "job"); !strings.HasSuffix(got, "; 1 of all 2; and 3 more") {
		t.Errorf("got %s", got)
	}
}

// Each table tells the limits of its own, but for those that an instance cannot express.
func TestLimitsThatTablesTell(t *testing.T) {
	rows := limits{qos: map[string]limitRow{}, assoc: map[association]limitRow{}}
	for reason, want := range map[string][2]bool{"QOSGrpCpuLimit": {true, false}, "AssocGrpCpuLimit": {false, true}, "QOSGrpCPUMinutesLimit": {}, "AssocGrpBillingLimit": {}, "Resources": {}} {
		if got := [2]bool{(&limits{qos: rows.qos}).explains(reason), (&limits{assoc: rows.assoc}).explains(reason)}; got != want || rows.explains(reason) != (want[0] || want[1]) {
			t.Errorf("%s: %v", reason, got)
		}
	}
}

// Running jobs take the devices that they name, where these are free, and else the first that are.
func TestDevicesTaken(t *testing.T) {
	o := occupied{devices: map[string]*numbers{}}
	for k, c := range []struct {
		n      int
		wanted []int
		want   string
	}{{2, []int{3}, "[3 0]"}, {2, []int{3, 4}, "[4 1]"}, {3, nil, "[2 5]"}} {
		if got := fmt.Sprint(o.choose("gpu", c.n, 6, c.wanted)); got != c.want {
			t.Errorf("job %d: %s", k, got)
		}
	}
}

// What sacct prints without -P is known by the dashes below the names of the columns.
func TestPlainTables(t *testing.T) {
	for text, want := range map[string]bool{
		"JobID  State\n------ ------\n1 a": true, "  JobID  State \r\n------ ------ \r\n": true, "JobID|State\n1|a": false, "JobID State\n1 a": false, "JobID State\n-": false, "JobID State\n\n": false, "JobID": false,
		"User State\n------ ------": false, "JobIDs State\n------ ------": false, "JobID State\n------ 1-----": false, "": false,
	} {
		if got := isPlain(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

// A weight of memory in bills is for each MB, or for each of the unit behind it; elsewhere it is a number.
func TestWeightsOfMemory(t *testing.T) {
	for text, want := range map[string]float64{"Mem=4": 4, "Mem=4G": 4.0 / 1024, "Mem=0.25g": 0.25 / 1024, "Mem=2M": 2, "mem=2K": 2048, "Mem=1T": 1.0 / (1 << 20), "Mem=G": -1, "Mem=": -1, "Mem=4X": -1, "Mem": -1, "Mem=1,mem=2": -1} {
		list, err := weights(text, true)
		if (err != nil) != (want < 0) || err == nil && (len(list) != 1 || list[0].TRES != "mem" || list[0].Weight != want) {
			t.Errorf("%s: %+v, %v, expected %v", text, list, err, want)
		}
		if plain, err := weights(text, false); (err == nil) != (text == "Mem=4") {
			t.Errorf("%s, not in bills: %+v, %v", text, plain, err)
		}
	}
}

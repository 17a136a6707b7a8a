package slurm

import (
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/allot-opt/allot/formats/lines"
	"github.com/allot-opt/allot/formats/multifactor"
)

const sharesCommand = "sshare -alP"

// ReadAssociations reads the tree of accounts with its shares and priorities from what sacctmgr show assoc -P prints, with or without the word tree, and what the associations
// have used from what sshare -alP prints, which cuts usage to whole numbers; without that file nothing is used yet. Where the accounts say neither by a column ParentName nor
// by blanks before their names which account they are under, the output of sshare must say it. O(n) for n associations.
func ReadAssociations(assoc, shares Source) ([]multifactor.Association, error) {
	used, parents, err := readShares(shares)
	if err != nil {
		return nil, err
	}
	faults := lines.NewFaults(assoc.Name)
	var list []multifactor.Association
	var above []string
	accounts, told := false, false // there are some below root; something says what they are under
	row := 1
	err = readTable(assoc, assocCommand, []string{"Account", "User", "Share"}, func(cells limitRow) {
		row++
		a := multifactor.Association{User: cells["User"], Partition: cells["Partition"]}
		above = under(above, cells["Account"], a.User)
		a.Account = strings.TrimSpace(cells["Account"])
		if a.User == "" && a.Account != "root" {
			accounts = true
			if a.Parent = cells["ParentName"] + cells["Par Name"]; a.Parent == "" && len(above) > 1 {
				a.Parent = above[len(above)-2]
			}
			if told = told || a.Parent != ""; a.Parent == "" {
				a.Parent = parents[a.Account]
			}
		}
		var wrong error
		if a.Inherits = cells["Share"] == "parent"; !a.Inherits {
			wrong = wholeIn(&a.Shares, cells["Share"], 0, math.MaxInt32)
		}
		if wrong == nil && cells["Priority"] != "" {
			wrong = weight(&a.Priority, cells["Priority"])
		}
		if wrong != nil {
			faults.At("", "row %d: %s", row, wrong)
		}
		a.Usage = used[association{a.Account, a.User, a.Partition}]
		list = append(list, a)
	})
	if err != nil {
		return nil, err
	}
	if accounts && !told && parents == nil {
		faults.At("", "expected a column ParentName, as %s prints it, or %s: nothing says which account is under which", assocCommand, sharesCommand)
	}
	return list, faults.Err()
}

// under notes an account in the list of those that it is under, by the blanks before its name.
func under(above []string, name, user string) []string {
	if user != "" {
		return above
	}
	depth := len(name) - len(strings.TrimLeft(name, " "))
	return append(above[:min(depth, len(above))], strings.TrimSpace(name))
}

// readShares reads what sshare prints: what associations have used, and which account is under which. Without a file both are nil.
func readShares(src Source) (used map[association]float64, parents map[string]string, err error) {
	if src.Reader == nil {
		return nil, nil, nil
	}
	used, parents = map[association]float64{}, map[string]string{}
	faults := lines.NewFaults(src.Name)
	var above []string
	row := 1
	err = readTable(src, sharesCommand, []string{"Account", "User", "RawUsage"}, func(cells limitRow) {
		row++
		above = under(above, cells["Account"], cells["User"])
		account := strings.TrimSpace(cells["Account"])
		if cells["User"] == "" && len(above) > 1 {
			parents[account] = above[len(above)-2]
		}
		usage, wrong := lines.NonNegative(cells["RawUsage"])
		if wrong != nil {
			faults.At("", "row %d: RawUsage: %s", row, wrong)
		}
		used[association{account, cells["User"], cells["Partition"]}] = usage
	})
	if err == nil {
		err = faults.Err()
	}
	return used, parents, err
}

// ReadQualities reads the priorities and the usage factors of qualities of service from what sacctmgr show qos -P prints.
func ReadQualities(src Source) ([]multifactor.Quality, error) {
	found := map[string]multifactor.Quality{}
	faults := lines.NewFaults(src.Name)
	err := readTable(src, qosCommand, []string{"Name", "Priority", "UsageFactor"}, func(cells limitRow) {
		q := multifactor.Quality{Name: cells["Name"], UsageFactor: 1}
		err := weight(&q.Priority, cells["Priority"])
		if text := cells["UsageFactor"]; err == nil && text != "" {
			q.UsageFactor, err = lines.NonNegative(text)
		}
		if err != nil {
			faults.At("", "quality of service %s: %s", lines.Quote(q.Name), err)
		}
		found[q.Name] = q
	})
	if err != nil {
		return nil, err
	}
	var list []multifactor.Quality
	for _, name := range slices.Sorted(maps.Keys(found)) {
		list = append(list, found[name])
	}
	return list, faults.Err()
}

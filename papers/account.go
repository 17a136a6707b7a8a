package papers

import (
	"embed"
	"io"
	"sync"

	"github.com/allot-opt/allot/model"
)

// account says in words what was found on a paper.
type account struct {
	Paper string `json:"paper" check:"id"`
	Title string `json:"title" check:"text"`
	Holds string `json:"holds" check:"text"`
	Fails string `json:"fails" check:"text"`
	Open  string `json:"open" check:"text"` // what could not be judged
}

// accounts is the file of all accounts.
type accounts struct {
	Format string    `json:"format" enum:"allot-accounts/1"`
	Papers []account `json:"papers"`
}

//go:embed accounts.json
var accountsFile embed.FS

// knownAccounts reads the accounts when they are first needed.
var knownAccounts = sync.OnceValue(func() map[string]*account {
	byName := map[string]*account{}
	list := embedded(accountsFile, "accounts.json", func(r io.Reader, name string) (*accounts, error) {
		a := new(accounts)
		return a, model.ReadDocument(r, name, a, "allot-accounts/1")
	})
	for k := range list[0].Papers {
		byName[list[0].Papers[k].Paper] = &list[0].Papers[k]
	}
	return byName
})

// account is the account of the paper; one that is not known has its name alone.
func (p *paper) account() *account {
	if a := knownAccounts()[p.name]; a != nil {
		return a
	}
	return &account{Paper: p.name, Title: p.name}
}

// text is the account in one paragraph; empty: there is none.
func (a *account) text() string {
	if a.Holds == "" {
		return ""
	}
	return "Holds: " + a.Holds + " Does not: " + a.Fails + " Could not be judged: " + a.Open
}

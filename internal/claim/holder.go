package claim

import (
	"fmt"
	"math/rand/v2"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/allot-opt/allot/internal/alive"
)

// Holder is a program that holds a claim, as the claim's file names it.
type Holder struct {
	Token   string  `json:"token"`      // unique; it begins with that of the program
	Note    string  `json:"note"`       // what the claim is for
	Host    string  `json:"host"`       // its name
	Machine string  `json:"machine"`    // the boot of the host, and its space of process ids: hosts may share a name, and containers a host
	PID     int     `json:"pid"`        // of its process
	Started int64   `json:"started_ms"` // when the process began, as processes that end leave their ids to others
	Beat    float64 `json:"beat_s"`     // time between two beats of the claim
}

// program tells this program from all others, also those that had its process id; claims counts the claims that it has made, and held are the tokens of those
// that it has not released.
var (
	program = fmt.Sprintf("%016x", rand.Uint64())
	claims  atomic.Int64
	held    sync.Map
)

// self is this program as a holder.
func self(note string, beat time.Duration) Holder {
	name, _ := os.Hostname() // a host without a name is told by its boot
	return Holder{
		Token: fmt.Sprintf("%s-%d", program, claims.Add(1)), Note: note, Host: name, Machine: alive.Machine(), PID: os.Getpid(), Started: alive.Own(), Beat: beat.Seconds(),
	}
}

// onThisHost reports whether the holder's process id is one of this host.
func (h Holder) onThisHost() bool {
	name, _ := os.Hostname()
	return h.PID > 0 && h.Machine != "" && h.Machine == alive.Machine() && h.Host == name
}

// runs reports whether the holder, which is on this host, still runs. What cannot be found out counts as running.
func (h Holder) runs() bool {
	// A container that is started again has the process ids, and often the number of their space, of the one before. And whoever took a claim for dead and put
	// it back may have done that after this program had released it.
	if h.PID == os.Getpid() {
		_, live := held.Load(h.Token)
		return live
	}
	return alive.Runs(h.PID, h.Started)
}

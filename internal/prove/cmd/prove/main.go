// Command prove looks for false claims of the solvers and the lower bounds, see package prove. The exit status is 0 if it finds none, 1 if it
// finds one or fails, and 2 for wrong arguments.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/allot-opt/allot/internal/prove"
)

func main() { os.Exit(run()) }

// run is main with an exit status.
func run() int {
	minutes := flag.Float64("minutes", 30, "how long to look")
	seed := flag.Uint64("seed", uint64(time.Now().Unix()), "of the instances")
	first := flag.Uint64("first", 0, "number of the first instance")
	instances := flag.Uint64("instances", 0, "how many; 0: until the time is up")
	kinds := flag.String("kinds", "", "kinds of instances, separated by semicolons; empty: all")
	workers := flag.Int("workers", runtime.GOMAXPROCS(0), "instances tried at once")
	keep := flag.String("keep", "", "directory for the instances of false claims; empty: prove-failures-SEED")
	flag.Parse()
	if flag.NArg() > 0 || *minutes <= 0 {
		fmt.Fprintln(os.Stderr, "prove: expected flags only and minutes above 0")
		return 2
	}
	if *keep == "" {
		*keep = fmt.Sprint("prove-failures-", *seed)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	r := prove.Run{Seed: *seed, First: *first, Instances: *instances, Time: time.Duration(*minutes * float64(time.Minute)), Workers: *workers,
		Effort: prove.Quick, Keep: *keep, Log: os.Stdout}
	if *kinds != "" {
		r.Kinds = strings.Split(*kinds, ";")
	}
	fmt.Printf("prove: %g minutes on %d workers, seed %d\n", *minutes, *workers, *seed)
	tally := r.Do(ctx)
	fmt.Print(tally.Summary())
	fmt.Printf("prove: seed %d; each instance again by its number: -seed %d -first NUMBER -instances 1\n", *seed, *seed)
	if tally.False > 0 {
		fmt.Printf("prove: the instances of false claims are in %s\n", *keep)
	}
	if tally.False > 0 || len(tally.Errors) > 0 {
		return 1
	}
	return 0
}

package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/allot-opt/allot/serve"
	"github.com/allot-opt/allot/serve/question"
)

func serveCommand() *cli.Command {
	return &cli.Command{
		Name:      "serve",
		Usage:     "answer requests of other programs, over HTTP or on standard input and output",
		ArgsUsage: " ",
		UsageText: `allot serve [--listen ADDRESS] [options]
allot serve --stdio [options]`,
		Description: `The requests are those of the commands: solve, check, bound, compare, policies, simulate, explain, import and more. docs/service.md states the protocol, and
/v1/openapi.json describes it. A run shows its improvements as they come, can be cancelled, and then answers with the best that it has.

Without --stdio it listens for HTTP. On an address that other machines reach it needs a token, which clients send as Authorization: Bearer TOKEN. With --stdio it reads a
request a line from standard input and writes answers to standard output, until standard input ends. SIGTERM and Ctrl-C end it: what runs is answered with the best so far.

It runs no command and reads no file that a client names, unless --allow-exec and --allow-files allow that.

Examples:
  allot serve
  allot serve --listen :8080 --token-file token --runs 4 --max-time 5m
  allot serve --site dist/site
  allot serve --stdio --allow-files`,
		Flags: append([]cli.Flag{
			&cli.StringFlag{Name: "listen", Value: "127.0.0.1:8080", Usage: "listen for HTTP on `ADDRESS`; port 0: any that is free"},
			&cli.BoolFlag{Name: "stdio", Usage: "read requests from standard input and write answers to standard output"},
			&cli.StringFlag{Name: "token-file", Usage: "read the token that clients must send from `FILE`"},
			&cli.StringFlag{Name: "site", Usage: "also serve the files of `DIR`, such as the page that make site builds"},
			&cli.BoolFlag{Name: "allow-exec", Usage: "let clients name solvers exec:COMMAND and exec-online:COMMAND, which run on this machine"},
			&cli.BoolFlag{Name: "allow-files", Usage: "let clients name files of this machine in place of documents"},
			&cli.BoolFlag{Name: "log-json", Usage: "write the log to standard error as JSON"},
		}, flagsOf(new(limitsAsked))...),
		Action: runServe,
	}
}

// limitsAsked are the limits of a service that the command line states.
type limitsAsked struct {
	Runs      *int              `json:"runs" check:"count" doc:"work on 'N' requests at once" absent:"16 for each processor; with --stdio 1 for each"`
	Queue     *int              `json:"queue" check:"counter" doc:"let 'N' requests wait; the service refuses more with status 429" absent:"256; with --stdio 10000"`
	PerClient *int              `json:"per_client" check:"counter" doc:"let one client have 'N' requests under way or waiting" absent:"no limit"`
	Workers   *int              `json:"workers" check:"count" doc:"let each run use at most 'N' workers" absent:"1; with --stdio as many as processors"`
	MaxTime   *question.Seconds `json:"max_time" check:"time" doc:"end each run after 'DURATION'" absent:"1m; with --stdio no limit"`
	MaxBody   *int              `json:"max_body" check:"[1,16384]" doc:"refuse requests of more than 'N' MB" absent:"64; with --stdio 1024"`
	Memory    *int              `json:"memory" check:"count" doc:"let all runs together take 'N' MB of memory, as estimated from their instances" absent:"2048; with --stdio 16384"`
}

// SetDefaults does nothing: what is absent depends on --stdio.
func (*limitsAsked) SetDefaults() {}

// apply changes the limits that are stated.
func (a *limitsAsked) apply(to *serve.Limits) {
	set := func(to, stated *int) {
		if stated != nil {
			*to = *stated
		}
	}
	set(&to.Runs, a.Runs)
	set(&to.Queue, a.Queue)
	set(&to.PerClient, a.PerClient)
	set(&to.Workers, a.Workers)
	megabytes := func(to *int64, stated *int) {
		if stated != nil {
			*to = int64(*stated) << 20
		}
	}
	megabytes(&to.Body, a.MaxBody)
	megabytes(&to.Memory, a.Memory)
	if a.MaxTime != nil {
		to.Time = a.MaxTime.Duration()
	}
	to.Usual = min(to.Usual, to.Time)
	to.Arriving, to.Share = max(to.Arriving, int(to.Body)), max(to.Share, int(to.Body))
}

// serveOptions reads the flags.
func serveOptions(c *cli.Context) (serve.Options, error) {
	limits := serve.Public()
	level := slog.LevelInfo
	if c.Bool("stdio") {
		limits, level = serve.Private(), slog.LevelError
	}
	var stated limitsAsked
	err := asked(c, &stated)
	stated.apply(&limits)
	log := slog.Handler(slog.NewTextHandler(c.App.ErrWriter, &slog.HandlerOptions{Level: level}))
	if c.Bool("log-json") {
		log = slog.NewJSONHandler(c.App.ErrWriter, &slog.HandlerOptions{Level: level})
	}
	return serve.Options{Limits: limits, AllowExec: c.Bool("allow-exec"), AllowFiles: c.Bool("allow-files"), Log: slog.New(log)}, err
}

// runServe serves until it is told to stop.
func runServe(c *cli.Context) error {
	if _, err := arguments(c); err != nil {
		return err
	}
	opt, err := serveOptions(c)
	if err != nil {
		return err
	}
	serve.Prepare(opt.Limits)
	ctx, stop := interruptible(c.Context)
	defer stop()
	if c.Bool("stdio") {
		for _, flag := range []string{"listen", "token-file", "site"} {
			if c.IsSet(flag) {
				return usageErrorf("--%s: expected it without --stdio, which listens on no address", flag)
			}
		}
		keepWriting()
		return serve.New(opt).ServeLines(ctx, os.Stdin, c.App.Writer)
	}
	token, err := tokenOf(c)
	if err != nil {
		return err
	}
	answering := serve.New(opt)
	handler := answering.Handler(token)
	if c.IsSet("site") {
		folder, err := os.OpenRoot(c.String("site")) // nothing outside is served, wherever links lead
		if err != nil {
			return usageErrorf("--site: %w", err)
		}
		defer folder.Close()
		handler = answering.Site(token, folder.FS())
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", c.String("listen"))
	if err != nil {
		return usageErrorf("--listen: %w", err)
	}
	if address, ok := listener.Addr().(*net.TCPAddr); token == "" && !(ok && address.IP.IsLoopback()) {
		_ = listener.Close()
		return usageErrorf("--listen: other machines reach %s: expected --token-file FILE, so that only those who know the token are answered", listener.Addr())
	}
	opt.Log.Info("listening", "address", listener.Addr().String(), "token", token != "")
	return serveHTTP(ctx, listener, handler)
}

// tokenOf reads the token; empty: none is asked for.
func tokenOf(c *cli.Context) (string, error) {
	if !c.IsSet("token-file") {
		return "", nil
	}
	text, err := os.ReadFile(c.String("token-file"))
	if err != nil {
		return "", usageErrorf("--token-file: %w", err)
	}
	token := strings.TrimSpace(string(text))
	if len(token) < leastToken {
		return "", usageErrorf("--token-file: expected a token of at least %d characters, found %d; make one with: head -c 32 /dev/urandom | base64", leastToken, len(token))
	}
	return token, nil
}

// leastToken is the shortest token, so that nobody guesses it.
const leastToken = 16

// serveHTTP answers requests until ctx ends. It then cancels the runs, and their clients get the best so far.
func serveHTTP(ctx context.Context, listener net.Listener, handler http.Handler) error {
	server := &http.Server{
		Handler: handler, ReadHeaderTimeout: 5 * time.Second, IdleTimeout: time.Minute, MaxHeaderBytes: 16 << 10,
		BaseContext: func(net.Listener) context.Context { return ctx },
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	select {
	case err := <-ended:
		return fmt.Errorf("cannot serve: %w", err)
	case <-ctx.Done():
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	err := server.Shutdown(last)
	if other := <-ended; !errors.Is(other, http.ErrServerClosed) {
		err = errors.Join(err, other)
	}
	return err
}

package serve

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/allot-opt/allot/solve"
)

// statuses are the statuses of HTTP.
var statuses = map[Code]int{
	wrongInput: http.StatusBadRequest, unsupported: http.StatusUnprocessableEntity, wrongSchedule: http.StatusUnprocessableEntity,
	noAnswer: http.StatusUnprocessableEntity, cancelled: http.StatusServiceUnavailable, notFound: http.StatusNotFound, notAllowed: http.StatusForbidden, TooLarge: http.StatusRequestEntityTooLarge,
	busy: http.StatusTooManyRequests, tooSlow: http.StatusRequestTimeout, failure: http.StatusInternalServerError,
}

// handler answers requests over HTTP.
type handler struct {
	*Service
	token [sha256.Size]byte
	open  bool // no token is needed
}

// Handler returns the handler of HTTP. It answers whoever knows the token; with an empty token whoever reaches it, by a name of this machine.
func (s *Service) Handler(token string) http.Handler {
	h := &handler{Service: s, token: sha256.Sum256([]byte(token)), open: token == ""}
	mux := http.NewServeMux()
	for k := range table {
		mux.Handle("POST /v1/"+table[k].Name, h.allowed(h.operation(&table[k])))
		if table[k].Light {
			mux.Handle("GET /v1/"+table[k].Name, h.allowed(h.asked(&table[k])))
		}
	}
	mux.Handle("DELETE /v1/runs/{id}", h.allowed(h.cancelled))
	mux.Handle("GET /v1/openapi.json", h.allowed(func(w http.ResponseWriter, r *http.Request) {
		h.answerOf(w).json(http.StatusOK, json.RawMessage(openAPI()))
	}))
	mux.HandleFunc("GET /healthz", h.health)
	mux.Handle("/", h.allowed(func(w http.ResponseWriter, r *http.Request) {
		h.answerOf(w).refuse(fail(notFound, "expected one of the paths that /v1/openapi.json lists, found %s %.200s", r.Method, r.URL.Path))
	}))
	return mux
}

// allowed lets a request through if it has the token and comes from no page of another site.
func (h *handler) allowed(next http.HandlerFunc) http.Handler {
	others := http.NewCrossOriginProtection()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		scheme, given, _ := strings.Cut(r.Header.Get("Authorization"), " ")
		sum := sha256.Sum256([]byte(given))
		switch {
		case !h.open && !strings.EqualFold(scheme, "Bearer"), !h.open && subtle.ConstantTimeCompare(sum[:], h.token[:]) != 1:
			h.answerOf(w).refuse(fail(notAllowed, "expected the header Authorization: Bearer TOKEN with the token of this service"))
		case h.open && !isLocal(r.Host): // a page elsewhere whose name leads to this machine
			h.answerOf(w).refuse(fail(notAllowed, "expected a request to localhost, found %.200q", r.Host))
		case others.Check(r) != nil:
			h.answerOf(w).refuse(fail(notAllowed, "expected no request from a page of another site"))
		default:
			next(w, r)
		}
	})
}

// isLocal says whether a host, with or without a port, is this machine as it calls itself.
func isLocal(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	ip := net.ParseIP(strings.Trim(host, "[]"))
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// health says that the service lives.
func (h *handler) health(w http.ResponseWriter, _ *http.Request) {
	running, waiting := h.gate.load()
	h.answerOf(w).json(http.StatusOK, struct {
		Status  string `json:"status"`
		Version string `json:"version"`
		Running int    `json:"running"`
		Waiting int    `json:"waiting"`
	}{"ok", solve.Version(), running, waiting})
}

// clientOf is who sends a request: an address.
func clientOf(r *http.Request) *Client {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		host = r.RemoteAddr
	}
	return &Client{Name: host}
}

// requestID is the header that names a run.
const requestID = "X-Request-Id"

// operation answers a request for an operation.
func (h *handler) operation(o *Operation) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		out := h.answerOf(w)
		id := r.Header.Get(requestID)
		if len(id) > mostID {
			out.refuse(wrong("", "expected a header %s of at most %d bytes, found %d", requestID, mostID, len(id)))
			return
		}
		from := clientOf(r)
		if taken := h.named(from, id); taken != nil {
			out.refuse(taken)
			return
		}
		if !o.Light {
			if refused := h.gate.arrive(from.Name); refused != nil {
				out.refuse(refused)
				return
			}
			defer h.gate.gone(from.Name)
		}
		text, refused := h.receive(w, r, from.Name, out.control)
		if refused != nil {
			out.refuse(refused)
			return
		}
		defer h.arriving.give(from.Name, int64(len(text)))
		if strings.Contains(r.Header.Get("Accept"), "text/event-stream") {
			h.stream(r.Context(), out, from, id, o, text)
			return
		}
		out.reply(h.whole(r, id, o, text))
	}
}

// whole answers a request in one piece.
func (h *handler) whole(r *http.Request, id string, o *Operation, text []byte) reply {
	begun, refused := h.enrol(r.Context(), clientOf(r), id)
	if refused != nil {
		return reply{err: refused}
	}
	return h.do(begun, o, text, nil)
}

// asked answers a request whose settings are in the query.
func (h *handler) asked(o *Operation) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		query, err := url.ParseQuery(r.URL.RawQuery)
		if err != nil {
			h.answerOf(w).refuse(wrong("", "expected a query NAME=VALUE: %s", err))
			return
		}
		settings := map[string]string{}
		for _, name := range sortedKeys(query) {
			if len(query[name]) > 1 {
				h.answerOf(w).refuse(wrong(name, "expected it once, found it again"))
				return
			}
			settings[name] = query[name][0]
		}
		text, err := json.Marshal(settings)
		if err != nil { // texts always can be written
			h.answerOf(w).refuse(errorOf(err))
			return
		}
		h.answerOf(w).reply(h.whole(r, "", o, text))
	}
}

// cancelled ends a run and answers what it answers.
func (h *handler) cancelled(w http.ResponseWriter, r *http.Request) {
	found := h.cancel(clientOf(r), r.PathValue("id"))
	if found == nil {
		h.answerOf(w).refuse(fail(notFound, "expected the %s of a run under way, found %.200q", requestID, r.PathValue("id")))
		return
	}
	<-found.done
	h.answerOf(w).reply(found.reply)
}

// stream answers a request by events: progress, and at the end result or error. A run never waits for its client: where improvements come faster than the
// client reads, only the latest is kept.
func (h *handler) stream(ctx context.Context, out *answer, from *Client, id string, o *Operation, text []byte) {
	begun, refused := h.enrol(ctx, from, id)
	if refused != nil {
		out.refuse(refused)
		return
	}
	latest, ended := make(chan any, 1), make(chan reply, 1)
	go func() {
		ended <- h.do(begun, o, text, func(p any) { // from one goroutine at a time
			select {
			case <-latest:
			default:
			}
			latest <- p
		})
	}()
	out.w.Header().Set("Content-Type", "text/event-stream")
	out.w.Header().Set("Cache-Control", "no-store")
	for {
		select {
		case p := <-latest:
			if out.event("progress", p) != nil {
				begun.cancel() // the client is gone: the loop waits until the run has ended
			}
		case r := <-ended:
			select {
			case p := <-latest:
				_ = out.event("progress", p)
			default:
			}
			if r.err != nil {
				_ = out.event("error", r.err)
			} else {
				_ = out.event("result", r.result)
			}
			return
		}
	}
}

// answer writes the answer to one request. A client that does not accept it in time is cut.
type answer struct {
	w        http.ResponseWriter
	control  *http.ResponseController
	patience time.Duration // time for the client to accept a piece
}

func (s *Service) answerOf(w http.ResponseWriter) *answer {
	return &answer{w, http.NewResponseController(w), s.limits.Writing}
}

// Write implements io.Writer. It writes in pieces, each with its time.
func (a *answer) Write(text []byte) (int, error) {
	const most = 64 << 10
	for at := 0; at < len(text); at += most {
		_ = a.control.SetWriteDeadline(time.Now().Add(a.patience)) // a connection without deadlines has no limit
		if n, err := a.w.Write(text[at:min(at+most, len(text))]); err != nil {
			return at + n, err
		}
	}
	return len(text), nil
}

// reply writes a reply.
func (a *answer) reply(r reply) {
	if r.err != nil {
		a.refuse(r.err)
		return
	}
	a.json(http.StatusOK, r.result)
}

// refuse writes an error.
func (a *answer) refuse(e *Error) {
	_ = a.control.SetReadDeadline(time.Now().Add(time.Second)) // the server reads the rest of a short body first, which may never arrive
	if e.Code == busy || e.Code == cancelled {
		a.w.Header().Set("Retry-After", "1")
	}
	a.json(statuses[e.Code], struct {
		Error *Error `json:"error"`
	}{e})
}

// json writes a value on one line.
func (a *answer) json(status int, value any) {
	text, err := line(value)
	if err != nil {
		status, text = http.StatusInternalServerError, []byte(`{"error":{"code":"failure","message":"the answer cannot be written as JSON"}}`+"\n")
	}
	a.w.Header().Set("Content-Type", "application/json")
	a.w.WriteHeader(status)
	_, _ = io.Copy(a, bytes.NewReader(text)) // if the client is gone, nobody needs the answer
}

// event writes an event and sends it at once. An error means that the client is gone or does not read.
func (a *answer) event(name string, value any) error {
	text, err := line(value)
	if err != nil {
		return err
	}
	if _, err := a.Write([]byte("event: " + name + "\ndata: " + string(text) + "\n")); err != nil { // the line has its end already
		return err
	}
	return a.control.Flush()
}

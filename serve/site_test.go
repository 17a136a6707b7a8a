package serve

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/fstest"
)

func TestSite(t *testing.T) {
	files := fstest.MapFS{
		"index.html":     {Data: []byte("<p>page")},
		"a.js":           {Data: []byte("plain")},
		"a.js.br":        {Data: []byte("br")},
		"a.js.gz":        {Data: []byte("gz")},
		"docs/only.html": {Data: []byte("<p>doc")},
	}
	host := New(Options{Limits: Public()}).Site("0123456789abcdef", files)
	for _, c := range []struct {
		method, path, accept string
		status               int
		body, coding         string
	}{
		{"GET", "/", "", 200, "<p>page", ""},
		{"GET", "/a.js", "gzip, br;q=0.9", 200, "br", "br"},
		{"GET", "/a.js", "br;q=0, gzip", 200, "gz", "gzip"},
		{"GET", "/a.js", "br;q=0.000, gzip;q=0", 200, "plain", ""},
		{"GET", "/a.js", "", 200, "plain", ""},
		{"HEAD", "/a.js", "br", 200, "", "br"},
		{"GET", "/docs/only.html", "br", 200, "<p>doc", ""},
		{"GET", "/docs/", "", 404, "404 page not found\n", ""},
		{"GET", "/../go.mod", "", 404, "404 page not found\n", ""},
		{"GET", "/none", "br", 404, "404 page not found\n", ""},
		{"GET", "/healthz", "", 200, `{"status":"ok","version":"` + "", ""},
		{"POST", "/v1/solvers", "", 403, `{"error":{"code":"not_allowed"`, ""}, // files need no token; requests do
		{"GET", "/v1/solvers", "", 403, `{"error":{"code":"not_allowed"`, ""},
		{"POST", "/a.js", "", 403, `{"error":{"code":"not_allowed"`, ""},
	} {
		r := httptest.NewRequestWithContext(t.Context(), c.method, "http://localhost/", http.NoBody)
		r.URL.Path = c.path
		r.Header.Set("Accept-Encoding", c.accept)
		w := httptest.NewRecorder()
		host.ServeHTTP(w, r)
		body := w.Body.String()
		if len(body) > len(c.body) && c.body != "" && body[0] == '{' {
			body = body[:len(c.body)]
		}
		if w.Code != c.status || body != c.body || w.Header().Get("Content-Encoding") != c.coding {
			t.Errorf("%s %s, taking %q: %d %q %q, want %d %q %q", c.method, c.path, c.accept, w.Code, body, w.Header().Get("Content-Encoding"), c.status, c.body, c.coding)
		}
	}
}

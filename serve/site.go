package serve

import (
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strings"
)

// Site returns the handler of HTTP with the files of a folder beside it: whatever no operation answers. Files need no token. Where the folder has a file compressed beside itself,
// as NAME.br or NAME.gz, a client that takes it gets that.
func (s *Service) Site(token string, files fs.FS) http.Handler {
	requests, host := s.Handler(token), http.FileServerFS(files)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		isRead := r.Method == http.MethodGet || r.Method == http.MethodHead
		if !isRead || strings.HasPrefix(r.URL.Path, "/v1/") || r.URL.Path == "/healthz" {
			requests.ServeHTTP(w, r)
			return
		}
		w.Header().Set("X-Content-Type-Options", "nosniff")
		name := strings.TrimPrefix(path.Clean("/"+r.URL.Path), "/")
		if strings.HasSuffix(r.URL.Path, "/") {
			name = path.Join(name, "index.html")
			if _, err := fs.Stat(files, name); err != nil { // no lists of folders
				http.NotFound(w, r)
				return
			}
		}
		serveCompressed(w, r, files, host, name)
	})
}

// serveCompressed serves a file, compressed where that form is there and the client takes it.
func serveCompressed(w http.ResponseWriter, r *http.Request, files fs.FS, host http.Handler, name string) {
	kind := mime.TypeByExtension(path.Ext(name))
	for _, form := range []struct{ extension, coding string }{{".br", "br"}, {".gz", "gzip"}} {
		if _, err := fs.Stat(files, name+form.extension); kind == "" || err != nil {
			continue
		}
		w.Header().Add("Vary", "Accept-Encoding")
		if !takes(r, form.coding) {
			continue
		}
		w.Header().Set("Content-Encoding", form.coding)
		w.Header().Set("Content-Type", kind)
		http.ServeFileFS(w, r, files, name+form.extension)
		return
	}
	host.ServeHTTP(w, r)
}

// takes says whether a client takes a coding. One with the weight 0 it refuses.
func takes(r *http.Request, coding string) bool {
	for _, one := range strings.Split(strings.Join(r.Header.Values("Accept-Encoding"), ","), ",") {
		name, weight, _ := strings.Cut(strings.TrimSpace(one), ";")
		if strings.EqualFold(strings.TrimSpace(name), coding) {
			return strings.Trim(strings.TrimPrefix(strings.ReplaceAll(weight, " ", ""), "q="), "0.") != "" || weight == ""
		}
	}
	return false
}

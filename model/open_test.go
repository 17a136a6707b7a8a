package model_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/allot-opt/allot/model"
)

// compressed is the text as gzip data.
func compressed(t *testing.T, text string) []byte {
	t.Helper()
	var data bytes.Buffer
	w := gzip.NewWriter(&data)
	if _, err := w.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return data.Bytes()
}

// readAll is what Open gives of a file with the contents, and the error of opening or reading it.
func readAll(t *testing.T, contents []byte) (path, text string, err error) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "file.txt")
	if err := os.WriteFile(path, contents, 0o600); err != nil {
		t.Fatal(err)
	}
	in, err := model.Open(path)
	if err != nil {
		return path, "", err
	}
	data, err := io.ReadAll(in)
	if err := in.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
	return path, string(data), err
}

func TestOpenRecognisesGzipByItsBytes(t *testing.T) {
	long := strings.Repeat("a line of text\n", 100_000)
	for name, c := range map[string]struct {
		contents []byte
		want     string
	}{
		"empty":       {nil, ""},
		"one byte":    {[]byte{0x1f}, "\x1f"},
		"plain":       {[]byte("plain"), "plain"},
		"compressed":  {compressed(t, long), long},
		"empty gzip":  {compressed(t, ""), ""},
		"two members": {append(compressed(t, "one "), compressed(t, "two")...), "one two"},
	} {
		if _, got, err := readAll(t, c.contents); err != nil || got != c.want {
			t.Errorf("%s: got %d bytes, %v; want %d", name, len(got), err, len(c.want))
		}
	}
}

func TestOpenSaysWhatIsWrongWithGzip(t *testing.T) {
	whole := compressed(t, strings.Repeat("text ", 1000))
	broken := bytes.Clone(whole)
	broken[len(broken)-6] ^= 0xff // in the checksum
	garbled := bytes.Clone(whole)
	for k := 10; k < len(garbled)-8; k++ {
		garbled[k] = 0xff
	}
	for name, c := range map[string]struct {
		contents []byte
		want     string // {} is the path
	}{
		"cut in the header": {whole[:5], "{}: the gzip data is cut short"},
		"only the magic":    {whole[:2], "{}: the gzip data is cut short"},
		"bad header":        {append([]byte{0x1f, 0x8b, 99}, whole[3:]...), "{}: the gzip data is corrupt: gzip: invalid header"},
		"cut in the data":   {whole[:len(whole)-20], "the gzip data is cut short"},
		"cut in the sum":    {whole[:len(whole)-3], "the gzip data is cut short"},
		"bad sum":           {broken, "the gzip data is corrupt: gzip: invalid checksum"},
		"bad data":          {garbled, "the gzip data is corrupt: flate: corrupt input before offset 1"},
		"trailing text":     {append(bytes.Clone(whole), "and much more"...), "the gzip data is corrupt: gzip: invalid header"},
	} {
		path, _, err := readAll(t, c.contents)
		if want := strings.ReplaceAll(c.want, "{}", path); err == nil || err.Error() != want {
			t.Errorf("%s: got %v, want %s", name, err, want)
		}
	}
}

func TestOpenErrorsBeginWithTheName(t *testing.T) {
	folder := t.TempDir()
	missing := filepath.Join(folder, "missing")
	if _, err := model.Open(missing); !errors.Is(err, fs.ErrNotExist) || !strings.HasPrefix(err.Error(), missing+": ") {
		t.Errorf("missing file: got %v", err)
	}
	if _, err := model.Open(folder); err == nil || !strings.HasPrefix(err.Error(), folder+": ") {
		t.Errorf("folder: got %v", err)
	}
}

func TestOpenStandardInput(t *testing.T) {
	path := filepath.Join(t.TempDir(), "in")
	if err := os.WriteFile(path, compressed(t, "from standard input"), 0o600); err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	defer func(before *os.File) { os.Stdin = before }(os.Stdin)
	os.Stdin = file
	in, err := model.Open("-")
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(in)
	if err != nil || string(text) != "from standard input" {
		t.Errorf("got %q, %v", text, err)
	}
	if err := in.Close(); err != nil {
		t.Error(err)
	}
	if _, err := file.Stat(); err != nil {
		t.Errorf("standard input was closed: %v", err)
	}
}

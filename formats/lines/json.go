package lines

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/allot-opt/allot/model/budget"
)

// maxToken is the longest text, number or run of white space of a JSON file that is read, in bytes.
const maxToken = 1 << 20

// JSON reads a foreign JSON file as a stream: besides what the reader keeps, about maxToken bytes are in memory at most. Names may be given twice,
// because remembering all names of a foreign object would need unlimited memory.
type JSON struct {
	*jsontext.Decoder
	r   io.Reader
	b   *budget.Budget
	n   int64 // bytes read
	err error // what ended reading, but for the end of the file; the decoder would wrap it
}

// NewJSON reads from r.
func NewJSON(r io.Reader) *JSON {
	r, b := budget.Of(r)
	j := &JSON{r: r, b: b}
	j.Decoder = jsontext.NewDecoder(limited{j}, jsontext.AllowDuplicateNames(true))
	return j
}

// limited is what the decoder reads from.
type limited struct{ *JSON }

// Read implements io.Reader.
func (l limited) Read(buffer []byte) (int, error) {
	if l.n-l.InputOffset() > maxToken {
		l.err = fmt.Errorf("expected texts, numbers and white space of at most %d bytes, found a longer one", maxToken)
	}
	if l.err != nil {
		return 0, l.err
	}
	n, err := l.r.Read(buffer)
	l.n += int64(n)
	if err != nil && err != io.EOF {
		l.err = err
	}
	return n, err
}

// Budget is the budget of the reading.
func (j *JSON) Budget() *budget.Budget { return j.b }

// IsEmpty reports whether nothing was read.
func (j *JSON) IsEmpty() bool { return j.n == 0 }

// Ended reports whether the error says that the file could not be read to its end, and not that something in it is wrong.
func (j *JSON) Ended(err error) bool {
	return j.err != nil || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF)
}

// Explain says what the error that ended reading means.
func (j *JSON) Explain(err error) error {
	var syntactic *jsontext.SyntacticError
	switch {
	case j.err != nil:
		return j.err
	case j.Ended(err):
		return fmt.Errorf("the file ends early, at byte %d, inside a JSON value", j.n)
	case errors.As(err, &syntactic):
		return fmt.Errorf("not JSON: %s at byte %d", strings.TrimPrefix(syntactic.Err.Error(), "jsontext: "), syntactic.ByteOffset)
	}
	return err
}

// Path writes a pointer such as /jobs/3/cpus as jobs[3].cpus. A long one, of a hostile file, is cut.
func Path(pointer jsontext.Pointer) string {
	const most = 200
	var text strings.Builder
	for token := range pointer.Tokens() {
		switch _, err := strconv.Atoi(token); {
		case text.Len() > most:
			return text.String() + "…"
		case err == nil:
			text.WriteString("[" + token + "]")
		default:
			if text.Len() > 0 {
				text.WriteByte('.')
			}
			text.WriteString(Name(token[:min(len(token), 40)]))
		}
	}
	return text.String()
}

// KindName is a kind of JSON value in words.
func KindName(kind jsontext.Kind) string {
	switch kind {
	case '{':
		return "an object"
	case '[':
		return "an array"
	case '"':
		return "a text"
	case '0':
		return "a number"
	}
	return kind.String()
}

package serve

import (
	"bytes"
	"encoding/json"
)

// line writes a value as JSON on one line, with its end.
func line(value any) ([]byte, error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(value)
	return text.Bytes(), err
}

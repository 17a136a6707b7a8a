// Package answers is what the commands and the service answer alike: the questions with their options, and the answers as JSON states them. The commands add
// texts for people, and the service adds limits.
package answers

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"github.com/allot-opt/allot/model"
)

// OptionError is an error in an option, which a command calls --option and a request option.
type OptionError struct {
	Option string // in the spelling of a request: rolling_threshold
	Err    error
}

// Error names the option.
func (e *OptionError) Error() string { return e.Option + ": " + e.Err.Error() }

// Unwrap returns the error without the name.
func (e *OptionError) Unwrap() error { return e.Err }

// optionf makes the error of an option.
func optionf(option, format string, args ...any) error {
	return &OptionError{option, fmt.Errorf(format, args...)}
}

// WriteJSON writes a value as the commands do: indented.
func WriteJSON(w io.Writer, value any) error {
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", " ")
	encoder.SetEscapeHTML(false)
	return encoder.Encode(value)
}

// WriteOn writes an answer about an instance, an object. What the instance leaves out comes first, as it must be read first: as the first member, caveats. An instance
// that leaves nothing out adds nothing.
func WriteOn(w io.Writer, in *model.Instance, value any) error {
	if len(in.Caveats()) == 0 {
		return WriteJSON(w, value)
	}
	var first, rest bytes.Buffer
	if err := WriteJSON(&first, struct {
		Caveats []string `json:"caveats"`
	}{in.Caveats()}); err != nil {
		return err
	}
	if err := WriteJSON(&rest, value); err != nil {
		return err
	}
	begin, ok := bytes.CutSuffix(first.Bytes(), []byte("\n}\n"))
	end, object := bytes.CutPrefix(rest.Bytes(), []byte("{\n"))
	if !ok || !object {
		return fmt.Errorf("expected an answer that is an object with members, found %T", value)
	}
	_, err := w.Write(slices.Concat(begin, []byte(",\n"), end))
	return err
}

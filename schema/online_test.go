package schema_test

import (
	"bytes"
	"testing"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve/process/online"
)

// TestOnlineAnswers: the schema of an answer takes what the reader takes, and nothing else.
func TestOnlineAnswers(t *testing.T) {
	compiled := compile(t, "online-answer")
	for text, good := range map[string]bool{
		`{}`: true,
		`{"start": [{"job": "a", "cluster": "c"}, {"job": "b", "cluster": "c", "processors": 3}, {"job": "d", "cluster": "c", "on": "0-3,7"}], "call_me_at": 7.5}`: true,
		`{"reject": [{"job": "a"}, {"job": "b", "reason": "r"}]}`: true,
		`[]`:                            false,
		`{"begin": []}`:                 false,
		`{"start": {}}`:                 false,
		`{"start": ["a"]}`:              false,
		`{"start": [{"job": "a"}]}`:     false,
		`{"start": [{"cluster": "a"}]}`: false,
		`{"start": [{"job": "", "cluster": "c"}]}`:                       false,
		`{"start": [{"job": 1, "cluster": "c"}]}`:                        false,
		`{"start": [{"job": "a", "cluster": "c", "processors": 0}]}`:     false,
		`{"start": [{"job": "a", "cluster": "c", "processors": 1.5}]}`:   false,
		`{"start": [{"job": "a", "cluster": "c", "processors": "0-3"}]}`: false,
		`{"start": [{"job": "a", "cluster": "c", "on": 3}]}`:             false,
		`{"start": [{"job": "a", "cluster": "c", "on": "3-"}]}`:          false,
		`{"reject": [{"job": "a", "reason": ""}]}`:                       false,
		`{"call_me_at": null}`:                                           false,
		`{"call_me_at": "5"}`:                                            false,
		`{"call_me_at": 1e19}`:                                           false,
	} {
		valid, read := compiled.Validate(parse(t, []byte(text))), model.ReadJSON(bytes.NewReader([]byte(text)), "", new(online.Answer))
		if (valid == nil) != good || (read == nil) != good {
			t.Errorf("%s: schema %v, reader %v, expected to be good: %t", text, valid, read, good)
		}
	}
}

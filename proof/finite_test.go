package proof_test

import (
	"bytes"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/proof"
)

// numbers calls f with each number of a certificate that f may change.
func numbers(v reflect.Value, f func(reflect.Value)) {
	switch v.Kind() {
	case reflect.Float64, reflect.Int:
		if v.CanSet() { // a bound is always finite
			f(v)
		}
	case reflect.Pointer:
		if !v.IsNil() {
			numbers(v.Elem(), f)
		}
	case reflect.Struct:
		for k := range v.NumField() {
			numbers(v.Field(k), f)
		}
	case reflect.Slice:
		for k := range v.Len() {
			numbers(v.Index(k), f)
		}
	}
}

// A Go program can put NaN, infinity and positions below 0 where a file cannot: each is refuted, by its path, and nothing panics.
func TestNumbersThatNoFileHoldsAreRefuted(t *testing.T) {
	race.OneGoroutine(t)
	tried, paths := 0, map[string]bool{}
	for _, c := range claims(t, 6) {
		cert, err := proof.Read(bytes.NewReader(c.text), "x")
		if err != nil {
			t.Fatal(err)
		}
		numbers(reflect.ValueOf(cert).Elem(), func(number reflect.Value) {
			was := reflect.ValueOf(number.Interface())
			defer number.Set(was)
			wrong, why := []any{math.NaN(), math.Inf(1), math.Inf(-1)}, "expected a finite number"
			if number.Kind() == reflect.Int {
				wrong, why = []any{-1, math.MinInt, math.MaxInt32 + 1, math.MaxInt}, "expected a whole number in [0, 2147483647], found "
			}
			for _, x := range wrong {
				number.Set(reflect.ValueOf(x))
				r := verdict(t.Context(), c.in, cert)
				if r.Verdict != proof.Refuted || r.Step == "" || !strings.HasPrefix(r.Reason, why) {
					t.Errorf("%v for %v: %+v", x, was, r)
				}
				tried++
				paths[r.Step] = true
			}
			if number.Kind() == reflect.Int {
				number.SetInt(math.MaxInt32)
				if r := verdict(t.Context(), c.in, cert); strings.HasPrefix(r.Reason, why) {
					t.Errorf("%d for %v: %+v", math.MaxInt32, was, r)
				}
			}
		})
		for metric, weight := range cert.Objective {
			cert.Objective[metric] = math.NaN()
			if r := verdict(t.Context(), c.in, cert); r.Verdict != proof.Refuted || r.Step != "objective" {
				t.Errorf("weight NaN of %s: %+v", metric, r)
			}
			cert.Objective[metric] = weight
		}
		if r := verdict(t.Context(), c.in, cert); r.Verdict == proof.Refuted {
			t.Fatalf("as it was: %+v", r)
		}
	}
	if tried < 1000 || len(paths) < 100 {
		t.Errorf("tried %d numbers at %d paths, expected more", tried, len(paths))
	}
}

// broken fails when a byte is written, or when it has written some.
type broken struct{ left int }

func (b *broken) Write(p []byte) (int, error) {
	if b.left -= len(p); b.left < 0 {
		return 0, errors.New("the disk is full")
	}
	return len(p), nil
}

func TestCertificatesAreWrittenAndRead(t *testing.T) {
	c := &proof.Certificate{Schema: proof.Schema, Instance: "a<b>&c", InstanceSHA256: "0", Objective: map[string]float64{"makespan": 1}, Bound: model.ProvedBound(2)}
	const text = `{"schema":"allot/proof/1","instance":"a<b>&c","instance_sha256":"0","objective":{"makespan":1},"bound":2}` + "\n"
	if got := string(c.Bytes()); got != text {
		t.Errorf("%s", got)
	}
	path := filepath.Join(t.TempDir(), "c.json")
	if err := os.WriteFile(path, c.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := proof.ReadFile(path); err != nil || string(got.Bytes()) != text {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := proof.ReadFile(path + "x"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	for left := range 2 {
		if err := c.Write(&broken{left}); err == nil {
			t.Error("a disk that is full")
		}
	}
	c.Parts = []proof.Part{{Bound: math.NaN()}}
	if c.Bytes() != nil || c.Write(io.Discard) == nil {
		t.Errorf("NaN is written as %s", c.Bytes())
	}
}

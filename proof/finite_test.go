package proof_test

import (
	"bytes"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/proof"
)

// numbers calls f with each number of a certificate that f may change.
func numbers(v reflect.Value, f func(reflect.Value)) {
	switch v.Kind() {
	case reflect.Float64:
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

// A Go program can put NaN and infinity where JSON cannot: each is refuted, by its path, and nothing panics.
func TestNumbersThatAreNotFiniteAreRefuted(t *testing.T) {
	race.OneGoroutine(t)
	tried, paths := 0, map[string]bool{}
	for _, c := range claims(t, 6) {
		cert, err := proof.Read(bytes.NewReader(c.text), "x")
		if err != nil {
			t.Fatal(err)
		}
		numbers(reflect.ValueOf(cert).Elem(), func(number reflect.Value) {
			was := number.Float()
			defer number.SetFloat(was)
			for _, x := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
				number.SetFloat(x)
				r := proof.Check(t.Context(), c.in, cert)
				if r.Verdict != proof.Refuted || r.Step == "" || !strings.Contains(r.Reason, "expected a finite number") {
					t.Errorf("%v for %v: %+v", x, was, r)
				}
				tried++
				paths[r.Step] = true
			}
		})
		for metric, weight := range cert.Objective {
			cert.Objective[metric] = math.NaN()
			if r := proof.Check(t.Context(), c.in, cert); r.Verdict != proof.Refuted || r.Step != "objective" {
				t.Errorf("weight NaN of %s: %+v", metric, r)
			}
			cert.Objective[metric] = weight
		}
		if r := proof.Check(t.Context(), c.in, cert); r.Verdict == proof.Refuted {
			t.Fatalf("as it was: %+v", r)
		}
	}
	if tried < 1000 || len(paths) < 100 {
		t.Errorf("tried %d numbers at %d paths, expected more", tried, len(paths))
	}
}

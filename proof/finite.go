package proof

import (
	"fmt"
	"math"
	"reflect"
	"strings"
)

// checkNumbers refutes a certificate that holds a number that no file can hold, so that only a Go program can make it: NaN, an infinite one, or a position or
// count outside [0, 2³¹ − 1]. The weights of the objective are for [model.Instance.WithObjective] to check.
func checkNumbers(c *Certificate) error {
	if path, why := wrongNumber(reflect.ValueOf(c)); why != "" {
		return refute(strings.TrimPrefix(path, "."), "%s", why)
	}
	return nil
}

// wrongNumber finds the first number that no file can hold and returns the path to it and what was expected; an empty text: there is none.
func wrongNumber(v reflect.Value) (path, why string) {
	switch v.Kind() {
	case reflect.Float64:
		if math.IsNaN(v.Float()) || math.IsInf(v.Float(), 0) {
			return "", "expected a finite number"
		}
	case reflect.Int:
		if v.Int() < 0 || v.Int() > math.MaxInt32 {
			return "", fmt.Sprintf("expected a whole number in [0, %d], found %d", math.MaxInt32, v.Int())
		}
	case reflect.Pointer:
		if !v.IsNil() {
			return wrongNumber(v.Elem())
		}
	case reflect.Struct:
		for k := range v.NumField() {
			if path, why = wrongNumber(v.Field(k)); why != "" {
				name, _, _ := strings.Cut(v.Type().Field(k).Tag.Get("json"), ",")
				return "." + name + path, why
			}
		}
	case reflect.Slice:
		for k := range v.Len() {
			if path, why = wrongNumber(v.Index(k)); why != "" {
				return fmt.Sprintf("[%d]%s", k, path), why
			}
		}
	}
	return "", ""
}

package proof

import (
	"fmt"
	"math"
	"reflect"
	"strings"
)

// checkFinite refutes a certificate that holds a number that is NaN or infinite. JSON has no such numbers, so only a Go program can make one. The
// weights of the objective are for [model.Instance.WithObjective] to check.
func checkFinite(c *Certificate) error {
	if path, found := notFinite(reflect.ValueOf(c)); found {
		return refute(strings.TrimPrefix(path, "."), "expected a finite number")
	}
	return nil
}

// notFinite finds the first number that is not finite and returns the path to it.
func notFinite(v reflect.Value) (path string, found bool) {
	switch v.Kind() {
	case reflect.Float64:
		return "", math.IsNaN(v.Float()) || math.IsInf(v.Float(), 0)
	case reflect.Pointer:
		if !v.IsNil() {
			return notFinite(v.Elem())
		}
	case reflect.Struct:
		for k := range v.NumField() {
			if path, found = notFinite(v.Field(k)); found {
				name, _, _ := strings.Cut(v.Type().Field(k).Tag.Get("json"), ",")
				return "." + name + path, true
			}
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Int {
			return "", false
		}
		for k := range v.Len() {
			if path, found = notFinite(v.Index(k)); found {
				return fmt.Sprintf("[%d]%s", k, path), true
			}
		}
	}
	return "", false
}

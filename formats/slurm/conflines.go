package slurm

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/allot-opt/allot/formats/lines"
	"github.com/allot-opt/allot/model/budget"
)

// confLines reads slurm.conf, or what scontrol show config prints, word by word: key = value, with keys in any case.
type confLines struct {
	// open opens a file that another one includes; nil: an Include line is an error.
	open opener
	take func(at confPlace, words []confWord)
}

// confPlace is where a line begins.
type confPlace struct {
	faults *lines.Faults
	line   int
}

// fault notes what is wrong at the place.
func (p confPlace) fault(format string, args ...any) { p.faults.Line(p.line, format, args...) }

// confWord is a key, in small letters and as it is written, and its value without quotes.
type confWord struct{ key, name, value string }

// read reads a file. The error lists what is wrong in it, or in a file that it includes.
func (c *confLines) read(src Source) error {
	text, faults := lines.Begin(src.Reader, src.Name)
	scanner := lines.NewScanner(text)
	printed := false // by scontrol show config
	remaining, first := "", 0
	for scanner.Scan() {
		line := strings.TrimRight(string(scanner.Bytes()), "\r")
		if strings.HasPrefix(line, "Configuration data as of") {
			printed = true
			continue
		}
		if !printed {
			line = uncommented(line)
		}
		if remaining == "" {
			first = scanner.Line()
		}
		if begin, goesOn := continued(line); goesOn && !printed {
			if len(remaining)+len(begin) > lines.MaxLength {
				faults.Line(scanner.Line(), "%s", lines.TooLong)
				break
			}
			remaining += begin
			continue
		}
		if err := c.line(src, confPlace{faults, first}, remaining+line, printed); err != nil {
			return err
		}
		remaining = ""
	}
	if remaining != "" {
		if err := c.line(src, confPlace{faults, first}, remaining, printed); err != nil {
			return err
		}
	}
	scanner.Check(faults)
	return faults.Err()
}

// line takes a line.
func (c *confLines) line(src Source, at confPlace, text string, printed bool) error {
	if printed {
		key, value, found := strings.Cut(text, "=")
		if found {
			if value = strings.TrimSpace(value); value == "(null)" {
				value = ""
			}
			key = strings.TrimSpace(key)
			c.take(at, []confWord{{strings.ToLower(key), key, value}})
		}
		return nil
	}
	if fields := strings.Fields(text); len(fields) > 1 && strings.EqualFold(fields[0], "include") {
		return c.include(src, at, strings.Join(fields[1:], " "))
	}
	words, err := confWords(text)
	if err != nil {
		at.fault("%s", err)
		return nil
	}
	if len(words) > 0 {
		c.take(at, words)
	}
	return nil
}

// include reads a file that another one includes, whose name is relative to the other's.
func (c *confLines) include(src Source, at confPlace, name string) error {
	if c.open == nil {
		at.fault("expected no line Include, found one of %s: give that file in place of the line", lines.Quote(name))
		return nil
	}
	file, path, err := c.open.included(src, name, at.faults.Budget())
	if err != nil {
		at.fault("Include: %s", err)
		return nil
	}
	defer file.Close()
	return c.read(Source{at.faults.Budget().Reader(file), path})
}

// opener opens a file that another one includes.
type opener func(name string) (io.ReadCloser, error)

// included opens a file that another one includes, whose name is relative to the other's.
func (open opener) included(by Source, name string, b *budget.Budget) (file io.ReadCloser, path string, err error) {
	if strings.Contains(name, "%") {
		return nil, "", fmt.Errorf("expected the name of a file without %%c, found %s", lines.Quote(name))
	}
	if err := b.File(); err != nil {
		return nil, "", err
	}
	if path = name; !filepath.IsAbs(name) {
		path = filepath.Join(filepath.Dir(by.Name), name)
	}
	if file, err = open(path); err != nil {
		return nil, "", err
	}
	return file, path, nil
}

// confWords cuts a line of slurm.conf into its words. There may be blanks around =, and a value with blanks is in quotes.
func confWords(text string) (words []confWord, err error) {
	rest := strings.TrimSpace(text)
	for rest != "" {
		key, value, found := strings.Cut(rest, "=")
		key = strings.TrimSpace(key)
		if !found || key == "" || strings.ContainsAny(key, " \t\"") {
			return nil, fmt.Errorf("expected key=value, found %s", lines.Quote(rest))
		}
		value = strings.TrimLeft(value, " \t")
		if quoted, isQuoted := strings.CutPrefix(value, `"`); isQuoted {
			inner, after, closed := strings.Cut(quoted, `"`)
			if !closed {
				return nil, fmt.Errorf("%s: expected a \" at the end of the value", lines.Name(key))
			}
			value, rest = inner, after
		} else if at := strings.IndexAny(value, " \t"); at >= 0 {
			value, rest = value[:at], value[at:]
		} else {
			rest = ""
		}
		if value == "" {
			return nil, fmt.Errorf("expected a value after %s=", lines.Name(key))
		}
		words = append(words, confWord{strings.ToLower(key), key, value})
		rest = strings.TrimSpace(rest)
	}
	return words, nil
}

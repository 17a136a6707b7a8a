package picture

import (
	"bytes"
	"image/color"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"codeberg.org/go-pdf/fpdf"
)

// Any text can be written, and the same texts give the same bytes: letters of all kinds, letters that the font lacks, and what is no text.
func TestAnyTextInPDF(t *testing.T) {
	var all []string
	for first := rune(0); first < 0x2800; first += 64 {
		var line []rune
		for letter := first; letter < first+64; letter++ {
			line = append(line, letter)
		}
		all = append(all, string(line))
	}
	for cut := range len("a\U0001F600") + 1 {
		all = append(all, "a\U0001F600"[:cut], "Ω\xe2", "\xff\xc0)(\\")
	}
	plain := slices.DeleteFunc(slices.Clone(all), func(text string) bool { return !Lettering{}.has(text) })
	if len(plain) < 5 {
		t.Errorf("the font has %d lines of letters", len(plain))
	}
	written := map[string]bool{}
	for range 3 {
		d := &Drawing{Width: 300, Height: 20000, Draw: func(s *Sheet) {
			for k, text := range all {
				s.Text(1, 10*float64(k), Lettering{Size: 8, Ink: Ink}, text)
			}
		}}
		var out bytes.Buffer
		if err := d.Write(&out, PDF); err != nil {
			t.Fatal(err)
		}
		written[out.String()] = true
	}
	if len(written) > 1 {
		t.Errorf("%d documents differ", len(written))
	}
}

// Plain texts, also those that run upwards, stand in a PDF as texts. Bold ones do not, as the document has no bold letters.
func TestTextsOfPDF(t *testing.T) {
	fpdf.SetDefaultCompression(false)
	defer fpdf.SetDefaultCompression(true)
	var out bytes.Buffer
	if err := sampler().Write(&out, PDF); err != nil {
		t.Fatal(err)
	}
	for text, stands := range map[string]bool{"plain 1111": true, "upright": true, "bold": false} {
		var coded []byte
		for _, letter := range []byte(text) {
			coded = append(coded, 0, letter)
		}
		if found := bytes.Contains(out.Bytes(), coded); found != stands {
			t.Errorf("the text %q: %v", text, found)
		}
	}
}

// What shines through has its own colour in a PDF, with its opacity beside it.
func TestFaintColoursOfPDF(t *testing.T) {
	fpdf.SetDefaultCompression(false)
	defer fpdf.SetDefaultCompression(true)
	d := &Drawing{Width: 10, Height: 10, Draw: func(s *Sheet) { s.FillRect(Box(0, 0, 5, 5), color.NRGBA{0xff, 0x80, 0, 0x33}) }}
	var out bytes.Buffer
	if err := d.Write(&out, PDF); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"1.000 0.502 0.000 rg\n", "/ca 0.200"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is missing", want)
		}
	}
}

// An image stands upright in a PDF, in its place: the product of the matrices around it maps the unit square, whose y grows upwards, to the place.
func TestImageOfPDFStandsUpright(t *testing.T) {
	fpdf.SetDefaultCompression(false)
	defer fpdf.SetDefaultCompression(true)
	var out bytes.Buffer
	if err := sampler().Write(&out, PDF); err != nil {
		t.Fatal(err)
	}
	now, kept, numbers, images := [6]float64{1, 0, 0, 1, 0, 0}, [][6]float64{}, []float64{}, 0
	_, content, _ := bytes.Cut(out.Bytes(), []byte("stream\n"))
	content, _, _ = bytes.Cut(content, []byte("endstream"))
	for _, word := range regexp.MustCompile(`\((?:\\.|[^\\)])*\)|[^\s()]+`).FindAllString(string(content), -1) {
		if x, err := strconv.ParseFloat(word, 64); err == nil {
			numbers = append(numbers, x)
			continue
		}
		switch word {
		case "q":
			kept = append(kept, now)
		case "Q":
			now, kept = kept[len(kept)-1], kept[:len(kept)-1]
		case "cm":
			a, b := numbers[len(numbers)-6:], now
			now = [6]float64{a[0]*b[0] + a[1]*b[2], a[0]*b[1] + a[1]*b[3], a[2]*b[0] + a[3]*b[2], a[2]*b[1] + a[3]*b[3],
				a[4]*b[0] + a[5]*b[2] + b[4], a[4]*b[1] + a[5]*b[3] + b[5]}
		case "Do":
			images++
			// 50 × 50 pixels from 10, 100 on a page of 200 pixels are 37.5 × 37.5 points from 7.5, 37.5.
			for k, want := range [6]float64{37.5, 0, 0, 37.5, 7.5, 37.5} {
				if math.Abs(now[k]-want) > 0.01 {
					t.Errorf("the matrix of the image is %v", now)
					break
				}
			}
		}
		numbers = nil
	}
	if images != 1 {
		t.Errorf("%d images, want one", images)
	}
}

package picture

import (
	"bytes"
	"math"
	"regexp"
	"strconv"
	"testing"

	"codeberg.org/go-pdf/fpdf"
)

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

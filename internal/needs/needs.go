// Package needs states what a test needs of the machine beside Go, and finds it: a program, a font, a module of Python, shared data. Where the machine lacks it, the test is
// skipped and says what is missing and the way to get it. With CI=true in the environment the test fails instead, as CI installs all that can be installed.
package needs

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// kind is a kind of needs.
type kind string

// The kinds.
const (
	AProgram kind = "program"
	AFont    kind = "font"
	AModule  kind = "Python module"
	SomeData kind = "data" // which is not for everybody, so that CI does without it
)

// Need is what a test needs.
type Need struct {
	Kind kind
	Name string
	Get  string // the way to get it
}

// String says what is missing.
func (n Need) String() string { return string(n.Kind) + " " + n.Name }

// program is a program that tests may need.
type program struct {
	names []string // that it goes by; empty: its own name
	get   string
	find  func() string // finds it in another way than by name; empty: it is missing
}

// programs are the programs that tests may need.
var programs = map[string]program{
	"chromium": {names: []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "headless-shell"}, get: "apt-get install chromium"},
	"curl":     {get: "apt-get install curl"},
	"go":       {get: "https://go.dev/dl"},
	"fc-match": {get: "apt-get install fontconfig"},
	"mariadbd": {get: "apt-get install mariadb-server"},
	"mkfifo":   {get: "a Unix has it"},
	"node":     {get: "apt-get install nodejs"},
	"npm":      {get: "apt-get install npm"},
	"parallel": {get: "apt-get install parallel", find: func() string { // moreutils has another program of this name
		if !strings.HasPrefix(outputOf("parallel", "--version"), "GNU parallel") {
			return ""
		}
		return path("parallel")
	}},
	"pgrep":        {get: "apt-get install procps"},
	"python3":      {get: "apt-get install python3"},
	"rsvg-convert": {get: "apt-get install librsvg2-bin"},
	"sh":           {get: "a Unix has it"},
	"sleep":        {get: "a Unix has it"},
	"slurmctld":    {get: "apt-get install slurmctld slurmd slurm-client slurm-wlm-basic-plugins"},
	"slurmdbd":     {get: "apt-get install slurmdbd"},
	"ssh-keygen":   {get: "apt-get install openssh-client"},
}

// Program returns the path of a program.
func Program(t testing.TB, name string) string {
	t.Helper()
	p, known := programs[name]
	if !known {
		t.Fatalf("package needs does not know the program %q: add it to its list, with the way to get it", name)
	}
	found := ""
	if p.find != nil {
		found = p.find()
	}
	for _, other := range append(p.names, name) {
		if found == "" && p.find == nil {
			found = path(other)
		}
	}
	if found == "" {
		Lack(t, Need{AProgram, name, p.get})
	}
	return found
}

// path is where a program is: on PATH, among those of administrators, or where tools/slurm-unpack has put it; empty: nowhere.
func path(name string) string {
	if found, err := exec.LookPath(name); err == nil {
		return found
	}
	for _, folder := range []string{"/usr/sbin", filepath.Join(os.Getenv("SLURM_ROOT"), "usr/sbin"), filepath.Join(os.Getenv("SLURM_ROOT"), "usr/bin")} {
		if found, err := exec.LookPath(filepath.Join(folder, name)); err == nil {
			return found
		}
	}
	return ""
}

// outputOf is what a program writes; empty: it cannot be run.
func outputOf(name string, arguments ...string) string {
	text, err := exec.Command(name, arguments...).Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
}

// fonts are the packages of Debian that have a family of fonts.
var fonts = map[string]string{"DejaVu Sans": "fonts-dejavu-core", "Liberation Sans": "fonts-liberation", "Noto Sans": "fonts-noto-core"}

// Fonts are the families of fonts that pictures and pages are to be shown in on most desktops. Arial and Helvetica are as wide as Liberation Sans, Verdana as DejaVu Sans.
var Fonts = []string{"Liberation Sans", "DejaVu Sans", "Noto Sans"}

// Font returns the file of a font of a family, regular or bold.
func Font(t testing.TB, family string, bold bool) string {
	t.Helper()
	from, known := fonts[family]
	if !known {
		t.Fatalf("package needs does not know the font %q: add it to its list, with the way to get it", family)
	}
	style := "Regular"
	if bold {
		style = "Bold"
	}
	name, file, _ := strings.Cut(outputOf(Program(t, "fc-match"), "--format", "%{family[0]}\n%{file}", family+":style="+style), "\n")
	if name != family {
		Lack(t, Need{AFont, family, "apt-get install " + from})
	}
	return file
}

// OnlyFont returns what to add to the environment of a program that is to find the fonts of one family alone, as on a desktop that has no others.
func OnlyFont(t testing.TB, family string) string {
	t.Helper()
	folder := t.TempDir()
	file := filepath.Join(folder, "fonts.conf")
	text := `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
<dir>` + filepath.Dir(Font(t, family, false)) + `</dir>
<cachedir>/var/cache/fontconfig</cachedir>
<cachedir>` + folder + `</cachedir>
<selectfont>
<acceptfont><pattern><patelt name="family"><string>` + family + `</string></patelt></pattern></acceptfont>
<rejectfont><pattern><patelt name="outline"><bool>true</bool></patelt></pattern></rejectfont>
</selectfont>
</fontconfig>
`
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return "FONTCONFIG_FILE=" + file
}

// modules says how to get what has a module of Python.
var modules = map[string]string{
	"hyperqueue": "pip install hyperqueue",
	"ortools":    "pip install ortools",
}

// Python returns the Python that has some modules: the one that the variable ALLOT_PYTHON names, or python3.
func Python(t testing.TB, has ...string) string {
	t.Helper()
	python := os.Getenv("ALLOT_PYTHON")
	if python == "" {
		python = Program(t, "python3")
	}
	for _, module := range has {
		get, known := modules[module]
		if !known {
			t.Fatalf("package needs does not know the module %q of Python: add it to its list, with the way to get it", module)
		}
		if exec.Command(python, "-c", "import "+module).Run() != nil {
			Lack(t, Need{AModule, module, get + "; the variable ALLOT_PYTHON may name the Python that has it"})
		}
	}
	return python
}

// Lack ends a test for which this machine lacks something: it is skipped, or fails where the machine should have it.
func Lack(t testing.TB, n Need) {
	t.Helper()
	if n.Kind != SomeData && os.Getenv("CI") == "true" {
		t.Fatalf("this machine lacks %s, and CI=true says that it has all that tests need: %s", n, n.Get)
	}
	t.Skipf("needs %s: %s", n, n.Get)
}

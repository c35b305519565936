package steps

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	gherkin "github.com/cucumber/gherkin/go/v42"
	"github.com/google/go-cmp/cmp"
)

var (
	drawnFiles = flag.Int("steps.drawnfiles", 0, "how many feature files to draw and to read as the official parser does; it takes npm")
	drawnSeed  = flag.Uint64("steps.drawnseed", 1, "seed of the feature files that are drawn")
)

// officialParser is the npm package of the parser with which random files are compared.
const officialParser = "@cucumber/gherkin@42.0.1"

// Goal: any feature file is read as the authors of Gherkin read it. Method: draw random files by
// the grammar, in all languages, a third of them with a mistake. Read them here and by the official
// parser for JavaScript, which npm installs into a folder of the test.
func TestDrawnFeatureFilesAreReadAsOfficially(t *testing.T) {
	if *drawnFiles == 0 {
		t.Skip("make nightly-gherkin draws some: it installs a package")
	}
	npm, err := exec.LookPath("npm")
	if err != nil {
		t.Skip("found no npm, which brings the official parser")
	}
	dir := t.TempDir()
	d := &drawer{r: rand.New(rand.NewPCG(*drawnSeed, 0))}
	for i := range *drawnFiles {
		write(t, filepath.Join(dir, fmt.Sprintf("f%06d.feature", i)), d.file())
	}
	reader, err := os.ReadFile("testdata/official.mjs")
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "official.mjs"), string(reader))
	install := exec.Command(npm, "install", "--silent", "--no-audit", "--no-fund", officialParser)
	install.Dir = dir
	if out, err := install.CombinedOutput(); err != nil {
		t.Fatalf("npm install %s: %v\n%s", officialParser, err, out)
	}
	node := exec.Command("node", "official.mjs")
	node.Dir, node.Stderr = dir, os.Stderr
	out, err := node.Output()
	if err != nil {
		t.Fatal(err)
	}
	read, refused := 0, 0
	lines := bufio.NewReader(bytes.NewReader(out))
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			break
		}
		var want official
		if err := json.Unmarshal(line, &want); err != nil {
			t.Fatal(err)
		}
		read++
		if want.Refused {
			refused++
		}
		compareDrawn(t, dir, &want)
	}
	if read != *drawnFiles || refused == 0 || refused > read/2 {
		t.Errorf("read %d files and refused %d, want %d, and some refused", read, refused, *drawnFiles)
	}
	t.Logf("seed %d: %d files, of which both refuse %d", *drawnSeed, read, refused)
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// official is the result of the official parser for one file, as official.mjs prints it.
type official struct {
	File    string
	Refused bool
	Pickles []drawnPickle
}

// drawnPickle is a scenario, or a row of an outline, in the form in which both results are
// compared.
type drawnPickle struct {
	Name              string
	Line              int
	Feature, Scenario drawnHeading
	Rule              string
	Tags              []string
	Steps             []drawnStep
}

type drawnHeading struct {
	Keyword, Name, Description string
	Line                       int
}

type drawnStep struct {
	Text, Keyword string
	Line          int
	Content       bool
}

// compareDrawn reads a file here, and compares the result with that of the official parser.
func compareDrawn(t *testing.T, dir string, want *official) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, want.File))
	if err != nil {
		t.Fatal(err)
	}
	suite := Suite{FS: os.DirFS(dir), Paths: []string{want.File}, Runner: &fakeRunner{}}
	found, err := suite.find()
	if (err != nil) != want.Refused {
		t.Errorf("%s: refused %v, want %v; %v\n%q", want.File, err != nil, want.Refused, err, text)
		return
	}
	if err != nil {
		return
	}
	got := []drawnPickle{}
	for _, sc := range found {
		for i := range sc.cases {
			got = append(got, drawnOf(sc, &sc.cases[i]))
		}
	}
	if diff := cmp.Diff(want.Pickles, got); diff != "" {
		t.Errorf("%s: (-official +here):\n%s\n%q", want.File, diff, text)
	}
}

// drawnOf returns a case of a scenario in the form for comparison.
func drawnOf(sc *scenario, c *scenarioCase) drawnPickle {
	heading := func(h Heading) drawnHeading { return drawnHeading{h.Keyword, h.Name, h.Description, h.Line} }
	p := drawnPickle{Name: c.written.Scenario.Name, Line: c.line(sc), Feature: heading(c.written.Feature), Scenario: heading(c.written.Scenario),
		Rule: c.written.Rule, Tags: []string{}, Steps: []drawnStep{}}
	p.Scenario.Name = sc.name
	for _, tag := range c.written.Scenario.Tags {
		p.Tags = append(p.Tags, fmt.Sprintf("%s in line %d", tag.Name, tag.Line))
	}
	for _, st := range c.steps {
		p.Steps = append(p.Steps, drawnStep{st.text, st.keywordAsWritten, st.line, st.hasContent})
	}
	return p
}

// drawer draws feature files.
type drawer struct {
	r       *rand.Rand
	b       strings.Builder
	dialect *gherkin.Dialect
	newline string
	columns []string // columns of the outline that is being drawn
}

// languages lists Gherkin languages of the parser used here. The official parser has its own table
// of them.
var languages = func() (list []*gherkin.Dialect) {
	for _, name := range strings.Fields("en de fr ja ru zh-CN ar hi en-old en-lol em tlh uz nl pt sv th ko vi tr el he ne mk-Cyrl sr-Latn") {
		if d := gherkin.DialectsBuiltin().GetDialect(name); d != nil {
			list = append(list, d)
		}
	}
	return list
}()

// one returns a random member of a list. A text that occurs several times is more likely.
func (d *drawer) one(list ...string) string { return list[d.r.IntN(len(list))] }

// often returns true with a probability of n percent.
func (d *drawer) often(n int) bool { return d.r.IntN(100) < n }

func (d *drawer) keyword(kind string) string { return d.one(d.dialect.Keywords[kind]...) }

// file returns a random file. A third of the files contain a mistake.
func (d *drawer) file() string {
	d.b.Reset()
	d.dialect = languages[0]
	if d.often(40) {
		d.dialect = languages[d.r.IntN(len(languages))]
	}
	d.newline = d.one("\n", "\n", "\n", "\r\n")
	if d.often(4) {
		d.b.WriteString("\ufeff")
	}
	d.noise()
	if d.dialect.Language != "en" || d.often(10) {
		d.line(d.one("#", "  # ", "#\t") + d.one("language:", " language: ", "language :") + d.dialect.Language)
	}
	if d.often(97) {
		d.feature()
	}
	text := d.b.String()
	if d.often(15) {
		text = strings.TrimRight(text, "\r\n")
	}
	if d.often(33) {
		text = d.mistaken(text)
	}
	return text
}

// line writes a line with random white space before and after the text.
func (d *drawer) line(text string) {
	d.b.WriteString(d.one("", "  ", "    ", "\t", " \t", "\u00a0", "\u3000 ") + text + d.one("", "", "", " ", "\t", " \t ", "\u00a0", "\u2003") + d.newline)
}

// noise writes some blank lines and comments, mostly none.
func (d *drawer) noise() {
	for d.often(20) {
		d.line(d.one("", "", "# a remark", "#", "#@no tag", "# Feature: no feature"))
	}
}

// text returns a random title or step, sometimes with the name of a column in it.
func (d *drawer) text() string {
	words := []string{}
	for range d.r.IntN(4) {
		words = append(words, d.one("a pod", "runs", "x", "Given", "Ü", "日本", "😀", "a\\b", "a|b", "#no comment", "@at", "\"quoted\"", "<", ">", "<>", "<none>", "$1", "'", "  ", "\t", "a:", "*", "``", "e\u0301"))
	}
	if len(d.columns) > 0 && d.often(60) {
		words = append(words, "<"+d.one(d.columns...)+">")
	}
	return strings.Join(words, d.one(" ", " ", ""))
}

func (d *drawer) description() {
	for d.often(30) {
		if d.often(20) {
			d.noise()
		}
		d.line(d.one("About it.", "  - an item", "a | b", "1 * 2", "\\# no comment", "\\@no tag", "Über: alles", "Ex", "''' no doc string"))
	}
	d.noise()
}

func (d *drawer) tags() {
	for d.often(30) {
		var list []string
		for range 1 + d.r.IntN(3) {
			list = append(list, "@"+d.one("a", "b/c", "k=v", "x(1)", "Q1", "日本", "a#b", "a,b", "é", "a-b", "@x"))
		}
		d.line(strings.Join(list, d.one(" ", " ", "  ", "\t", "")) + d.one("", "", " # a remark", " #c"))
		d.noise()
	}
}

func (d *drawer) heading(kind string) {
	d.line(d.keyword(kind) + ":" + d.one("", " ", " ", "\t") + d.text())
	d.description()
}

func (d *drawer) feature() {
	d.columns = nil
	d.tags()
	d.heading("feature")
	d.children()
	for d.often(25) {
		d.columns = nil
		d.tags()
		d.heading("rule")
		d.children()
	}
}

// children writes random scenarios and backgrounds, the inside of a feature or a rule.
func (d *drawer) children() {
	d.columns = nil
	if d.often(30) {
		d.heading("background")
		d.steps()
	}
	for d.often(60) {
		d.columns = nil
		if d.often(50) {
			d.tags()
			d.heading("scenario")
			d.steps()
			continue
		}
		for range 1 + d.r.IntN(3) {
			d.columns = append(d.columns, d.one("n", "m n", "é", "a.b", "n", "$x", "日"))
		}
		d.tags()
		d.heading(d.one("scenarioOutline", "scenarioOutline", "scenario"))
		d.steps()
		for d.often(70) {
			d.examples()
		}
	}
}

func (d *drawer) steps() {
	for d.often(65) {
		d.line(d.keyword(d.one("given", "when", "then", "and", "but")) + d.text())
		switch d.r.IntN(12) {
		case 0:
			d.docString()
		case 1:
			d.table(nil, d.r.IntN(3)+1)
		}
		d.noise()
	}
}

func (d *drawer) docString() {
	fence := d.one(`"""`, "```")
	d.line(fence + d.one("", "", "json", " text/x ", "a b"))
	for d.often(60) {
		d.line(d.one("", "text", "  more", "# no comment", "@no tag", `\"\"\"`, "\\`\\`\\`", `"" x`, "<n>", "| no | table |", "Given x", `back\slash`))
	}
	d.line(fence)
}

func (d *drawer) examples() {
	d.noise()
	d.tags()
	d.heading("examples")
	if d.often(90) {
		d.table(d.columns, d.r.IntN(3))
	}
	d.noise()
}

// table writes a random table with this many rows. If head is not nil, it becomes the first line.
func (d *drawer) table(head []string, rows int) {
	width := len(head)
	if head != nil {
		d.line("| " + strings.Join(head, " | ") + " |")
	} else {
		width = 1 + d.r.IntN(3)
	}
	for range rows {
		row := "|"
		for range width {
			row += d.one(" ", "", "\t") + d.one("1", "", "x y", `a\|b`, `a\nb`, `\\`, `\x`, "<n>", "<m n>", "日本", "😀", "$1", "#", "\u00a0") + d.one(" ", "", "  ") + "|"
		}
		d.noise()
		d.line(row + d.one("", "", "", "", "", "", " # a remark"))
	}
}

// mistaken returns the text with one random change, which may make it invalid.
func (d *drawer) mistaken(text string) string {
	lines := strings.SplitAfter(text, "\n")
	i, k := d.r.IntN(len(lines)), d.r.IntN(len(lines))
	switch d.r.IntN(6) {
	case 0:
		lines = slices.Delete(lines, i, i+1)
	case 1:
		lines = slices.Insert(lines, k, lines[i])
	case 2:
		lines[i], lines[k] = lines[k], lines[i]
	case 3:
		lines = slices.Insert(lines, i, d.one("text\n", "Examples:\n", "Background:\n", "| a |\n", "| a\n", "\"\"\"\n", "@a b\n", "@\n", "@a@b\n", "Feature: again\n", "# language: xx\n", "#language:no-such\n", "Rule: r\n", "Scenario:s\n", "Given\n", "Given \n", "*x\n"))
	case 4:
		lines[i] = strings.Replace(lines[i], d.one(":", "|", "@", " "), d.one("", "x", "::"), 1)
	case 5:
		lines[i] = strings.TrimRight(lines[i], "\r\n")
	}
	return strings.Join(lines, "")
}

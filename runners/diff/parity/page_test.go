package parity

import (
	"bytes"
	"fmt"
	"io/fs"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/monosim/monosim/vectors/scope"
)

// smallPage returns a page with a module without evidence, a quirk, and a row.
func smallPage(t *testing.T) string {
	t.Helper()
	p := smallParity(t)
	rows, err := scope.Rows()
	if err != nil {
		t.Fatal(err)
	}
	p.rows = rows
	p.modules = append(p.modules, scope.Module{ID: "B03", File: "bare.py", State: "part", Note: "begun", Go: []string{"engine/agent/bare.go"}})
	p.names = append(p.names, scope.ModuleNames{File: "bare.py", Names: []scope.Name{{Name: "A", Reason: "to come", Later: true}}})
	p.stateBoxRows()
	return string(p.text())
}

// Goal: CheckPage finds any false claim in PARITY.md. Method: change one claim of each kind, and
// expect an error that names its place and the true text.
func TestAPlantedClaimIsRefused(t *testing.T) {
	page := smallPage(t)
	if err := CheckPage("PARITY.md", []byte(page), []byte(page)); err != nil {
		t.Fatalf("the page itself: got error %v", err)
	}
	type plant struct{ name, old, new, want string }
	plants := []plant{
		{"a row's state", "| D4 | a build without a GPU | none |", "| D4 | a build without a GPU | done |", `Rows of the scope: E: `},
		{"a quirk that is shown", "| Q1 | agent_v3.py:1 |  |  | match |  | no |  |", "| Q1 | agent_v3.py:1 |  |  | match |  | yes |  |", `Quirks of the reference, Q1, shown: found "yes", want "no"`},
		{"what shows a quirk", "| Q1 | agent_v3.py:1 |  |  | match |  | no |  |", "| Q1 | agent_v3.py:1 |  |  | match |  | no | a_test.go |", `Quirks of the reference, Q1, by: found "a_test.go", want ""`},
		{"a number of the summary", "[2 quirks](", "[3 quirks](", `Summary, quirks of the reference, how much: found "[3 quirks](`},
		{"a module's state", "| B03 | bare.py | part |", "| B03 | bare.py | done |", "Modules of `monolith/agent_service`, B03, state: found \"done\", want \"part\""},
		{"a row too much", "| B03 | bare.py | part |", "| B04 | more.py | done |\n| B03 | bare.py | part |", "Modules of `monolith/agent_service`, B04, module: found \"more.py\", of which nothing shows anything"},
		{"an item too few", "- [ ] G7: no recorded case has log lines with their level, or metrics\n", "", `B01 backends.py, G7: found nothing, want "[ ] G7: no recorded case`},
	}
	plants[0].want = `training runtime, D4, state: found "done", want "none"`
	cells := strings.Split(regexp.MustCompile(`(?m)^\| \[bare.py\].*$`).FindString(page), "|")
	bare := page[strings.Index(page, "### B03 bare.py"):]
	for i := range boxRows {
		if got := strings.TrimSpace(cells[i+2]); got != "open" {
			t.Fatalf("G%d of bare.py: got %q, want it open", i+1, got)
		}
		ticked := append([]string(nil), cells...)
		ticked[i+2] = " x "
		g := fmt.Sprintf("G%d", i+1)
		plants = append(plants, plant{g + " in the table", strings.Join(cells, "|"), strings.Join(ticked, "|"),
			fmt.Sprintf(`Boxes of the ported modules, bare.py, %s: found "x", want "open"`, g)})
		item := regexp.MustCompile(`(?m)^- \[ \] ` + g + `: .*$`).FindString(bare)
		plants = append(plants, plant{g + " of the module", bare, strings.Replace(bare, item, "- [x] "+g+": 3 cases", 1),
			fmt.Sprintf(`B03 bare.py, %s: found "[x] %s: 3 cases", want "[ ] %s: `, g, g, g)})
	}
	for _, c := range plants {
		t.Run(c.name, func(t *testing.T) {
			planted := strings.Replace(page, c.old, c.new, 1)
			if planted == page {
				t.Fatalf("found no %q to change", c.old)
			}
			err := CheckPage("PARITY.md", []byte(planted), []byte(page))
			if err == nil || !strings.HasPrefix(err.Error(), "PARITY.md:") || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got error %v, want one with the line and %s", err, c.want)
			}
		})
	}
}

// The tests below read the project's page as a reader would, following its links.

var pageLink = regexp.MustCompile(`\[([^\[\]]+)\]\(([^()\s]+)\)`)

func TestEveryLinkOfThePageLeadsSomewhere(t *testing.T) {
	page := string(readProject(t).text())
	anchors := map[string]bool{}
	for line := range strings.Lines(page) {
		if heading, ok := cutHeading(strings.TrimSpace(line)); ok {
			if anchor := anchorOf(heading); anchors[anchor] {
				t.Errorf("heading %q: found its anchor a second time", heading)
			} else {
				anchors[anchor] = true
			}
		}
	}
	followed := 0
	for _, m := range pageLink.FindAllStringSubmatch(page, -1) {
		followed++
		if anchor, ok := strings.CutPrefix(m[2], "#"); ok {
			if !anchors[anchor] {
				t.Errorf("link %s: found no heading with that anchor", m[0])
			}
		} else if err := followFile(m[2]); err != nil {
			t.Errorf("link %s: %v", m[0], err)
		}
	}
	if followed < 500 {
		t.Errorf("followed %d links, want all of some hundreds", followed)
	}
}

// followFile checks that a link leads to a file that exists. The link may name a line, as in
// PATH#L12.
func followFile(link string) error {
	path, line, named := strings.Cut(link, "#L")
	if !named {
		_, err := fs.Stat(projectSources, path)
		return err
	}
	text, err := fs.ReadFile(projectSources, path)
	if err != nil {
		return err
	}
	if n, err := strconv.Atoi(line); err != nil || n < 1 || n > bytes.Count(text, []byte("\n")) {
		return fmt.Errorf("found line %s, want one of %d", line, bytes.Count(text, []byte("\n")))
	}
	return nil
}

func TestEveryTickLinksToAFile(t *testing.T) {
	for _, f := range factsOf(string(readProject(t).text())) {
		if text, ok := strings.CutPrefix(f.says, "[x] G"); ok && !strings.Contains(text, "](") {
			t.Errorf("%v: found %q, want a link to what shows it", f, f.says)
		}
	}
}

// section holds the table rows of a part of a page, each as a map from column to cell.
type section []map[string]string

// sectionOf returns the table rows below the heading with an anchor, down to the next heading of
// the same level.
func sectionOf(page, anchor string) (rows section) {
	rank, columns := 0, []string(nil)
	for line := range strings.Lines(page) {
		line = strings.TrimSpace(line)
		if heading, ok := cutHeading(line); ok {
			marks := strings.IndexByte(line, ' ')
			if rank > 0 && marks <= rank {
				return rows
			}
			if anchorOf(heading) == anchor {
				rank = marks
			}
			columns = nil
		}
		switch {
		case rank == 0 || strings.HasPrefix(line, "|---"):
		case !strings.HasPrefix(line, "| "):
			columns = nil
		case columns == nil:
			columns = cellsOf(line)
		default:
			row := map[string]string{}
			for i, cell := range cellsOf(line) {
				row[columns[i]] = cell
			}
			rows = append(rows, row)
		}
	}
	return rows
}

func (s section) count(is func(row map[string]string) bool) (n int) {
	for _, row := range s {
		n += one(is(row))
	}
	return n
}

func (s section) sum(column string, is func(row map[string]string) bool) (n int) {
	for _, row := range s {
		if k, err := strconv.Atoi(row[column]); err == nil && is(row) {
			n += k
		}
	}
	return n
}

// stateWords maps states as the summary words them to states as the tables do.
var stateWords = map[string]string{"done": "done", "in part": "part", "later": "later", "with nothing to do": "none"}

// recount counts again a number of the summary, in the section that its link leads to.
func recount(s section, anchor, what string) (n int, ok bool) {
	all := func(map[string]string) bool { return true }
	with := func(column, value string) func(map[string]string) bool {
		return func(row map[string]string) bool { return row[column] == value }
	}
	switch anchor {
	case anchorOf(rowsTitle), anchorOf(modulesTitle):
		if state, ok := stateWords[what]; ok {
			return s.count(with("state", state)), true
		}
		return len(s), what == "rows" || what == "modules"
	case anchorOf(boxesTitle):
		for i := range boxRows {
			column := fmt.Sprintf("G%d", i+1)
			ticked, open := s.count(with(column, "x")), s.count(with(column, "open"))
			n += ticked
			if what == "boxes" {
				n += open
			}
		}
		return n, what == "boxes" || what == "ticked"
	case anchorOf(namesTitle):
		column, ok := map[string]string{"names": "names", "ported": "ported", "later": "later", "with nothing to do": "none"}[what]
		return s.sum(column, all), ok
	case anchorOf(casesTitle):
		if what == "golden cases" {
			return s.sum("cases", func(row map[string]string) bool { return row["of agent_service"] != "Python itself" }), true
		}
		value, ok := map[string]string{"of these modules": "yes", "of other files": "no", "more of Python itself": "Python itself"}[what]
		return s.sum("cases", with("of agent_service", value)), ok
	case anchorOf(scenariosTitle):
		return s.sum(what, all), what == "passed" || what == "failed" || what == "skipped"
	case anchorOf(onTitle("real")), anchorOf(onTitle("python")), anchorOf(onTitle("tensorflow")):
		_, ok := s[0][what]
		return s.sum(what, func(row map[string]string) bool { return row["feature"] != "all" }), ok
	case anchorOf(quirksTitle):
		decision, shown := strings.CutSuffix(what, " shown")
		if what == "quirks" {
			return len(s), true
		}
		return s.count(func(row map[string]string) bool {
			return row["decision"] == decision && (!shown || row["shown"] == "yes")
		}), decision != ""
	}
	return 0, false
}

// Goal: every number in the summary links to a section in which a reader can count it again.
func TestEveryNumberOfTheSummaryIsCountedFromWhereItLeads(t *testing.T) {
	page := string(readProject(t).text())
	summary := page[strings.Index(page, "## Summary"):]
	summary = summary[:strings.Index(summary, "\n## Modules")]
	if left := pageLink.ReplaceAllString(summary, ""); regexp.MustCompile(`\d`).MatchString(left) {
		t.Errorf("found numbers that are no links:\n%s", left)
	}
	links := pageLink.FindAllStringSubmatch(summary, -1)
	if len(links) < 30 {
		t.Errorf("found %d numbers, want those of seven lines", len(links))
	}
	for _, m := range links {
		number, what, _ := strings.Cut(m[1], " ")
		said, err := strconv.Atoi(number)
		if err != nil {
			t.Errorf("%s: found no number first", m[0])
			continue
		}
		anchor := strings.TrimPrefix(m[2], "#")
		if n, ok := recount(sectionOf(page, anchor), anchor, what); !ok || n != said {
			t.Errorf("%s: counted %d there (known %v), want %d", m[0], n, ok, said)
		}
	}
}

// Goal: the table of boxes shows the same states as the list of boxes.
func TestTheTableOfTheBoxesIsThatOfTheItems(t *testing.T) {
	marks := map[string]string{"x": "[x]", "open": "[ ]", "n/a": "(n/a)"}
	said := map[string]string{}
	facts := factsOf(string(readProject(t).text()))
	for _, f := range facts {
		said[f.about] = f.says
	}
	seen := 0
	for _, m := range readProject(t).boxedModules() {
		for i := range boxRows {
			g := fmt.Sprintf("G%d", i+1)
			cell, item := said[boxesTitle+", "+m.File+", "+g], said[boxHeading(m)+", "+g]
			if mark, ok := marks[cell]; !ok || !strings.HasPrefix(item, mark+" ") {
				t.Errorf("%s, %s: the table says %q, the item %q", m.File, g, cell, item)
			}
			seen++
		}
	}
	if seen < 200 {
		t.Errorf("compared %d boxes, want ten for each of some twenty modules", seen)
	}
}

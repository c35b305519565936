package whatif

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/runners/show/webpage/webpagetest"
	"github.com/monosim/monosim/runners/whatif/result"
)

// figured names the example plans whose figures are compared: runs, sweeps and a search, with several
// windows, models, events, autoscalers, clients that wait, and cells in which many fail.
var figured = []string{"dashboard", "clients", "cluster", "rough", "ensemble", "evacuation", "restart", "priorities", "storm", "racks", "flash", "metrics", "steps", "idc"}

// Goal: the page and the CSV file have the figures of the JSON, and the blocks of the page those of
// the terminal (CAP-4.4). Method: all three of a dozen example plans. The tiles are those that a
// browser shows.
func TestThePageAndTheTableHaveTheFiguresOfTheJSON(t *testing.T) {
	for i, name := range figured {
		if testing.Short() && i >= 4 {
			break
		}
		k := slices.IndexFunc(workedPlans, func(p workedPlan) bool { return p.report == name })
		t.Run(name, func(t *testing.T) {
			args, dir := slices.Clone(workedPlans[k].args), t.TempDir()
			args[1] = filepath.Join(plansDir, args[1])
			page, table := filepath.Join(dir, "page.html"), filepath.Join(dir, "table.csv")
			code, stdout, message := whatif(append(args, "--json", "--html", page, "--csv", table)...)
			if code != workedPlans[k].code {
				t.Fatalf("exit %d: %s", code, message)
			}
			var r result.Result
			if err := json.Unmarshal([]byte(stdout), &r); err != nil {
				t.Fatal(err)
			}
			sameTable(t, &r, read(t, table))
			samePage(t, &r, stdout, read(t, page))
			report := read(t, filepath.Join(plansDir, name+".txt"))
			for _, b := range blocksOf(t, read(t, page)) {
				for _, line := range b.Lines {
					if b.Name != "REPRODUCE" && !strings.Contains(report, line) {
						t.Errorf("%s: the page has the line %q, which %s.txt has not", b.Name, line, name)
					}
				}
			}
			t.Run("tiles", func(t *testing.T) { sameTiles(t, &r, webpagetest.Texts(t, read(t, page), "tile")) })
		})
	}
}

// sameTable fails the test unless the rows of the table are the estimates of the result, in order, each
// with a name of its own.
func sameTable(t *testing.T, r *result.Result, table string) {
	t.Helper()
	rows, err := csv.NewReader(strings.NewReader(table)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	list := slices.Clone(r.Estimates)
	for _, s := range append(r.Sweeps, result.Sweep{Cells: r.Alternative}) {
		for i := range s.Cells {
			list = append(list, s.Cells[i].Estimates...)
		}
	}
	if rows = rows[1:]; len(rows) != len(list) {
		t.Fatalf("the table has %d rows, the JSON %d estimates", len(rows), len(list))
	}
	seen := map[string]bool{}
	for i, row := range rows {
		e := &list[i]
		if key := strings.Join(row[:5], "|"); seen[key] {
			t.Errorf("two rows of the table are called %s", key)
		} else {
			seen[key] = true
		}
		want := []any{e.Metric, e.Scope.Model, e.Scope.Window, e.Scope.Condition, e.Unit, nil, nil, nil}
		got := []any{row[1], row[2], row[3], row[4], row[5], number(row[6]), number(row[7]), number(row[8])}
		if e.Value != nil {
			want[5] = *e.Value
		}
		if e.CI != nil {
			want[6], want[7] = e.CI[0], e.CI[1]
		}
		if diff := cmp.Diff(want, got); diff != "" || row[10] != strconv.FormatInt(e.N, 10) {
			t.Errorf("row %d, n %s (-JSON +table):\n%s", i+1, row[10], diff)
		}
	}
}

// number returns the number that a cell of the table has, nil if it is empty.
func number(cell string) any {
	if cell == "" {
		return nil
	}
	v, err := strconv.ParseFloat(cell, 64)
	if err != nil {
		return err.Error()
	}
	return v
}

// pageLines returns the lines of data of a page by their kind.
func pageLines(t *testing.T, page string) map[string]json.RawMessage {
	t.Helper()
	of := map[string]json.RawMessage{}
	for line := range strings.Lines(page) {
		var one struct {
			Kind string          `json:"kind"`
			Data json.RawMessage `json:"data"`
		}
		if strings.HasPrefix(line, `{"kind":`) && json.Unmarshal([]byte(line), &one) == nil {
			of[one.Kind] = one.Data
		}
	}
	return of
}

type textBlock struct {
	Name  string   `json:"name"`
	Lines []string `json:"lines"`
}

func blocksOf(t *testing.T, page string) []textBlock {
	t.Helper()
	var list []textBlock
	if err := json.Unmarshal(pageLines(t, page)["blocks"], &list); err != nil || len(list) < 5 {
		t.Fatal(len(list), err)
	}
	return list
}

// samePage fails the test unless the page has the result as the JSON has it, but for what single
// replications counted.
func samePage(t *testing.T, r *result.Result, stdout, page string) {
	t.Helper()
	lines := pageLines(t, page)
	var want, got map[string]any
	if err := json.Unmarshal([]byte(stdout), &want); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(lines["result"], &got); err != nil {
		t.Fatal(err)
	}
	for _, one := range []map[string]any{want, got} {
		delete(one, "records")
		list, _ := one["estimates"].([]any)
		for _, e := range list {
			delete(e.(map[string]any), "values")
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-JSON +page):\n%s", diff)
	}
	if want := []byte(strconv.Quote(r.SHA256())); !bytes.Equal(lines["sha256"], want) {
		t.Errorf("the page has the sum %s, want %s", lines["sha256"], want)
	}
}

// sameTiles fails the test unless the tiles of a page have the outcome, the worst p99 and errors, and
// the state of the result.
func sameTiles(t *testing.T, r *result.Result, tiles []string) {
	t.Helper()
	all := strings.Join(tiles, "\n")
	wants := []string{}
	if len(r.Verdicts) > 0 {
		outcome := result.Pass
		for _, v := range r.Verdicts {
			if v.Outcome == result.Fail || v.Outcome == result.Undecided && outcome == result.Pass {
				outcome = v.Outcome
			}
		}
		wants = append(wants, outcome+" ")
	}
	if r.Saturation.State != "" {
		wants = append(wants, r.Saturation.State+" "+r.Saturation.Tier+" is fullest")
	}
	for _, metric := range []string{"p99(request)", "errors", "goodput"} {
		if e, windows := result.Worst(r.Estimates, metric); e != nil && metric != "goodput" {
			name := " " + metric
			if windows > 1 {
				name = e.Scope.Window
			}
			wants = append(wants, name)
			i := slices.IndexFunc(tiles, func(tile string) bool { return strings.Contains(tile, " "+metric) })
			if i < 0 || !strings.HasPrefix(tiles[i], threeDigits(e)) {
				t.Errorf("no tile of %s begins with %s:\n%s", metric, threeDigits(e), all)
			}
		}
	}
	for _, want := range wants {
		if !strings.Contains(all, want) {
			t.Errorf("no tile has %q:\n%s", want, all)
		}
	}
}

// threeDigits writes an estimate as pages do, up to its unit.
func threeDigits(e *result.Estimate) string {
	v := *e.Value
	switch {
	case e.Unit == "fraction":
		v *= 100
	case e.Unit == "ns" && v < 1e9:
		v /= 1e6
	case e.Unit == "ns":
		v /= 1e9
	}
	text, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 3, 64), 64)
	return strconv.FormatFloat(text, 'f', -1, 64)
}

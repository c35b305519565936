package report

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"github.com/monosim/monosim/runners/show/webpage"
	"github.com/monosim/monosim/runners/whatif/result"
)

//go:embed page.js
var pageScript string

// pageLine is one line of JSON data that the script of the page reads. Kind says what Data
// holds.
type pageLine struct {
	Kind string `json:"kind"`
	Data any    `json:"data"`
}

type pageBlock struct {
	Name  string   `json:"name"`
	Lines []string `json:"lines"`
}

// HTML writes the result as a page that loads no other file. inputs is the plan in its
// canonical form (plan.Canonical). again is the command that reproduces the result.
func HTML(w io.Writer, r *result.Result, inputs []byte, again string) error {
	if len(inputs) == 0 {
		inputs = []byte("{}")
	}
	if !json.Valid(inputs) {
		return fmt.Errorf("inputs of the page: found no JSON")
	}
	page := webpage.Begin(w, webpage.Head{
		Title: "monosim whatif: " + r.Plan, Styles: []string{webpage.PlotStyle}, Scripts: []string{webpage.PlotScript, pageScript},
	})
	lines := []pageLine{
		{"result", plain(r)}, {"blocks", allBlocks(r, again)}, {"inputs", json.RawMessage(inputs)}, {"sha256", r.SHA256()},
	}
	for _, line := range lines {
		if err := page.Line(line); err != nil {
			return err
		}
	}
	return page.End()
}

// allBlocks returns the blocks that have at least one line for this result. again is the
// command that reproduces it.
func allBlocks(r *result.Result, again string) []pageBlock {
	repeat := block{"REPRODUCE", func(l *lines, r *result.Result) { reproduce(l, r, again) }}
	var list []pageBlock
	for _, b := range slices.Concat(blocks, []block{repeat, {"TRUST", trust}}) {
		if lines := b.of(r); len(lines) > 0 {
			list = append(list, pageBlock{b.name, lines})
		}
	}
	return list
}

// plain returns a copy of the result for the page. It leaves out the values of single replications,
// because no plot shows them.
func plain(r *result.Result) *result.Result {
	c := *r
	c.Records = nil
	c.Estimates = slices.Clone(r.Estimates)
	for i := range c.Estimates {
		c.Estimates[i].Values = nil
	}
	return &c
}

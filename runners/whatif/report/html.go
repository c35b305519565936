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

// pageLine is a line of the page's data.
type pageLine struct {
	Kind string `json:"kind"`
	Data any    `json:"data"`
}

// pageBlock is a block of the text, for those who read rather than look.
type pageBlock struct {
	Name  string   `json:"name"`
	Lines []string `json:"lines"`
}

// HTML writes the result as a page of one file. inputs are the plan with all that was
// filled in, as JSON (plan.Canonical); again is the command that repeats it.
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
		{"result", plain(r)}, {"blocks", pageBlocks(r, again)}, {"inputs", json.RawMessage(inputs)}, {"sha256", r.SHA256()},
	}
	for _, line := range lines {
		if err := page.Line(line); err != nil {
			return err
		}
	}
	return page.End()
}

func pageBlocks(r *result.Result, again string) []pageBlock {
	var list []pageBlock
	for _, b := range blocks {
		if lines := b.lines(r); len(lines) > 0 {
			list = append(list, pageBlock{b.name, lines})
		}
	}
	return append(list, pageBlock{"REPRODUCE", reproduce(r, again)}, pageBlock{"TRUST", trust(r)})
}

// plain returns a result without what single replications gave, which no plot shows.
func plain(r *result.Result) *result.Result {
	c := *r
	c.Records = nil
	c.Estimates = slices.Clone(r.Estimates)
	for i := range c.Estimates {
		c.Estimates[i].Values = nil
	}
	return &c
}

package conformance

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/runners/diff/testee"
	"github.com/monosim/monosim/vectors/golden"
	"github.com/monosim/monosim/vectors/scope"
)

// jsonReport is the JSON object that WriteJSON writes.
type jsonReport struct {
	Testee  string       `json:"testee"`
	Version string       `json:"version"`
	Totals  jsonCounts   `json:"totals"`
	Suites  []jsonGroup  `json:"suites"`
	Ops     []jsonGroup  `json:"ops"`
	Causes  []jsonCause  `json:"causes"`
	Cases   []jsonResult `json:"cases"`
}

type jsonCounts struct {
	Passed    int `json:"passed"`
	Failed    int `json:"failed"`
	Explained int `json:"explained"`
	Skipped   int `json:"skipped"`
}

type jsonGroup struct {
	Name string `json:"name"`
	jsonCounts
}

type jsonResult struct {
	ID     string `json:"id"`
	Op     string `json:"op"`
	Status string `json:"status"`
	Text   string `json:"text,omitempty"`
	// Quirks has a line for each quirk that explains the case's difference, or that flags the case.
	Quirks []string `json:"quirks,omitempty"`
	// Asked is the case as it was sent to the testee. Only failed and explained cases have it.
	Asked json.RawMessage `json:"asked,omitempty"`
}

// WriteJSON writes a report as one JSON object: totals, suites, operations, the
// causes of failures, and every case with its status.
func WriteJSON(w io.Writer, r *Report) error {
	out := jsonReport{
		Testee: r.Testee.Name, Version: r.Testee.Version, Totals: jsonCounts(r.Counts()),
		Suites: jsonGroups(r.By(BySuite)), Ops: jsonGroups(r.By(ByOp)), Causes: jsonCauses(r.Results), Cases: []jsonResult{},
	}
	for _, result := range r.Results {
		out.Cases = append(out.Cases, jsonResult{ID: result.ID, Op: result.Op, Status: result.Status.String(), Text: result.Text,
			Quirks: scope.QuirkLines(strings.Join(result.Quirks, " ")), Asked: json.RawMessage(result.Asked)})
	}
	text, err := json.MarshalIndent(out, "", "  ")
	if err != nil {
		return err
	}
	_, err = w.Write(append(text, '\n'))
	return err
}

func jsonGroups(groups []Group) []jsonGroup {
	return lists.Map(groups, func(g Group) jsonGroup { return jsonGroup{Name: g.Name, jsonCounts: jsonCounts(g.Counts)} })
}

// Show prints a vector for a person: the parts of the case and the expected answer. It also prints
// how the testee's answer differs, or why there is none.
func Show(w io.Writer, s *golden.Suite, c *golden.Case, t testee.Testee) error {
	v, err := VectorOf(c)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "%s\n", c.ID)
	if c.About != "" {
		fmt.Fprintf(w, "about    %s\n", c.About)
	}
	fmt.Fprintf(w, "source   %s at %.12s, %s\n", s.Source.Path, s.Source.Commit, c.Op)
	fmt.Fprintf(w, "verdict  %s\n", c.Verdict)
	for _, flag := range c.Flags {
		note := flag + ": " + s.Notes[flag]
		if lines := scope.QuirkLines(flag); len(lines) > 0 {
			note = lines[0]
		}
		fmt.Fprintf(w, "flag     %s\n", note)
	}
	for _, part := range []struct {
		name string
		d    *pysem.Dict
	}{{"env", v.Env}, {"host", v.Host}, {"files", v.Files}, {"in", v.In}} {
		if part.d != nil && len(part.d.Items) > 0 {
			fmt.Fprintf(w, "\n%s\n%s\n", part.name, indented(part.d))
		}
	}
	if v.Want.Kind == testee.Raised {
		fmt.Fprintf(w, "\nerror\n  %s: %s\n", v.Want.Type, v.Want.Message)
	} else {
		fmt.Fprintf(w, "\nout\n%s\n", indented(v.Want.Out))
	}
	got := t.Answer(&v.Case)
	if got.Kind == testee.Skipped {
		_, err = fmt.Fprintf(w, "\nskipped by the testee: %s\n", got.Why)
		return err
	}
	if text := Compare(c.Op, v.Want, got); text != "" {
		how := "the testee differs (- expected, + the testee's)"
		if got.Kind == testee.Broken {
			how = "the testee gives no answer"
		}
		_, err = fmt.Fprintf(w, "\n%s:\n%s\n", how, strings.TrimRight(text, "\n"))
		return err
	}
	_, err = fmt.Fprintf(w, "\nthe testee agrees\n")
	return err
}

// indented formats a value as JSON with line breaks and indents of two spaces.
func indented(v any) []byte { return pysem.AppendJSONIndent(nil, v, 2) }

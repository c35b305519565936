package diff

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/monosim/monosim/engine/lists"
)

// Result is a [Report] for programs and people, with the names of the servers.
type Result struct {
	Servers     []string                  `json:"servers"`
	Scripts     int                       `json:"scripts"`
	Operations  int                       `json:"operations"`
	Unsteady    int                       `json:"unsteady"`
	Missing     []string                  `json:"missing"`
	Answered    map[string]map[string]int `json:"answered"`
	Differences []Difference              `json:"differences"`
}

// Result returns the report in that form.
func (r *Report) Result(servers []Server) Result {
	return Result{
		Scripts: r.Scripts, Operations: r.Steps, Unsteady: r.Unsteady, Missing: r.Answered.Missing(),
		Answered: r.Answered.Names(), Differences: r.Differences,
		Servers: lists.MapOrNil(servers, Server.Name),
	}
}

// longRun is the number of operations after which a run has to have met everything that
// servers can do.
const longRun = 20_000

// Good reports whether the servers agree and, after longRun operations or more, whether
// everything was met.
func (r *Result) Good(asked int) bool {
	return len(r.Differences) == 0 && (len(r.Missing) == 0 || asked < longRun)
}

// WriteJSON writes one object.
func (r *Result) WriteJSON(out io.Writer) error {
	text, err := json.MarshalIndent(r, "", "  ")
	if err == nil {
		_, err = out.Write(append(text, '\n'))
	}
	return err
}

// Write writes the differences, what was never met, and the totals.
func (r *Result) Write(out io.Writer) error {
	var b strings.Builder
	for _, d := range r.Differences {
		fmt.Fprintf(&b, "seed %d: %s (-) and %s (+) differ:\n%s\nthe script, as small as it goes:\n%s\n", d.Seed, d.First, d.Then, d.Text, d.Script)
	}
	if len(r.Missing) > 0 {
		fmt.Fprintf(&b, "never met: %s\n", strings.Join(r.Missing, ", "))
	}
	fmt.Fprintf(&b, "%d operations in %d scripts on %s: %d differences, %d scripts differed once and not again\n",
		r.Operations, r.Scripts, strings.Join(r.Servers, ", "), len(r.Differences), r.Unsteady)
	_, err := io.WriteString(out, b.String())
	return err
}

// PlayAll plays a script on each server and writes the lines, once for all servers that
// agree with the first. It reports whether all agree.
func PlayAll(out io.Writer, root string, script Script, servers []Server) (agree bool, err error) {
	first := ""
	agree = true
	for i, server := range servers {
		lines, err := Play(server, root, script, nil)
		if err != nil {
			return false, err
		}
		text := strings.Join(lines, "\n")
		if i > 0 && text == first {
			fmt.Fprintf(out, "%s: the same\n", server.Name())
			continue
		}
		agree = agree && i == 0
		if i == 0 {
			first = text
		}
		fmt.Fprintf(out, "%s:\n%s\n", server.Name(), text)
	}
	return agree, nil
}

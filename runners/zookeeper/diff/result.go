package diff

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/monosim/monosim/engine/lists"
)

// Result is a [Report] in a form for JSON and text output, with the names of the servers.
type Result struct {
	Servers     []string                  `json:"servers"`
	Scripts     int                       `json:"scripts"`
	Operations  int                       `json:"operations"`
	Unsteady    int                       `json:"unsteady"`
	Missing     []string                  `json:"missing"`
	Answered    map[string]map[string]int `json:"answered"`
	Differences []Difference              `json:"differences"`
}

// Result converts the report to a [Result] for the given servers.
func (r *Report) Result(servers []Server) Result {
	return Result{
		Scripts: r.Scripts, Operations: r.Steps, Unsteady: r.Unsteady, Missing: r.Answered.Missing(),
		Answered: r.Answered.Names(), Differences: r.Differences,
		Servers: lists.MapOrNil(servers, Server.Name),
	}
}

// longRun is the length of a long run, in operations. A run of this length or more must have met
// all operations and error codes.
const longRun = 20_000

// Good reports whether the servers agree. asked is the number of operations that the run was asked
// for. If that is longRun or more, the run must also have met all operations and error codes.
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

// Write prints the differences, the operations and codes that never occurred, and the totals.
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

// PlayAll plays a script on each server and prints the lines. Servers that agree with the
// first share one copy of the lines. agree is true if all servers agree.
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

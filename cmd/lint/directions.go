package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"
)

const (
	directionsRule = "directions"
	directionsDoc  = "imports between our packages run one way"
)

// direction says what packages of one part may import of ours. Patterns are
// paths inside the module, read as the go command reads them.
type direction struct {
	from    []string
	to      []string // packages of from's own part are listed like others
	inTests []string // what test files may import besides
	because string
}

// directions is read from the top; the first entry whose from covers a package
// holds for it. A package without an entry is a finding: a new part of the house
// states here what it stands on.
var directions = []direction{
	{
		from: []string{"cmd/..."},
		to: slices.Concat([]string{"cmd/...", "features/steps/...", "runners/...", "features", "vectors", "engine/env"},
			servedRooms),
		because: "a command reads its flags and hands the work to a runner or a served twin, or prints data",
	},
	{
		from:    []string{"features", "vectors/..."},
		because: "features and vectors are data: any implementation may be held to them",
	},
	{
		from:    []string{"features/steps/..."},
		to:      []string{"features/steps/...", "runners", "engine/env"},
		because: "steps speak to a cluster through the runner interface, so that each runner can run them",
	},
	{
		from:    []string{"runners"},
		to:      []string{"engine/env"},
		because: "the runner interface names no implementation",
	},
	{
		from:    []string{"runners/explore/..."},
		to:      []string{"features/steps/...", "runners/...", "sim/...", "engine/...", "vectors/..."},
		because: "exploring runs scenarios, so it alone among the runners knows the steps",
	},
	{
		from:    []string{"runners/..."},
		to:      []string{"runners/...", "sim/...", "engine/...", "vectors/..."},
		because: "runners put the parts together; steps and commands stand above them",
	},
	{
		from: []string{"sim/..."},
		to: []string{"sim/...", "engine/vtime/...", "engine/env", "engine/proto/...", "engine/recipes/...",
			"engine/monitor/..."},
		inTests: []string{"engine/runtimetest/...", "engine/pythontest"},
		because: "the simulated world knows what it is touched through, not the agents that touch it",
	},
	{
		from:    []string{"engine/env", "engine/pysem", "engine/pythontest"},
		because: "what everybody stands on stands on nothing of ours",
	},
	{
		from:    []string{"engine/proto/..."},
		to:      []string{"engine/proto/..."},
		because: "messages carry data and no behaviour",
	},
	{
		from:    []string{"engine/monitor/..."},
		to:      []string{"engine/env"},
		because: "events, locks and queues are built from env.Cond, under either clock",
	},
	{
		from:    []string{"engine/recipes/..."},
		to:      []string{"engine/recipes/...", "engine/env", "engine/monitor/..."},
		because: "recipes are written once, over any env.ZooKeeperSession",
	},
	{
		from: []string{"engine/runtimetest/..."},
		to: []string{"engine/runtimetest/networktest", "engine/runtimetest/eventlog", "engine/env", "engine/monitor/...",
			"engine/proto/..."},
		because: "one suite holds both runtimes and both of whatever they reach to env's contract, so it knows none",
	},
	{
		from:    []string{"engine/vtime/...", "engine/walltime/..."},
		to:      []string{"engine/vtime/...", "engine/walltime/...", "engine/env"},
		inTests: []string{"engine/runtimetest"},
		because: "a runtime implements env and knows nothing of what runs on it",
	},
	{
		from: []string{"engine/agent/..."},
		to: []string{"engine/agent/...", "engine/env", "engine/proto/...", "engine/recipes/...",
			"engine/monitor/...", "engine/pysem"},
		because: "agents reach the world through env, so that one code runs under both clocks",
	},
	{
		from: []string{"engine/training/..."},
		to: []string{"engine/training/...", "engine/env", "engine/proto/...", "engine/recipes/...",
			"engine/monitor/...", "engine/pysem"},
		because: "the training side reaches the world through env, so that one code runs under both clocks",
	},
}

// listed is what the go command tells of a package.
type listed struct {
	ImportPath   string
	Imports      []string
	TestImports  []string
	XTestImports []string
}

// lintDirections looks at the packages that the patterns name.
func lintDirections(patterns ...string) ([]finding, error) {
	pkgs, err := goList(patterns)
	if err != nil {
		return nil, err
	}
	var found []finding
	for _, p := range pkgs {
		found = append(found, checkDirections(p)...)
	}
	return found, nil
}

func goList(patterns []string) ([]listed, error) {
	args := append([]string{"list", "-e", "-json=ImportPath,Imports,TestImports,XTestImports"}, patterns...)
	var stderr bytes.Buffer
	cmd := exec.Command("go", args...)
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go %s: %w\n%s", strings.Join(args, " "), err, stderr.Bytes())
	}
	var pkgs []listed
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return pkgs, nil
		} else if err != nil {
			return nil, fmt.Errorf("output of go %s: %w", strings.Join(args, " "), err)
		}
		pkgs = append(pkgs, p)
	}
}

// checkDirections holds one package and its tests to the table.
func checkDirections(p listed) []finding {
	room, ours := roomOf(p.ImportPath)
	if !ours {
		return nil
	}
	i := slices.IndexFunc(directions, func(d direction) bool { return matchAny(d.from, room) })
	if i < 0 {
		return []finding{{File: room, Rule: directionsRule,
			Text: "no import direction covers this package: add it to the table in cmd/lint/directions.go"}}
	}
	d := directions[i]
	found := d.check(room, p.Imports, d.to, "imports")
	inTests := slices.Concat(d.to, d.inTests)
	found = append(found, d.check(room, p.TestImports, inTests, "tests import")...)
	return append(found, d.check(room, p.XTestImports, inTests, "tests import")...)
}

func (d direction) check(room string, imports, allowed []string, verb string) []finding {
	var found []finding
	for _, path := range imports {
		to, ours := roomOf(path)
		if !ours || to == room || matchAny(allowed, to) {
			continue
		}
		may := "nothing of ours"
		if len(allowed) > 0 {
			may = "only " + strings.Join(allowed, ", ")
		}
		found = append(found, finding{File: room, Rule: directionsRule,
			Text: fmt.Sprintf("%s %s; %s may import %s: %s", verb, to, strings.Join(d.from, ", "), may, d.because)})
	}
	return found
}

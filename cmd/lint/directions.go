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

	"github.com/monosim/monosim/engine/lists"
)

const (
	directionsRule = "directions"
	directionsDoc  = "imports between our packages run one way"
)

// direction says which other packages the packages of one part of the repository may import.
// Patterns are paths inside the module, in the form that the go command takes.
type direction struct {
	from    []string
	to      []string // packages that it may import, from other parts and from its own
	inTests []string // packages that only its test files may import
	outside []string // packages that only its external test packages (package x_test) may import
	because string
}

// forAll lists the packages that every package may import, like the standard library.
var forAll = []string{"engine/lists", "engine/enum"}

// Some packages are written against interfaces, and their examples need an implementation to run
// on: the clock of virtual time, the simulated world or the simulation.
var (
	exampleClock  = []string{"engine/vtime"}
	exampleWorld  = []string{"engine/vtime", "engine/cluster", "sim/world"}
	exampleRunner = []string{"runners/test/simrun"}
)

// directions is searched from the top. The first entry that covers a package with a pattern in its
// from field applies to that package. A package without an entry is a finding, so a new part of the
// repository has to state here what it imports.
var directions = []direction{
	{
		from:    []string{"cmd/bench/engines/own"},
		to:      []string{"engine/vtime"},
		because: "it measures virtual time beside other engines, which have nothing else of ours",
	},
	{
		from: []string{"cmd/..."},
		to: slices.Concat([]string{"cmd/...", "features/...", "runners/...", "vectors/...", "engine/env", "engine/env/rpcerrors", "engine/pysem", "engine/wholefile"},
			servedRooms),
		inTests: []string{"engine/pythontest"},
		because: "a command reads its flags and hands the work to a runner or a served twin, or prints data",
	},
	{
		from:    []string{"vectors/scope"},
		to:      []string{"vectors"},
		because: "the registers are data: any implementation may be held to them",
	},
	{
		from:    []string{"vectors/golden"},
		to:      []string{"vectors/scope"},
		because: "cases are data; the lint of their flags reads the register of quirks",
	},
	{
		from:    []string{"features", "vectors"},
		because: "features and vectors are data: any implementation may be held to them",
	},
	{
		from:    []string{"features/featurefile"},
		because: "reading a file knows nothing of what its steps mean",
	},
	{
		from:    []string{"features/steps/..."},
		to:      []string{"features", "features/featurefile", "features/steps/...", "runners", "runners/test/replay", "runners/show/timeline", "engine/env", "engine/env/rpcerrors", "vectors/scope"},
		inTests: []string{"sim/fault", "runners/test/simrun"},
		outside: exampleRunner,
		because: "steps speak to a cluster through the runner interface, which brings the sentences of its faults along, so that each runner can run them; package features has only the files, for examples, and a test runs those with a letter changed",
	},
	{
		from:    []string{"features/compare"},
		to:      []string{"features/steps", "runners", "runners/test/deeds", "vectors/scope"},
		inTests: []string{"features"},
		outside: exampleRunner,
		because: "what runs of scenarios did is compared by the runner interface, whoever ran them",
	},
	{
		from:    []string{"features/report"},
		to:      []string{"features/featurefile", "features/steps", "runners/show/colour", "runners/show/junit", "runners/show/timeline", "runners/show/webpage", "vectors/scope"},
		outside: slices.Concat(exampleRunner, []string{"runners/show/webpage/webpagetest"}),
		because: "a report is written from what a run of the steps found, whoever ran it",
	},
	{
		from:    []string{"runners"},
		to:      []string{"engine/cluster", "engine/env", "engine/env/rpcerrors"},
		outside: exampleRunner,
		because: "the runner interface names no implementation, and what it says of clusters is plain data",
	},
	{
		from:    []string{"features/explore"},
		to:      []string{"engine/quirks", "engine/wholefile", "features/steps", "features/steps/drawn", "runners", "vectors/scope"},
		inTests: []string{"features", "runners/test/simrun"},
		outside: exampleRunner,
		because: "stories are told by the sentences of scenarios to any runner, and their causes are quirks of the register, which engine/quirks reads choices of",
	},
	{
		from:    []string{"runners/diff/parity"},
		to:      []string{"features/steps/...", "features/compare", "features/explore", "runners/...", "sim/...", "engine/...", "vectors/..."},
		because: "PARITY.md counts what scenarios show, so this alone among the runners knows the steps",
	},
	{
		from:    []string{"runners/test/deeds"},
		to:      []string{"runners", "engine/env", "engine/env/rpcerrors"},
		outside: exampleRunner,
		because: "what was done is read from observations, whoever made them",
	},
	{
		from:    []string{"runners/test/operator"},
		to:      []string{"runners", "engine/..."},
		outside: exampleRunner,
		because: "what an operator does to a cluster is the same in virtual time and on processes",
	},
	{
		from:    []string{"runners/show/rules"},
		because: "rules are found in any document",
	},
	{
		from:    []string{"runners/show/documents"},
		to:      []string{"runners/show/rules", "sim/zookeeper", "sim/tfserving", "sim/consul", "engine/training", "runners/whatif"},
		because: "what is printed as a code is explained from the documents of the rooms that cite it",
	},
	{
		from:    []string{"runners/show/timeline"},
		to:      []string{"runners", "engine/env", "engine/env/rpcerrors", "engine/wholefile"},
		outside: exampleRunner,
		because: "what happened is written down from observations, whoever made them",
	},
	{
		from:    []string{"runners/show/colour", "runners/show/junit", "runners/show/webpage"},
		because: "a format knows nobody whose report it is",
	},
	{
		from:    []string{"runners/test/simrun/..."},
		to:      []string{"runners", "runners/test/operator", "runners/test/simrun/...", "sim/...", "engine/..."},
		because: "the simulation is one implementation of the runner interface: what answers single operations is handed in",
	},
	{
		from:    []string{"runners/test/realrun/loopback"},
		to:      []string{"runners", "runners/test/operator", "runners/process", "runners/test/realrun", "runners/test/realrun/surroundings", "runners/test/realrun/wiretap", "runners/test/realrun/loopback/firewall", "runners/zookeeper/server", "sim/fault", "sim/world", "sim/zookeeper", "sim/zookeeper/wire", "engine/..."},
		outside: []string{"features", "features/steps"},
		because: "clusters of processes are one implementation of the runner interface, whose tests are scenarios",
	},
	{
		from:    []string{"runners/test/agentrun"},
		to:      []string{"runners", "runners/test/realrun/loopback"},
		inTests: []string{"engine/pythontest"},
		outside: []string{"features", "features/compare", "features/steps", "runners/test/deeds", "runners/test/simrun"},
		because: "agents of anybody take the place of ours in clusters of processes, whose tests are scenarios",
	},
	{
		from:    []string{"runners/test/pythonrun"},
		to:      []string{"runners", "runners/diff/python", "runners/test/agentrun", "runners/test/realrun/loopback"},
		inTests: []string{"engine/pythontest"},
		outside: []string{"features", "features/compare", "features/steps", "runners/test/simrun"},
		because: "the reference's agents take the place of ours in clusters of processes, whose tests are scenarios",
	},
	{
		from:    []string{"runners/test/tensorflowrun"},
		to:      []string{"runners", "runners/diff/python", "runners/test/pythonrun", "runners/test/realrun/loopback", "engine/cluster"},
		inTests: []string{"engine/lists", "engine/pythontest"},
		outside: []string{"features", "features/compare", "features/steps", "features/steps/drawn", "runners/test/simrun"},
		because: "the reference's training takes the place of ours in clusters of processes, whose tests are scenarios",
	},
	{
		from:    []string{"runners/..."},
		to:      []string{"runners/...", "sim/...", "engine/...", "vectors/..."},
		because: "runners put the parts together; steps and commands stand above them",
	},
	{
		from:    []string{"sim/zookeeper"},
		to:      []string{"sim/zookeeper/acl", "sim/zookeeper/digestmd5", "sim/zookeeper/expiring", "sim/zookeeper/field", "sim/zookeeper/java", "sim/zookeeper/members", "engine/env", "engine/env/rpcerrors", "engine/env/zkerrors", "engine/recipes/bulk"},
		because: "the machine owns neither clock nor network, so whoever has one of either can run it",
	},
	{
		from:    []string{"sim/zookeeper/kazoofake", "sim/zookeeper/acl", "sim/zookeeper/digestmd5", "sim/zookeeper/expiring", "sim/zookeeper/field", "sim/zookeeper/java", "sim/zookeeper/members"},
		to:      []string{"sim/zookeeper/java", "engine/env", "engine/env/rpcerrors", "engine/env/zkerrors"},
		because: "the fake client is a tree in memory and knows no server; fields are words, members texts, and java is text and sets",
	},
	{
		from:    []string{"sim/zookeeper/history", "sim/zookeeper/wire"},
		to:      []string{"sim/zookeeper", "sim/zookeeper/acl", "sim/zookeeper/expiring", "sim/zookeeper/field", "sim/zookeeper/java", "sim/zookeeper/members", "engine/env", "engine/env/rpcerrors", "engine/env/zkerrors", "engine/wholefile", "sim/zookeeper/wire/logfile"},
		inTests: []string{"sim/zookeeper/node", "sim/network", "engine/vtime", "engine/pythontest"},
		because: "histories and sockets need the machine's messages, and no simulated world",
	},
	{
		from: []string{"sim/..."},
		to: []string{"sim/...", "engine/vtime/...", "engine/env", "engine/env/rpcerrors", "engine/env/zkerrors", "engine/env/httperrors", "engine/cluster", "engine/grpccore", "engine/pysem", "engine/pysem/dict", "engine/pysem/pyset",
			"engine/pysem/textformat", "engine/proto/...", "engine/recipes/...", "engine/pysem/threading/...", "engine/tensorbundle", "engine/tfrecord", "engine/confined", "engine/wholefile", "engine/yamldoc"},
		inTests: []string{"engine/runtimetest/...", "engine/pythontest"},
		because: "the simulated world knows what it is built from and touched through, not the agents that touch it",
	},
	{
		from:    []string{"engine/env"},
		to:      []string{"engine/env/rpcerrors"},
		outside: exampleClock,
		because: "what everybody stands on stands on nothing of ours but the codes that its errors have",
	},
	{
		from:    []string{"engine/env/rpcerrors", "engine/env/zkerrors", "engine/env/httperrors", "engine/tasks", "engine/pysem", "engine/pythontest", "engine/wholefile", "engine/lists", "engine/enum"},
		outside: exampleClock,
		because: "what everybody stands on stands on nothing of ours",
	},
	{
		from:    []string{"engine/grpccore"},
		because: "whatever serves gRPC stands on it",
	},
	{
		from:    []string{"engine/confined"},
		because: "a name is checked wherever names come in, before anything is touched",
	},
	{
		from:    []string{"engine/yamldoc"},
		because: "a document is one wherever files are read",
	},
	{
		from:    []string{"engine/tensorbundle"},
		to:      []string{"engine/tfrecord"},
		because: "a checkpoint is one wherever it is written",
	},
	{
		from:    []string{"engine/tfrecord"},
		to:      []string{"engine/pysem"},
		inTests: []string{"engine/pythontest"},
		because: "records are framed the same wherever files are written",
	},
	{
		from:    []string{"engine/env/envtest"},
		to:      []string{"engine/env", "engine/env/rpcerrors", "engine/env/zkerrors", "engine/pysem"},
		because: "what tests of engine code run in is small and in memory, and knows neither engine code nor the simulation",
	},
	{
		from:    []string{"engine/pysem/threading/..."},
		to:      []string{"engine/env", "engine/env/rpcerrors"},
		outside: exampleClock,
		because: "events, locks and queues are built from env.Cond, under either clock",
	},
	{
		from:    []string{"engine/pysem/..."},
		to:      []string{"engine/pysem/...", "engine/env", "engine/env/rpcerrors", "engine/proto/..."},
		outside: []string{"engine/env/envtest"},
		because: "Python's semantics know nothing of what is written in them",
	},
	{
		from:    []string{"engine/proto/..."},
		to:      []string{"engine/proto/...", "engine/wholefile"},
		inTests: []string{"engine/pysem/textformat"},
		because: "messages carry data and no behaviour",
	},
	{
		from:    []string{"engine/recipes/..."},
		to:      []string{"engine/recipes/...", "engine/env", "engine/env/rpcerrors", "engine/env/zkerrors", "engine/pysem/threading/..."},
		outside: exampleWorld,
		because: "recipes are written once, over any env.ZooKeeperSession",
	},
	{
		from: []string{"engine/runtimetest/..."},
		to: []string{"engine/runtimetest/networktest", "engine/runtimetest/eventlog", "engine/env", "engine/env/rpcerrors", "engine/recipes",
			"engine/env/zkerrors", "engine/env/httperrors", "engine/pysem/threading/...", "engine/proto/..."},
		because: "one suite holds both runtimes and both of whatever they reach to env's contract, so it knows none",
	},
	{
		from:    []string{"engine/vtime/...", "engine/walltime/..."},
		to:      []string{"engine/vtime/...", "engine/walltime/...", "engine/env", "engine/env/rpcerrors", "engine/tasks"},
		inTests: []string{"engine/runtimetest"},
		because: "a runtime implements env and knows nothing of what runs on it; what both runtimes need is in engine/tasks",
	},
	{
		from:    []string{"engine/cluster"},
		to:      []string{"engine/confined", "engine/env", "engine/env/rpcerrors"},
		because: "what a cluster is built from and seen to do is plain data, for the simulated world and for every runner",
	},
	{
		from:    []string{"engine/pylog"},
		to:      []string{"engine/env", "engine/env/rpcerrors", "engine/env/zkerrors", "engine/proto/...", "engine/pysem/..."},
		because: "agents and training jobs log by Python's rules alike, and import nothing of each other",
	},
	{
		from:    []string{"engine/envutils"},
		to:      []string{"engine/env", "engine/env/rpcerrors"},
		inTests: []string{"engine/env/envtest"},
		because: "agents and training jobs read some variables of their container alike, and import nothing of each other",
	},
	{
		from:    []string{"engine/agent/agenttest"},
		to:      []string{"engine/agent/agentconfig", "engine/agent/datadef", "engine/env", "engine/env/rpcerrors", "engine/pysem/...", "engine/quirks"},
		because: "what tests of several rooms share must not import the rooms that they test",
	},
	{
		from:    []string{"engine/quirks"},
		because: "which faults of the reference are kept is data that agents and training jobs are given alike",
	},
	{
		from:    []string{"engine/quirks/jobquirks"},
		to:      []string{"engine/quirks"},
		because: "the faults of training jobs are numbers of the same register",
	},
	agentRoom("pylog"),
	agentRoom("agentconfig", "pylog"),
	agentRoom("datadef", "pylog", "agentconfig"),
	agentRoom("tfs/...", "pylog", "tfs", "datadef", "agentconfig"),
	agentRoom("backends", "pylog", "datadef"),
	agentRoom("replicamanager", "pylog", "tfs", "datadef", "agentconfig"),
	agentRoom("zkmirror", "pylog", "tfs", "datadef", "agentconfig"),
	agentRoom("modelmanager", "pylog"),
	agentRoom("resources", "pylog", "agentconfig"),
	agentRoom("service", "pylog", "replicamanager", "zkmirror", "datadef", "agentconfig", "resources"),
	agentRoom("clients", "pylog", "service", "backends", "zkmirror", "datadef", "agentconfig", "resources"),
	agentRoom("programs", "..."),
	agentRoom("", "pylog", "service", "modelmanager", "backends", "replicamanager", "tfs", "datadef", "agentconfig"),
	{
		from:    []string{"engine/training/job"},
		to:      []string{"engine/training/...", "engine/cluster", "engine/env", "engine/env/rpcerrors", "engine/proto/...", "engine/quirks", "engine/quirks/jobquirks", "engine/pysem/...", "engine/tensorbundle"},
		inTests: []string{"engine/pythontest", "engine/env/envtest", "sim/world/worldtest"},
		outside: []string{"sim/...", "engine/vtime"},
		because: "a job is described in the plain data of a cluster, and put together from the rooms of the training side",
	},
	{
		from: []string{"engine/training/parametersync"},
		to: []string{"engine/agent/agentconfig", "engine/agent/backends", "engine/agent/replicamanager", "engine/env", "engine/lists", "engine/proto/...", "engine/quirks", "engine/quirks/jobquirks", "engine/training", "engine/training/session", "engine/pysem/threading",
			"engine/pysem/..."},
		outside: []string{"sim/...", "engine/vtime"},
		because: "the PS of a job find those that serve by what agents register, as estimator.py imports agent_service",
	},
	{
		from: []string{"engine/training/..."},
		to: []string{"engine/training/...", "engine/confined", "engine/env", "engine/env/rpcerrors", "engine/env/zkerrors", "engine/env/httperrors", "engine/envutils", "engine/pylog", "engine/proto/...", "engine/quirks", "engine/quirks/jobquirks", "engine/recipes/...",
			"engine/tfrecord", "engine/tensorbundle", "engine/pysem/threading/...", "engine/pysem/..."},
		inTests: []string{"engine/env/envtest", "engine/pythontest"},
		outside: []string{"sim/...", "engine/vtime", "engine/cluster"},
		because: "the training side reaches the world through env, so that one code runs under both clocks",
	},
}

// agentRoom returns the direction of one package of engine/agent. All of these packages may import
// env and the given neighbours. Their external tests may use the simulated world. That makes no
// cycle, because the simulated world imports no agents.
func agentRoom(room string, neighbours ...string) direction {
	d := direction{
		from: []string{strings.TrimSuffix("engine/agent/"+room, "/")},
		to: []string{"engine/env", "engine/env/rpcerrors", "engine/env/zkerrors", "engine/envutils", "engine/pylog", "engine/proto/...", "engine/quirks", "engine/quirks/jobquirks", "engine/recipes/...", "engine/pysem/threading/...",
			"engine/pysem/..."},
		inTests: []string{"engine/env/envtest"},
		outside: []string{"sim/...", "engine/vtime", "engine/cluster", "engine/agent/agenttest", "engine/agent/tfs/tfstest"},
		because: "agents reach the world through env, so that one code runs under both clocks, and each room knows only the modules that its own imports; " +
			"only an external test package may put a room into the simulated world",
	}
	d.to = append(d.to, lists.Map(neighbours, func(n string) string { return "engine/agent/" + n })...)
	return d
}

// listed holds what the go list command prints about a package.
type listed struct {
	ImportPath   string
	Imports      []string
	TestImports  []string
	XTestImports []string
}

// lintDirections checks the packages that the patterns name.
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

// checkDirections checks the imports of one package and of its tests against the table directions.
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
	return append(found, d.check(room, p.XTestImports, slices.Concat(inTests, d.outside), "tests import")...)
}

func (d direction) check(room string, imports, allowed []string, verb string) []finding {
	var found []finding
	for _, path := range imports {
		to, ours := roomOf(path)
		if !ours || to == room || slices.Contains(forAll, to) || matchAny(allowed, to) {
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

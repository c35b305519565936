package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
)

const (
	callbacks = "callbacks"
	tasks     = "tasks"
)

// peer describes an engine: how to build and run it, and a note on how to compare its numbers.
type peer struct {
	name  string
	works []string
	// events is the number of events in one run, chosen so that a run takes a few tenths of a
	// second.
	events int
	note   string
	// build compiles the engine's benchmark program. It returns an error if that is not possible
	// here.
	build func(b builder) (program, error)
}

// program makes the command that runs one kind of work: n models, with events in total among them.
type program func(ctx context.Context, work string, n, events int) *exec.Cmd

// ours is the name of our engine's row, which all other rows are compared with.
const ours = "ours"

// peers lists all engines, in the order of the table.
var peers = []peer{
	{ours, []string{callbacks, tasks}, 2_000_000, "each event folded into the hashes of its node and of the world", own("")},
	{ours + ", hash off", []string{callbacks, tasks}, 2_000_000, "built with -tags " + withoutHash + ", for this table only", own(withoutHash)},
	{"desru", []string{callbacks}, 2_000_000, "boxed closures in a binary heap; no hash", rust("desru", "")},
	{"ns-3, map", []string{callbacks}, 2_000_000, "its default scheduler; no hash", cpp("ns3", "ns3-core", `-DSCHEDULER="ns3::MapScheduler"`)},
	{"ns-3, priority queue", []string{callbacks}, 2_000_000, "no hash", cpp("ns3", "ns3-core", `-DSCHEDULER="ns3::PriorityQueueScheduler"`)},
	{"NeXosim", []string{callbacks}, 500_000, "an async method of a model, by its mailbox; executor of one thread; no hash", rust("nexosim", "")},
	{"madsim", []string{tasks}, 2_000_000, "futures; draws random times and orders; no hash", rust("madsim", "--cfg madsim")},
	{"tokio, paused clock", []string{tasks}, 2_000_000, "futures; sleeps are rounded to 1 ms, so ten of 10,000 wake at once; no hash", rust("tokio", "")},
	{"SimGrid", []string{callbacks, tasks}, 200_000, "timers of its kernel; actors of one host; no hash", cpp("simgrid", "simgrid")},
	{"Go testing/synctest", []string{tasks}, 200_000, "goroutines, GOMAXPROCS=1; no hash", bubble},
	{"SimPy", []string{callbacks, tasks}, 200_000, "timeouts with callbacks; generators; no hash", simpy},
}

func (p peer) does(work string) bool {
	return slices.ContainsFunc(p.works, func(w string) bool { return w == work })
}

// plain returns a program whose command line is name, args, and then the work, the number of
// models and the number of events.
func plain(name string, args ...string) program {
	return func(ctx context.Context, work string, n, events int) *exec.Cmd {
		return exec.CommandContext(ctx, name, append(args, work, strconv.Itoa(n), strconv.Itoa(events))...)
	}
}

// withoutHash is the build tag of engine/vtime that leaves out the hash of events.
const withoutHash = "vtime_without_hash"

func own(tags string) func(builder) (program, error) {
	return func(b builder) (program, error) {
		binary := b.path("own" + tags)
		return plain(binary), b.command("go", "build", "-tags", tags, "-o", binary, "./cmd/bench/engines/own")
	}
}

// rust returns a function that builds the named package of peers/rust. The build works on a copy,
// because cargo writes a lock file beside the sources. A package with compiler flags gets a target
// directory of its own.
func rust(name, flags string) func(builder) (program, error) {
	return func(b builder) (program, error) {
		if err := b.copySources("rust/work.rs", "rust/"+name+"/Cargo.toml", "rust/"+name+"/src/main.rs"); err != nil {
			return nil, err
		}
		target := b.path("target" + strconv.Itoa(len(flags)))
		err := b.commandIn([]string{"RUSTFLAGS=" + flags, "CARGO_TARGET_DIR=" + target},
			"cargo", "build", "--release", "-j1", "--manifest-path", b.path("src/rust/"+name+"/Cargo.toml"))
		return plain(target + "/release/engine-" + name), err
	}
}

// cpp returns a function that builds a C++ program against a library. The library's version comes
// from pkg-config, if pkg-config knows the library.
func cpp(name, library string, flags ...string) func(builder) (program, error) {
	return func(b builder) (program, error) {
		binary := b.path(fmt.Sprintf("%s%d", name, len(flags)))
		for _, f := range flags {
			binary += "-" + wordsOnly(f)
		}
		args := append([]string{"-std=c++17", "-O2", "-DNDEBUG", fmt.Sprintf("-DVERSION=%q", b.version(library)), "-o", binary, peersDir + "/cpp/" + name + ".cpp"}, flags...)
		return plain(binary), b.command("g++", append(args, "-l"+library)...)
	}
}

func bubble(b builder) (program, error) {
	binary := b.path("synctest")
	run := func(ctx context.Context, _ string, n, events int) *exec.Cmd {
		cmd := exec.CommandContext(ctx, binary, "-test.run", "Sleepers")
		cmd.Env = append(os.Environ(), "GOMAXPROCS=1", "ENGINES_N="+strconv.Itoa(n), "ENGINES_EVENTS="+strconv.Itoa(events))
		return cmd
	}
	return run, b.command("go", "test", "-C", peersDir+"/synctest", "-c", "-o", binary, ".")
}

// simpy returns the program for SimPy. It runs on the Python that $PYTHON names, or on python3.
func simpy(b builder) (program, error) {
	python := cmp.Or(os.Getenv("PYTHON"), "python3")
	return plain(python, peersDir+"/python/simpy_work.py"), b.command(python, "-c", "import simpy")
}

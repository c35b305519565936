package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/monosim/monosim/cmd/monosim/command"
)

// Goal: a command never replaces a missing path that a user named by something else. Method: run
// each command once for each argument or flag that takes a path, with a path that does not exist.
// It must exit with 2 and name the path. A flag that the tables below lack fails the test.

// absent is a path that does not exist. Its folder does not exist either, so that nothing can be
// written there.
const absent = "nowhere/absent"

// absentPaths maps "command --flag" or "command ARGUMENT" to arguments in which that path is
// missing.
var absentPaths = map[string]string{
	"diff --dir":                     "diff --testee ./port --dir " + absent,
	"diff --format":                  "diff --testee ./port --suite utils --format junit:" + absent,
	"diff --known-failing":           "diff --testee ./port --known-failing " + absent,
	"diff --testee":                  "diff --testee " + absent,
	"explore WORLD.feature":          "explore --seeds 1 " + absent,
	"explore --format":               "explore --seeds 1 --format junit:" + absent,
	"explore --record":               "explore --seeds 1 --record " + absent,
	"export --checkpoint-path":       "export --output-path out --checkpoint-path " + absent,
	"parity --output":                "parity --check --output " + absent,
	"parity --root":                  "parity --root " + absent,
	"consul --admin-token-file":      "consul --listen 127.0.0.1:0 --admin 127.0.0.1:0 --admin-token-file " + absent,
	"serve CLUSTER.yaml":             "serve " + absent,
	"serve --admin-token-file":       "serve cluster.yaml --admin 127.0.0.1:0 --admin-token-file " + absent,
	"serve-model --model-dir":        "serve-model --model-dir " + absent,
	"sim --conf":                     "sim --models exported --conf " + absent,
	"sim --cost":                     simOfAMinute + "--cost " + absent,
	"train --html":                   "train training.yaml --html " + absent,
	"train --series":                 "train training.yaml --series " + absent,
	"sim --html":                     simOfAMinute + "--html " + absent,
	"sim --models":                   "sim --conf unified.conf --models " + absent,
	"sim --script":                   simOfAMinute + "--script " + absent,
	"sim --series":                   simOfAMinute + "--series " + absent,
	"sim --trace":                    simOfAMinute + "--trace " + absent,
	"test PATH":                      "test " + absent,
	"test --format":                  "test builtin:features/lifecycle.feature --format junit:" + absent,
	"test --record":                  "test builtin:features/lifecycle.feature:5 --runner sim,real --compare --record " + absent,
	"test --trace":                   "test builtin:features/lifecycle.feature --trace " + absent,
	"train PLAN":                     "train " + absent,
	"trainer PLAN":                   "trainer " + absent,
	"trainer --root":                 "trainer training.yaml --zk_server=127.0.0.1:1 --root " + absent,
	"vectors lint --dir":             "vectors lint --dir " + absent,
	"vectors list --dir":             "vectors list --dir " + absent,
	"vectors record --dir":           "vectors record --testee ./port --dir " + absent,
	"vectors record --testee":        "vectors record --testee " + absent,
	"vectors show --dir":             "vectors show utils/isabs --dir " + absent,
	"vectors show --testee":          "vectors show utils.isabs/1 --testee " + absent,
	"vectors verify --dir":           "vectors verify --dir " + absent,
	"vectors verify --testee":        "vectors verify --testee " + absent,
	"vectors verify --known-failing": "vectors verify --known-failing " + absent,
	"whatif diff A.json":             "whatif diff " + absent + " b.json",
	"whatif manifest PLAN":           "whatif manifest --image i " + absent,
	"whatif merge DIR":               "whatif merge --plan shards.yaml " + absent,
	"whatif merge --plan":            "whatif merge . --plan " + absent,
	"whatif run PLAN":                "whatif run " + absent,
	"whatif run --files":             "whatif run plan.yaml --files " + absent,
	"whatif run --csv":               "whatif run plan.yaml --csv " + absent,
	"whatif run --series":            "whatif run plan.yaml --series " + absent,
	"whatif run --html":              "whatif run plan.yaml --html " + absent,
	"whatif run --run-info":          "whatif run plan.yaml --run-info " + absent,
	"whatif solve PLAN":              "whatif solve " + absent,
	"whatif sweep PLAN":              "whatif sweep " + absent,
	"whatif theory PLAN":             "whatif theory " + absent,
	"zookeeper --admin-token-file":   "zookeeper --listen 127.0.0.1:0 --admin 127.0.0.1:0 --admin-token-file " + absent,
	"zookeeper --events":             "zookeeper --listen 127.0.0.1:0 --events " + absent,
	"zookeeper --log-writes":         "zookeeper --listen 127.0.0.1:0 --log-writes " + absent,
	"zookeeper --import":             "zookeeper --listen 127.0.0.1:0 --import " + absent,
	"zookeeper --import-logs":        "zookeeper --listen 127.0.0.1:0 --import apache --import-logs " + absent,
	"zookeeper --jaas":               "zookeeper --listen 127.0.0.1:0 --jaas " + absent,
	"zookeeper --tls-key-store":      "zookeeper --listen 127.0.0.1:0 --secure-listen 127.0.0.1:0 --tls-client-auth none --tls-key-store " + absent,
	"zookeeper --tls-trust-store":    "zookeeper --listen 127.0.0.1:0 --secure-listen 127.0.0.1:0 --tls-key-store cluster.yaml --tls-trust-store " + absent,
	"zookeeper check --script":       "zookeeper check --script " + absent,
	"zookeeper export FROM":          "zookeeper export " + absent + " out",
	"zookeeper export DIR":           "zookeeper export apache " + absent,
	"zookeeper export --log-dir":     "zookeeper export apache out --log-dir " + absent,
	"zookeeper log DIR":              "zookeeper log " + absent,
	"zookeeper log --log-dir":        "zookeeper log apache --log-dir " + absent,
	"zookeeper show DIR":             "zookeeper show " + absent,
	"zookeeper show --log-dir":       "zookeeper show apache --log-dir " + absent,
}

const simOfAMinute = "sim --conf unified.conf --models exported --shards 2 --for 1m "

// otherCodes lists commands with exit codes of their own, because they exit as the programs that
// they stand in for.
var otherCodes = map[string]struct {
	args string
	code int
}{
	"agent --conf":                  {"agent --conf " + absent, 1},
	"agent-client --conf":           {"agent-client --conf=" + absent, 1},
	"svr-client --conf":             {"svr-client --conf=" + absent, 1},
	"tfs-client --conf":             {"tfs-client --cmd_type=status --conf=" + absent, 1},
	"tfserving --model_config_file": {"tfserving --model_config_file=" + absent, 255},
}

// noPaths lists arguments that are not paths, and flags whose files need not exist, each with the
// reason.
var noPaths = map[string]string{
	"CODE":                      "what is printed as a code",
	"init DIR":                  "made, as it is for what is written",
	"ID":                        "the id of a quirk or a case",
	"METRIC":                    "the name of a measure",
	"WORD":                      "words of sentences",
	"--claim":                   "what Kubernetes has",
	"--cache":                   "made where it is missing, as its help says",
	"--keep":                    "made where it is missing",
	"--out":                     "made where it is missing",
	"--output-path":             "made for what is exported",
	"--report":                  "made where it is missing, as its help says",
	"--tfs_home":                "the reference's agent begins without",
	"--tfs_log":                 "made where it is missing",
	"explore --save":            "made where it is missing",
	"export --format":           "the form of a model",
	"export --warmup-data-path": "the Rust port warns and goes on, and so does this one, on standard error",
	"sim --memory-limit":        "a size",
	"trainer --events":          "made where it is missing",
	"whatif diff B.json":        "as A.json",
	"whatif merge --csv":        "as whatif run's",
	"whatif merge --series":     "as whatif run's",
	"whatif merge --html":       "as whatif run's",
	"whatif merge --files":      "as whatif run's",
	"whatif merge --run-info":   "as whatif run's",
	"whatif solve --csv":        "as whatif run's",
	"whatif solve --series":     "as whatif run's",
	"whatif solve --files":      "as whatif run's",
	"whatif solve --html":       "as whatif run's",
	"whatif solve --run-info":   "as whatif run's",
	"whatif sweep --csv":        "as whatif run's",
	"whatif sweep --series":     "as whatif run's",
	"whatif sweep --files":      "as whatif run's",
	"whatif sweep --html":       "as whatif run's",
	"whatif sweep --run-info":   "as whatif run's",
	"whatif theory --csv":       "as whatif run's",
	"whatif theory --series":    "as whatif run's",
	"whatif theory --files":     "as whatif run's",
	"whatif theory --html":      "as whatif run's",
	"whatif theory --run-info":  "as whatif run's",
	"zookeeper --data-dir":      "made where it is missing, as it keeps what is to come",
	"zookeeper --snapshot":      "what it is to be written to need not be there",
}

func TestNothingStandsInForAPath(t *testing.T) {
	program := builtProgram(t)
	dir := t.TempDir()
	plan, readErr := os.ReadFile("../../runners/whatif/plans/models.yaml")
	conf, confErr := os.ReadFile("testdata/unified.conf")
	shards, shardsErr := os.ReadFile("../../runners/whatif/plans/shards.yaml")
	err := errors.Join(readErr, shardsErr, confErr,
		os.Symlink(program, filepath.Join(dir, "monosim")),
		os.WriteFile(filepath.Join(dir, "port"), []byte("#!/bin/sh\nexec ./monosim testee\n"), 0o755),
		os.WriteFile(filepath.Join(dir, "plan.yaml"), plan, 0o644),
		os.WriteFile(filepath.Join(dir, "shards.yaml"), shards, 0o644),
		os.WriteFile(filepath.Join(dir, "cluster.yaml"), []byte("replicas: 1\n"), 0o644),
		os.WriteFile(filepath.Join(dir, "training.yaml"), []byte("job: {ps: 1}\n"), 0o644),
		os.WriteFile(filepath.Join(dir, "unified.conf"), conf, 0o644),
		os.CopyFS(filepath.Join(dir, "apache"), os.DirFS(recordedApache)),
		os.CopyFS(filepath.Join(dir, "exported"), os.DirFS("testdata/exported")))
	if err != nil {
		t.Fatal(err)
	}
	run := func(args string, want int) {
		t.Run(args, func(t *testing.T) {
			cmd := exec.CommandContext(limited(t), program, strings.Fields(args)...)
			cmd.Dir = dir
			out, _ := cmd.CombinedOutput()
			if got := cmd.ProcessState.ExitCode(); got != want || !strings.Contains(string(out), absent) {
				t.Errorf("got exit code %d, want %d and %s in\n%s", got, want, absent, out)
			}
		})
	}
	for _, args := range absentPaths {
		run(args, command.ExitBadInput)
	}
	for _, o := range otherCodes {
		run(o.args, o.code)
	}
}

var (
	argumentOfUse = regexp.MustCompile(`^[A-Z][A-Za-z.]*$`)
	aboutFiles    = regexp.MustCompile(`\b(files?|director(y|ies)|folders?|command of an implementation|checkpoint)\b`)
)

func TestEveryPathOfACommandIsHeld(t *testing.T) {
	eachCommand(newRootCommand(), func(c *cobra.Command) {
		name := strings.TrimPrefix(c.CommandPath(), "monosim ")
		held := func(what string) {
			of := name + " " + what
			if absentPaths[of] == "" && otherCodes[of].args == "" && noPaths[what] == "" && noPaths[of] == "" {
				t.Errorf("found %q in no table of this file, want what it does with a path that is not there, or that it takes none", of)
			}
		}
		words := strings.Fields(c.Use)
		for i, word := range words {
			if argument := strings.Trim(word, "[]"); i > 0 && argumentOfUse.MatchString(argument) && !strings.HasPrefix(words[i-1], "--") {
				held(strings.TrimSuffix(argument, "..."))
			}
		}
		c.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
			if strings.HasPrefix(f.Value.Type(), "string") && aboutFiles.MatchString(f.Usage) {
				held("--" + f.Name)
			}
		})
	})
}

// eachCommand calls visit for a command and for all of its subcommands, at any depth.
func eachCommand(c *cobra.Command, visit func(*cobra.Command)) {
	visit(c)
	for _, below := range c.Commands() {
		eachCommand(below, visit)
	}
}

package trainingcases

import (
	"slices"
	"strings"

	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/engine/proto/tensorflow/core/framework"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/training"
	"github.com/monosim/monosim/engine/training/gfile"
	"github.com/monosim/monosim/engine/training/session"
	"github.com/monosim/monosim/engine/training/summaries"
	"github.com/monosim/monosim/runners/diff/gotestee/caseworld"
)

// fileOps holds the operations on utils.py and base_runner.py.
var fileOps = caseworld.Table{
	"utils.CopyFile":            copyFile,
	"utils.CopyRecursively":     copyRecursively,
	"utils.enable_monkey_patch": enableMonkeyPatch,
	"base_runner.write_summary": writeSummary,
}

// copyOptions returns the options of a copy. Those that the case does not give have the reference's
// defaults.
func copyOptions(in caseworld.Arguments) training.CopyOptions {
	o := training.DefaultCopyOptions()
	if in.Has("overwrite") {
		o.Overwrite = in.Flag("overwrite")
	}
	if in.Has("skip_nonexist") {
		o.SkipNonexist = in.Flag("skip_nonexist")
	}
	o.MaxRetries = in.IntegerOr("max_retries", o.MaxRetries)
	o.MaxWorkers = in.IntegerOr("max_workers", o.MaxWorkers)
	return o
}

// copied copies a file, or fails as the outcome in the case says.
func copied(c *caseworld.Call, outcome, src, dst string, overwrite bool) error {
	switch outcome {
	case "not_found":
		return session.Raise("NotFoundError", "not_found")
	case "denied":
		return session.Raise("PermissionDeniedError", "denied")
	}
	return gfile.Copy(c.Env.Files, src, dst, overwrite)
}

func copyFile(c *caseworld.Call) (any, error) {
	a, outcomes, tries := c.In.Object("arguments"), c.In.Strings("outcomes"), []any{}
	o := copyOptions(a)
	o.Quirks = c.Quirks
	o.Copy = func(src, dst string, overwrite bool) error {
		tries = append(tries, overwrite)
		outcome := "ok"
		if len(outcomes) > 0 {
			outcome, outcomes = outcomes[0], outcomes[1:]
		}
		return copied(c, outcome, src, dst, overwrite)
	}
	result := caseworld.Attempt(nil, training.CopyFile(c.Env.Files, a.Str("src"), a.Str("dst"), o))
	return caseworld.Object("result", result, "tries", tries, "tree", c.Dir.Tree()), nil
}

func copyRecursively(c *caseworld.Call) (any, error) {
	a, failing := c.In.Object("arguments"), c.In.Object("failing")
	a.Few("max_retries", "max_workers")
	var paths []string
	tries := map[string]int{}
	o := copyOptions(a)
	o.Quirks = c.Quirks
	o.Copy = func(src, dst string, overwrite bool) error {
		shown := strings.TrimPrefix(src, caseworld.CaseDir+"/")
		if tries[shown] == 0 {
			paths = append(paths, shown)
		}
		tries[shown]++
		return copied(c, failing.StrOr(shown, "ok"), src, dst, overwrite)
	}
	err := training.CopyRecursively(c.Env, a.Str("src"), a.Str("dst"), o)
	if pysem.TypeOf(err) == "RecursionError" {
		return nil, err // no listing goes as deep as the tree that is left
	}
	result := caseworld.Attempt(nil, err)
	slices.Sort(paths)
	list := lists.Map(paths, func(path string) any { return []any{path, tries[path]} })
	return caseworld.Object("result", result, "copied", list, "tree", c.Dir.Tree()), nil
}

func enableMonkeyPatch(*caseworld.Call) (any, error) {
	return caseworld.Object("before", training.PreemptionErrors(false), "after", training.PreemptionErrors(true)), nil
}

// notedSummaries is a writer that keeps the summaries that it gets, with the step of the case, which
// Python passes on whatever it is.
type notedSummaries struct {
	notes
	step any
}

func (n *notedSummaries) AddSummary(summary *framework.Summary, _ int64) error {
	return n.note(caseworld.PB(summary), n.step)
}

func writeSummary(c *caseworld.Call) (any, error) {
	var logs []summaries.Log
	for _, row := range c.In.Rows("logs", "name", "value") {
		tag, value := row.Str("name"), row.Value("value")
		at := slices.IndexFunc(logs, func(l summaries.Log) bool { return l.Tag == tag })
		if at >= 0 {
			logs[at].Value = value
			continue
		}
		logs = append(logs, summaries.Log{Tag: tag, Value: value})
	}
	events := &notedSummaries{notes: noNotes(), step: c.In.Value("step")}
	err := summaries.BaseRunner{}.WriteSummary(logs, events, 0)
	return caseworld.Object("result", caseworld.Attempt(nil, err), "events", events.log, "run", caseworld.Attempt(nil, summaries.BaseRunner{}.Run())), nil
}

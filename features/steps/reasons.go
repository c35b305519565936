package steps

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	messages "github.com/cucumber/messages/go/v34"

	"github.com/monosim/monosim/engine/lists"
)

// A tag such as @not-real on a feature, a rule, a scenario or examples excludes them from the
// runner of that name. A comment right above the tags has to give the reason:
//
//	# not-real: a real server cannot be made to lag
//	@v3 @not-real
var (
	notTag    = regexp.MustCompile(`^@not-([a-z]+)$`)
	notReason = regexp.MustCompile(`^\s*#\s*not-([a-z]+):\s*(\S.*)$`)
)

// reasons collects the reasons given for the tags of a file, by the tags' ids.
type reasons struct {
	path     string
	comments map[int]string // comments by line; a tag takes the reason that it uses out of the map
	of       map[string]string
	fault    *InputError // the first
}

// readReasons returns the reasons for a file's tags. A tag without a reason, or a reason without a
// tag, is an *InputError.
func readReasons(doc *messages.GherkinDocument) (map[string]string, error) {
	r := &reasons{path: doc.Uri, comments: map[int]string{}, of: map[string]string{}}
	for _, c := range doc.Comments {
		r.comments[int(c.Location.Line)] = c.Text
	}
	r.tagged(doc.Feature.Tags, doc.Feature.Location)
	for _, child := range doc.Feature.Children {
		if child.Rule != nil {
			r.tagged(child.Rule.Tags, child.Rule.Location)
		}
	}
	each(doc.Feature, func(sc *messages.Scenario) {
		r.tagged(sc.Tags, sc.Location)
		for _, e := range sc.Examples {
			r.tagged(e.Tags, e.Location)
		}
	}, nil)
	for _, c := range doc.Comments {
		line := int(c.Location.Line)
		if m := notReason.FindStringSubmatch(r.comments[line]); m != nil && r.fault == nil {
			r.wrong(line, "found why something does not run on %s, want the tag @not-%s in the line below", m[1], m[1])
		}
	}
	if r.fault != nil {
		return nil, r.fault
	}
	return r.of, nil
}

func (r *reasons) wrong(line int, text string, args ...any) {
	if r.fault == nil {
		r.fault = &InputError{Where: fmt.Sprintf("%s:%d", r.path, line), Text: fmt.Sprintf(text, args...)}
	}
}

// tagged finds the reasons for tags, in comments between the tags and right above them.
func (r *reasons) tagged(tags []*messages.Tag, at *messages.Location) {
	lines := lists.ToMap(tags, func(t *messages.Tag) (int, bool) { return int(t.Location.Line), true })
	found := map[string]string{}
	for line := int(at.Line) - 1; lines[line] || r.comments[line] != ""; line-- {
		if m := notReason.FindStringSubmatch(r.comments[line]); m != nil && hasTag(tags, "@not-"+m[1]) {
			found[m[1]] = m[2]
			delete(r.comments, line)
			lines[line] = true
		}
	}
	for _, t := range tags {
		m := notTag.FindStringSubmatch(t.Name)
		if m == nil {
			continue
		}
		if found[m[1]] == "" {
			r.wrong(int(t.Location.Line), "found %s without a reason, want one above it: # not-%s: why", t.Name, m[1])
		}
		r.of[t.Id] = found[m[1]]
	}
}

// forAnyAgent sets why a case does not run on the runner named agent, which runs agents in any
// language. That runner has the same servers as the runner real, so it leaves out what real leaves
// out. It compares the agents with Python's, so it leaves out what the runner python leaves out.
func forAnyAgent(not map[string]string) map[string]string {
	for _, name := range []string{"real", "python"} {
		if why := not[name]; why != "" && not["agent"] == "" {
			not["agent"] = why
		}
	}
	return not
}

// NoTrainingJob is the reason why a scenario without a training job does not run on the runner
// named tensorflow.
const NoTrainingJob = "it has no training job"

// OnTensorFlow is the tag of a scenario that runs on the runner named tensorflow, though a tag
// excludes the runner real. Such a scenario is about code inside TensorFlow.
const OnTensorFlow = "@tensorflow"

// forTensorFlow sets why a case does not run on the runner named tensorflow. That runner has the
// same servers as the runner real, so it leaves out what real leaves out. It also leaves out
// scenarios without a training job.
func (c *scenarioCase) forTensorFlow() {
	why := c.not["real"]
	if slices.Contains(c.tags, OnTensorFlow) {
		why = ""
	}
	if !slices.ContainsFunc(c.steps, func(s step) bool { return strings.Contains(s.text, "training job with") }) {
		why = cmp.Or(why, NoTrainingJob)
	}
	if why == "" || c.not["tensorflow"] != "" {
		return
	}
	if c.not == nil {
		c.not = map[string]string{}
	}
	c.not["tensorflow"] = why
}

func hasTag(tags []*messages.Tag, name string) bool {
	return slices.ContainsFunc(tags, func(t *messages.Tag) bool { return t.Name == name })
}

// leftOut selects the cases that do not run on a runner, and keeps the first reason.
type leftOut struct{ runner, why string }

// take reports whether a case does not run on the runner. It keeps the first reason found.
func (l *leftOut) take(c scenarioCase) bool {
	why := c.not[l.runner]
	l.why = cmp.Or(l.why, why)
	return why != ""
}

package steps

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/runners"
)

// ScriptLine is a line of a script, such as "1h: ZooKeeper goes down for 10m". It has a time of the
// run and a sentence. Where is its place for messages: a command-line flag, or file:line.
type ScriptLine struct{ Where, Text string }

// ScriptLines splits a text into the lines of a script. It drops empty lines, and comments, which
// begin with #. name is the file's name.
func ScriptLines(name, text string) []ScriptLine {
	var lines []ScriptLine
	n := 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimSpace(line)
		if line != "" && !strings.HasPrefix(line, "#") {
			lines = append(lines, ScriptLine{Where: fmt.Sprintf("%s:%d", name, n), Text: line})
		}
	}
	return lines
}

// ReadScript parses a script for clusters that runner builds of spec, in runs that last until end.
// It returns the acts by time. A script has actions, faults and assertions. A fault with "for 10m"
// ends by itself and lets no time pass. The error joins an [*InputError] for every wrong line.
func ReadScript(lines []ScriptLine, runner runners.Runner, spec runners.Spec, end time.Duration) ([]runners.Act, error) {
	r := scriptReader{
		world: &World{runner: runner, spec: spec, conf: parseConf(strings.ReplaceAll(spec.Conf, "\t", " ")), models: spec.Models},
		known: newVocabulary(runner.Faults()), end: end, said: map[string]bool{},
	}
	r.nouns = nounsOf(r.world)
	for _, line := range lines {
		_, text, _ := strings.Cut(line.Text, ":")
		if found := r.known.match(strings.TrimSpace(text)); len(found) == 1 {
			r.said[found[0].text] = true
			r.nouns.take(found[0], strings.TrimSpace(text))
		}
	}
	var faults []error
	var read []placedAct
	for _, line := range lines {
		act, err := r.line(line.Text)
		if err != nil {
			faults = append(faults, &InputError{Where: line.Where, Text: err.Error(), cause: err})
			continue
		}
		act.where = line.Where
		read = append(read, act)
	}
	slices.SortStableFunc(read, func(a, b placedAct) int { return cmp.Compare(a.At, b.At) })
	lasting := endings{kinds: runner.Faults()}
	var waits *placedAct // is the act that has waited longest so far
	for i := range read {
		a := &read[i]
		if waits != nil && waits.Until > a.At {
			faults = append(faults, &InputError{Where: a.where, Text: fmt.Sprintf("found %q at %v, want nothing before %v, until when %q of %s waits",
				a.Text, a.At, waits.Until, waits.Text, waits.where)})
		}
		if waits == nil || a.Until > waits.Until {
			waits = a
		}
		if err := lasting.take(a); err != nil {
			faults = append(faults, &InputError{Where: a.where, Text: err.Error()})
		}
	}
	return lists.MapOrNil(read, func(a placedAct) runners.Act { return a.Act }), errors.Join(faults...)
}

// placedAct is an act, with its sentence, and the place of its line for messages.
type placedAct struct {
	runners.Act
	said  *Sentence
	where string
}

// scriptReader parses the lines of a script.
type scriptReader struct {
	world *World
	known vocabulary
	// nouns holds the names that the cluster has, and those that any line of the script creates.
	nouns *nouns
	// said holds the sentences of all lines.
	said map[string]bool
	end  time.Duration
}

func (r *scriptReader) line(text string) (placedAct, error) {
	when, text, ok := strings.Cut(text, ":")
	at, err := time.ParseDuration(strings.TrimPrefix(strings.TrimSpace(when), "t+"))
	if !ok || err != nil || at < 0 {
		return placedAct{}, fmt.Errorf("found %q, want a time of the run, a colon and a sentence, as \"1h: ZooKeeper goes down for 10m\"", strings.TrimSpace(when))
	}
	if at > r.end {
		return placedAct{}, fmt.Errorf("found %v, want a time before the end of the run at %v", at, r.end)
	}
	st := &step{text: strings.TrimSpace(text)}
	if err := r.read(st); err != nil {
		return placedAct{}, err
	}
	if at == r.end && st.said.kind != anAssertion {
		return placedAct{}, fmt.Errorf("found %v, want a time before the end of the run at %v: nothing comes of %q then", at, r.end, st.text)
	}
	act := placedAct{said: st.said, Act: runners.Act{At: at, Until: at, Text: st.text, Do: func(c runners.Cluster) error {
		r.world.cluster = c
		r.world.say(st.text)
		return st.said.act(r.world, st)
	}}}
	if st.said.kind == anAssertion {
		if wait, err := time.ParseDuration(st.args[1].String()); err == nil {
			act.Until += wait
		}
	}
	if act.Until > r.end {
		return placedAct{}, fmt.Errorf("found %q, which waits until %v, want an end before that of the run at %v", st.text, act.Until, r.end)
	}
	return act, nil
}

// read finds the sentence of a step. It has to be one that a script may use with this cluster.
func (r *scriptReader) read(st *step) error {
	found := r.known.match(st.text)
	if len(found) != 1 {
		return errors.New(r.known.unknown(st.text))
	}
	st.said = found[0]
	switch {
	case st.said.kind == aShape, st.said.kind == aQuestion, st.said.kind == aFinding:
		return fmt.Errorf("found %q, want something that is done to a cluster that runs, or seen of it", st.text)
	case st.said.kind == anAction && st.said.waits != "":
		return fmt.Errorf("found %q, want no time to pass but by the times of the script", st.text)
	}
	var err error
	if st.args, err = st.said.arguments(st.text); err != nil {
		return err
	}
	if err := st.said.possible(r.world, st); err != nil {
		return err
	}
	if err := st.said.peopled(&r.world.spec, st); err != nil {
		return err
	}
	if err := r.nouns.check(st.said, st.text); err != nil {
		return err
	}
	return r.effective(st)
}

// act does what a step says without letting time pass. A condition with a duration begins now and
// ends by itself later.
func (s *Sentence) act(w *World, st *step) error {
	if s.kind != aCondition {
		return st.run(w)
	}
	last := len(st.args) - 1
	l := s.call(w, st.args[:last]).(lasting)
	if duration := st.args[last].String(); duration != "" {
		return w.outcome(l.sets(duration))
	}
	return w.outcome(l.begin())
}

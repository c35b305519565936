package steps

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/runners"
)

// ScriptLine is a line of a script, such as "1h: ZooKeeper goes down for 10m". Text holds a time of
// the run and a sentence. Where says, for messages, where the line stands: a command-line flag, or
// file:line.
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

// ReadScript parses a script for clusters that runner builds from spec, in runs that last until
// end. It returns the acts in order of time. A script has actions, faults and assertions. A fault
// with "for 10m" ends by itself and lets no time pass. The error joins an [*InputError] for every
// wrong line.
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
	var waits *placedAct // of the acts so far, the one that waits longest
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
	act := placedAct{said: st.said, Act: runners.Act{At: at, Until: at, Text: st.text, Checks: st.said.kind == anAssertion, Do: func(c runners.Cluster) error {
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

// effective returns an error for a line of a script that changes nothing, or whose assertion always
// holds. In a scenario such steps are allowed, because they are often what it is about.
func (r *scriptReader) effective(st *step) error {
	s := st.said
	if s.text == "the training starts" || s.text == "the cluster starts" {
		return fmt.Errorf("found %q, want a line about a run that has started: the script begins then", st.text)
	}
	if err := s.hasZero(st.text); err != nil {
		return err
	}
	if said := s.places(st.text); s.fault != "" && len(said) == 2 && said[0] == said[1] {
		return fmt.Errorf("places: found %s twice, want two that are apart", said[0])
	}
	if t := r.world.spec.Training; t != nil {
		return s.hitsJob(st.text, t, r.said)
	}
	return nil
}

// hasZero returns an error if a sentence about a fault gives a time of 0s or a number of 0, because
// such a fault has no effect.
func (s *Sentence) hasZero(text string) error {
	if s.fault == "" {
		return nil
	}
	for _, u := range s.nounsOf(text) {
		n, err := strconv.Atoi(u.text)
		d, failed := time.ParseDuration(u.text)
		// A delay of 0s is allowed for network.slow: there is no other way to make the network as
		// fast as before.
		isTime := u.word == "duration" && s.fault != "network.slow" && failed == nil && d == 0
		if isTime || u.word == "n" && !u.isVersion() && err == nil && n == 0 {
			return fmt.Errorf("found %s in %q, want more than 0: it has no effect", u.text, text)
		}
	}
	if d, ok := s.length(text); ok && d == 0 {
		return fmt.Errorf("found %q, want a time above 0, or none for a fault that does not end by itself", text)
	}
	return nil
}

// length returns the duration at the end of a sentence about a fault, such as "for 10m". ok is
// false if the sentence has none.
func (s *Sentence) length(text string) (d time.Duration, ok bool) {
	if s.kind != aCondition && s.kind != anOnset {
		return 0, false
	}
	groups := s.expr.FindStringSubmatch(text)
	d, err := time.ParseDuration(groups[len(groups)-1])
	return d, err == nil
}

// aboutJob lists sentences that need a part of a training job. If the job lacks the part, the
// sentences are always true or always false.
var aboutJob = []struct {
	pattern *regexp.Regexp
	has     func(t *runners.TrainingSpec) bool
	want    string
}{
	{regexp.MustCompile(`evaluat(?:ed|ion)`), func(t *runners.TrainingSpec) bool { return t.Evaluator }, "the evaluator: found none, want a job with one (evaluator: true)"},
	{regexp.MustCompile(`^the application was reported `), func(t *runners.TrainingSpec) bool { return t.ApplicationMaster }, "the application master: found none, want a training job with one (application_master: true)"},
	{regexp.MustCompile(`^discovery `), func(t *runners.TrainingSpec) bool { return !t.IsPlaced() }, "discovery: found no register, want a training job whose processes register themselves (discovery: zookeeper or consul)"},
	{regexp.MustCompile(`parameter sync|pushed its parameters|parameters of|updates of`), func(t *runners.TrainingSpec) bool { return t.ParameterSync }, "the parameter sync: found none, want a training job with it (parameter_sync: true)"},
	{regexp.MustCompile(`export(?:\(s\))? of {model}`), func(t *runners.TrainingSpec) bool { return t.ExportDir != "" }, "exports: found none, want a training job that exports (export_dir)"},
}

// Roles of the processes of a training job. The chief is a worker.
const (
	worker    = "worker"
	ps        = "ps"
	evaluator = "evaluator"
)

// roles maps sentences to the only role whose processes do what the sentence says.
var roles = map[string]string{
	"{trainer} has tried again {n} time(s)":                worker,
	"{trainer} has come to the barrier {text} {n} time(s)": worker,
	"{trainer} was reported as not healthy {n} time(s)":    ps,
	"{trainer} has pushed its parameters to {servers}":     ps,
	"the parameter sync of {trainer} goes on":              ps,
}

// hitsJob returns an error for a line about something that a training job does not have.
func (s *Sentence) hitsJob(text string, t *runners.TrainingSpec, said map[string]bool) error {
	for _, part := range aboutJob {
		if s.kind == anAssertion && part.pattern.MatchString(s.text) && !part.has(t) {
			return errors.New(part.want)
		}
	}
	name := ""
	for _, u := range s.nounsOf(text) {
		if u.word == "trainer" {
			name = u.text
		}
	}
	role := strings.TrimRight(name, "0123456789")
	if role == "chief" {
		role = worker
	}
	if want := roles[s.text]; want != "" && role != want {
		return fmt.Errorf("process of the training job: found %s, want one of role %s: others never do this", name, want)
	}
	usesZooKeeper := (t.Discovery == "" || t.Discovery == "zookeeper") && role != evaluator || t.ParameterSync && role == ps
	switch s.fault {
	case "trainer.application-master":
		if !t.ApplicationMaster {
			return &NobodyError{"the application master: found none, want a training job with one (application_master: true)"}
		}
	case "trainer.disconnected", "trainer.expired-session":
		if !usesZooKeeper {
			return &NobodyError{fmt.Sprintf("process of the training job: found %s, want one that uses ZooKeeper", name)}
		}
	case "trainer.refused", "trainer.unreachable", "consul.blacklisted":
		if role == evaluator {
			return &NobodyError{fmt.Sprintf("process of the training job: found %s, want another: it only reads files", name)}
		}
	case "trainer.memory":
		if t.PSMemoryLimit == 0 {
			return &NobodyError{"the memory of PS: found no limit, want a job with one (ps_memory_limit), beyond which a PS is not healthy"}
		}
	}
	switch {
	case strings.HasPrefix(s.text, "the operator's call ") && !said["the operator begins to call {method}"]:
		return errors.New("the operator's call: found none, want a line in which the operator begins to call a method")
	case strings.HasPrefix(s.text, "arrival {n} ") && !said["worker {n} of {n} arrives at the PS barrier {name} for {duration}"]:
		return errors.New("arrival: found none, want a line in which a worker arrives at the PS barrier")
	}
	return nil
}

// ongoing is a fault that lasts until it is ended, or for a time.
type ongoing struct {
	kind  *runners.FaultKind
	names map[string]string
	at    time.Duration
	until time.Duration // time at which the fault ends by itself; 0 if it does not
}

func (o *ongoing) lasts(now time.Duration) bool { return o.until == 0 || o.until > now }

// endings checks the lines of a script, in the order of time, that end a fault.
type endings struct {
	kinds []runners.FaultKind
	begun []ongoing
}

// take returns an error if an act ends a fault that is not in effect at that time, or begins a
// fault that is in effect already.
func (e *endings) take(a *placedAct) error {
	i := slices.IndexFunc(e.kinds, func(k runners.FaultKind) bool { return k.Name == a.said.fault })
	if a.said.fault == "" || i < 0 {
		return nil
	}
	k, names := &e.kinds[i], map[string]string{}
	for _, u := range a.said.nounsOf(a.Text) {
		names[u.word] = u.text
	}
	if a.said.text != k.Ends {
		if i := slices.IndexFunc(e.begun, func(o ongoing) bool {
			return k.Ends != "" && o.lasts(a.At) && o.kind == k && maps.Equal(o.names, names)
		}); i >= 0 {
			return fmt.Errorf("found %q at %v, want it once that of %v has ended", a.Text, a.At, e.begun[i].at)
		}
		now := ongoing{kind: k, names: names, at: a.At}
		if d, ok := a.said.length(a.Text); ok {
			now.until = a.At + d
		}
		e.begun = append(e.begun, now)
		return nil
	}
	lasts := slices.IndexFunc(e.begun, func(o ongoing) bool { return o.lasts(a.At) && o.endedBy(k, names) })
	if lasts < 0 {
		return fmt.Errorf("found %q at %v, want a line before it with what it ends, as %q, that lasts until then", a.Text, a.At, cmp.Or(k.Onset, k.Begins))
	}
	if !slices.Contains(wordsOf(k.Ends), "places") { // a sentence with places may end the fault at only some of them
		e.begun = slices.Delete(e.begun, lasts, lasts+1)
	}
	return nil
}

// endedBy reports whether a sentence that ends faults of kind k ends this fault. A fault without a
// sentence for its own end is also ended by a sentence for another kind of fault, if that kind has
// the same topic and the sentence names the same part.
func (o *ongoing) endedBy(k *runners.FaultKind, names map[string]string) bool {
	if o.kind.Name != k.Name && (o.kind.Ends != "" || o.kind.Topic() != k.Topic()) {
		return false
	}
	for word, name := range names { //lint:ordered all have to be the same
		if said, ok := o.names[word]; ok && said != name && word != "places" {
			return false
		}
	}
	return true
}

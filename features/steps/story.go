package steps

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/features/steps/drawn"
	"github.com/monosim/monosim/runners"
)

// Line is one step of a story: a sentence with its arguments. A story is a list of lines, which can
// be drawn at random, changed, run, and written as a scenario.
type Line struct {
	Text string
	// Refusable lets a story go on if the cluster cannot do what the line says, such as killing a
	// process that does not run.
	Refusable bool
	said      *Sentence
	// args are the sentence's arguments, parsed from the text read. If Text differs from read, they
	// are parsed again.
	args []reflect.Value
	read string
}

// Keyword says where the line belongs in a scenario: Given, When or Then.
func (l Line) Keyword() string { return l.said.keyword }

// Template returns the line's sentence with its placeholders, such as "{duration} pass(es)".
func (l Line) Template() string { return l.said.text }

// Book makes and runs stories for one runner. It is safe for concurrent use.
type Book struct {
	runner runners.Runner
	known  vocabulary
	// said caches, by template, the sentence and the number of placeholders (a filled). plain
	// caches, by template, the line of each template that has no placeholder.
	said, plain sync.Map
}

// NewBook makes a Book with all sentences that scenarios for the runner may use.
func NewBook(runner runners.Runner) *Book {
	return &Book{runner: runner, known: newVocabulary(runner.Faults())}
}

// Line makes a line from a text, which has to match exactly one sentence.
func (b *Book) Line(text string) (Line, error) {
	found := b.known.match(text)
	if len(found) != 1 {
		return Line{}, errors.New(b.known.unknown(text))
	}
	l := Line{Text: text, said: found[0]}
	if args, err := l.said.arguments(text); err == nil { // an error of the arguments is reported by Tell
		l.args, l.read = args, text
	}
	return l, nil
}

// Fill makes a line from a sentence's readable form, in which some placeholders may be filled
// already. texts holds a text for each {word} that is left, in order.
func (b *Book) Fill(template string, texts ...string) (Line, error) {
	if len(texts) > 0 {
		return b.fill(template, texts)
	}
	if l, ok := b.plain.Load(template); ok {
		return l.(Line), nil
	}
	l, err := b.fill(template, nil)
	if err == nil {
		b.plain.Store(template, l)
	}
	return l, err
}

func (b *Book) fill(template string, texts []string) (Line, error) {
	known, _ := b.said.Load(template)
	s, ok := known.(filled)
	if !ok {
		s.words = len(wordsOf(template))
	}
	if s.words != len(texts) {
		return Line{}, fmt.Errorf("sentence %q: found %d words, want %d", template, len(texts), s.words)
	}
	text := fill(template, texts)
	if ok && s.sentence.expr.MatchString(text) {
		return Line{Text: text, said: s.sentence}, nil
	}
	l, err := b.Line(text)
	if err == nil {
		b.said.Store(template, filled{l.said, s.words})
	}
	return l, err
}

// filled is what is known of a template: the sentence of its lines, and how many placeholders it has.
type filled struct {
	sentence *Sentence
	words    int
}

// fill puts texts in the places of placeholders, and chooses singular or plural forms to match.
func fill(template string, texts []string) string {
	last := ""
	return token.ReplaceAllStringFunc(template, func(part string) string {
		m := token.FindStringSubmatch(part)
		_, err := strconv.Atoi(last)
		many := strings.ContainsAny(last, ",") || strings.Contains(last, " and ")
		switch {
		case m[1] != "":
			last, texts = texts[0], texts[1:]
			return last
		case m[2] == "s" && (err == nil && last != "1" || err != nil && !many):
			return m[2] // plural noun after a number, or verb with one subject
		case m[2] != "" || strings.HasPrefix(part, "("):
			return ""
		}
		one, several, _ := strings.Cut(part, "/")
		if many {
			return several
		}
		return one
	})
}

// Draw makes a line from a template, with random texts from a cast for its placeholders. ok is
// false if the cast has nothing for one of them.
func (b *Book) Draw(template string, c *drawn.Cast, d *drawn.Dial) (l Line, ok bool) {
	c = namedIn(template, b.known.only(template), c)
	names := wordsOf(template)
	texts := make([]string, len(names))
	model := ""
	for i, name := range names {
		of := words[name].drawn
		if of.Draw == nil {
			return l, false
		}
		if texts[i] = of.Draw(c, d, texts[:i]); texts[i] == "" {
			return l, false
		}
		if name == "model" {
			model = texts[i]
		}
	}
	if before, _, versioned := strings.Cut(template, "version {n}"); versioned && model != "" {
		if strings.Contains(template, "export") || strings.Contains(template, "received") {
			c.Newest[model]++
		}
		texts[len(wordsOf(before))] = strconv.FormatInt(max(c.Newest[model], 1), 10)
	}
	l, err := b.Fill(template, texts...)
	return l, err == nil
}

// namedIn returns the cast for a text. In a text about a stored file, the cast's paths are files of
// the training job. In other texts they are directories. only is the role of the processes that the
// text can name, "" for any.
func namedIn(text, only string, c *drawn.Cast) *drawn.Cast {
	stored := strings.HasPrefix(text, "the stored file ")
	if !stored && only == "" {
		return c
	}
	other := *c
	if stored {
		other.Paths = c.Files
	}
	other.Trainers = lists.Filter(c.Trainers, func(name string) bool { return strings.HasPrefix(name, only) })
	return &other
}

// only returns the role of the processes that a template of a fault can name, "" for any.
func (v vocabulary) only(template string) string {
	if !strings.Contains(template, "{trainer}") {
		return ""
	}
	for _, s := range v {
		if s.only != "" && strings.HasPrefix(template, s.text) {
			return s.only
		}
	}
	return ""
}

// Plainer lists variants of a line in which one name or value is plainer.
func (b *Book) Plainer(l Line, c *drawn.Cast) (list []Line) {
	c = namedIn(l.Text, l.said.only, c)
	for _, u := range l.said.nounsOf(l.Text) {
		of := words[u.word].drawn
		if of.Plainer == nil || u.begin < 0 || u.isVersion() {
			continue
		}
		for _, text := range of.Plainer(c, u.text) {
			plain := l
			plain.Text = l.Text[:u.begin] + text + l.Text[u.end:]
			if l.said.expr.MatchString(plain.Text) {
				list = append(list, plain)
			}
		}
	}
	return list
}

// Cast returns the names that stories in a cluster of this shape may use.
func (b *Book) Cast(shapes []Line) (*drawn.Cast, error) {
	w, err := b.shaped(shapes)
	if err != nil {
		return nil, err
	}
	c := &drawn.Cast{Newest: map[string]int64{}}
	for _, p := range w.spec.Pods() {
		c.Pods = append(c.Pods, p.Name)
		if !slices.Contains(c.IDCs, p.Location.IDC) {
			c.IDCs = append(c.IDCs, p.Location.IDC)
		}
		for _, kind := range w.serverKinds() {
			c.Servers = append(c.Servers, "the "+kind+" server of "+p.Name)
		}
	}
	for _, m := range w.models {
		for _, g := range m.SubGraphs {
			name := m.Name + ":" + g.Name
			c.Models, c.Newest[name] = append(c.Models, name), slices.Max(g.Versions)
		}
	}
	if len(w.models) > 0 {
		c.Paths = append(c.Paths, strings.TrimSuffix(modelRoot, "/"))
	}
	if layout := w.conf.get("layout_pattern"); layout != "" {
		c.Layouts = append(c.Layouts, layout)
	}
	if t := w.spec.Training; t != nil {
		dir := t.WithDefaults().ModelDir
		c.Trainers = t.TrainerNames()
		c.Paths = append(c.Paths, dir)
		c.Files = []string{dir + "/checkpoint", dir + "/monolith_checkpoint"}
	}
	return c, nil
}

// Used returns those kinds of faults that can have an effect: some part of a cluster of this shape
// uses the server that they hit.
func (b *Book) Used(shapes []Line, kinds []runners.FaultKind) ([]runners.FaultKind, error) {
	w, err := b.shaped(shapes)
	if err != nil {
		return nil, err
	}
	return lists.Filter(kinds, func(k runners.FaultKind) bool { return checkServers(&w.spec, k.Name) == nil }), nil
}

// serverKinds lists the kinds of model servers that a pod has, in the words of sentences.
func (w *World) serverKinds() []string {
	switch deploy := w.conf.get("deploy_type"); {
	case w.conf.get("agent_version") != "1":
		return []string{"model"}
	case deploy == "dense" || deploy == "ps" || deploy == "entry":
		return []string{deploy}
	case w.conf.get("dense_alone") == "true":
		return []string{"ps", "dense", "entry"}
	}
	return []string{"ps", "entry"}
}

// possible returns an error if a line cannot work in the cluster. Shapes change the cluster in w.
func (b *Book) possible(w *World, l Line) error {
	args, err := l.said.arguments(l.Text)
	if err != nil {
		return err
	}
	return l.said.possible(w, &step{text: l.Text, said: l.said, args: args})
}

// shaped returns a world with the cluster that the shapes among the lines describe.
func (b *Book) shaped(lines []Line) (*World, error) {
	w := &World{runner: b.runner}
	for _, l := range lines {
		if err := b.possible(w, l); err != nil {
			return nil, fmt.Errorf("%s: %w", l.Text, err)
		}
	}
	return w, nil
}

// Check returns an error if a story could not be a scenario, for example because it names a pod
// that its cluster does not have.
func (b *Book) Check(lines []Line) error {
	w, err := b.shaped(lines)
	if err != nil {
		return err
	}
	known := nounsOf(w)
	for _, l := range lines {
		err := l.said.peopled(&w.spec, &step{text: l.Text, said: l.said})
		if err == nil {
			err = known.check(l.said, l.Text)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", l.Text, err)
		}
		known.take(l.said, l.Text)
	}
	return nil
}

// Scenario is a scenario of a file, as the lines of a story.
type Scenario struct {
	Name  string
	Lines []Line
}

// Stories returns the scenarios that a suite selects, with each row of an outline as one. Its
// errors are those of Suite.Run.
func (b *Book) Stories(s *Suite) (list []Scenario, err error) {
	found, err := s.plan()
	for _, sc := range found {
		for _, c := range sc.cases {
			story := Scenario{Name: c.name}
			for _, st := range c.steps {
				story.Lines = append(story.Lines, Line{Text: st.text, said: st.said})
			}
			list = append(list, story)
		}
	}
	return list, err
}

// Telling holds the options of one run of a story.
type Telling struct {
	Seed   uint64
	Quirks string
	// Chance and Choices say how random choices are made, as in runners.Spec.
	Chance  runners.Chance
	Choices []runners.Choice
	NoLeaps bool
	Detail  bool
}

// Told is the result of one run of a story.
type Told struct {
	Result
	// Refused lists the lines that the cluster could not do, by index.
	Refused []int
	// Tape holds the random choices that differ from their default, if Telling.Chance asks for
	// them. TapeAt holds the time of each choice in Tape, if the cluster records times.
	Tape   []runners.Choice
	TapeAt []time.Duration
}

// Tell runs a story, up to the first line that fails.
func (b *Book) Tell(name string, lines []Line, how Telling) *Told {
	c := scenarioCase{name: name, steps: make([]step, len(lines))}
	for i, l := range lines {
		args := l.args
		if l.read != l.Text {
			var err error
			if args, err = l.said.arguments(l.Text); err != nil {
				return &Told{Result: Result{Name: name, Seed: how.Seed, Status: Failed, Err: err}}
			}
		}
		c.steps[i] = step{keyword: l.said.keyword, keywordAsWritten: l.said.keyword + " ", text: l.Text, line: i + 1, said: l.said, args: args}
	}
	s := &Suite{Runner: b.runner, Quirks: how.Quirks, NoLeaps: how.NoLeaps}
	x := s.begin(job{scenario: &scenario{feature: "Stories", name: name}, which: &c, seed: how.Seed}, func(spec *runners.Spec) {
		spec.Choices = append(spec.Choices, how.Choices...)
		spec.Chance = max(spec.Chance, how.Chance)
		spec.Detail = spec.Detail || how.Detail
	})
	defer x.world.close()
	t := &Told{}
	goesOn := true
	for i := range c.steps {
		if !goesOn || !lines[i].Refusable {
			goesOn = x.step(&c.steps[i], goesOn) && goesOn
			continue
		}
		if x.tries(&c.steps[i]) {
			t.Refused = append(t.Refused, i)
		}
		goesOn = x.result.Steps[i].Status == Passed
	}
	x.result.finish(x.world)
	t.Result = x.result
	if how.Detail && x.world.cluster != nil {
		t.Log = x.world.cluster.Log()
	}
	if taped, ok := x.world.cluster.(runners.Taped); ok {
		tape, at := taped.Tape()
		t.Tape, t.TapeAt = slices.Clone(tape), slices.Clone(at)
	}
	return t
}

// tries runs a step that the cluster may refuse. It reports whether the cluster refused it.
func (x *execution) tries(source *step) (refused bool) {
	x.step(source, true)
	st := &x.result.Steps[len(x.result.Steps)-1]
	if st.Status == Passed || x.world.cluster == nil || x.world.outcome(nil) != nil {
		return false
	}
	st.Status, st.Err = Passed, nil
	x.result.Unable = nil
	return true
}

// Failed returns the index of the line that failed, and a short name for the failure: the id of an
// invariant, "panic" if the run itself failed, or the assertion that did not hold. what is "" if
// the cluster merely could not do the line. line is -1 if the story passed.
func (t *Told) Failed() (line int, what string) {
	for i, st := range t.Steps {
		if st.Status != Failed {
			continue
		}
		var broken runners.Broken
		switch {
		case errors.As(st.Err, &broken):
			return i, broken.Invariant
		case t.Err != nil || strings.HasPrefix(st.Err.Error(), "panic:"):
			return i, "panic"
		case st.Keyword != "Then":
			return i, ""
		}
		return i, prefixWords.ReplaceAllString(st.Text, "")
	}
	if t.Err != nil {
		return len(t.Steps) - 1, "panic"
	}
	return -1, ""
}

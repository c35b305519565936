package catalogue

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/engine/pysem"
)

// A template is a value in which some parts are still to be drawn at random. It is a draw, an
// [object], a list of templates, steps, or a plain value.

// draw is a template in the form of a function. It returns a random value, which may itself be a
// template.
type draw = func(d *draws) any

// object is the template of an object: names and templates by turns. A name may be followed by
//
//	?     the field is optional, and present one time in two
//	?3    present one time in three
//	!3    missing one time in three
//
// and then by a remark in parentheses, which explains the value.
type object []any

// absent in the place of a template leaves an optional field out.
type absent struct{}

// given returns template if wanted is true, and otherwise absent.
func given(wanted bool, template any) any {
	if wanted {
		return template
	}
	return absent{}
}

// key is the name of a field in an object's template, with the marks that follow it.
type key struct {
	Field
	times   int // the field is present (or absent, if missing is set) in one of this many cases
	missing bool
}

func keyOf(text string) key {
	name, remark, _ := strings.Cut(text, " (")
	k := key{Field: Field{Name: name, Remark: strings.TrimSuffix(remark, ")")}}
	at := strings.IndexAny(name, "?!")
	if at < 0 {
		return k
	}
	k.Name, k.Optional, k.missing, k.times = name[:at], true, name[at] == '!', 2
	if n, err := strconv.Atoi(name[at+1:]); err == nil {
		k.times = n
	}
	return k
}

// fields returns the fields of the object.
func (o object) fields() []Field {
	var fields []Field
	for i := 0; i < len(o); i += 2 {
		fields = append(fields, keyOf(o[i].(string)).Field)
	}
	return fields
}

// only returns a new object that has just the fields with these names.
func (o object) only(names ...string) object {
	var kept object
	for i := 0; i < len(o); i += 2 {
		if slices.Contains(names, keyOf(o[i].(string)).Name) {
			kept = append(kept, o[i], o[i+1])
		}
	}
	return kept
}

// object draws an object.
func (d *draws) object(o object) *pysem.Dict {
	drawn := &pysem.Dict{}
	for i := 0; i < len(o); i += 2 {
		k := keyOf(o[i].(string))
		if _, none := o[i+1].(absent); none || k.Optional && d.flip(k.times) == k.missing {
			continue
		}
		drawn.Set(k.Name, d.fill(o[i+1]))
	}
	return drawn
}

// fill returns a value in which all parts of a template are drawn.
func (d *draws) fill(template any) any {
	switch t := template.(type) {
	case draw:
		return d.fill(t(d))
	case func(d *draws) object:
		return d.object(t(d))
	case func(d *draws) string:
		return t(d)
	case func(d *draws) int:
		return t(d)
	case func(d *draws) *pysem.Dict:
		return t(d)
	case func(d *draws) []any:
		return d.fill(t(d))
	case object:
		return d.object(t)
	case *pysem.Dict:
		filled := &pysem.Dict{}
		for _, item := range t.Items {
			filled.Set(item.Key, d.fill(item.Value))
		}
		return filled
	case []any:
		return lists.Map(t, d.fill)
	case step:
		return t.fill(d, false)
	case sequence:
		return t.fill(d)
	case turns:
		list := []any{}
		for _, part := range t {
			list = append(list, d.part(part)...)
		}
		return list
	}
	return template
}

// oneOf draws one of several templates. Put the plainest first, because shrinking leads to it.
func oneOf(items ...any) draw { return func(d *draws) any { return items[d.n(len(items))] } }

// from draws an integer from low to high, both included.
func from(low, high int) draw { return func(d *draws) any { return low + d.n(high-low+1) } }

// sometimes draws true one time in n. mostly draws false one time in n. either draws both equally
// often.
func sometimes(n int) draw { return func(d *draws) any { return d.flip(n) } }
func mostly(n int) draw    { return func(d *draws) any { return !d.flip(n) } }
func either(d *draws) any  { return d.flip(2) }

// some draws a list whose length is from 0 to most. several draws a list whose length is from 1 to
// most.
func some(most int, item any) draw {
	return func(d *draws) any { return d.items(d.length(most), item) }
}

func several(most int, item any) draw {
	return func(d *draws) any { return d.items(1+d.n(most), item) }
}

func (d *draws) items(n int, item any) []any {
	items := []any{}
	for range n {
		items = append(items, d.fill(item))
	}
	return items
}

// list draws a list of up to most items.
func list(d *draws, most int, item func() any) []any {
	items := []any{}
	for range d.length(most) {
		items = append(items, item())
	}
	return items
}

// entries draws an object whose number of entries is from 0 to most. someEntries draws one with at
// least one entry.
func entries(most int, name, value any) draw {
	return func(d *draws) any { return d.entries(d.length(most), name, value) }
}

// seldom draws from the template odd one time in n, and otherwise from usual.
func seldom(n int, odd, usual any) draw {
	return func(d *draws) any {
		if d.flip(n) {
			return odd
		}
		return usual
	}
}

func someEntries(most int, name, value any) draw {
	return func(d *draws) any { return d.entries(1+d.n(most), name, value) }
}

func (d *draws) entries(n int, name, value any) *pysem.Dict {
	drawn := &pysem.Dict{}
	for range n {
		drawn.Set(d.fill(name).(string), d.fill(value))
	}
	return drawn
}

// nullable draws null one time in five, and otherwise from template.
func nullable(template any) draw { return seldom(5, nil, template) }

// join draws each part and joins them into one text.
func join(parts ...any) draw {
	return func(d *draws) any {
		var b strings.Builder
		for _, part := range parts {
			fmt.Fprint(&b, d.fill(part))
		}
		return b.String()
	}
}

// bytesOf draws a text and returns its bytes, which cases write as {"$hex"}.
func bytesOf(text any) draw { return func(d *draws) any { return hexBytes(d.fill(text).(string)) } }

// f64 makes a float, which cases write as {"$f64"}. text is its Python repr, such as "0.5".
func f64(text string) object { return object{"$f64", text} }

// step is the template of a step of the form [name, arguments].
type step struct {
	// names lists steps that have the same arguments. One of the names is drawn.
	names     []string
	arguments object
	// times is the weight of the step when one of several steps is drawn.
	times int
}

// do declares one or more steps with the same arguments. Their names are separated by spaces.
func do(names string, arguments ...any) step {
	split := strings.Fields(names)
	return step{names: split, arguments: arguments, times: len(split)}
}

// undrawn gives steps the weight 0. Recorded cases have such steps, but they are never drawn.
func undrawn(steps []step) []step {
	for i := range steps {
		steps[i].times = 0
	}
	return steps
}

// often makes the step n times as likely to be drawn.
func (s step) often(n int) step {
	s.times *= n
	return s
}

func (s step) fill(d *draws, short bool) []any {
	name := s.names[0]
	if len(s.names) > 1 {
		name = pick(d, s.names...)
	}
	arguments := d.object(s.arguments)
	if short && len(arguments.Items) == 0 {
		return []any{name}
	}
	return []any{name, arguments}
}

// sequence is the template of a list of steps, whose length is from least to most. If least is 0,
// there are seldom more than three steps.
type sequence struct {
	least, most int
	// short means that a step without arguments is written as [name].
	short bool
	steps []step
	// draw, when set, draws each step. If it is nil, steps are drawn by their weights.
	draw draw
}

// steps makes a sequence whose length is from least to most. Its steps are drawn from the list of,
// by their weights. Each is written as [name, arguments].
func steps(least, most int, of ...step) sequence {
	return sequence{least: least, most: most, steps: of}
}

// shortSteps declares a sequence whose length is from 0 to most. A step without arguments is
// written as [name].
func shortSteps(most int, of ...step) sequence { return sequence{most: most, short: true, steps: of} }

func (s sequence) fill(d *draws) []any {
	n := s.least
	if s.least == 0 {
		n = d.length(s.most)
	} else {
		n += d.n(s.most - s.least + 1)
	}
	list := []any{}
	for range n {
		list = append(list, s.one(d))
	}
	return list
}

// one draws one step of the sequence, with its arguments.
func (s sequence) one(d *draws) []any {
	if s.draw != nil {
		return s.draw(d).(step).fill(d, s.short)
	}
	return s.which(d).fill(d, s.short)
}

// which draws one of the steps, with probabilities by their weights.
func (s sequence) which(d *draws) step {
	total := 0
	for _, of := range s.steps {
		total += of.times
	}
	at := d.n(total)
	for _, of := range s.steps {
		if at -= of.times; at < 0 {
			return of
		}
	}
	panic("unreachable")
}

// drawn declares a sequence whose length is from 0 to most. The function one draws its steps in
// order, so that a step may depend on those before it. The list of holds all steps that the
// function can draw.
func drawn(most int, one draw, of ...step) sequence {
	return sequence{most: most, short: true, steps: of, draw: one}
}

// turns is the template of a list of steps, made of parts one after another. A part is a step or a
// list of steps.
type turns []any

// maybe is a part that is present one time in n.
type maybe struct {
	n    int
	part any
}

// usually is a part that is missing one time in n.
type usually struct {
	n    int
	part any
}

// part draws the steps of one part of turns. For a part that is missing it returns none.
func (d *draws) part(part any) []any {
	switch p := part.(type) {
	case maybe:
		if d.flip(p.n) {
			return d.part(p.part)
		}
		return nil
	case usually:
		if d.flip(p.n) {
			return nil
		}
		return d.part(p.part)
	case step:
		return []any{d.fill(p)}
	case absent:
		return nil
	}
	return d.fill(part).([]any)
}

// collectSteps adds the steps in a template to steps, with their arguments.
func collectSteps(template any, steps map[string][]Field) {
	switch t := template.(type) {
	case step:
		for _, name := range t.names {
			steps[name] = joinFields(steps[name], t.arguments.fields())
		}
	case sequence:
		for _, s := range t.steps {
			collectSteps(s, steps)
		}
	case turns:
		for _, part := range t {
			collectSteps(part, steps)
		}
	case maybe:
		collectSteps(t.part, steps)
	case usually:
		collectSteps(t.part, steps)
	}
}

// joinFields merges the arguments of two templates that declare the same step. It keeps only the
// first argument of each name.
func joinFields(have, more []Field) []Field {
	for _, f := range more {
		if !slices.ContainsFunc(have, func(h Field) bool { return h.Name == f.Name }) {
			have = append(have, f)
		}
	}
	return have
}

package plan

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/monosim/monosim/runners/whatif/law"
	"github.com/monosim/monosim/runners/whatif/quantity"
)

// kinds maps each type that is written with a unit to its kind of quantity.
var kinds = map[reflect.Type]quantity.Kind{
	reflect.TypeFor[Duration](): quantity.Duration, reflect.TypeFor[Bytes](): quantity.Bytes, reflect.TypeFor[ByteRate](): quantity.ByteRate,
	reflect.TypeFor[Rate](): quantity.Rate, reflect.TypeFor[Cost](): quantity.Cost, reflect.TypeFor[Fraction](): quantity.Percent,
	reflect.TypeFor[Factor](): quantity.Factor, reflect.TypeFor[Count](): quantity.Count,
}

// kindOf returns the kind of quantity of a type. It returns false for plain integers and
// texts.
func kindOf(t reflect.Type) (quantity.Kind, bool) {
	if kind, ok := kinds[t]; ok {
		return kind, true
	}
	return quantity.Number, t.Kind() == reflect.Float64
}

// text returns the duration with its unit, as plans write it.
func (d Duration) text() string { return quantity.Format(quantity.Duration, float64(d)) }

// text returns the size with its unit, as plans write it.
func (b Bytes) text() string { return quantity.Format(quantity.Bytes, float64(b)) }

// quantity parses a quantity, and reports a malformed one.
func (d *decoder) quantity(kind quantity.Kind, text, path string) (float64, bool) {
	value, err := quantity.Parse(kind, text)
	if err != nil {
		d.badQuantity(path, err)
		return 0, false
	}
	return value, true
}

func (d *decoder) badQuantity(path string, err error) {
	var q *quantity.Error
	if !errors.As(err, &q) {
		d.report(path, badLaw, "%s: %s", lastName(path), err)
		return
	}
	if q.Fault == quantity.NoUnit {
		d.report(path, missingUnit, "\"%s: %s\" needs a %s", lastName(path), q.Text, strings.SplitN(q.Error(), "needs a ", 2)[1])
		return
	}
	d.report(path, wrongUnit, "%s: %s", lastName(path), q)
}

// plain fills in a number, a boolean or a string. It returns false if the value needs no
// range check, or is already reported as a problem.
func (d *decoder) plain(v reflect.Value, n *yaml.Node, path string) bool {
	if kind, ok := kindOf(v.Type()); ok {
		if kind == quantity.Count && n.Value == "unlimited" {
			v.SetInt(-1)
			return false
		}
		value, ok := d.quantity(kind, n.Value, path)
		if !ok || kind == quantity.Count && !d.whole(n.Value, path) {
			return false
		}
		if v.Kind() == reflect.Int64 {
			if kind == quantity.Duration && !d.short(value, n.Value, path) {
				return false
			}
			if math.Abs(value) >= 1<<63 {
				d.report(path, outOfRange, "%s is too large", path)
				return false
			}
			v.SetInt(int64(value))
		} else {
			v.SetFloat(value)
		}
		return true
	}
	switch v.Kind() {
	case reflect.Int, reflect.Int64:
		i, err := strconv.ParseInt(n.Value, 10, 32)
		if err != nil {
			d.report(path, wrongUnit, "%s: found %q, a whole number expected", lastName(path), n.Value)
			return false
		}
		v.SetInt(i)
	case reflect.Uint64:
		i, err := strconv.ParseUint(n.Value, 10, 64)
		if err != nil {
			d.report(path, wrongUnit, "%s: found %q, a whole number of 0 or more expected", lastName(path), n.Value)
			return false
		}
		v.SetUint(i)
	case reflect.Bool:
		b, ok := map[string]bool{"true": true, "false": false}[n.Value]
		if !ok {
			d.report(path, wrongUnit, "%s: found %q, true or false expected", lastName(path), n.Value)
			return false
		}
		v.SetBool(b)
	case reflect.String:
		v.SetString(n.Value)
	}
	return true
}

// longest is the largest duration in a plan, so that the sum of a few durations does not
// overflow.
const longest = 36500 * day

// short reports whether a duration is at most longest. If it is longer, it adds that to the
// problems.
func (d *decoder) short(value float64, text, path string) bool {
	if math.Abs(value) <= float64(longest) {
		return true
	}
	d.report(path, outOfRange, "%s: found %s, want at most %s", lastName(path), text, longest.text())
	return false
}

// duration reads a duration.
func (d *decoder) duration(text, path string) (Duration, bool) {
	value, ok := d.quantity(quantity.Duration, text, path)
	if !ok || !d.short(value, text, path) {
		return 0, false
	}
	return Duration(value), true
}

// isWhole reports whether a number has no fraction. It returns true for a malformed number.
func isWhole(text string) bool {
	value, err := quantity.Multiple(text)
	return err != nil || math.Abs(value-math.Round(value)) <= 1e-9*math.Abs(value)
}

// whole reports whether a number has no fraction. If it has one, it adds that to the problems.
func (d *decoder) whole(text, path string) bool {
	if isWhole(text) {
		return true // a number that is malformed was reported before
	}
	d.report(path, wrongUnit, "%s: found %q, a whole number expected", lastName(path), text)
	return false
}

// ranged adds a value to the problems if its tag does not allow it: if it is outside the tag's
// range, or not among the tag's words.
func (d *decoder) ranged(v reflect.Value, n *yaml.Node, path string, tag reflect.StructTag) {
	if words := tag.Get("enum"); words != "" {
		list := strings.Split(words, "|")
		if !slices.Contains(list, n.Value) {
			d.report(path, unknownName, "%s: found %q, want %s%s", lastName(path), n.Value, strings.Join(list, ", "), Nearest(n.Value, list))
		}
		return
	}
	text := tag.Get("range")
	if text == "" || d.inRange(v, text) {
		return
	}
	d.report(path, outOfRange, "%s must be %s, got %s", path, text, n.Value)
}

// inRange reports whether a number is in a range such as ">0", ">=1x" or "0.1%..50%".
func (d *decoder) inRange(v reflect.Value, text string) bool {
	kind, _ := kindOf(v.Type())
	bound := func(text string) float64 {
		b, err := quantity.Parse(kind, text)
		if err != nil {
			b, err = quantity.Parse(quantity.Number, text) // 0 needs no unit
		}
		if err != nil {
			panic(fmt.Sprintf("plan: range %q: %v", text, err))
		}
		return b
	}
	x := 0.0
	if v.CanInt() {
		x = float64(v.Int())
	} else {
		x = v.Float()
	}
	if low, high, ok := strings.Cut(text, ".."); ok {
		return x >= bound(low) && x <= bound(high)
	}
	if rest, ok := strings.CutPrefix(text, ">="); ok {
		return x >= bound(rest)
	}
	return x > bound(strings.TrimPrefix(text, ">"))
}

func (l *TimeLaw) decodeText(d *decoder, text, path string)   { l.Law = d.law(law.Times, text, path) }
func (l *NumberLaw) decodeText(d *decoder, text, path string) { l.Law = d.law(law.Numbers, text, path) }
func (l *delayLaw) decodeText(d *decoder, text, path string)  { l.Law = d.law(law.Delays, text, path) }
func (l *noiseLaw) decodeText(d *decoder, text, path string)  { l.Law = d.law(law.Noise, text, path) }

// mostItems is the largest number that a distribution of numbers may name, such as its mean.
const mostItems = 1e9

// law reads a distribution.
func (d *decoder) law(dim law.Dimension, text, path string) law.Law {
	if openCall(text) {
		d.report(path, unquotedLaw, "distribution with a comma inside { }: %q is cut; write the whole in quotes", text)
		return law.Law{}
	}
	l, err := law.Parse(dim, text, d.read)
	var q *quantity.Error
	switch {
	case err == nil:
	case errors.As(err, &q):
		d.badQuantity(path, err)
	case errors.Is(err, law.ErrForm):
		d.report(path, badLaw, "%s: %s", lastName(path), err)
	default:
		d.report(path, fileError, "%s: %s", text, err)
	}
	if most := (map[law.Dimension]float64{law.Times: float64(longest), law.Delays: float64(longest), law.Numbers: mostItems})[dim]; most > 0 && max(l.Mean, l.PerItem, l.High, l.Last()) > most {
		d.report(path, outOfRange, "%s: found a mean of %s, want at most %s", lastName(path), text, map[law.Dimension]string{law.Times: longest.text(), law.Delays: longest.text(), law.Numbers: "1G"}[dim])
		return law.Law{}
	}
	return l
}

// clock parses "21:00", "21:00:30" or a duration.
func (d *decoder) clock(text, path string) Duration {
	parts := strings.Split(text, ":")
	if len(parts) == 1 {
		v, _ := d.duration(text, path)
		return v
	}
	seconds := int64(0)
	for i, p := range parts {
		n, err := strconv.ParseUint(p, 10, 31)
		if err != nil || len(p) != 2 || i > 0 && n > 59 || len(parts) > 3 {
			d.report(path, wrongUnit, "%s: found %q, a clock time as \"21:00\" or a duration expected", lastName(path), text)
			return 0
		}
		seconds = seconds*60 + int64(n)
	}
	if len(parts) == 2 {
		seconds *= 60
	}
	return Duration(seconds * 1e9)
}

func (c *Clock) decodeText(d *decoder, text, path string) { *c = Clock(d.clock(text, path)) }

func (t *Target) decodeText(d *decoder, text, path string) {
	kind := quantity.Count
	switch {
	case strings.HasSuffix(text, "%"):
		kind = quantity.Percent
	case strings.HasSuffix(text, "/s"):
		kind = quantity.Rate
	}
	v, ok := d.quantity(kind, text, path)
	if ok && kind == quantity.Count {
		v, _ = quantity.Multiple(text) // the target is a mean number of waiting calls, so it may have a fraction
	}
	if ok && v <= 0 {
		d.report(path, outOfRange, "%s must be above 0, got %s", path, text)
	}
	if ok {
		if d.targets == nil {
			d.targets = map[string]quantity.Kind{}
		}
		d.targets[path] = kind
	}
	*t = Target(v)
}

func (s *starts) decodeText(d *decoder, text, path string) {
	switch text {
	case "boot":
		return
	case "together":
		s.Together = true
		return
	}
	if spread, err := quantity.Parse(quantity.Duration, text); err == nil {
		switch {
		case spread < 0:
			d.report(path, outOfRange, "%s must be >=0, got %s", path, text)
		case spread == 0:
			s.Together = true
		case d.short(spread, text, path):
			s.Law = law.Between(0, spread)
		}
		return
	}
	s.Law = d.law(law.Times, text, path)
}

func (s *Shards) decodeText(d *decoder, text, path string) {
	if text == "all" {
		*s = 0
		return
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		d.report(path, wrongUnit, "%s: found %q, all or a number of shards expected", lastName(path), text)
	}
	*s = Shards(n)
}

func (t *Thin) decodeText(d *decoder, text, path string) {
	switch text {
	case "off":
		t.K = 1
		return
	case "auto":
		t.K = 0
		return
	}
	k, err := strconv.Atoi(text)
	if err != nil || k < 1 {
		d.report(path, wrongUnit, "%s: found %q, off, auto or a number of 1 or more expected", lastName(path), text)
		k = 1
	}
	t.K = k
}

func (h *HedgeAfter) decodeText(d *decoder, text, path string) {
	digits, quantile := strings.CutPrefix(text, "p")
	switch {
	case text == "off":
	case quantile:
		q, err := strconv.ParseUint(digits, 10, 16)
		if err != nil || len(digits) < 2 || len(digits) > 4 || digits < "50" {
			d.report(path, unknownName, "%s: found %q, want off, a duration, or a quantile from p50 to p9999", lastName(path), text)
			return
		}
		h.Quantile = float64(q) / math.Pow10(len(digits))
	default:
		v, ok := d.duration(text, path)
		if ok && v <= 0 {
			d.report(path, outOfRange, "%s must be above 0, got %s", path, text)
		}
		h.After = v
	}
}

func (b *Balance) decodeText(d *decoder, text, path string) {
	b.Inner = text
	if call, ok := quantity.ParseCall(text); ok && call.Name == "idc_aware" && len(call.Args) == 1 {
		b.Inner, b.IDCAware = call.Args[0], true
	}
	list := []string{"random", "round_robin", "least_loaded", "p2c"}
	if b.Inner == "idc_aware" {
		b.Inner, b.IDCAware = "random", true
	}
	if !slices.Contains(list, b.Inner) {
		d.report(path, unknownName, "%s: found %q, want %s or idc_aware(one of them)%s", lastName(path), text, strings.Join(list, ", "), Nearest(b.Inner, list))
	}
}

func (p *Partial) decodeText(d *decoder, text, path string) {
	call, ok := quantity.ParseCall(text)
	if text == "fail" {
		p.MinShards = 0
		return
	}
	if ok && call.Name == "allow" {
		word, _ := call.Take("min_shards")
		n, err := strconv.Atoi(word)
		if err == nil && n >= 1 && call.Rest() == nil {
			p.MinShards = n
			return
		}
	}
	d.report(path, unknownName, "%s: found %q, want fail or allow(min_shards=n)", lastName(path), text)
}

func (l *Loop) decodeText(d *decoder, text, path string) {
	call, ok := quantity.ParseCall(text)
	if text == "open" {
		return
	}
	if !ok || call.Name != "closed" {
		d.report(path, unknownName, "%s: found %q, want open or closed(clients=n, think=1s)", lastName(path), text)
		return
	}
	word, _ := call.Take("clients")
	n, ok := d.quantity(quantity.Count, word, path)
	ok = ok && d.whole(word, path)
	if ok && (n < 1 || n > math.MaxInt32) {
		d.report(path, outOfRange, "clients of closed must be 1..%d, got %s", math.MaxInt32, word)
		n = 1
	}
	l.Clients = int(n)
	think, given := call.Take("think")
	if !given {
		think = "0s"
	}
	l.Think.Law = d.law(law.Times, strings.Trim(think, `"`), path) // within closed(...), the think time may be quoted
	if err := call.Rest(); err != nil {
		d.report(path, badLaw, "%s: %s", lastName(path), err)
	}
}

package plan

import (
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/mathext"
	"gopkg.in/yaml.v3"

	"github.com/monosim/monosim/engine/tasks"
	"github.com/monosim/monosim/runners/whatif/law"
	"github.com/monosim/monosim/runners/whatif/quantity"
)

// Uncertain is an uncertain value, written as {low, mid, high, confidence} or {mid, belief}. The
// plan itself has the value mid. A world is a copy of the plan in which each uncertain value is
// drawn from the interval or the belief.
type Uncertain struct {
	Path           string
	Low, Mid, High string
	// Confidence is the probability that the value is between Low and High.
	Confidence float64
	// Belief is a law, with mean 1, of the factor by which the value differs from Mid. It
	// replaces Low and High.
	Belief string
	law    law.Law
	whole  bool
}

// Worlds says how many worlds are drawn for the uncertain values, and in what share of them
// objectives have to hold.
type Worlds struct {
	Count    int      `plan:"count" default:"32" range:"2..10000" doc:"worlds"`
	Hold     Fraction `plan:"hold" default:"90%" range:"50%..100%" doc:"share of the worlds in which objectives have to hold"`
	Interval Fraction `plan:"interval" default:"90%" range:"50%..99.9%" doc:"middle share of the worlds that intervals over worlds have"`
}

var uncertainKeys = []string{"low", "mid", "high", "confidence", "belief"}

// isUncertain reports whether a node has the form of an uncertain value, at a place where a
// number or a law is expected.
func isUncertain(v reflect.Value, n *yaml.Node) bool {
	if n.Kind != yaml.MappingNode || !mayBeUncertain(v.Type()) {
		return false
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if slices.Contains(uncertainKeys, n.Content[i].Value) {
			return true
		}
	}
	return false
}

// mayBeUncertain reports whether values of a type may be uncertain, as numbers and laws may.
func mayBeUncertain(t reflect.Type) bool {
	switch t {
	case reflect.TypeFor[TimeLaw](), reflect.TypeFor[NumberLaw](), reflect.TypeFor[noiseLaw](), reflect.TypeFor[RateLaw]():
		return true
	case reflect.TypeFor[Clock](), reflect.TypeFor[Shards](), reflect.TypeFor[Target]():
		return false
	}
	return t.Kind() == reflect.Int || t.Kind() == reflect.Int64 || t.Kind() == reflect.Float64
}

// uncertain reads an uncertain value. Low and high must have the same form as mid.
func (d *decoder) uncertain(v reflect.Value, n *yaml.Node, path string, tag reflect.StructTag) {
	u := Uncertain{Path: path, Confidence: 0.9, whole: v.Kind() == reflect.Int || v.Type() == reflect.TypeFor[Count]()}
	before := len(d.problems)
	d.mapping(n, path, uncertainKeys, func(name string, value *yaml.Node) {
		at := join(path, name)
		if !d.scalar(value, at) {
			return
		}
		switch name {
		case "confidence":
			u.Confidence = d.confidence(value.Value, at)
			return
		case "belief":
			u.Belief, u.law = value.Value, d.law(law.Noise, value.Value, at)
			return
		}
		to := v
		if name != "mid" {
			to = reflect.New(v.Type()).Elem()
		}
		d.value(to, value, at, tag)
		*map[string]*string{"low": &u.Low, "mid": &u.Mid, "high": &u.High}[name] = quantity.Simple(value.Value)
	})
	switch given := u.Low != "" || u.High != ""; {
	case len(d.problems) > before:
		return
	case u.Mid == "":
		d.reportKey(path, requiredKey, "%s.mid is required", path)
	case u.Belief != "" && (given || d.given(join(path, "confidence"))):
		d.report(join(path, "belief"), conflict, "%s has a belief and an interval; give one of them", path)
	case u.Belief != "" && (strings.Contains(u.Mid, "hist(") || strings.Contains(u.Mid, "trace(")):
		d.report(join(path, "belief"), badLaw, "%s: a law of a file has no factor", path)
	case u.Belief == "" && (u.Low == "" || u.High == ""):
		d.reportKey(path, requiredKey, "%s needs low and high, or belief", path)
	case u.Belief == "":
		if _, err := u.between(0); err != nil {
			d.report(path, outOfRange, "%s: %s", path, err)
			return
		}
		fallthrough
	default:
		d.unsure = append(d.unsure, u)
	}
}

// confidence reads a probability, such as 0.9 or 90%.
func (d *decoder) confidence(text, path string) float64 {
	kind := quantity.Number
	if strings.HasSuffix(text, "%") {
		kind = quantity.Percent
	}
	value, ok := d.quantity(kind, text, path)
	if ok && (value < 0.5 || value > 0.9999) {
		d.report(path, outOfRange, "%s must be 50%%..99.99%%, got %s", path, text)
	}
	return value
}

// numberIn matches a quantity within a text.
var numberIn = regexp.MustCompile(`[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?(?:\s*(?:[A-Za-zµ]+/[smh]|/[smh]|[A-Za-zµ]+|%))?`)

// shapeBefore matches the name of a law's shape parameter at the end of a text. Scaling a
// law does not change its shape.
var shapeBefore = regexp.MustCompile(`\b(cv|sigma|k)\s*=\s*$`)

// replaced returns a text in which every quantity is replaced by what the function each returns for
// it. before is the text in front of the quantity.
func replaced(text string, each func(i int, before, quantity string) string) string {
	var b strings.Builder
	last := 0
	i := 0
	for _, at := range numberIn.FindAllStringIndex(text, -1) {
		if at[0] > 0 && isLetter(text[at[0]-1]) {
			continue // the digits are a part of a name, such as p99
		}
		b.WriteString(text[last:at[0]])
		b.WriteString(each(i, text[:at[0]], text[at[0]:at[1]]))
		last = at[1]
		i++
	}
	b.WriteString(text[last:])
	return b.String()
}

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' }

// quantitiesOf returns the quantities in a text.
func quantitiesOf(text string) []string {
	var list []string
	replaced(text, func(_ int, _, quantity string) string {
		list = append(list, quantity)
		return quantity
	})
	return list
}

// between returns the value that is z standard deviations from mid. The confidence determines how
// many standard deviations lie between mid and low or high. Positive values are interpolated by
// factors, others by differences. All parameters of a law use the same z.
func (u *Uncertain) between(z float64) (string, error) {
	z /= mathext.NormalQuantile((1 + u.Confidence) / 2)
	low, high := quantitiesOf(u.Low), quantitiesOf(u.High)
	hole := func(text string) string {
		return replaced(text, func(int, string, string) string { return "#" })
	}
	if h := hole(u.Mid); hole(u.Low) != h || hole(u.High) != h || h == u.Mid {
		return "", fmt.Errorf("found %q, %q and %q, want numbers, or laws of one kind with the same parameters", u.Low, u.Mid, u.High)
	}
	var err error
	text := replaced(u.Mid, func(i int, _, mid string) string {
		unit, values, ok := oneUnit(low[i], mid, high[i])
		switch {
		case !ok:
			err = fmt.Errorf("found %s, %s and %s, want quantities of one kind", low[i], mid, high[i])
		case i == 0 && !(values[0] <= values[1] && values[1] <= values[2]):
			err = fmt.Errorf("found low %s, mid %s, high %s, want them in this order", low[i], mid, high[i])
		}
		return u.write(spread(values, z), unit)
	})
	return text, err
}

// spread moves mid by z towards high, or towards low if z is negative. At z = 1 the result
// is high.
func spread(values [3]float64, z float64) float64 {
	low, mid, high := values[0], values[1], values[2]
	end, by := high, z
	if z < 0 {
		end, by = low, -z
	}
	if low > 0 && mid > 0 && high > 0 {
		return mid * math.Pow(end/mid, by)
	}
	return mid + float64((end-mid)*by)
}

// write formats a number with its unit and twelve digits. Percentages are limited to 0 to 100.
func (u *Uncertain) write(value float64, unit string) string {
	if unit == "%" {
		value = min(max(value, 0), 100)
	}
	if u.whole {
		value, unit = math.Round(value*quantity.Units(quantity.Count)[unit]), ""
	}
	twelve, err := strconv.ParseFloat(strconv.FormatFloat(value, 'g', 12, 64), 64)
	if err != nil {
		twelve = value // a number that is too large for any field is reported when the plan is read
	}
	return strconv.FormatFloat(twelve, 'f', -1, 64) + unit
}

var quantityParts = regexp.MustCompile(`^([+-]?[\d.]+(?:[eE][+-]?\d+)?)\s*(.*)$`)

// baseUnits maps each kind of quantity to the unit to which different units are converted.
var baseUnits = map[quantity.Kind]string{quantity.Duration: "ns", quantity.Bytes: "B", quantity.ByteRate: "B/s", quantity.Rate: "/s", quantity.Count: ""}

// oneUnit converts three quantities to a common unit.
func oneUnit(texts ...string) (unit string, values [3]float64, ok bool) {
	same := true
	for i, text := range texts {
		m := quantityParts.FindStringSubmatch(text)
		if m == nil {
			return "", values, false
		}
		values[i], _ = strconv.ParseFloat(m[1], 64)
		if i == 0 {
			unit = m[2]
		}
		same = same && m[2] == unit
	}
	if same {
		return unit, values, true
	}
	for kind := quantity.Count; kind <= quantity.Rate; kind++ {
		good := true
		for i, text := range texts {
			value, err := quantity.Parse(kind, text)
			values[i], good = value, good && err == nil
		}
		if good {
			return baseUnits[kind], values, true
		}
	}
	return "", values, false
}

// draw returns the value for a world: the p-quantile of an interval, or a random factor of a
// belief.
func (u *Uncertain) draw(p float64, rng *rand.Rand) string {
	if u.Belief == "" {
		text, err := u.between(mathext.NormalQuantile(p))
		if err != nil {
			panic(err) // cannot happen: the law was checked when the plan was read
		}
		return text
	}
	factor := u.law.Sample(rng, 0)
	return replaced(u.Mid, func(_ int, before, text string) string {
		if shapeBefore.MatchString(before) {
			return text
		}
		m := quantityParts.FindStringSubmatch(text)
		value, _ := strconv.ParseFloat(m[1], 64)
		return u.write(float64(value*factor), m[2])
	})
}

// DrawWorlds returns the values of the uncertain inputs for each world, in the order of
// p.Uncertain. Intervals are sampled as a Latin hypercube: each of n equally likely parts
// occurs in exactly one world. The values depend only on the seed and the paths, so all
// candidates of a search have the same worlds.
func (p *Plan) DrawWorlds() [][]Value {
	n := p.WorldsOf().Count
	worlds := make([][]Value, n)
	for i := range p.Uncertain {
		u := &p.Uncertain[i]
		h := fnv.New64a()
		h.Write([]byte(u.Path))
		rng := rand.New(rand.NewPCG(tasks.Mix(p.Seed, h.Sum64()), h.Sum64()))
		for k, part := range rng.Perm(n) {
			worlds[k] = append(worlds[k], Value{u.Path, u.draw((float64(part)+rng.Float64())/float64(n), rng)})
		}
	}
	return worlds
}

// WorldsOf returns the plan's settings for worlds, or the defaults.
func (p *Plan) WorldsOf() Worlds {
	if p.Worlds != nil {
		return *p.Worlds
	}
	return Worlds{Count: 32, Hold: 0.9, Interval: 0.9}
}

// First returns the first number in a value drawn by DrawWorlds, without its unit. A value
// has the same unit in all worlds.
func First(text string) float64 {
	for _, one := range quantitiesOf(text) {
		m := quantityParts.FindStringSubmatch(one)
		value, _ := strconv.ParseFloat(m[1], 64)
		return value
	}
	return 0
}

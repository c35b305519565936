package law

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/monosim/monosim/runners/whatif/quantity"
)

// Dimension says what the values of a law are, and thus which units they take.
type Dimension uint8

// The dimensions.
const (
	// Times are in nanoseconds.
	Times Dimension = iota
	// Numbers have no unit, like counts of items.
	Numbers
	// Noise is a factor without unit. Its mean is 1, which need not be written.
	Noise
	// Delays are times that depend on the length of the pause before. Only a Points law can
	// describe them.
	Delays
)

// Files reads a file that a law names, and returns its text.
type Files func(path string) (string, error)

// ErrForm is the error of a malformed law. Errors about units are of type *quantity.Error,
// and errors of files are returned unchanged.
var ErrForm = errors.New("bad distribution")

type formError struct{ text string }

func (e *formError) Error() string   { return e.text }
func (e *formError) Is(t error) bool { return t == ErrForm }

func badForm(format string, args ...any) error { return &formError{fmt.Sprintf(format, args...)} }

// z99 is the 99th percentile of the standard normal law.
const z99 = 2.3263478740408408

// Parse parses a law such as name(parameter=value, ...). A plain quantity is a constant.
func Parse(dim Dimension, text string, files Files) (Law, error) {
	p := parser{dim: dim, files: files}
	call, ok := quantity.ParseCall(text)
	if dim == Delays && (!ok || call.Name != string(Points)) {
		return Law{}, badForm("found %q, want points(pause=time, ...), as points(3ms=0s, 10ms=0.3ms)", text)
	}
	if !ok {
		v, err := p.value(text)
		if err == nil && v < 0 {
			err = badForm("%s is negative", text)
		}
		return Constant(v), err
	}
	p.call = call
	l, err := p.law()
	if err == nil {
		err = p.call.Rest()
		if err != nil {
			err = badForm("%s", err)
		}
	}
	if err != nil {
		return Law{}, err
	}
	l = l.prepare()
	if dim == Noise && math.Abs(l.Mean-1) > 1e-9 {
		return Law{}, badForm("noise needs the mean 1, got %g", l.Mean)
	}
	return l, nil
}

type parser struct {
	dim   Dimension
	files Files
	call  quantity.Call
}

// value parses a value with the units of the law's dimension.
func (p *parser) value(text string) (float64, error) {
	if p.dim == Times || p.dim == Delays {
		return quantity.Parse(quantity.Duration, text)
	}
	return quantity.Multiple(text)
}

// need parses a parameter that must be given and be above 0.
func (p *parser) need(name string) (float64, error) {
	text, ok := p.call.Take(name)
	if !ok && name == "mean" && p.dim == Noise {
		return 1, nil
	}
	if !ok {
		return 0, badForm("%s needs %s", p.call.Name, name)
	}
	v, err := p.plainOr(name, text)
	if err == nil && v <= 0 {
		err = badForm("%s of %s must be above 0, got %s", name, p.call.Name, text)
	}
	return v, err
}

// plainOr parses a shape parameter as a plain number, and any other parameter with its unit.
func (p *parser) plainOr(name, text string) (float64, error) {
	switch name {
	case "cv", "sigma", "k":
		return quantity.Parse(quantity.Number, text)
	}
	if p.dim != Times {
		return quantity.Parse(quantity.Number, text)
	}
	return p.value(text)
}

func (p *parser) law() (Law, error) {
	switch kind := Kind(p.call.Name); kind {
	case Det:
		return p.with1(Law{Kind: kind}, "value")
	case Exp:
		return p.with1(Law{Kind: kind}, "mean")
	case Gamma, Weibull, Erlang:
		return p.shaped(kind)
	case LogNormal:
		return p.logNormal()
	case Uniform:
		return p.uniform()
	case Affine:
		return p.affine()
	case Hist, Trace:
		return p.file(kind)
	case Points:
		return p.points()
	}
	return Law{}, badForm("unknown distribution %q, want det, exp, gamma, lognormal, uniform, weibull, erlang, hist, trace, affine or points", p.call.Name)
}

// with1 parses a law with a single parameter. It must be above 0, except for det.
func (p *parser) with1(l Law, name string) (Law, error) {
	if l.Kind == Det {
		text, ok := p.call.Take(name)
		if !ok {
			return l, badForm("det needs a value")
		}
		v, err := p.value(text)
		if err == nil && v < 0 {
			err = badForm("det(%s) is negative", text)
		}
		l.Mean = v
		return l, err
	}
	v, err := p.need(name)
	l.Mean = v
	return l, err
}

func (p *parser) shaped(kind Kind) (Law, error) {
	mean, err := p.need("mean")
	if err != nil {
		return Law{}, err
	}
	l := Law{Kind: kind, Mean: mean}
	if kind == Gamma {
		l.CV, err = p.need("cv")
		return l, err
	}
	l.Shape, err = p.need("k")
	if err == nil && kind == Erlang && l.Shape != math.Trunc(l.Shape) {
		err = badForm("k of erlang must be whole, got %g", l.Shape)
	}
	return l, err
}

// logNormal parses a log-normal law, whose spread is given by cv, p99 or sigma.
func (p *parser) logNormal() (Law, error) {
	mean, err := p.need("mean")
	if err != nil {
		return Law{}, err
	}
	l := Law{Kind: LogNormal, Mean: mean}
	given := 0
	for _, name := range []string{"cv", "p99", "sigma"} {
		if _, ok := p.call.Named[name]; !ok {
			continue
		}
		given++
		text := p.call.Named[name]
		v, err := p.need(name)
		if err != nil {
			return l, err
		}
		switch name {
		case "cv":
			l.Sigma = math.Sqrt(math.Log1p(v * v))
		case "sigma":
			l.Sigma = v
		default:
			if v <= mean {
				return l, badForm("lognormal needs mean and one of cv, p99, sigma; p99=%s is not above the mean", text)
			}
			below := z99*z99 - 2*math.Log(v/mean)
			if below < 0 {
				return l, badForm("p99=%s of lognormal is more than 14.9 times the mean, which no log-normal law has", text)
			}
			l.Sigma = z99 - math.Sqrt(below)
		}
	}
	if given != 1 {
		return l, badForm("lognormal needs mean and one of cv, p99, sigma")
	}
	return l, nil
}

func (p *parser) uniform() (Law, error) {
	var ends [2]float64
	var texts [2]string
	for i, name := range []string{"a", "b"} {
		text, ok := p.call.Take(name)
		if !ok {
			return Law{}, badForm("uniform needs two ends, as uniform(1ms, 2ms)")
		}
		v, err := p.plainOr(name, text)
		if err != nil {
			return Law{}, err
		}
		ends[i], texts[i] = v, text
	}
	if ends[0] < 0 || ends[1] <= ends[0] {
		return Law{}, badForm("uniform needs 0 <= a < b, found %s and %s", texts[0], texts[1])
	}
	return Law{Kind: Uniform, Low: ends[0], High: ends[1]}, nil
}

func (p *parser) affine() (Law, error) {
	if p.dim != Times {
		return Law{}, badForm("affine is a law of times")
	}
	l := Law{Kind: Affine}
	for _, part := range []struct {
		name string
		to   *float64
	}{{"base", &l.Mean}, {"per_item", &l.PerItem}} {
		text, ok := p.call.Take(part.name)
		if !ok {
			return l, badForm("affine needs base and per_item")
		}
		v, err := p.value(text)
		if err != nil {
			return l, err
		}
		if v < 0 {
			return l, badForm("%s of affine must be 0 or more, got %s", part.name, text)
		}
		*part.to = v
	}
	// PerItem keeps fractions of a nanosecond, because it is multiplied by the number of items.
	return l, nil
}

// file reads a trace with one value per line, or a histogram with a value and its weight per
// line.
func (p *parser) file(kind Kind) (Law, error) {
	path, ok := p.call.Take("file")
	if !ok {
		return Law{}, badForm("%s needs a file", kind)
	}
	text, err := p.files(path)
	if err != nil {
		return Law{}, err
	}
	l := Law{Kind: kind}
	for i, line := range strings.Split(text, "\n") {
		words := strings.Fields(line)
		if len(words) == 0 || strings.HasPrefix(words[0], "#") {
			continue
		}
		v, err := p.value(words[0])
		if err != nil || v < 0 {
			return l, badForm("%s:%d: found %q, want a value of 0 or more, for times with a unit", path, i+1, words[0])
		}
		l.Values = append(l.Values, v)
		if kind == Trace {
			continue
		}
		weight := 0.0
		if len(words) == 2 {
			weight, err = strconv.ParseFloat(words[1], 64)
		}
		if err != nil || !(weight > 0) {
			return l, badForm("%s:%d: found %q, want a value and a weight above 0", path, i+1, line)
		}
		l.Weights = append(l.Weights, weight)
	}
	if mean := 0.0; len(l.Values) > 0 {
		mean, _ = l.empirical()
		if mean > 0 {
			return l, nil
		}
	}
	return l, badForm("%s: found no values above 0", path)
}

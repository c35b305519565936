package plan

import (
	"math"
	"reflect"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/runners/whatif/quantity"
)

// rateForms lists the YAML forms of a rate that changes over time.
type rateForms struct {
	Diurnal   *diurnalRate `plan:"diurnal" doc:"a sine of 24 hours between trough and peak"`
	Piecewise []rateFrom   `plan:"piecewise" doc:"rates, each from its instant on"`
	Step      *stepRate    `plan:"step" doc:"one rate before an instant, another from then on"`
	Flash     *flashRate   `plan:"flash" doc:"up within ramp, at peak for hold, down within ramp"`
}

type diurnalRate struct {
	Trough Rate  `plan:"trough" required:"true" range:">0" doc:"the least rate"`
	Peak   Rate  `plan:"peak" required:"true" range:">0" doc:"the greatest rate"`
	PeakAt Clock `plan:"peak_at" default:"12h" doc:"when that is"`
}

type rateFrom struct {
	At   Clock `plan:"at" required:"true" doc:"from when on"`
	Rate Rate  `plan:"rate" required:"true" range:">0" doc:"from then on"`
}

type stepRate struct {
	Before Rate  `plan:"before" required:"true" range:">0" doc:"rate until then"`
	After  Rate  `plan:"after" required:"true" range:">0" doc:"rate from then on"`
	At     Clock `plan:"at" required:"true" doc:"from when on"`
}

type flashRate struct {
	Base Rate     `plan:"base" required:"true" range:">0" doc:"rate before and after"`
	Peak Rate     `plan:"peak" required:"true" range:">0" doc:"the greatest rate"`
	At   Clock    `plan:"at" required:"true" doc:"from when on"`
	Ramp Duration `plan:"ramp" default:"10s" range:">=0" doc:"how long it rises, and falls"`
	Hold Duration `plan:"hold" default:"5m" range:">=0" doc:"how long it is there"`
}

const (
	day = 86400 * Duration(1e9)
	// A rate that changes continuously is approximated by constant pieces: of length
	// diurnalStep, or rampSteps pieces for each ramp.
	diurnalStep = 10 * Duration(1e9)
	rampSteps   = 50
	maxDays     = 31
)

func (r *RateLaw) decodeNode(d *decoder, n *yaml.Node, path string) {
	if n.Kind == yaml.ScalarNode {
		v, ok := d.quantity(quantity.Rate, n.Value, path)
		if ok && v <= 0 {
			d.report(path, outOfRange, "%s must be >0, got %s", path, n.Value)
		}
		*r = RateLaw{Kind: "constant", Points: []RatePoint{{0, Rate(v)}}}
		return
	}
	before := len(d.problems)
	var f rateForms
	d.structure(reflect.ValueOf(&f).Elem(), n, path)
	if day := f.Diurnal; day != nil && len(d.problems) == before && day.Trough > day.Peak {
		d.reportBoth(path+".diurnal.trough", path+".diurnal.peak", outOfRange, "trough of diurnal must not be above peak")
	}
	if flash := f.Flash; flash != nil && len(d.problems) == before && flash.Base > flash.Peak {
		d.reportBoth(path+".flash.base", path+".flash.peak", outOfRange, "base of flash must not be above peak")
	}
	var kinds []string
	for _, c := range []struct {
		name string
		set  bool
		make func() []RatePoint
	}{
		{"diurnal", f.Diurnal != nil, func() []RatePoint { return f.Diurnal.points() }},
		{"piecewise", f.Piecewise != nil, func() []RatePoint { return piecewise(f.Piecewise) }},
		{"step", f.Step != nil, func() []RatePoint {
			return []RatePoint{{0, f.Step.Before}, {Duration(f.Step.At), f.Step.After}}
		}},
		{"flash", f.Flash != nil, func() []RatePoint { return f.Flash.points() }},
	} {
		if !c.set {
			continue
		}
		if kinds = append(kinds, c.name); len(d.problems) == before {
			*r = RateLaw{Kind: c.name, Points: c.make()}
			r.PeakAt = r.peakAt()
		}
	}
	if len(kinds) != 1 {
		d.report(path, conflict, "%s needs exactly one of constant, diurnal, piecewise, step, flash; found %s", path, strings.Join(append(kinds, "no other")[:max(1, len(kinds))], " and "))
		return
	}
	for i := 1; i < len(r.Points); i++ {
		if r.Points[i].At <= r.Points[i-1].At {
			d.report(path, outOfRange, "instants of %s must rise", path)
			return
		}
	}
}

func (r *RateLaw) peakAt() Duration {
	best := 0
	for i, p := range r.Points {
		if p.Rate > r.Points[best].Rate {
			best = i
		}
	}
	return r.Points[best].At
}

func (s *diurnalRate) points() []RatePoint {
	var list []RatePoint
	middle, swing := float64(s.Peak+s.Trough)/2, float64(s.Peak-s.Trough)/2
	for t := Duration(0); t < day; t += diurnalStep {
		angle := 2 * math.Pi * float64(t-Duration(s.PeakAt)) / float64(day)
		list = append(list, RatePoint{t, Rate(middle + float64(swing*math.Cos(angle)))})
	}
	return list
}

func piecewise(from []rateFrom) []RatePoint {
	list := lists.MapOrNil(from, func(f rateFrom) RatePoint { return RatePoint{Duration(f.At), f.Rate} })
	if list[0].At != 0 {
		list = append([]RatePoint{{0, list[0].Rate}}, list...)
	}
	return list
}

func (s *flashRate) points() []RatePoint {
	list := []RatePoint{{0, s.Base}}
	ramp := func(at Duration, from, to Rate) {
		if s.Ramp < rampSteps {
			list = append(list, RatePoint{at, to})
			return
		}
		for i := range Duration(rampSteps) {
			list = append(list, RatePoint{at + s.Ramp*i/rampSteps, from + (to-from)*Rate(i+1)/rampSteps})
		}
	}
	ramp(Duration(s.At), s.Base, s.Peak)
	ramp(Duration(s.At)+s.Ramp+s.Hold, s.Peak, s.Base)
	if s.At == 0 {
		list = list[1:]
	}
	return list
}

// repeat repeats a daily rate until the end of the horizon.
func (r *RateLaw) repeat(horizon Duration) {
	if r.Kind != "diurnal" {
		return
	}
	daily := r.Points
	for start := day; start < min(horizon, maxDays*day); start += day {
		for _, p := range daily {
			r.Points = append(r.Points, RatePoint{start + p.At, p.Rate})
		}
	}
}

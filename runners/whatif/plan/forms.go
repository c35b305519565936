package plan

import (
	"cmp"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/monosim/monosim/runners/whatif/places"
	"github.com/monosim/monosim/runners/whatif/quantity"
)

// Axes lists paths of a plan with the values to try. In YAML it is a mapping.
type Axes []Axis

// Sweeps lists named grids. In YAML it is a mapping from names to grids.
type Sweeps []Sweep

// skewForms lists the YAML keys of a skew.
type skewForms struct {
	Zipf   float64    `plan:"zipf" default:"0" range:">=0" doc:"exponent of the shares: of the lookups shard k has as 1/k^s, times its number of PS"`
	Shares []Fraction `plan:"shares" doc:"of the lookups, one a shard; they sum to 100 %"`
}

func (s *Skew) decodeNode(d *decoder, n *yaml.Node, path string) {
	if n.Kind == yaml.ScalarNode {
		if n.Value != "none" {
			d.report(path, unknownName, "%s: found %q, want none, {zipf: s} or {shares: [...]}", lastName(path), n.Value)
		}
		return
	}
	var form skewForms
	d.structure(reflect.ValueOf(&form).Elem(), n, path)
	s.Zipf = form.Zipf
	sum := 0.0
	for _, share := range form.Shares {
		s.Shares = append(s.Shares, float64(share))
		sum += float64(share)
	}
	if s.Shares != nil && math.Abs(sum-1) > 1e-6 {
		d.report(path+".shares", outOfRange, "%s.shares must sum to 100%%, got %s", path, quantity.Format(quantity.Percent, sum))
	}
}

// zipfShares returns the shares of n shards, which sum to 1. A shard's share is proportional
// to its number of PS and to j^-s, where j is the shard's number from 1.
func zipfShares(s float64, n, numPS int) []float64 {
	shares := make([]float64, n)
	sum := 0.0
	for j := range shares {
		shares[j] = math.Pow(float64(j+1), -s) * float64(places.Hosted(numPS, j, n))
		sum += shares[j]
	}
	for j := range shares {
		shares[j] /= sum
	}
	return shares
}

// replicasForms lists the YAML keys of a number of replicas, if it is written as a mapping.
type replicasForms struct {
	Default int `plan:"default" required:"true" range:">=1" doc:"of each shard"`
	Hottest int `plan:"hottest" default:"0" range:">=0" doc:"of the shard with most lookups; 0 for as many as the others"`
}

func (r *Replicas) decodeNode(d *decoder, n *yaml.Node, path string) {
	var form replicasForms
	if n.Kind == yaml.ScalarNode {
		d.plain(reflect.ValueOf(&form.Default).Elem(), n, path)
		d.ranged(reflect.ValueOf(form.Default), n, path, `range:">=1"`)
	} else {
		d.structure(reflect.ValueOf(&form).Elem(), n, path)
		if form.Hottest != 0 && !strings.HasPrefix(path, "fleet.ps.") && !strings.HasPrefix(path, "fleet.mixed.") {
			d.report(path+".hottest", unknownKey, "only ps has a hottest shard")
		}
	}
	r.Default, r.Hottest = form.Default, form.Hottest
	r.Hottest = cmp.Or(r.Hottest, r.Default)
}

// picked is the mapping under the tier in a kill or slow event.
type picked struct {
	Count  int    `plan:"count" default:"1" range:">=1" doc:"how many containers"`
	Pick   string `plan:"pick" default:"random" enum:"random|same_shard_worst|same_idc|same_rack" doc:"which ones: any, all of the shard that has most work, of one idc, or of one rack"`
	Factor Factor `plan:"factor" default:"5x" range:">=1x" doc:"of slow: how many times longer work takes"`
}

// oneTier reads {TIER: {count, pick}}. The keys in the slice more are allowed beside the tier, and
// the function other reads them.
func (d *decoder) oneTier(n *yaml.Node, path string, more []string, other func(name string, value *yaml.Node)) (tier string, p picked) {
	d.mapping(n, path, slices.Concat(TierNames, more), func(name string, value *yaml.Node) {
		at := join(path, name)
		switch {
		case slices.Contains(more, name):
			other(name, value)
		case tier != "":
			d.reportKey(at, conflict, "%s names a second tier", path)
		default:
			tier = name
			d.structure(reflect.ValueOf(&p).Elem(), value, at)
		}
	})
	if tier == "" {
		d.report(path, requiredKey, "%s needs a tier: %s", path, strings.Join(TierNames, ", "))
	}
	return tier, p
}

func (k *Kill) decodeNode(d *decoder, n *yaml.Node, path string) {
	tier, p := d.oneTier(n, path, []string{"refuse"}, func(_ string, value *yaml.Node) {
		d.value(reflect.ValueOf(&k.Refuse).Elem(), value, path+".refuse", "")
	})
	if d.given(path + "." + tier + ".factor") {
		d.reportKey(path+"."+tier+".factor", unknownKey, `unknown key "factor"`)
	}
	k.Tier, k.Count, k.Pick = tier, p.Count, p.Pick
}

func (s *Slow) decodeNode(d *decoder, n *yaml.Node, path string) {
	tier, p := d.oneTier(n, path, nil, nil)
	s.Tier, s.Count, s.Factor, s.Pick = tier, p.Count, p.Factor, p.Pick
}

// maxRangeValues is the largest number of values in a range a..b.
const maxRangeValues = 100_000

func (a *Axes) decodeNode(d *decoder, n *yaml.Node, path string) {
	d.mapping(n, path, nil, func(name string, value *yaml.Node) {
		at := join(path, name)
		axis := Axis{Path: name, Ordered: true}
		if value.Kind == yaml.SequenceNode {
			for i, item := range value.Content {
				if d.scalar(item, join(at, strconv.Itoa(i))) {
					axis.Values = append(axis.Values, item.Value)
				}
			}
		} else if d.scalar(value, at) {
			axis.Values = d.rangeOf(value.Value, at)
		}
		if len(axis.Values) == 0 {
			d.report(at, outOfRange, "%s needs at least one value", at)
			return
		}
		axis.Ordered = rising(axis.Values)
		*a = append(*a, axis)
	})
}

// rangeOf returns the whole numbers of a range such as 4..24.
func (d *decoder) rangeOf(text, path string) []string {
	low, high, ok := strings.Cut(text, "..")
	a, err1 := strconv.Atoi(strings.TrimSpace(low))
	b, err2 := strconv.Atoi(strings.TrimSpace(high))
	if !ok || err1 != nil || err2 != nil {
		d.report(path, wrongUnit, "%s: found %q, a range as 4..24 or a list expected", lastName(path), text)
		return nil
	}
	if b < a || b-a >= maxRangeValues {
		d.report(path, outOfRange, "%s must rise and have at most %d values, got %s", path, maxRangeValues, text)
		return nil
	}
	var list []string
	for i := a; i <= b; i++ {
		list = append(list, strconv.Itoa(i))
	}
	return list
}

func rising(values []string) bool {
	last := math.Inf(-1)
	for _, v := range values {
		x, err := strconv.ParseFloat(v, 64)
		if err != nil || x <= last {
			return false
		}
		last = x
	}
	return true
}

func (s *Sweeps) decodeNode(d *decoder, n *yaml.Node, path string) {
	d.mapping(n, path, nil, func(name string, value *yaml.Node) {
		var axes Axes
		axes.decodeNode(d, value, join(path, name))
		*s = append(*s, Sweep{Name: name, Axes: axes})
	})
}

func (m *Must) decodeText(d *decoder, text, path string) {
	m.Text = text
	words := strings.Fields(text)
	if len(words) != 3 || words[0] != "any" {
		return // the entry is the word normal or the name of an event; decoder.must looks it up once all events are known
	}
	n, err := strconv.Atoi(words[1])
	of := append(slices.Clone(TierNames), "idc")
	if err != nil || n < 1 || !slices.Contains(of, words[2]) {
		d.report(path, unknownName, "must_hold_under: found %q, want any K %s", text, strings.Join(of, "|"))
		return
	}
	m.Count, m.Of = n, words[2]
}

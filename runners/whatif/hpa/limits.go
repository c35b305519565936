package hpa

import (
	"math"
	"slices"
	"time"
)

// recommendation is the number of replicas that the metrics asked for at a look, before
// windows and limits are applied.
type recommendation struct {
	at int64
	n  int
}

// scaling is a change of the number of replicas. The amount of the change, in the field by, is
// positive for an increase and for a decrease.
type scaling struct {
	at int64
	by int
}

// bounded applies the stabilization windows and the limits to the number that the metrics
// ask for.
func (a *Autoscaler) bounded(l *Look, d *Decision) {
	wish := d.Replicas
	stable := a.stabilised(l, wish)
	up, down := a.most(l), a.least(l)
	d.Replicas = min(max(stable, down), up)
	switch {
	case d.Replicas == stable && stable != wish:
		d.Why = Stabilised
	case d.Replicas < stable && up == a.config.Max:
		d.Why = AtMost
	case d.Replicas > stable && down == a.config.Min:
		d.Why = AtLeast
	case d.Replicas != stable:
		d.Why = Limited
	}
}

// stabilised records the wished number and applies the stabilization windows to it. Without
// behavior it returns the largest recommendation within DownWindow. With behavior it moves
// the present number only as far as all recommendations in the window of that direction
// agree.
func (a *Autoscaler) stabilised(l *Look, wish int) int {
	behavior := a.config.Behavior
	keep := int64(a.config.DownWindow)
	if behavior != nil {
		keep = int64(max(behavior.Up.Window, behavior.Down.Window))
	}
	a.recommended = slices.DeleteFunc(a.recommended, func(r recommendation) bool { return r.at < l.At-keep })
	up, down := wish, wish
	for _, r := range a.recommended {
		if behavior == nil {
			down = max(down, r.n)
			continue
		}
		if r.at > l.At-int64(behavior.Up.Window) {
			up = min(up, r.n)
		}
		if r.at > l.At-int64(behavior.Down.Window) {
			down = max(down, r.n)
		}
	}
	a.recommended = append(a.recommended, recommendation{l.At, wish})
	if behavior == nil {
		return down
	}
	return min(max(l.Replicas, up), down)
}

// most returns the largest number of replicas that a look may set.
func (a *Autoscaler) most(l *Look) int {
	limit := max(2*l.Replicas, 4)
	if b := a.config.Behavior; b != nil {
		limit = max(a.bound(l, &b.Up, func(n int, p Policy) int {
			if p.Percent {
				return ceil(float64(n) * (1 + float64(p.Value)/100))
			}
			return n + p.Value
		}, true), l.Replicas)
	}
	return min(a.config.Max, limit)
}

// least returns the smallest number of replicas that a look may set.
func (a *Autoscaler) least(l *Look) int {
	b := a.config.Behavior
	if b == nil {
		return a.config.Min
	}
	limit := a.bound(l, &b.Down, func(n int, p Policy) int {
		if p.Percent {
			return int(int32(float64(n) * (1 - float64(p.Value)/100)))
		}
		return n - p.Value
	}, false)
	return max(a.config.Min, min(limit, l.Replicas))
}

// bound returns the limit that the policies of one direction set. Of several policies, the
// one with the largest change counts, or the one with the smallest change if Select is Min.
// Each policy counts from the number of replicas at the start of its period.
func (a *Autoscaler) bound(l *Look, r *Rules, allowed func(begin int, p Policy) int, up bool) int {
	if r.Select == "Disabled" {
		return l.Replicas
	}
	greatest := up == (r.Select != "Min")
	bound := math.MaxInt32
	if greatest {
		bound = math.MinInt32
	}
	for _, p := range r.Policies {
		begin := l.Replicas - within(a.ups, l.At, p.Period) + within(a.downs, l.At, p.Period)
		if n := allowed(begin, p); greatest {
			bound = max(bound, n)
		} else {
			bound = min(bound, n)
		}
	}
	return bound
}

// within returns the sum of the changes in the given period. The period ends at the instant that
// the parameter at names.
func within(list []scaling, at int64, period time.Duration) (sum int) {
	for _, s := range list {
		if s.at > at-int64(period) {
			sum += s.by
		}
	}
	return sum
}

// scaled records a change of the number of replicas, for policies that count changes within
// a period.
func (a *Autoscaler) scaled(l *Look, to int) {
	switch b := a.config.Behavior; {
	case b == nil || to == l.Replicas:
	case to > l.Replicas:
		a.ups = b.Up.remember(a.ups, scaling{l.At, to - l.Replicas})
	default:
		a.downs = b.Down.remember(a.downs, scaling{l.At, l.Replicas - to})
	}
}

// remember adds a change to the list. It overwrites the last change that is older than all
// policy periods of its direction. A longer policy of the other direction may need that old
// change and then misses it, as in Kubernetes.
func (r *Rules) remember(list []scaling, s scaling) []scaling {
	longest := time.Duration(0)
	for _, p := range r.Policies {
		longest = max(longest, p.Period)
	}
	for i := len(list) - 1; i >= 0; i-- {
		if list[i].at < s.at-int64(longest) {
			list[i] = s
			return list
		}
	}
	return append(list, s)
}

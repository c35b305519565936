package main

import (
	"fmt"
	"slices"
	"strings"
)

// aim is a goal for our engine with event hashing on. The engine has to be faster than the
// engines in ahead, or an event has to cost at most the given nanoseconds.
type aim struct {
	work  string
	n     int
	ahead []string
	most  float64
}

// aims lists the speed goals of our engine, by kind of work and number of models.
var aims = []aim{
	{work: callbacks, n: 100, ahead: []string{"desru", "ns-3, map", "ns-3, priority queue"}},
	{work: callbacks, n: 10_000, ahead: []string{"desru", "ns-3, map", "ns-3, priority queue"}},
	{work: tasks, n: 100, ahead: []string{"madsim"}},
	{work: tasks, n: 10_000, most: 900},
}

// aimed is an aim together with the measured result and the verdict.
type aimed struct {
	Work    string `json:"work"`
	Models  int    `json:"models"`
	Aim     string `json:"aim"`
	Found   string `json:"found"`
	Verdict string `json:"verdict"`
}

// judge reports for each aim whether the measured rows reach it. It skips an aim whose work our
// engine was not measured on.
func judge(rows []row) []aimed {
	list := []aimed{}
	for _, a := range aims {
		if own := find(rows, a, ours); own != nil {
			list = append(list, a.judge(*own, rows))
		}
	}
	return list
}

func (a aim) judge(own row, rows []row) aimed {
	line := aimed{Work: a.work, Models: a.n}
	if a.most > 0 {
		line.Aim, line.Found = fmt.Sprintf("<= %g ns an event", a.most), fmt.Sprintf("%.0f ns", own.CPU)
		line.Verdict = verdict(own.CPU <= a.most)
		return line
	}
	line.Aim = "ahead of " + strings.Join(a.ahead, "; ")
	var found []string
	ahead := true
	for _, name := range a.ahead {
		other := find(rows, a, name)
		if other == nil {
			found = append(found, name+" was not measured")
			continue
		}
		found = append(found, fmt.Sprintf("%.2f of %s", own.CPU/other.CPU, name))
		ahead = ahead && own.CPU < other.CPU
	}
	line.Found, line.Verdict = strings.Join(found, "; "), verdict(ahead)
	if !slices.ContainsFunc(a.ahead, func(name string) bool { return find(rows, a, name) != nil }) {
		line.Verdict = "unknown"
	}
	return line
}

func find(rows []row, a aim, engine string) *row {
	i := slices.IndexFunc(rows, func(r row) bool { return r.Work == a.work && r.Models == a.n && r.Engine == engine })
	if i < 0 {
		return nil
	}
	return &rows[i]
}

func verdict(reached bool) string {
	if reached {
		return "reached"
	}
	return "missed"
}

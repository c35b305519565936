package sim

import (
	"slices"
	"strings"
	"time"

	"github.com/monosim/monosim/runners"
)

// Bar is a stretch of a pod's time: its start-up, or a version of a model being loaded or served.
type Bar struct {
	Pod string `json:"pod"`
	// What is "start" (from the start of an agent until its model servers serve), "loading"
	// or "available".
	What  string  `json:"what"`
	Model string  `json:"model,omitempty"`
	From  float64 `json:"from_s"`
	Until float64 `json:"until_s"`
}

// mostBars bounds the number of bars.
const mostBars = 20_000

// draw begins and ends bars.
func (s *story) draw(o runners.Observation) {
	switch {
	case o.Op == "process.start" && strings.Contains(o.Path, "agent"):
		s.begin(o, "start", "")
	case o.Op == "modelserver.serving":
		s.end(o.Pod, "", o.At)
	case o.Op == "process.exit" && (strings.Contains(o.Path, "agent") || len(s.memory.pods[o.Pod]) <= 1):
		// With several model servers the observation does not say which one ended.
		for _, b := range s.open[s.numbers.of(o.Pod)] {
			s.bars[b.at].Until = o.At.Seconds()
		}
		delete(s.open, s.numbers.of(o.Pod))
	case o.Op == "modelserver.state":
		s.end(o.Pod, o.Path, o.At)
		switch o.Note {
		case "LOADING":
			s.begin(o, "loading", o.Path)
		case "AVAILABLE":
			s.begin(o, "available", o.Path)
		}
	}
}

// openBar is a bar that has not ended: of a version of a model, or (model "") of the start.
type openBar struct {
	model string
	at    int // index in story.bars
}

func (s *story) begin(o runners.Observation, what, model string) {
	if len(s.bars) >= mostBars {
		return
	}
	pod := s.numbers.of(o.Pod)
	s.forget(pod, model)
	s.open[pod] = append(s.open[pod], openBar{model, len(s.bars)})
	s.bars = append(s.bars, Bar{Pod: o.Pod, What: what, Model: model, From: o.At.Seconds()})
}

func (s *story) end(pod, model string, at time.Duration) {
	if i, ok := s.forget(s.numbers.of(pod), model); ok {
		s.bars[i].Until = at.Seconds()
	}
}

// forget removes an open bar and returns its index in bars.
func (s *story) forget(pod int, model string) (at int, ok bool) {
	open := s.open[pod]
	i := slices.IndexFunc(open, func(b openBar) bool { return b.model == model })
	if i < 0 {
		return 0, false
	}
	at = open[i].at
	if open = slices.Delete(open, i, i+1); len(open) > 0 {
		s.open[pod] = open
	} else {
		delete(s.open, pod)
	}
	return at, true
}

// closed returns all bars and ends the open ones now.
func (s *story) closed(now time.Duration) []Bar {
	for _, open := range s.open {
		for _, b := range open {
			s.bars[b.at].Until = now.Seconds()
		}
	}
	return s.bars
}

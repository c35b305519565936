package sim

import (
	"slices"
	"strings"
	"time"

	"github.com/monosim/monosim/runners"
)

// Bar is a period on a pod's timeline during which the pod starts up, or loads or serves a version
// of a model.
type Bar struct {
	Pod string `json:"pod"`
	// What is "start", "loading" or "available". "start" lasts from the start of an agent until its
	// model servers serve.
	What  string  `json:"what"`
	Model string  `json:"model,omitempty"`
	From  float64 `json:"from_s"`
	Until float64 `json:"until_s"`
}

// mostBars is the largest number of bars that are kept.
const mostBars = 20_000

// draw begins and ends the bars that the observation o affects.
func (s *story) draw(o runners.Observation) {
	switch {
	case o.Op == "process.start" && strings.Contains(o.Path, "agent"):
		s.begin(o, "start", "")
	case o.Op == "modelserver.serving":
		s.end(o.Pod, "", o.At)
	case o.Op == "process.exit" && (strings.Contains(o.Path, "agent") || len(s.memory.pods[o.Pod]) <= 1):
		// End all bars of the pod. With several model servers, the observation does not say which
		// of them ended, so this case is only for pods with one model server or an ended agent.
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

// openBar is a bar that has not ended yet. model is the model with its version, or "" for a
// start-up.
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

// forget removes an open bar of a pod and returns its index in story.bars. ok is false if the model
// has no open bar.
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

// closed ends the open bars at the time now, and returns all bars.
func (s *story) closed(now time.Duration) []Bar {
	for _, open := range s.open {
		for _, b := range open {
			s.bars[b.at].Until = now.Seconds()
		}
	}
	return s.bars
}

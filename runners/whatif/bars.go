package whatif

import (
	"strings"
	"time"

	"github.com/monosim/monosim/runners"
)

// Bar is a stretch of a pod's time: a start-up, or a version of a model that is loaded or
// served.
type Bar struct {
	Pod string `json:"pod"`
	// What is "start", of an agent until its model servers serve, "loading" or
	// "available".
	What  string  `json:"what"`
	Model string  `json:"model,omitempty"`
	From  float64 `json:"from_s"`
	Until float64 `json:"until_s"`
}

// mostBars bounds what is kept.
const mostBars = 20_000

// draw begins and ends bars.
func (s *story) draw(o runners.Observation) {
	switch {
	case o.Op == "process.start" && strings.Contains(o.Path, "agent"):
		s.begin(o, "start", "")
	case o.Op == "modelserver.serving":
		s.end(o.Pod, "", o.At)
	case o.Op == "process.exit" && (strings.Contains(o.Path, "agent") || len(s.memory.pods[o.Pod]) <= 1):
		// Of several model servers nobody says here which one has ended.
		for _, key := range s.openOf(o.Pod) {
			s.endKey(key, o.At)
		}
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

func barKey(pod, model string) string { return pod + " " + model }

func (s *story) begin(o runners.Observation, what, model string) {
	if len(s.bars) >= mostBars {
		return
	}
	s.open[barKey(o.Pod, model)] = len(s.bars)
	s.bars = append(s.bars, Bar{Pod: o.Pod, What: what, Model: model, From: o.At.Seconds()})
}

func (s *story) end(pod, model string, at time.Duration) { s.endKey(barKey(pod, model), at) }

func (s *story) endKey(key string, at time.Duration) {
	if i, ok := s.open[key]; ok {
		s.bars[i].Until = at.Seconds()
		delete(s.open, key)
	}
}

// openOf are the bars of a pod that go on.
func (s *story) openOf(pod string) []string {
	var keys []string
	for key := range s.open {
		if strings.HasPrefix(key, pod+" ") {
			keys = append(keys, key)
		}
	}
	return keys
}

// closed are all bars; what goes on ends now.
func (s *story) closed(now time.Duration) []Bar {
	for _, i := range s.open {
		s.bars[i].Until = now.Seconds()
	}
	return s.bars
}

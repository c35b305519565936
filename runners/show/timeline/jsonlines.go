package timeline

import (
	"encoding/json"
	"io"

	"github.com/monosim/monosim/runners"
)

// jsonLines writes runs as JSON objects, one per line.
type jsonLines struct{ encoder *json.Encoder }

func newJSONLines(w io.Writer) *jsonLines {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	return &jsonLines{encoder}
}

// runLine is the JSON object that precedes the observations of a run.
type runLine struct {
	Number int `json:"run"`
	Run
}

// line is the JSON object of one observation.
type line struct {
	N       int    `json:"n"`
	At      int64  `json:"at_ns"`
	Who     string `json:"who"`
	What    string `json:"what"`
	Path    string `json:"path,omitempty"`
	Note    string `json:"note,omitempty"`
	Data    string `json:"data,omitempty"`
	Peer    string `json:"peer,omitempty"`
	Took    int64  `json:"took_ns,omitempty"`
	ID      int64  `json:"id,omitempty"`
	Because int    `json:"because_of,omitempty"`
}

// The error of Encode can be ignored, because Close returns the first write error.
func (j *jsonLines) begin(run int, r Run) { _ = j.encoder.Encode(runLine{run, r}) }

func (j *jsonLines) observe(n int, o *runners.Observation) {
	_ = j.encoder.Encode(line{
		N: n, At: int64(o.At), Who: o.Pod, What: o.Op, Path: o.Path, Note: o.Note, Data: o.Data,
		Peer: o.Peer, Took: int64(o.Took), ID: o.ID, Because: o.Cause,
	})
}

func (j *jsonLines) end() {}

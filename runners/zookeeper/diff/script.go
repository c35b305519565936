package diff

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/monosim/monosim/sim/zookeeper"
)

// Kind says what a step does.
type Kind string

// The kinds of steps.
const (
	// Connect opens a connection with a new session. It first closes the client's current
	// connection.
	Connect Kind = "connect"
	// Attach opens a connection with the existing session of client Step.Session. Step.Wrong
	// names an error to make on purpose.
	Attach Kind = "attach"
	// Drop closes the connection without ending the session.
	Drop Kind = "drop"
	// Ask makes a request.
	Ask Kind = "ask"
	// Raw sends a frame with a request header of operation Op and an arbitrary body.
	Raw Kind = "raw"
	// Restart ends the server and starts it again with the data that it has kept. All connections
	// are closed before the server ends. It needs a [Restarter].
	Restart Kind = "restart"
)

// Step is one action of a client. Paths are relative to the script's root, which is "". If a path
// begins with "=", the text after the "=" is sent as it is. In paths, schemes and ids "%ff" stands
// for the byte 0xff. So scripts are valid text even if the bytes sent are not.
type Step struct {
	Client int  `json:"client"`
	Kind   Kind `json:"kind"`
	// Request is the request of an Ask step, with relative paths.
	Request *zookeeper.Request `json:"request,omitempty"`
	// Earlier, when not 0, replaces the path by one that the script has already created. 1 means
	// the path created last.
	Earlier int `json:"earlier,omitempty"`
	// Cut is the number of bytes to remove from the end of an Ask's body. Extra is the number of
	// bytes to append. At, when not 0, selects the place, counted from 1, at which Word replaces
	// four bytes of the body.
	Cut   int   `json:"cut,omitempty"`
	Extra int   `json:"extra,omitempty"`
	At    int   `json:"at,omitempty"`
	Word  int32 `json:"word,omitempty"`
	// TimeoutMs, Session and Wrong are for Connect and Attach.
	TimeoutMs int32  `json:"timeoutMs,omitempty"`
	Session   int    `json:"session,omitempty"`
	Wrong     string `json:"wrong,omitempty"`
	// Op and Body are for Raw.
	Op   zookeeper.OpCode `json:"op,omitempty"`
	Body []byte           `json:"body,omitempty"`
}

// Values of Step.Wrong: the errors that an attempt to connect can contain.
const (
	WrongPassword = "password"
	WrongSession  = "session" // the client names a session that never existed
	WrongZxid     = "zxid"    // the client claims a higher zxid than the server has
)

// Script is a list of steps to play.
type Script []Step

// String formats the script as one line of JSON for each step. [ParseScript] reads it.
func (s Script) String() string {
	var b []byte
	for _, step := range s {
		b = append(append(b, compact(step)...), '\n')
	}
	return string(b)
}

// compact formats a step as JSON and leaves out zero fields.
func compact(step Step) []byte {
	line, err := json.Marshal(step)
	var v any
	if err == nil {
		d := json.NewDecoder(bytes.NewReader(line))
		d.UseNumber() // not read as a float, for which a time to live may be too large
		err = d.Decode(&v)
	}
	if err == nil {
		line, err = json.Marshal(withoutZeros(v))
	}
	if err != nil {
		panic(err) // cannot happen: every Step has a form in JSON
	}
	return line
}

// withoutZeros drops zero fields, but keeps empty data, which differs from null.
func withoutZeros(v any) any {
	switch v := v.(type) {
	case []any:
		for i := range v {
			v[i] = withoutZeros(v[i])
		}
	case map[string]any:
		for key, field := range v {
			if field == nil || field == false || field == json.Number("0") || field == "" && key != "Data" {
				delete(v, key)
			} else {
				v[key] = withoutZeros(field)
			}
		}
	}
	return v
}

// ParseScript parses the text that [Script.String] writes.
func ParseScript(text []byte) (Script, error) {
	var s Script
	n := 0
	for line := range bytes.Lines(text) {
		n++
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		var step Step
		if err := json.Unmarshal(line, &step); err != nil {
			return nil, fmt.Errorf("line %d: found no step: %w", n, err)
		}
		s = append(s, step)
	}
	return s, nil
}

// clients returns the number of clients: one more than the highest index in the script.
func (s Script) clients() int {
	n := 0
	for _, step := range s {
		n = max(n, step.Client+1, step.Session+1)
	}
	return n
}

package diff

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/monosim/monosim/sim/zookeeper"
)

// Kind is what a step does.
type Kind string

// The kinds of steps.
const (
	// Connect opens a connection with a new session, closing the one that the client
	// has.
	Connect Kind = "connect"
	// Attach opens a connection with the session of a client, Step.Session; Step.Wrong
	// says what is wrong with the attempt.
	Attach Kind = "attach"
	// Drop hangs up without a word; the session stays.
	Drop Kind = "drop"
	// Ask makes a request.
	Ask Kind = "ask"
	// Raw sends a frame with a request's header and an arbitrary body.
	Raw Kind = "raw"
)

// Step is one action of a client. Paths are below the script's root, which has the
// name "" ; those that begin with "=" are sent as they are, without the sign.
type Step struct {
	Client int  `json:"client"`
	Kind   Kind `json:"kind"`
	// Request is that of an Ask. Its paths are relative.
	Request *zookeeper.Request `json:"request,omitempty"`
	// Earlier, when not 0, takes as the path what an earlier step of the script
	// created: the n-th from the last.
	Earlier int `json:"earlier,omitempty"`
	// TimeoutMs and Session are for connections.
	TimeoutMs int32  `json:"timeoutMs,omitempty"`
	Session   int    `json:"session,omitempty"`
	Wrong     string `json:"wrong,omitempty"`
	// Op and Body are a Raw frame.
	Op   zookeeper.OpCode `json:"op,omitempty"`
	Body []byte           `json:"body,omitempty"`
}

// What can be wrong with an attempt to connect.
const (
	WrongPassword = "password"
	WrongSession  = "session" // one that never was
	WrongZxid     = "zxid"    // the client has seen more than the server
)

// Script is what is played.
type Script []Step

// String is one step a line, as JSON, to be read again by [ParseScript].
func (s Script) String() string {
	var b []byte
	for _, step := range s {
		b = append(append(b, compact(step)...), '\n')
	}
	return string(b)
}

// compact is JSON without the fields that are zero, of which a request has many.
func compact(step Step) []byte {
	line, err := json.Marshal(step)
	var v any
	if err == nil {
		d := json.NewDecoder(bytes.NewReader(line))
		d.UseNumber() // a time to live may be larger than a float tells
		err = d.Decode(&v)
	}
	if err == nil {
		line, err = json.Marshal(withoutZeros(v))
	}
	if err != nil {
		panic(err) // a Step has nothing that JSON cannot say
	}
	return line
}

// withoutZeros drops zero fields but empty data, which is not null.
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

// ParseScript reads what String wrote.
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

// clients is one more than the highest client of a script.
func (s Script) clients() int {
	n := 0
	for _, step := range s {
		n = max(n, step.Client+1, step.Session+1)
	}
	return n
}

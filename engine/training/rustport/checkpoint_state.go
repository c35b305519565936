package rustport

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/training/checkpoints"
)

// restoreMarker is the file that records which checkpoint was restored by name.
const restoreMarker = "restore_ckpt"

// CheckpointState is the content of the file checkpoint, with its paths unchanged.
type CheckpointState struct {
	ModelCheckpointPath     string
	AllModelCheckpointPaths []string
}

// ParseCheckpointState parses the text form line by line, and skips lines of other fields. It
// returns nil if the text names no current checkpoint.
func ParseCheckpointState(text string) *CheckpointState {
	state, found := &CheckpointState{}, false
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		key, value, ok := strings.Cut(line, ":")
		if !ok || strings.HasPrefix(line, "#") {
			continue
		}
		value = unquote(strings.TrimSpace(value))
		switch strings.TrimSpace(key) {
		case "model_checkpoint_path":
			state.ModelCheckpointPath, found = value, true
		case "all_model_checkpoint_paths":
			state.AllModelCheckpointPaths = append(state.AllModelCheckpointPaths, value)
		}
	}
	if !found {
		return nil
	}
	return state
}

// unquote removes a pair of quotes around a value. It keeps a value that consists of a single
// quote, on which the Rust port crashes.
func unquote(value string) string {
	n := len(value)
	if n >= 2 && (value[0] == '\'' || value[0] == '"') && value[n-1] == value[0] {
		return value[1 : n-1]
	}
	return value
}

// String returns the text form that ParseCheckpointState parses.
func (s *CheckpointState) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "model_checkpoint_path: \"%s\"\n", s.ModelCheckpointPath)
	for _, p := range s.AllModelCheckpointPaths {
		fmt.Fprintf(&b, "all_model_checkpoint_paths: \"%s\"\n", p)
	}
	return b.String()
}

// readText reads a text file. Its errors have kind IO.
func readText(f env.Files, file string) (string, error) {
	data, err := f.ReadFile(file)
	if err != nil {
		return "", wrap(IO, err)
	}
	if !utf8.Valid(data) {
		return "", &Error{Kind: IO, About: "stream did not contain valid UTF-8"}
	}
	return string(data), nil
}

func writeText(f env.Files, file, text string) error {
	return wrap(IO, f.WriteFile(file, []byte(text)))
}

// RestoreOverride requests a checkpoint other than the current one.
type RestoreOverride struct {
	// Checkpoint is the path of the requested checkpoint, or the last name in that path. None
	// requests nothing.
	Checkpoint pysem.OptString
	// Training applies the override only once. The marker file restore_ckpt records that it has
	// been applied.
	Training bool
}

// Retries says how often the reading of a state is retried, and the pause before each retry.
type Retries struct {
	Max   int
	Pause time.Duration
}

// StateWithOverride reads the state of a directory and makes the requested checkpoint the current
// one, in the file too (TRN-4.4). A missing file gives nil. A file that stays unreadable is a
// ReadCheckpointFailed. Unlike in Python, an unlisted checkpoint changes nothing (TRN-5.2),
// evaluating writes the file as training does (TRN-5.3), and the file then lists only this
// checkpoint (TRN-5.4).
func StateWithOverride(e *env.Env, dir, name string, o RestoreOverride, r Retries) (*CheckpointState, error) {
	file := path.Join(dir, name)
	state, err := readState(e, file, r)
	if err != nil || state == nil || name != checkpoints.Filename || !o.Checkpoint.Set {
		return state, err
	}
	wanted, ok := state.find(o.Checkpoint.V)
	marker := path.Join(dir, restoreMarker)
	if !ok || wanted == state.ModelCheckpointPath || o.Training && env.Exists(e.Files, marker) {
		return state, nil
	}
	state = &CheckpointState{ModelCheckpointPath: wanted, AllModelCheckpointPaths: []string{wanted}}
	if err := writeText(e.Files, file, state.String()); err != nil {
		return nil, err
	}
	return state, writeText(e.Files, marker, wanted)
}

func readState(e *env.Env, file string, r Retries) (*CheckpointState, error) {
	for range r.Max + 1 {
		if !env.Exists(e.Files, file) {
			return nil, nil
		}
		text, err := readText(e.Files, file)
		if err != nil {
			return nil, err
		}
		if state := ParseCheckpointState(text); state != nil {
			return state, nil
		}
		e.Tasks.Sleep(r.Pause)
	}
	return nil, &Error{Kind: ReadCheckpointFailed}
}

// find returns the listed checkpoint whose path equals wanted. If there is none, it returns the
// first listed checkpoint whose path ends in the same name as wanted. ok is false if neither
// exists.
func (s *CheckpointState) find(wanted string) (string, bool) {
	name := lastName(wanted)
	for _, fits := range []func(p string) bool{
		func(p string) bool { return p == wanted },
		func(p string) bool { return lastName(p) == name },
		func(p string) bool { return p == pysem.JoinStrings(pysem.Dirname(s.ModelCheckpointPath), name) },
	} {
		if i := slices.IndexFunc(s.AllModelCheckpointPaths, fits); i >= 0 {
			return s.AllModelCheckpointPaths[i], true
		}
	}
	return "", false
}

// lastName returns the last name in a path. A path without one, such as "..", is returned
// unchanged.
func lastName(p string) string {
	name := p[strings.LastIndexByte(strings.TrimRight(p, "/"), '/')+1:]
	name = strings.TrimRight(name, "/")
	if name == "" || name == ".." || name == "." {
		return p
	}
	return name
}

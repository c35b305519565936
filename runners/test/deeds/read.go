package deeds

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/monosim/monosim/runners"
)

// Operations of the observations that [Watch] adds to a cluster's log.
const (
	// opAnswer is an agent's answer to a call. Path holds the call with its arguments, Note the
	// answer.
	opAnswer = "answer"
	// opFile is the content of a file. Path names the file, Note holds the content.
	opFile = "file"
	// OpUnseen is the first observation of a log. Its Note lists the topics that the cluster
	// cannot observe (runners.Blind).
	OpUnseen = "unseen"
)

// Notes of successful ZooKeeper writes: an ephemeral create, and a delete because the
// session ended. The note of a refused write is its error.
const (
	noteEphemeral   = "ephemeral"
	noteWithSession = "with its session"
)

// Read makes the log of a run that was observed with Spec.Detail. The observations have to
// be in order of time, with addresses and paths in the form that [Watch] gives them.
func Read(log []runners.Observation) *Log {
	r := &reader{tracks: map[string]*Track{}, programs: map[process]string{}, answers: map[string]*runners.Observation{}, exports: map[string][]string{}, reads: map[readBy]time.Duration{}}
	for i := range log {
		r.observe(&log[i])
	}
	r.answered()
	made := &Log{}
	for _, name := range slices.Sorted(maps.Keys(r.tracks)) {
		t := r.tracks[name]
		t.measured()
		t.Deeds = cycles(t.Deeds)
		made.Tracks = append(made.Tracks, t)
	}
	return made
}

// process identifies a process by its pod and process id.
type process struct {
	pod string
	pid int64
}

// reader converts observations to tracks, one at a time.
type reader struct {
	tracks map[string]*Track
	// programs maps each running process to the name of its track.
	programs map[process]string
	// answers maps a track to the latest answer of the current step.
	answers map[string]*runners.Observation
	// exports lists, for each model, the versions that are named by the timestamp of their export,
	// in order.
	exports map[string][]string
	// reads holds the time at which a session last read something of a track.
	reads map[readBy]time.Duration
}

func (r *reader) observe(o *runners.Observation) {
	topic, what, _ := strings.Cut(o.Op, ".")
	switch topic {
	case "remark":
		r.answered()
	case "zookeeper":
		r.zookeeper(o, what)
	case "process":
		r.process(o, what)
	case "modelserver":
		if what == "state" {
			state, _, _ := strings.Cut(o.Note, ":")
			r.add("model "+o.Pod+" "+r.plainVersion(o.Path), o, o.Pod, "has it "+state)
		}
	case "training":
		r.training(o, what)
	case "rpc":
		r.call(o)
	case "read":
		r.read(o)
	case "probe":
		r.round(o, "probe", "finds a port of its model servers open")
	case opFile:
		r.add("file "+o.Pod+" "+o.Path, o, o.Pod, "has "+o.Note)
	case opAnswer:
		r.answers["answer "+o.Pod+" "+o.Path] = o
	}
}

// plainVersion returns the path of a version in a form that can be compared. If the version is
// named by the timestamp of its export, its number among the model's exports takes the place of
// that name.
func (r *reader) plainVersion(path string) string {
	if !version.MatchString(path) {
		return path
	}
	model, instant := path[:strings.LastIndexByte(path, '/')], path[strings.LastIndexByte(path, '/')+1:]
	i := slices.Index(r.exports[model], instant)
	if i < 0 {
		i = len(r.exports[model])
		r.exports[model] = append(r.exports[model], instant)
	}
	return fmt.Sprintf("%s/export %d", model, i+1)
}

// add appends a deed to a track. If the track's last deed is equal, only its count and last
// time change.
func (r *reader) add(track string, o *runners.Observation, who, text string) {
	t := r.tracks[track]
	if t == nil {
		t = &Track{Name: track}
		r.tracks[track] = t
	}
	d := Deed{Who: who, Text: text, First: o.At, Last: o.At, Times: 1}
	if n := len(t.Deeds); n > 0 && t.Deeds[n-1].Who == who && t.Deeds[n-1].Text == text {
		t.Deeds[n-1].Last = o.At
		t.Deeds[n-1].Times++
		return
	}
	t.Deeds = append(t.Deeds, d)
}

// answered adds a deed for the last answer in each track of the current step. Earlier answers are
// dropped, because how often a step asks depends only on time.
func (r *reader) answered() {
	for _, name := range slices.Sorted(maps.Keys(r.answers)) {
		o := r.answers[name]
		r.add(name, o, o.Pod, "answers "+o.Note)
	}
	clear(r.answers)
}

// anybody is the actor of a deed that any pod may happen to do first, such as creating a parent
// znode that pods share.
const anybody = "anybody"

// zookeeper adds a successful write, or the start or end of a session.
func (r *reader) zookeeper(o *runners.Observation, what string) {
	switch what {
	case "createSession":
		r.add("session "+o.Pod, o, o.Pod, "opens it")
		return
	case "closeSession":
		r.add("session "+o.Pod, o, o.Pod, "has it no more")
		return
	}
	track, data := "znode "+o.Path, plainData(o.Data)
	switch {
	case o.Note != "" && o.Note != noteEphemeral && o.Note != noteWithSession:
		// a server reports a refused write to its client alone, so the write counts as no deed
	case what == "create" && o.Note == noteEphemeral:
		r.add(track, o, o.Pod, strings.TrimSpace("creates it, ephemeral "+data))
	case what == "create" && data == "":
		r.add(track, o, anybody, "creates it")
	case what == "create":
		r.add(track, o, o.Pod, strings.TrimSpace("creates it "+data))
	case what == "setData":
		r.add(track, o, o.Pod, "writes "+data)
	case what == "delete" && o.Note == noteWithSession:
		r.add(track, o, o.Pod, "has its session end, and it with that")
	case what == "delete":
		r.add(track, o, o.Pod, "deletes it")
	}
}

// process adds the start or end of a process. If several processes in a pod run the same program,
// they are told apart by the name under which they register, provided that a flag contains it. A
// second process of a program that is already running counts as a child of the first.
func (r *reader) process(o *runners.Observation, what string) {
	id := process{o.Pod, o.ID}
	switch what {
	case "start":
		if o.Path == runners.Tester {
			return
		}
		track := "process " + o.Pod + " " + path.Base(o.Path)
		if psm := flagValue(o.Note, "archon_rpc_psm"); psm != "" {
			track += " " + psm
		}
		if r.runs(track) {
			track = "child" + strings.TrimPrefix(track, "process")
		}
		r.programs[id] = track
		r.add(track, o, o.Pod, strings.TrimSpace("starts it "+plainFlags(o.Note)))
	case "exit":
		track := r.programs[id]
		if track == "" {
			return // the start of this call was not observed
		}
		delete(r.programs, id)
		r.add(track, o, o.Pod, strings.TrimSpace(ends+o.Note))
	default:
		r.add("process "+o.Pod+" "+path.Base(o.Path), o, o.Pod, "cannot start it")
	}
}

// training adds an action of a training job's process, with a track for each kind of action.
// The address of its server is left out, because the track of service discovery has it.
func (r *reader) training(o *runners.Observation, what string) {
	text := "comes to " + what
	if what != "serving" && o.Path != "" {
		text += ": " + plainExport(o.Path)
	}
	r.add("training "+o.Pod+" "+what, o, o.Pod, text)
}

// runs reports whether the process of a track is running.
func (r *reader) runs(track string) bool {
	for _, t := range r.programs {
		if t == track {
			return true
		}
	}
	return false
}

// ends is the text of the deed that a process ended. If it is known how the process ended, such as
// by which exit code, that follows.
const ends = "ends "

// endsUnseen reports whether a is an end without a known exit code, and b is any end.
func endsUnseen(a, b string) bool {
	return a == strings.TrimSpace(ends) && strings.HasPrefix(b, ends)
}

// call adds an RPC that a pod made. RPCs of the operator only inspect the cluster, so they
// are left out.
func (r *reader) call(o *runners.Observation) {
	if o.Pod == "operator" {
		return
	}
	subject, answer := o.Path, o.Note
	if model, rest, ok := strings.Cut(o.Note, ": "); ok && o.Path == "GetModelStatus" {
		subject, answer = o.Path+" "+model, rest
	}
	code, _, _ := strings.Cut(answer, ":")
	if ofModelServers[o.Path] {
		if !unanswered[code] {
			r.round(o, subject, "asks")
		}
		return
	}
	r.add("call "+o.Pod+" "+subject, o, o.Pod, "is answered "+code)
}

package deeds

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/monosim/monosim/runners"
)

// [Watch] adds observations of these operations to the log of a cluster.
const (
	// opAnswer is an answer of an agent. Path is the call with its arguments, Note the answer.
	opAnswer = "answer"
	// opFile is the content of a file. Path names the file, Note holds the content.
	opFile = "file"
	// OpUnseen begins a log. Note lists the topics that the cluster cannot see (runners.Blind).
	OpUnseen = "unseen"
)

// A write of ZooKeeper may have one of these notes; the note of a refused write is its error.
const (
	noteEphemeral   = "ephemeral"
	noteWithSession = "with its session"
)

// Read makes the log of a run that was observed with Spec.Detail. The observations have to
// be in order, with the addresses and paths as [Watch] writes them.
func Read(log []runners.Observation) *Log {
	r := &reader{tracks: map[string]*Track{}, programs: map[process]string{}, answers: map[string]*runners.Observation{}, exports: map[string][]string{}}
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

// process identifies a process of a pod.
type process struct {
	pod string
	pid int64
}

// reader makes tracks from observations.
type reader struct {
	tracks map[string]*Track
	// programs holds the tracks of the running processes.
	programs map[process]string
	// answers holds the last answer in each track of the current step.
	answers map[string]*runners.Observation
	// exports lists for each model the versions that are named by the instant of their
	// export, in order.
	exports map[string][]string
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
	case "probe":
		r.round(o, "probe", "finds a port of its model servers open")
	case opFile:
		r.add("file "+o.Pod+" "+o.Path, o, o.Pod, "has "+o.Note)
	case opAnswer:
		r.answers["answer "+o.Pod+" "+o.Path] = o
	}
}

// plainVersion returns the path of a version. A version that is named by the instant of its
// export is numbered instead: first, second and so on of its model.
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

// add appends a deed to a track, or counts the last one once more if they are equal.
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

// answered records the last answers of a step. How often a step asks, and which answers
// come before the one that it waits for, depends only on time.
func (r *reader) answered() {
	for _, name := range slices.Sorted(maps.Keys(r.answers)) {
		o := r.answers[name]
		r.add(name, o, o.Pod, "answers "+o.Note)
	}
	clear(r.answers)
}

// anybody stands for the pod that happens to make a shared parent znode first.
const anybody = "anybody"

// zookeeper reads a successful write, or the begin or end of a session.
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
		// a server reports a refused write only to its client, so it counts as no deed
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

// process reads the start or end of a process. Processes of one program in a pod are told
// apart by the name under which they register, where their flags have it. A second process
// of a running program is its child.
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
			return // its start was not observed
		}
		delete(r.programs, id)
		r.add(track, o, o.Pod, strings.TrimSpace(ends+o.Note))
	default:
		r.add("process "+o.Pod+" "+path.Base(o.Path), o, o.Pod, "cannot start it")
	}
}

// training reads what a process of a training job did, with a track for each kind of deed.
// The address of its server is left to the track of discovery.
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

// ends begins the text of a process's end. The way it ended follows, if it was observed.
const ends = "ends "

// endsUnseen reports whether a is an end whose way was not observed, and b is an end as well.
func endsUnseen(a, b string) bool {
	return a == strings.TrimSpace(ends) && strings.HasPrefix(b, ends)
}

// call reads a call that a pod made. Calls of the operator only look at the cluster, so
// they count as no deed.
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

package deeds

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/monosim/monosim/runners"
)

// What [Watch] observes beside the log of a cluster.
const (
	// opAnswer is what an agent answered: Path is the call with its arguments, Note the
	// answer.
	opAnswer = "answer"
	// opFile is what a file has: Path is what it is, Note its content.
	opFile = "file"
	// OpUnseen begins a log: Note are the topics of tracks that the cluster cannot see, as
	// runners.Blind says.
	OpUnseen = "unseen"
)

// What a write of ZooKeeper has as its note, but for the error of one that was refused.
const (
	noteEphemeral   = "ephemeral"
	noteWithSession = "with its session"
)

// Read makes the log of a run that was observed with Spec.Detail, in the order in which
// it was observed. Addresses and paths in it must be those of [Watch].
func Read(log []runners.Observation) *Log {
	r := &reader{tracks: map[string]*Track{}, programs: map[process]string{}, answers: map[string]*runners.Observation{}, exports: map[string][]string{}}
	for i := range log {
		r.observe(&log[i])
	}
	r.answered()
	made := &Log{}
	for _, name := range slices.Sorted(maps.Keys(r.tracks)) {
		t := r.tracks[name]
		t.Deeds = cycles(t.Deeds)
		made.Tracks = append(made.Tracks, t)
	}
	return made
}

// process is a process of a pod.
type process struct {
	pod string
	pid int64
}

// reader makes tracks from observations.
type reader struct {
	tracks map[string]*Track
	// programs are the tracks of processes that run.
	programs map[process]string
	// answers are the last of the step that goes on, by their tracks.
	answers map[string]*runners.Observation
	// exports are the versions of models that are named by the instants of their exports, in
	// order.
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
	case opFile:
		r.add("file "+o.Pod+" "+o.Path, o, o.Pod, "has "+o.Note)
	case opAnswer:
		r.answers["answer "+o.Pod+" "+o.Path] = o
	}
}

// plainVersion is the path of a version, one that is named by the instant of its export as the
// first of its model, the second and so on.
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

// add puts a deed at the end of a track, or counts the last one once more.
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

// answered takes down the last answers of a step: how many looks a step takes, and what
// it sees before what it waits for, is a matter of its time.
func (r *reader) answered() {
	for _, name := range slices.Sorted(maps.Keys(r.answers)) {
		o := r.answers[name]
		r.add(name, o, o.Pod, "answers "+o.Note)
	}
	clear(r.answers)
}

// anybody stands for whoever is the first to make a znode for others to be in.
const anybody = "anybody"

// zookeeper reads a write that was done, and the lives of sessions.
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
		// refused, which a server tells nobody but who asked
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

// process reads the life of a process. Those of one program in a pod are told apart by
// what they are registered as, where their flags say that; one more of a program that runs
// already is a child of it.
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
			return // its start was not seen
		}
		delete(r.programs, id)
		r.add(track, o, o.Pod, strings.TrimSpace(ends+o.Note))
	default:
		r.add("process "+o.Pod+" "+path.Base(o.Path), o, o.Pod, "cannot start it")
	}
}

// training reads what a process of a training job has come to, a track for each kind. Where
// its server listens is told by discovery.
func (r *reader) training(o *runners.Observation, what string) {
	text := "comes to " + what
	if what != "serving" && o.Path != "" {
		text += ": " + plainExport(o.Path)
	}
	r.add("training "+o.Pod+" "+what, o, o.Pod, text)
}

// runs reports whether a process of a track runs.
func (r *reader) runs(track string) bool {
	for _, t := range r.programs {
		if t == track {
			return true
		}
	}
	return false
}

// ends begins the deed of a process that is over; how it ended follows, where it was seen.
const ends = "ends "

// endsUnseen reports whether a is the end of a process of which nobody saw how it came,
// and b is such an end too.
func endsUnseen(a, b string) bool {
	return a == strings.TrimSpace(ends) && strings.HasPrefix(b, ends)
}

// call reads a call of a pod; those of the operator are looks of the scenario.
func (r *reader) call(o *runners.Observation) {
	if o.Pod == "operator" {
		return
	}
	subject, answer := o.Path, o.Note
	if model, rest, ok := strings.Cut(o.Note, ": "); ok && o.Path == "GetModelStatus" {
		subject, answer = o.Path+" "+model, rest
	}
	code, _, _ := strings.Cut(answer, ":")
	r.add("call "+o.Pod+" "+subject, o, o.Pod, "is answered "+code)
}

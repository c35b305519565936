package steps

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/runners/show/timeline"
)

const (
	// explainLines is how many lines an explanation has by default.
	explainLines = 20
	// explained is the most kinds of failures in a suite that are explained. For that, the first
	// run of each kind is repeated.
	explained = 20
)

// detail makes the cluster record every observation.
func detail(spec *runners.Spec) { spec.Detail = true }

// explainFailure adds to a result what led to its failed step, from the log of the run. If there is
// no log, it runs the scenario again.
func (s *Suite) explainFailure(j job, r *Result) {
	failed := slices.IndexFunc(r.Steps, func(st Step) bool { return st.Status == Failed })
	lines := cmp.Or(s.Explain, explainLines)
	if failed < 0 || lines < 0 || !r.narrated {
		return
	}
	if r.Log == nil {
		again := s.execute(j, detail)
		defer again.world.close()
		if hash := again.result.Stats.TraceHash; hash != r.Stats.TraceHash {
			r.Explanation = []string{fmt.Sprintf("the run was not the same a second time (trace %016x, then %016x): nothing can be said of it",
				r.Stats.TraceHash, hash)}
			return
		}
		r.Log = again.world.cluster.Log()
	}
	st := r.Steps[failed]
	about := subjectsOf(st.Text, st.Err)
	next := awaited(r.Log, about, r.Stats.Virtual)
	next = next[:min(len(next), lines/3)]
	lost := s.lost(r)
	r.Explanation = slices.Concat(lost, explanation(r.Log, r.from(), about, lines-len(next)-len(lost)), next)
	if broken, ok := errors.AsType[runners.Broken](st.Err); ok {
		r.Instants = append(r.Instants, timeline.Instant{At: broken.At, Text: broken.Invariant + " is broken: " + broken.Text})
	}
}

// lost stores in the result the times that Suite.Instants returns for the scenario's file: those at
// which it was decided that its scenarios fail. It returns a line for each of these times.
func (s *Suite) lost(r *Result) (lines []string) {
	if s.Instants == nil {
		return nil
	}
	r.Instants = slices.Clone(s.Instants(r.Path))
	return lists.Map(r.Instants, func(i timeline.Instant) string { return "lost at " + runners.Stamp(i.At) + ": " + i.Text })
}

// from returns the time at which the explanation begins: the first of the result's instants, or 0
// without any.
func (r *Result) from() time.Duration {
	if len(r.Instants) == 0 {
		return 0
	}
	return r.Instants[0].At
}

// subjects lists the pods, znodes and models that a step is about. An empty list means all.
type subjects struct{ pods, paths, models []string }

var (
	podWord   = regexp.MustCompile(podName)
	idcWord   = regexp.MustCompile(`idc (` + idcName + `)`)
	pathWord  = regexp.MustCompile(`(?:^|\s)(/[^\s"]+)`)
	modelWord = regexp.MustCompile(`[A-Za-z_][\w.-]*:[A-Za-z_][\w.-]*`)
	// servableWord finds a model's name after "version of", for a model without sub-graphs.
	servableWord = regexp.MustCompile(`versions? (?:-?\d+ )?of ([\w.-]+)(?: |$)`)
)

// subjectsOf finds the subjects in a step's text. For a step about every pod it takes the pods that
// the error names.
func subjectsOf(text string, failure error) subjects {
	var s subjects
	s.pods = podWord.FindAllString(text, -1)
	if failure != nil && len(s.pods) == 0 {
		s.pods = podWord.FindAllString(failure.Error(), -1)
	}
	for _, m := range pathWord.FindAllStringSubmatch(text, -1) {
		s.paths = append(s.paths, m[1])
	}
	s.models = modelWord.FindAllString(pathWord.ReplaceAllString(text, ""), -1)
	if m := servableWord.FindStringSubmatch(text); m != nil {
		s.models = append(s.models, m[1])
	}
	for _, list := range []*[]string{&s.pods, &s.paths, &s.models} {
		slices.Sort(*list)
		*list = slices.Compact(*list)
	}
	return s
}

func (s subjects) String() string {
	all := slices.Concat(s.pods, s.paths, s.models)
	switch {
	case len(all) == 0:
		return "everything"
	case len(all) > 4:
		return fmt.Sprintf("%s and %d more", strings.Join(all[:4], ", "), len(all)-4)
	}
	return strings.Join(all, ", ")
}

// weight rates how important an observation is: 3 for an action on the cluster, 2 for a change in
// the cluster, a failed call or a warning, and 1 for a successful call or a line that is only
// logged.
func weight(o *runners.Observation) int {
	topic, what, _ := strings.Cut(o.Op, ".")
	switch {
	case topic == "remark" || topic == "fault":
		return 3
	case topic == "rpc" && !strings.HasSuffix(o.Note, "OK"), topic == "log" && what != "info":
		return 2
	case topic == "rpc" || topic == "log":
		return 1
	}
	return 2
}

// concern reports whether an observation is about the subjects.
func (s subjects) concern(o *runners.Observation) bool {
	if o.Op == "log.info" {
		return false // an agent's own actions are shown next to its log instead
	}
	if weight(o) == 3 {
		// a fault that a step has caused is told by the step's own line
		return o.Op != "fault.begin" && o.Op != "fault.happen" || o.Cause == 0
	}
	things := len(s.paths)+len(s.models) > 0
	if things && s.names(o) {
		return true
	}
	ofPod := len(s.pods) == 0 || slices.Contains(s.pods, o.Pod) || o.Peer != "" && slices.Contains(s.pods, o.Peer)
	if !things {
		return ofPod
	}
	// Starts and ends of processes and sessions of a pod affect everything in the pod.
	vital := strings.HasPrefix(o.Op, "process.") || strings.HasSuffix(o.Op, "Session") || o.Op == "log.error" || o.Op == "modelserver.serving" || o.Op == "modelserver.reason" || o.Op == "pod.down"
	return ofPod && vital
}

// names reports whether an observation is about a znode or a model of the subjects.
func (s subjects) names(o *runners.Observation) bool {
	for _, p := range s.paths {
		if o.Path != "" && (o.Path == p || strings.HasPrefix(o.Path, p+"/")) {
			return true
		}
	}
	text := o.Path + " " + o.Note
	return slices.ContainsFunc(s.models, func(m string) bool {
		return strings.Contains(text, m) || strings.Contains(text, "/"+strings.Replace(m, ":", "/", 1))
	})
}

// bindingPeriod is how often an agent of v3 checks its model server. It counts from the time at
// which the agent wrote its service info (agent_v3.py).
const bindingPeriod = 30 * time.Second

// rhythm holds what determines when a pod's agent next checks its model server.
type rhythm struct {
	down     bool
	since    time.Duration // time at which the agent wrote its service info, 0 if it has not
	last, by time.Duration // time of the last check, and time between it and the check before
}

// awaited says what is to come for the subjects: how pods that are down come back, and when agents
// next check their model servers.
func awaited(log []runners.Observation, s subjects, now time.Duration) []string {
	var lines []string
	pods := rhythms(log)
	for _, pod := range slices.Sorted(maps.Keys(pods)) {
		r := pods[pod]
		switch {
		case len(s.pods) > 0 && !slices.Contains(s.pods, pod):
		case r.down:
			lines = append(lines, fmt.Sprintf("%s is down and stays so: say %q, or %q before the start", pod, pod+" is started again", "pods that end start again after 5s"))
		case r.since > 0:
			next := r.since + (now-r.since+bindingPeriod-1)/bindingPeriod*bindingPeriod
			lines = append(lines, fmt.Sprintf("the agent of %s looks at its model server every %v, next at about %s, and binds what is available", pod, bindingPeriod, runners.Stamp(next)))
		case r.by > 0 && r.last+r.by > now:
			lines = append(lines, fmt.Sprintf("the agent of %s looks at its model server every %v, next at about %s", pod, r.by.Round(100*time.Millisecond), runners.Stamp(r.last+r.by)))
		}
	}
	return lines
}

// rhythms finds in a log when each pod's agent checks its model server.
func rhythms(log []runners.Observation) map[string]*rhythm {
	pods := map[string]*rhythm{}
	for i := range log {
		o := &log[i]
		r := pods[o.Pod]
		if r == nil {
			r = &rhythm{}
		}
		switch {
		case o.Op == "pod.down":
			r.down = true
		case o.Op == "process.start" && strings.HasSuffix(o.Path, "agent_service"):
			*r = rhythm{}
		case r.since == 0 && strings.Contains(o.Path, "/container_service/") && strings.HasPrefix(o.Op, "zookeeper."):
			r.since = o.At
		case o.Op == "rpc" && o.Path == "GetModelStatus" && o.Peer == o.Pod && o.At-r.last > 2*time.Second:
			if r.last > 0 { // before the first check there was none
				r.by = o.At - r.last
			}
			r.last = o.At
		default:
			continue
		}
		pods[o.Pod] = r
	}
	return pods
}

// happening stands for one observation, or for several that differ only in time.
type happening struct {
	at    int // index of the moment in the log
	first int
	times int
}

// explanation writes a heading, and then the happenings that concern the subjects, in at most n
// lines. It leaves out happenings before the time from.
func explanation(log []runners.Observation, from time.Duration, s subjects, n int) []string {
	list := slices.DeleteFunc(happenings(log, s), func(h happening) bool { return log[h.at].At < from })
	chosen := choose(log, list, n-1)
	heading := fmt.Sprintf("what happened to %s until then:", s)
	if more := len(list) - len(chosen); more > 0 {
		heading = fmt.Sprintf("what happened to %s until then (%d more with --explain %d):", s, more, len(list)+1)
	}
	lines := []string{heading}
	width := 0
	for _, h := range chosen {
		width = max(width, len(log[h.at].Pod))
	}
	for i, h := range chosen {
		lines = append(lines, happeningLine(log, chosen, i, h, width))
	}
	return lines[:min(len(lines), n)]
}

// happenings returns the observations about the subjects, with repeated ones merged. They are in
// the order of their last time.
func happenings(log []runners.Observation, s subjects) []happening {
	type key struct{ pod, op, path, note, peer string }
	known := map[key]*happening{}
	var list []*happening
	for i := range log {
		o := &log[i]
		if !s.concern(o) {
			continue
		}
		k := key{o.Pod, o.Op, o.Path, o.Note, o.Peer}
		if h := known[k]; h != nil && weight(o) < 3 {
			h.at = i
			h.times++
			continue
		}
		h := &happening{at: i, first: i, times: 1}
		known[k] = h
		list = append(list, h)
	}
	slices.SortFunc(list, func(a, b *happening) int { return cmp.Compare(a.at, b.at) })
	return lists.Map(list, func(h *happening) happening { return *h })
}

// choose chooses at most n happenings: the latest actions, up to a third of n, then the latest
// changes, then the latest logs. The result is in order of time.
func choose(log []runners.Observation, list []happening, n int) []happening {
	taken := map[int]bool{}
	take := func(weights, limit int) {
		for i := len(list) - 1; i >= 0 && limit > 0 && len(taken) < n; i-- {
			if w := weight(&log[list[i].at]); !taken[i] && w >= weights {
				taken[i] = true
				limit--
			}
		}
	}
	take(3, max(n/3, 1))
	take(2, n)
	take(1, n)
	var chosen []happening
	for i, h := range list {
		if taken[i] {
			chosen = append(chosen, h)
		}
	}
	return chosen
}

// longWait is the least delay after a cause for which the text says "after". A delay this long
// means that some timer ran in between.
const longWait = time.Second

// longestText is the most characters of one observation in a line.
const longestText = 160

// happeningLine writes one line of an explanation: number, time, pod, what happened, and its cause.
func happeningLine(log []runners.Observation, chosen []happening, i int, h happening, width int) string {
	o := &log[h.at]
	text := fmt.Sprintf("%-4s %-11s %-*s %s", fmt.Sprintf("[%d]", i+1), runners.Stamp(o.At), width, o.Pod, timeline.Shorten(timeline.Phrase(o), longestText))
	if h.times > 1 {
		text += fmt.Sprintf(" (%d times since %s)", h.times, runners.Stamp(log[h.first].At))
	}
	if o.Cause == 0 {
		return text
	}
	c := &log[o.Cause-1]
	link := ", because of "
	if wait := o.At - o.Took - c.At; wait >= longWait {
		if weight(c) == 1 {
			return text // the cause is merely a line that the loop logged in its previous turn
		}
		link = fmt.Sprintf(", %.1fs after ", wait.Seconds())
	}
	for k := range chosen {
		if chosen[k].at == o.Cause-1 {
			return text + link + fmt.Sprintf("[%d]", k+1)
		}
	}
	return text + link + fmt.Sprintf("%s: %s %s", runners.Stamp(c.At), c.Pod, timeline.Shorten(timeline.Phrase(c), longestText/2))
}

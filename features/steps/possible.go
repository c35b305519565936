package steps

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/monosim/monosim/runners"
)

// policies lists the version policies that gen_model_config accepts, in upper or lower case
// (utils.py:938-952).
var policies = []string{"latest", "latest_once", "all", "specific"}

// checkPolicy returns an error if a model cannot be declared with the policy.
func checkPolicy(policy string) error {
	if !slices.Contains(policies, strings.ToLower(policy)) {
		return fmt.Errorf("version policy: found %q, want %s", policy, strings.Join(policies, ", "))
	}
	return nil
}

// declared sets the check of a sentence: the last argument has to be a version policy with which a
// model can be declared.
func declared(s *Sentence) *Sentence {
	s.check = func(args []string) error { return checkPolicy(args[len(args)-1]) }
	return s
}

// entry sets the check of a sentence: the last argument has to be a version policy for a model
// config entry.
func entry(s *Sentence) *Sentence {
	s.check = func(args []string) error {
		_, err := runners.ParsePolicy(args[len(args)-1])
		return err
	}
	return s
}

// ofBareServer marks a sentence as being about the model server without an agent.
func ofBareServer(s *Sentence) *Sentence {
	s.ofBareServer = true
	return s
}

// ofAgents marks a sentence that is about pods with agents but names none.
func ofAgents(s *Sentence) *Sentence {
	s.ofAgents = true
	return s
}

// ofTrainingJob marks a sentence that is about a training job but names no process.
func ofTrainingJob(s *Sentence) *Sentence {
	s.ofTraining = true
	return s
}

// declares marks a sentence that introduces the names in it. exports marks one that creates a
// version.
func declares(s *Sentence) *Sentence {
	s.declares = true
	return s
}

func exports(s *Sentence) *Sentence {
	s.exports = true
	return s
}

// checkTrainers checks that the cluster has a training job, with the processes that a step names.
func (s *Sentence) checkTrainers(spec *runners.Spec, text string) error {
	var names []string
	if spec.Training != nil {
		names = spec.Training.TrainerNames()
	}
	about := s.ofTraining
	groups := s.expr.FindStringSubmatch(text)[1:]
	if s.kind == anAssertion {
		groups = groups[2:]
	}
	var cut []string // which of the places that the fault cuts off hold the PS or ZooKeeper
	for i, word := range wordsOf(s.text) {
		if word != "trainer" && word != "places" {
			continue
		}
		for _, said := range list(groups[i]) {
			if word == "places" && (said == "ZooKeeper" || trainerWord.MatchString(said)) {
				cut = append(cut, said)
			}
			if word == "places" && !trainerWord.MatchString(said) {
				continue
			}
			about = true
			if spec.Training != nil && !slices.Contains(names, said) {
				return fmt.Errorf("process of the training job: found %s, want one of %s%s", said, strings.Join(names, ", "), didYouMean(said, names))
			}
			if !strings.HasPrefix(said, s.only) {
				return fmt.Errorf("process of the training job: found %s, want one of role %s: what others do is not simulated", said, s.only)
			}
		}
	}
	if len(cut) > 1 && about {
		return fmt.Errorf("places: found %s beside %s, want pods on one side: a PS is unreachable for the others of its job, or without ZooKeeper", cut[0], cut[1])
	}
	if about && spec.Training == nil {
		return errors.New("the training job: found none, want one that the scenario has asked for by \"a training job with 2 workers and 1 PS\"")
	}
	return nil
}

// NobodyError says that a fault hits nobody, because the cluster lacks the part that the fault
// would hit, or does not use it.
type NobodyError struct{ text string }

func (e *NobodyError) Error() string { return e.text }

// checkServers returns a [*NobodyError] if no part of the cluster uses the server that a kind of
// fault hits.
func checkServers(spec *runners.Spec, fault string) error {
	t := spec.Training
	topic, _, _ := strings.Cut(fault, ".")
	switch {
	case topic == "consul" && (t == nil || t.Discovery != "consul"):
		return &NobodyError{"Consul: found none, want a training job whose processes find each other by it (discovery: consul)"}
	case t == nil || len(spec.Pods()) > 0 || t.ParameterSync: // agents or the parameter sync use ZooKeeper
		return nil
	case fault == "trainer.application-master" && !t.ApplicationMaster:
		return &NobodyError{"the application master: found none, want a training job with one (application_master: true)"}
	case (topic == "zookeeper" || fault == "trainer.disconnected" || fault == "trainer.expired-session") && t.Discovery != "" && t.Discovery != "zookeeper":
		return &NobodyError{"ZooKeeper: found nobody who uses it, want a training job whose processes find each other by it; they do by " + t.Discovery}
	}
	return nil
}

// possible checks, before anything runs, whether a step can work, and returns an error if it
// cannot. Sentences that describe the cluster change the spec of w, whose cluster is never built.
func (s *Sentence) possible(w *World, st *step) error {
	if s.check != nil {
		return s.check(s.expr.FindStringSubmatch(st.text)[1:])
	}
	if s.kind != aShape {
		return nil
	}
	spec, conf := w.spec, slices.Clone(w.conf)
	err := s.say(w, st.args)
	if c, ok := w.runner.(runners.Checker); ok && err == nil {
		whole := w.spec
		whole.Conf = w.conf.text()
		err = c.Check(whole)
	}
	if err != nil {
		w.spec, w.conf = spec, conf // undoes this shape, so that its mistake is not reported again for a later shape
	}
	return err
}

// peopled returns an error if a step is about something that the cluster of spec does not have.
func (s *Sentence) peopled(spec *runners.Spec, st *step) error {
	var pods []string
	for _, p := range spec.Pods() {
		pods = append(pods, p.Name)
	}
	if err := s.checkTrainers(spec, st.text); err != nil {
		return err
	}
	if err := checkServers(spec, s.fault); err != nil {
		return err
	}
	text := st.text
	if s.ofBareServer {
		text = bareServerName
	}
	if s.ofAgents && len(pods) == 0 {
		return errors.New("pods: found none, want a cluster with agents, as a v3 cluster of 1 shard with 2 replicas; there is " + instead(spec))
	}
	for _, said := range s.places(text) {
		switch {
		case said == bareServerName && spec.BareServer == nil:
			return errors.New("the model server: found none, want one that the scenario has asked for by \"a model server\"")
		case strings.HasPrefix(said, "every ") && len(pods) == 0:
			return fmt.Errorf("%s: found none, want a cluster with agents; there is %s", said, instead(spec))
		}
		for _, name := range podWord.FindAllString(said, -1) {
			if !slices.Contains(pods, name) {
				return fmt.Errorf("pod: found %s, want one of the cluster: %s%s", name, podRange(spec, pods), didYouMean(name, pods))
			}
		}
		if err := checkIDCs(spec, said); err != nil {
			return err
		}
	}
	return nil
}

// checkIDCs returns an error if a text names an idc in which there is no pod.
func checkIDCs(spec *runners.Spec, said string) error {
	var idcs []string
	for _, p := range spec.Pods() {
		idcs = append(idcs, p.Location.IDC)
	}
	slices.Sort(idcs)
	idcs = slices.Compact(idcs)
	for _, m := range idcWord.FindAllStringSubmatch(said, -1) {
		switch {
		case len(idcs) == 0:
			return fmt.Errorf("idc: found %s, want a cluster with agents; there is %s", m[1], instead(spec))
		case !slices.Contains(idcs, m[1]):
			return fmt.Errorf("idc: found %s, want one that has a pod: %s%s", m[1], strings.Join(idcs, ", "), didYouMean(m[1], idcs))
		}
	}
	return nil
}

// placeWords lists the placeholders that stand for pods, agents or model servers.
var placeWords = []string{"pod", "pods", "agents", "server", "servers", "places"}

// places returns the texts in a step that name pods, agents or model servers.
func (s *Sentence) places(text string) []string {
	if text == bareServerName {
		return []string{text}
	}
	groups := s.expr.FindStringSubmatch(text)[1:]
	if s.kind == anAssertion {
		groups = groups[2:]
	}
	var said []string
	for i, word := range wordsOf(s.text) {
		if slices.Contains(placeWords, word) {
			said = append(said, groups[i])
		}
	}
	return said
}

// instead says what a cluster without agents has.
func instead(spec *runners.Spec) string {
	if spec.BareServer == nil && spec.Training != nil {
		return "a training job only, without agents"
	}
	return "a model server only"
}

// podRange lists pods for a message. If there are many, it names only the first and the last.
func podRange(spec *runners.Spec, pods []string) string {
	switch {
	case len(pods) == 0:
		return "there is " + instead(spec)
	case len(pods) > 4:
		return pods[0] + " to " + pods[len(pods)-1]
	}
	return strings.Join(pods, ", ")
}

// Package repairs_test holds the repaired faults of the training side to the reference under every kind of
// fault: a repair makes no job worse.
//
//   - TestRepairsUnderEveryFault does each fault of a simulated cluster to jobs of every discovery.
//   - TestRepairsUnderDrawnFaults draws stories of several faults.
//
// To change what is tried, look at burntJobs, the jobs, and at fills, the arguments of sentences.
package repairs_test

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/monosim/monosim/features/steps"
	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/runners/test/simrun"
	"github.com/monosim/monosim/runners/train"
	"github.com/monosim/monosim/vectors/scope"
)

// repairStories is the number of random stories to play, and firstStory the seed of the first one.
// Only a nightly run plays that many.
var (
	repairStories = flag.Uint64("repairs.stories", 2000, "how many stories TestRepairsUnderDrawnFaults draws in the nightly run")
	firstStory    = flag.Uint64("repairs.firststory", 0, "its first seed")
	nightly       = os.Getenv("MONOSIM_NIGHTLY") != ""
)

// blaze is one fault that can hit a training job: a sentence of sim/fault with its arguments.
type blaze struct {
	kind, text string
	// lasts means that the sentence can end with a duration, as "for 3m". fatal, if not "", is the
	// reason why a job may stop for good after the fault.
	lasts bool
	fatal string
}

// ofAgents lists placeholders of sentences about agents and model servers, which a training job
// does not have.
var ofAgents = []string{"{pod}", "{server}", "{model}", "{places}"}

// fills maps a placeholder of a sentence to the arguments that the tests try for it.
var fills = map[string][]string{
	"{trainer}": {"chief", "worker1", "ps0"}, "{duration}": {"4s", "20s"}, "{n}": {"2"}, "{status}": {"500"}, "{size}": {"90 GB"},
	"memory of {trainer}": {"memory of ps0"}, "{trainer} stops": {"ps0 stops"},
	"files under {path}": {"files under /train/model"}, "stored file {path}": {"stored file /train/model/checkpoint", "stored file /train/model/monolith_checkpoint"},
}

// longestFirst sorts what says most about its arguments to the front.
func longestFirst(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) }

// blazes lists every kind of fault that can hit a training job, once for each argument.
func blazes(t *testing.T) (list []blaze) {
	t.Helper()
	for _, k := range (&simrun.Runner{}).Faults() {
		lasts := k.Onset != ""
		sentence := k.Begins
		if lasts {
			sentence = k.Onset
		}
		if slices.ContainsFunc(ofAgents, func(word string) bool { return strings.Contains(sentence, word) }) {
			continue
		}
		texts := []string{strings.ReplaceAll(strings.ReplaceAll(sentence, "write(s)", "writes"), "fail(s)", "fail")}
		for _, word := range slices.SortedFunc(maps.Keys(fills), longestFirst) {
			if !strings.Contains(sentence, word) {
				continue
			}
			var filled []string
			for _, text := range texts {
				for _, arg := range fills[word] {
					filled = append(filled, strings.ReplaceAll(text, word, arg))
				}
			}
			texts = filled
		}
		for _, text := range texts {
			if strings.Contains(text, "{") {
				t.Fatalf("%s: found %q, want arguments for its words in fills", k.Name, text)
			}
			list = append(list, blaze{kind: k.Name, text: text, lasts: lasts, fatal: k.Fatal})
		}
	}
	return list
}

// line formats the fault as a line of a script. It begins at the time at, and lasts for lasting if
// it can.
func (b blaze) line(at, lasting time.Duration) string {
	if b.lasts {
		return fmt.Sprintf("%v: %s for %v", at, b.text, lasting)
	}
	return fmt.Sprintf("%v: %s", at, b.text)
}

// burntJobs lists the training jobs that the faults hit. They cover every kind of service
// discovery.
var burntJobs = []string{
	"ps: 2, workers: 2, save_every: 2m, restart_after: 45s, ps_memory_limit: 64000000000",
	"ps: 2, workers: 2, save_every: 2m, restart_after: 45s, discovery: consul",
	"ps: 2, workers: 2, save_every: 2m, restart_after: 45s, discovery: primus, max_retries: 6, application_master: true, ps_memory_limit: 64000000000",
	"ps: 2, workers: 2, save_every: 2m, restart_after: 45s, discovery: mlp, max_retries: 6, ps_memory_limit: 64000000000",
	"ps: 2, workers: 3, save_every: 90s, restart_after: 20s, max_retries: 6, evaluator: true, redundant_ps: 1",
	"ps: 1, workers: 2, save_every: 2m, restart_after: 45s, restore_dir: /train/old, max_retries: 2",
	"ps: 1, workers: 2, save_steps: 300, max_steps: 2400, restart_after: 45s, fail_fast: false",
	"ps: 2, workers: 2, save_every: 2m, restart_after: 45s, max_retries: 6, discovery: consul, partial_recovery: true",
}

// burning is a story: a training job, and a script of faults that hit it.
type burning struct {
	seed          uint64
	length        time.Duration
	shape         string
	lines         []string
	mayStandStill bool
}

// plan formats the story as a plan for monosim train, with the given quirks.
func (s burning) plan(quirks string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "seed: %d\nfor: %v\nquirks: %q\njob: {%s}\n", s.seed, s.length, quirks, s.shape)
	if len(s.lines) > 0 {
		b.WriteString("script:\n")
	}
	for _, line := range s.lines {
		fmt.Fprintf(&b, "  - %q\n", line)
	}
	return b.String()
}

// play simulates the story. ok is false if one of its faults cannot hit this job.
func (s burning) play(t *testing.T, quirks string) (report *train.Report, ok bool) {
	t.Helper()
	plan, acts, err := s.read(quirks)
	if hitsNobody(err) {
		return nil, false
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, s.plan(quirks))
	}
	report, err = plan.Run(context.Background(), acts)
	if err != nil {
		t.Fatalf("%v\n%s", err, s.plan(quirks))
	}
	return report, report.Failed() == 0
}

// read parses the story's plan and its script.
func (s burning) read(quirks string) (*train.Plan, []runners.Act, error) {
	plan, err := train.Read("story.yaml", []byte(s.plan(quirks)))
	if err != nil {
		return nil, nil, err
	}
	var lines []steps.ScriptLine
	for _, line := range plan.Script {
		lines = append(lines, steps.ScriptLine{Where: line.Where, Text: line.Text})
	}
	acts, err := steps.ReadScript(lines, &simrun.Runner{}, plan.Spec(), plan.For)
	return plan, acts, err
}

// hitsNobody reports whether an error of a script says that its fault hits what the job does not use.
func hitsNobody(err error) bool {
	var nobody *steps.NobodyError
	return errors.As(err, &nobody)
}

// breaks maps each invariant that broke to the first message about it. Breaks that a known quirk
// explains are included only if known is set.
func (s burning) breaks(r *train.Report, known bool) map[string]string {
	broken := map[string]string{}
	for _, b := range r.Invariants {
		if _, told := broken[b.Invariant]; told || b.Known != "" && !known || b.Invariant == "INV-8" && s.mayStandStill {
			continue
		}
		broken[b.Invariant] = fmt.Sprintf("%s at %vs: %s", b.Invariant, b.AtSeconds, b.What)
	}
	return broken
}

// repaired lists the ids of the training quirks that can be repaired.
func repaired(t *testing.T) (ids []string) {
	t.Helper()
	all, err := scope.Quirks()
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range all {
		if q.Decision == "fix" && !strings.Contains(strings.Join(q.Where, " "), "agent_service") {
			ids = append(ids, q.ID)
		}
	}
	if len(ids) < 40 {
		t.Fatalf("found %d repaired quirks of training, want 40 at least", len(ids))
	}
	return ids
}

// worse lists what became worse by a repair: an invariant that breaks only with it, or a loss of
// more than a tenth of the training steps.
func (s burning) worse(plain, repaired *train.Report) (list []string) {
	before, after := s.breaks(plain, true), s.breaks(repaired, true)
	for _, name := range slices.Sorted(maps.Keys(after)) {
		if before[name] == "" {
			list = append(list, after[name])
		}
	}
	kept := func(r *train.Report) int64 { return r.Work.StepsMade - r.Work.StepsLost }
	if was, is := kept(plain), kept(repaired); is < was-was/10 {
		list = append(list, fmt.Sprintf("%d steps count, want some %d as without the repair", is, was))
	}
	return list
}

// Goal: no repair makes a job worse, under any kind of fault, alone or with the others, and with all
// of them no invariant breaks but by a rule that no repair changes. Method: each kind of sim/fault
// that can hit a job is done to jobs of each discovery, at two moments, and each run is compared with
// the reference's under the same fault. Without nightly each fault is done once, to a job that it hits.
func TestRepairsUnderEveryFault(t *testing.T) {
	ids, all, hit := repaired(t), blazes(t), map[string]bool{}
	length := 25 * time.Minute
	if !nightly {
		length = 15 * time.Minute
	}
	// a moment during a save of most jobs, and one between two saves
	moments := []time.Duration{6*time.Minute + 5*time.Second, 9 * time.Minute}
	for i, b := range all {
		for n := range burntJobs {
			for m, at := range moments {
				s := burning{seed: 1, length: length, shape: burntJobs[(i+n)%len(burntJobs)], lines: []string{b.line(at, 3*time.Minute)}, mayStandStill: b.fatal != ""}
				alone := ids
				if !nightly {
					if hit[b.text] || m != i%len(moments) {
						continue
					}
					alone = []string{ids[i%len(ids)]}
				}
				if s.compare(t, alone) {
					hit[b.text] = true
				}
			}
		}
		if !hit[b.text] {
			t.Errorf("%s, %s: found no job that it hits, want one among burntJobs", b.kind, b.text)
		}
	}
}

// Goal: a save does not wait for a Consul that is down. With Q239 repaired, the chief asks at each
// look at a barrier which workers are alive. A save once held its barrier for 84 s because of that.
func TestNoSaveWaitsForConsul(t *testing.T) {
	for _, line := range []string{"5m: Consul goes down for 3m", "5m: Consul begins to answer after 14s for 6m", "5m: Consul begins to answer after 40s for 6m"} {
		s := burning{seed: 1, length: 20 * time.Minute, shape: burntJobs[1], lines: []string{line}}
		if !s.compare(t, []string{"Q239"}) {
			t.Errorf("%s: found that it does not hit the job", line)
		}
		plain, _ := s.play(t, "python")
		r, _ := s.play(t, "-Q239")
		if is, was := r.Work.SavesSeconds, plain.Work.SavesSeconds; is > was+5 {
			t.Errorf("%s: saves held the workers for %vs, want %vs as without the repair", line, is, was)
		}
	}
}

// compare plays the story as in the reference, then with each single repair in alone, then with all
// repairs. It returns false if a fault cannot hit this job, such as a fault of Consul when the job
// registers elsewhere.
func (s burning) compare(t *testing.T, alone []string) (ok bool) {
	t.Helper()
	plain, ok := s.play(t, "python")
	if !ok {
		return false
	}
	for _, id := range alone {
		r, _ := s.play(t, "-"+id)
		for _, text := range s.worse(plain, r) {
			t.Errorf("repaired %s: %s\n%s", id, text, s.plan("-"+id))
		}
	}
	r, _ := s.play(t, "fixed")
	for _, text := range append(s.worse(plain, r), slices.Sorted(maps.Values(s.breaks(r, false)))...) {
		t.Errorf("all repaired: %s\n%s", text, s.plan("fixed"))
	}
	return true
}

// Goal: with all quirks repaired no invariant breaks, whichever faults coincide. Method: random
// stories of up to four faults at random moments.
func TestRepairsUnderDrawnFaults(t *testing.T) {
	n := *repairStories
	if !nightly {
		n = 12
	}
	all := blazes(t)
	for seed := *firstStory; seed < *firstStory+n; seed++ {
		s := burningOf(seed, all)
		r, _ := s.play(t, "fixed")
		for _, text := range s.breaks(r, false) {
			t.Errorf("story %d: %s\n%s", seed, text, s.plan("fixed"))
		}
	}
}

// burningOf draws a random story from a seed, with faults from the list all.
func burningOf(seed uint64, all []blaze) burning {
	random := rand.New(rand.NewPCG(seed, 29))
	s := burning{seed: seed + 1, length: 100 * time.Minute, shape: burntJobs[random.IntN(len(burntJobs))]}
	at := time.Duration(0)
	for range 1 + random.IntN(4) {
		at += time.Duration(1+random.IntN(500)) * time.Second
		b := all[random.IntN(len(all))]
		lasting := time.Duration(5+random.IntN(300)) * time.Second
		alone := burning{seed: s.seed, length: s.length, shape: s.shape, lines: []string{b.line(at, lasting)}}
		if _, _, err := alone.read("fixed"); hitsNobody(err) {
			continue
		}
		s.lines = append(s.lines, alone.lines...)
		s.mayStandStill = s.mayStandStill || b.fatal != ""
		if b.lasts {
			at += lasting
		}
	}
	return s
}

package train

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/runners"
)

// need says that a setting of the job has no effect without another setting.
type need struct {
	keys []string
	has  func(job spec, serving *Serving) bool
	want string
}

// needs lists the settings that have an effect only together with others.
var needs = []need{
	{[]string{"eval_setup", "eval_time"}, func(job spec, _ *Serving) bool { return job.Evaluator }, "a job with evaluator: true"},
	{[]string{"export_graphs", "export_bytes"}, func(job spec, _ *Serving) bool { return job.ExportDir != "" }, "a job with an export_dir"},
	{[]string{"tide_start_minute"}, func(job spec, _ *Serving) bool { return job.TideStartHour != nil }, "a job with a tide_start_hour"},
	{[]string{"tide_end_minute"}, func(job spec, _ *Serving) bool { return job.TideEndHour != nil }, "a job with a tide_end_hour"},
	{[]string{"tide_save_every"}, func(job spec, _ *Serving) bool { return job.TideStartHour != nil || job.TideEndHour != nil }, "a job with tide_start_hour and tide_end_hour"},
	{[]string{"tide_start_hour", "tide_end_hour"}, func(job spec, _ *Serving) bool { return job.TideSaveEvery > 0 }, "a job with tide_save_every, which counts outside of these hours"},
	{[]string{"max_slow_start"}, func(job spec, _ *Serving) bool { return job.SlowStartSteps > 0 }, "a job with slow_start_steps"},
	{[]string{"continue_training"}, func(job spec, _ *Serving) bool { return job.ClearNN }, "a job with clear_nn: true"},
	{[]string{"sync_model", "unified_serving", "dc_aware"}, func(job spec, _ *Serving) bool { return job.ParameterSync }, "a job with parameter_sync: true"},
	{[]string{"bzid", "base_name"}, func(job spec, serving *Serving) bool { return job.ParameterSync || serving != nil }, "a plan with " + servingKey},
	{[]string{"dc_aware"}, func(job spec, _ *Serving) bool { return !job.UnifiedServing }, "it without unified_serving, whose agents are found without it"},
}

// sizes lists the settings that have no effect in a job that is too small. They cause a note and no
// error, because a sweep over sizes may include such a job.
var sizes = []need{
	{[]string{"slow_start_steps", "session_timeout", "max_pending", "chief_timeout", "worker_checkpoints"}, func(job spec, _ *Serving) bool { return job.Workers > 0 }, "of a chief without workers"},
	{[]string{"job"}, func(job spec, _ *Serving) bool { return !job.IsPlaced() }, "whose processes know their places from their environment"},
}

// unsaid lists the settings for which the job treats 0 or "" as not set.
var unsaid = []string{
	"job", "discovery", "model_dir", "step_time", "save_time", "max_to_keep", "export_graphs", "export_bytes", "max_pending", "chief_timeout", "retry_wait",
	"max_slow_start", "session_timeout", "tensorflow", "eval_setup", "eval_time",
}

// scripted lists the settings that have an effect only if something happens in the run, such as a
// line of the script or the end of training.
var scripted = []struct {
	key  string
	has  func(job spec, acts []runners.Act) bool
	want string
}{
	{"defective_ps_barrier", func(_ spec, acts []runners.Act) bool {
		return slices.ContainsFunc(acts, func(a runners.Act) bool { return strings.Contains(a.Text, " arrives at the PS barrier ") })
	}, `a script in which a worker arrives at the PS barrier, as "5m: worker 0 of 2 arrives at the PS barrier step1 for 5s"`},
	{"keep_ps", func(job spec, acts []runners.Act) bool {
		return job.MaxSteps > 0 || job.RestoreCkpt != "" || slices.ContainsFunc(acts, func(a runners.Act) bool { return !a.Checks })
	}, `a job whose training ends, by max_steps or by a line of the script`},
	{"ignore_save_errors", func(_ spec, acts []runners.Act) bool {
		return slices.ContainsFunc(acts, func(a runners.Act) bool { return !a.Checks })
	}, `a script in which a save fails, as "5m: the next 2 writes of a checkpoint fail"`},
}

// idle is a setting that the plan has and that needs a line of the script.
type idle struct{ key, where, given string }

func (d *reader) idle(n *yaml.Node) (list []idle) {
	section := find(n, "job")
	for _, s := range scripted {
		if at := find(section, s.key); at != section && !isNothing(at) {
			list = append(list, idle{key: s.key, where: d.where(at), given: given(at)})
		}
	}
	return list
}

// Unplayed returns an error for each setting of the job that has no effect with the given acts,
// which come from the script and from the command line. Do not use it for the plan of a monosim
// trainer process, which has no acts: others decide what happens to that process.
func (p *Plan) Unplayed(acts []runners.Act) error {
	var faults []error
	for _, i := range p.idle {
		for _, s := range scripted {
			if s.key == i.key && !s.has(&p.Job, acts) {
				faults = append(faults, fmt.Errorf("%s: job: %s: found %s, want %s: it has no effect", i.where, i.key, i.given, s.want))
			}
		}
	}
	return errors.Join(faults...)
}

// vain reports settings of the job that have no effect as mistakes. It returns notes, rather than
// mistakes, for settings that come from a configuration of the reference, and for settings that
// only a larger job needs.
func (d *reader) vain(n *yaml.Node, job spec, serving *Serving) (notes []string) {
	section := find(n, "job")
	at := func(key string) *yaml.Node {
		if at := find(section, key); at != section && !slices.Contains(d.at, d.where(at)) {
			return at
		}
		return nil
	}
	for _, key := range unsaid {
		if at := at(key); at != nil && isNothing(at) {
			d.fault(at, "job: %s: found %s, want more than that: it is what a job has that does not say it", key, given(at))
		}
	}
	for _, need := range needs {
		for _, key := range need.keys {
			switch at := at(key); {
			case need.has(job, serving):
			// a 0 is a value for a key of hours, and nothing for other keys
			case at != nil && (!isNothing(at) || strings.HasSuffix(key, "_hour")):
				d.fault(at, "job: %s: found %s, want %s: it has no effect", key, given(at), need.want)
			case d.from[key].at != nil:
				from := d.from[key]
				notes = append(notes, fmt.Sprintf("%s: %s has no effect, but in %s", from.key, from.name, need.want))
			}
		}
	}
	for _, need := range sizes {
		vain := lists.Filter(need.keys, func(key string) bool {
			at := at(key)
			return !need.has(job, serving) && (at != nil && !isNothing(at) || d.from[key].at != nil)
		})
		if len(vain) > 0 {
			notes = append(notes, fmt.Sprintf("%s: without effect on the job %s", strings.Join(vain, ", "), need.want))
		}
	}
	return notes
}

// isNothing reports whether a value is 0, false, or empty.
func isNothing(n *yaml.Node) bool {
	switch n.Kind {
	case yaml.SequenceNode, yaml.MappingNode:
		return len(n.Content) == 0
	}
	return slices.Contains([]string{"", "false"}, n.Value) || strings.Trim(n.Value, "0.hmsµnu") == ""
}

// given describes a value for error messages, as the plan has it.
func given(n *yaml.Node) string {
	if n.Kind == yaml.ScalarNode && n.Value != "" && n.Tag != "!!str" {
		return n.Value
	}
	return shown(n)
}

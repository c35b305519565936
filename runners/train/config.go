package train

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/agnivade/levenshtein"
	"gopkg.in/yaml.v3"

	"github.com/monosim/monosim/engine/cluster"
	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/pysem/dataclass"
	"github.com/monosim/monosim/engine/quirks"
	"github.com/monosim/monosim/engine/training"
	"github.com/monosim/monosim/engine/training/estimator"
	"github.com/monosim/monosim/engine/training/gflagsutils"
	"github.com/monosim/monosim/engine/training/runnerutils"
	"github.com/monosim/monosim/runners"
)

// Keys of the two configurations that a plan may have. run_config holds what a user sets in
// code. runner_config holds the command line flags of the processes.
const (
	runConfigKey    = "run_config"
	runnerConfigKey = "runner_config"
)

var (
	runConfigFields    = gflagsutils.FieldsOf(estimator.RunConfigClass)
	runnerConfigFields = gflagsutils.FieldsOf(runnerutils.Class)
)

type (
	config = *runnerutils.RunnerConfig
	spec   = *runners.TrainingSpec
)

// setting maps fields of the configurations to one setting of the simulated job.
type setting struct {
	job    string
	fields []string
	take   func(c config, job spec)
	// noZero refuses the value 0, because the job would treat 0 as not set.
	noZero bool
	// serving says that the setting has an effect only in a plan with agents.
	serving bool
}

// realtimeFields are the two ways to ask for training in real time.
var realtimeFields = []string{"enable_realtime_training", "enable_parameter_sync"}

// settings lists all settings. Fields that appear in none of them have no effect on a
// simulated job.
var settings = []setting{
	{job: "ps", fields: []string{"num_ps"}, take: func(c config, job spec) { job.PS = c.NumPS }},
	{job: "workers", fields: []string{"num_workers"}, take: func(c config, job spec) { job.Workers = c.NumWorkers - 1 }},
	{job: "redundant_ps", fields: []string{"num_redundant_ps"}, take: func(c config, job spec) { job.RedundantPS = c.NumRedundantPS }},
	{job: "discovery", fields: []string{"discovery_type"}, take: func(c config, job spec) { job.Discovery = discoveryOf(c) }},
	{job: "job", fields: []string{"deep_insight_name", "uuid"}, take: func(c config, job spec) {
		job.Job = c.DeepInsightName.Or("")
		if c.DiscoveryType == training.DiscoveryConsul {
			job.Job = c.UUID // env_utils.py:25
		}
	}},
	{job: "model_dir", fields: []string{"model_dir"}, take: func(c config, job spec) { job.ModelDir = c.ModelDir }},
	{job: "restore_dir", fields: []string{"restore_dir"}, take: func(c config, job spec) { job.RestoreDir = c.RestoreDir.Or("") }},
	{job: "restore_ckpt", fields: []string{"restore_ckpt"}, take: func(c config, job spec) { job.RestoreCkpt = c.RestoreCkpt.Or("") }},
	{job: "save_every", fields: []string{"save_checkpoints_secs"}, take: func(c config, job spec) { job.SaveEvery = seconds(c.SaveCheckpointsSecs.Or(0)) }},
	{job: "save_steps", fields: []string{"save_checkpoints_steps"}, take: func(c config, job spec) { job.SaveSteps = c.SaveCheckpointsSteps.Or(0) }},
	{job: "tide_start_hour", fields: []string{"tide_start_hour"}, take: func(c config, job spec) { job.TideStartHour = hour(c.TideStartHour) }},
	{job: "tide_start_minute", fields: []string{"tide_start_minute"}, take: func(c config, job spec) { job.TideStartMinute = c.TideStartMinute.Or(0) }},
	{job: "tide_end_hour", fields: []string{"tide_end_hour"}, take: func(c config, job spec) { job.TideEndHour = hour(c.TideEndHour) }},
	{job: "tide_end_minute", fields: []string{"tide_end_minute"}, take: func(c config, job spec) { job.TideEndMinute = c.TideEndMinute.Or(0) }},
	{job: "tide_save_every", fields: []string{"tide_save_secs"}, take: func(c config, job spec) { job.TideSaveEvery = seconds(c.TideSaveSecs.Or(0)) }},
	{job: "max_to_keep", noZero: true, fields: []string{"checkpoints_max_to_keep"}, take: func(c config, job spec) { job.MaxToKeep = c.CheckpointsMaxToKeep }},
	{job: "chief_timeout", noZero: true, fields: []string{"chief_timeout_secs"}, take: func(c config, job spec) { job.ChiefTimeout = seconds(c.ChiefTimeoutSecs) }},
	{job: "session_timeout", noZero: true, fields: []string{"session_creation_timeout_secs"}, take: func(c config, job spec) { job.SessionTimeout = seconds(c.SessionCreationTimeoutSecs) }},
	{job: "max_retries", fields: []string{"max_retry_times"}, take: func(c config, job spec) {
		n := c.MaxRetries()
		job.MaxRetries = &n
	}},
	{job: "retry_wait", noZero: true, fields: []string{"retry_wait_in_secs"}, take: func(c config, job spec) { job.RetryWait = seconds(c.RetryWaitInSecs) }},
	{job: "max_slow_start", noZero: true, fields: []string{"max_slow_start_wait_minute"}, take: func(c config, job spec) { job.MaxSlowStart = time.Duration(c.MaxSlowStartWaitMinute) * time.Minute }},
	{job: "partial_recovery", fields: []string{"partial_recovery"}, take: func(c config, job spec) {
		job.PartialRecovery = c.PartialRecovery.Or(c.EnableRealtimeTraining) // cpu_training.py:604
	}},
	{job: "clear_nn", fields: []string{"clear_nn"}, take: func(c config, job spec) { job.ClearNN = c.ClearNN }},
	{job: "continue_training", fields: []string{"continue_training"}, take: func(c config, job spec) { job.ContinueTraining = c.ContinueTraining }},
	{job: "keep_ps", fields: append(realtimeFields, "force_shutdown_ps"), take: func(c config, job spec) {
		job.KeepPS = c.EnableRealtimeTraining && !c.ForceShutdownPS // cpu_training.py:2140
	}},
	{job: "ignore_save_errors", fields: realtimeFields, take: func(c config, job spec) { job.IgnoreSaveErrors = c.EnableRealtimeTraining }},
	// Realtime training requires these fields.
	{fields: []string{"bzid", "base_name"}},
	{serving: true, job: "parameter_sync", fields: realtimeFields, take: func(c config, job spec) { job.ParameterSync = c.EnableRealtimeTraining }},
	{serving: true, job: "bzid", fields: []string{"bzid"}, take: func(c config, job spec) { job.BZID = c.Bzid.Or("") }},
	{serving: true, job: "base_name", fields: []string{"base_name"}, take: func(c config, job spec) { job.BaseName = c.BaseName.Or("") }},
	{serving: true, job: "unified_serving", fields: []string{"unified_serving"}, take: func(c config, job spec) { job.UnifiedServing = c.UnifiedServing }},
	{serving: true, job: "dc_aware", fields: []string{"dc_aware"}, take: func(c config, job spec) { job.DCAware = c.DCAware }},
	// estimator.py:439: model_name, or else deep_insight_name, which also names the job.
	{serving: true, job: "sync_model", fields: []string{"model_name"}, take: func(c config, job spec) { job.SyncModel = cmp.Or(c.ModelName, c.DeepInsightName.Or("")) }},
}

func seconds(n int) time.Duration { return time.Duration(n) * time.Second }

func hour(n pysem.OptInt) *int {
	if !n.Set {
		return nil
	}
	return &n.V
}

func discoveryOf(c *runnerutils.RunnerConfig) string {
	switch c.DiscoveryType {
	case training.DiscoveryConsul:
		return cluster.DiscoveryConsul
	case training.DiscoveryPrimus:
		return cluster.DiscoveryPrimus
	case training.DiscoveryMLP:
		return cluster.DiscoveryMLP
	}
	return ""
}

// said holds the fields that one configuration of a plan sets, in order, and their places in
// the file.
type said struct {
	key    string
	fields []dataclass.Field
	at     map[string]*yaml.Node
}

// place is where a configuration sets a field: the configuration's key, the field's name and
// the YAML node.
type place struct {
	key, name string
	at        *yaml.Node
}

func (s *said) has(name string) bool { return s.at[name] != nil }

// configs applies the configurations to the job, with the reference's precedence. A field of
// a RunConfig wins over the command line unless it equals RunConfig's default (TRN-2.15).
// With Q253 repaired it always wins. It is an error if a configuration and the job set the
// same thing. The notes list the values that are overruled or have no effect.
func (d *reader) configs(n *yaml.Node, f *file, kept quirks.Set) (notes []string) {
	user, hasUser := d.said(n, runConfigKey, runConfigFields)
	flags, hasFlags := d.said(n, runnerConfigKey, runnerConfigFields)
	if !hasUser && !hasFlags {
		return nil
	}
	whole := len(d.faults) == 0 // if there are other mistakes, a field that seems missing may be misspelt
	conf, c := estimator.RunConfigClass.New(), (*estimator.RunConfig)(nil)
	if hasUser {
		c = &conf
	}
	for _, field := range user.fields {
		if err := estimator.RunConfigClass.Set(&conf, field.Name, field.Value); err != nil {
			d.fault(user.at[field.Name], "%s: %s: %v", runConfigKey, field.Name, err)
		}
	}
	merged, err := c.Merge(flags.fields, kept)
	if err != nil {
		d.fault(find(n, runnerConfigKey), "%s: %v", runnerConfigKey, err)
		return nil
	}
	if whole {
		d.realtime(merged, user, flags)
	}
	known := settings
	if find(n, servingKey) == n {
		known = lists.Filter(settings, func(s setting) bool { return !s.serving })
	}
	for _, s := range known {
		d.take(s, merged, find(n, "job"), f, user, flags)
	}
	return append(overruled(merged, user, flags), withoutEffect(known, user, flags)...)
}

// realtime checks that all fields are set that PS training in real time requires
// (estimator.py:285).
func (d *reader) realtime(c *runnerutils.RunnerConfig, user, flags *said) {
	if !c.EnableRealtimeTraining {
		return
	}
	key, at := runnerConfigKey, flags.at["enable_realtime_training"]
	if at == nil {
		key, at = runConfigKey, user.at["enable_parameter_sync"]
	}
	if c.Bzid.Or("") == "" {
		d.fault(at, "%s: found no bzid, want one: Business id cannot be none while realtime training.", key)
	} else if c.BaseName.Or("") == "" {
		d.fault(at, "%s: found no base_name, want one: Base name cannot be none while realtime training.", key)
	}
}

// take applies one setting of the configurations to the job. It is an error if the job sets
// the same thing.
func (d *reader) take(s setting, c *runnerutils.RunnerConfig, job *yaml.Node, f *file, user, flags *said) {
	if s.take == nil {
		return
	}
	inJob := find(job, s.job) != job
	for _, name := range s.fields {
		for _, conf := range []*said{user, flags} {
			at := conf.at[name]
			switch {
			case at == nil:
			case inJob:
				d.fault(at, "%s: found %s beside job's %s, want one of them", conf.key, name, s.job)
				return
			case s.noZero && pysem.Equal(runnerutils.Class.Get(c, name), 0):
				d.fault(at, "%s: %s: found 0, want 1 or more: no job of 0 is simulated", conf.key, name)
				return
			case d.from[s.job].at == nil:
				d.from[s.job] = place{conf.key, name, at}
			}
		}
	}
	if inJob {
		return
	}
	s.take(c, &f.Job)
	if from := d.from[s.job]; s.job == "workers" && f.Job.Workers < 0 && from.at != nil {
		d.fault(from.at, "%s: num_workers: found %d, want 1 or more, for the chief is one of them", from.key, f.Job.Workers+1)
	}
}

// overruled returns a note for each value of the plan that another value overrules.
func overruled(c *runnerutils.RunnerConfig, user, flags *said) (notes []string) {
	plain := estimator.RunConfigClass.New()
	for _, f := range user.fields {
		counts, ok := runnerutils.Class.Lookup(c, f.Name)
		if ok && !pysem.Equal(counts, f.Value) && pysem.Equal(f.Value, estimator.RunConfigClass.Get(&plain, f.Name)) {
			notes = append(notes, fmt.Sprintf("%s: %s %s is what a RunConfig has by itself, which says nothing (Q253): %s counts", runConfigKey, f.Name, asSaid(f.Name, f.Value), asSaid(f.Name, counts)))
		}
	}
	for _, f := range flags.fields {
		if counts := runnerutils.Class.Get(c, f.Name); !pysem.Equal(counts, f.Value) {
			notes = append(notes, fmt.Sprintf("%s: %s %s: beside %s it is %s that counts", runnerConfigKey, f.Name, asSaid(f.Name, f.Value), runConfigKey, asSaid(f.Name, counts)))
		}
	}
	return notes
}

// asSaid formats a value in the form that a plan uses, with enums by name.
func asSaid(name string, value any) string {
	for _, f := range runnerConfigFields {
		for _, m := range f.Members {
			if f.Name == name && pysem.Equal(m.Value, value) {
				return strings.ToLower(m.Name)
			}
		}
	}
	return pysem.Repr(value)
}

// withoutEffect returns a note that lists the fields that the simulation ignores.
func withoutEffect(known []setting, user, flags *said) []string {
	var list []string
	for _, s := range []*said{user, flags} {
		names := lists.Select(s.fields, func(f dataclass.Field) (string, bool) {
			return f.Name, !slices.ContainsFunc(known, func(s setting) bool { return slices.Contains(s.fields, f.Name) })
		})
		if len(names) > 0 {
			list = append(list, s.key+" "+strings.Join(names, ", "))
		}
	}
	if len(list) == 0 {
		return nil
	}
	return []string{"without effect on a simulated job: " + strings.Join(list, "; ")}
}

// said reads the fields of the configuration key. ok is false if the plan has no such
// configuration.
func (d *reader) said(plan *yaml.Node, key string, fields []gflagsutils.Field) (s *said, ok bool) {
	s = &said{key: key, at: map[string]*yaml.Node{}}
	n := find(plan, key)
	if n == plan {
		return s, false
	}
	if n.Kind != yaml.MappingNode {
		d.fault(n, "%s: found %s, want fields and their values", key, shown(n))
		return s, true
	}
	for i := 0; i < len(n.Content); i += 2 {
		name, value := n.Content[i], n.Content[i+1]
		at := slices.IndexFunc(fields, func(f gflagsutils.Field) bool { return f.Name == name.Value })
		switch {
		case at < 0:
			d.unknown(name, key, fields)
		case s.has(name.Value):
			d.fault(name, "%s: found %s twice, want it once", key, name.Value)
		default:
			s.at[name.Value] = value
			d.field(value, fields[at], s)
		}
	}
	return s, true
}

// unknown reports an unknown field and suggests a similar one.
func (d *reader) unknown(n *yaml.Node, key string, fields []gflagsutils.Field) {
	for _, other := range []struct {
		key    string
		fields []gflagsutils.Field
	}{{runConfigKey, runConfigFields}, {runnerConfigKey, runnerConfigFields}} {
		if slices.ContainsFunc(other.fields, func(f gflagsutils.Field) bool { return f.Name == n.Value }) {
			d.fault(n, "%s: found %q, which is a field of %s", key, n.Value, other.key)
			return
		}
	}
	best := slices.MinFunc(fields, func(a, b gflagsutils.Field) int {
		return levenshtein.ComputeDistance(n.Value, a.Name) - levenshtein.ComputeDistance(n.Value, b.Name)
	})
	d.fault(n, "%s: found no field %q, want one as %s, which is the nearest", key, n.Value, best.Name)
}

// field reads the value of a field by its type. null stands for None.
func (d *reader) field(n *yaml.Node, f gflagsutils.Field, s *said) {
	value, want := any(nil), ""
	switch {
	case n.Tag == "!!null" && f.Default == nil:
	case f.Kind == gflagsutils.Int:
		value, want = decoded[int](n, "a whole number")
	case f.Kind == gflagsutils.Bool:
		value, want = decoded[bool](n, "true or false")
	case f.Kind == gflagsutils.Float:
		value, want = decoded[float64](n, "a number")
	case f.Kind == gflagsutils.String:
		value, want = decoded[string](n, "a text")
	case f.Kind == gflagsutils.Enum:
		value, want = member(n, f)
	default:
		var object any
		if n.Decode(&object) != nil {
			want = "a value"
		}
		value = fmt.Sprint(object) // shown as text only, because the simulation never reads it
	}
	if want != "" {
		if f.Kind == gflagsutils.Int {
			want = cmp.Or(bound(n, reflect.TypeFor[int]()), want)
		}
		d.fault(n, "%s: %s: found %s, want %s", s.key, f.Name, misread(n), want)
		return
	}
	s.fields = append(s.fields, dataclass.Field{Name: f.Name, Value: value})
}

// decoded decodes a scalar to the type T. If that fails, it returns want, a description of
// valid values.
func decoded[T any](n *yaml.Node, want string) (any, string) {
	var v T
	if n.Kind != yaml.ScalarNode || n.Tag == "!!null" || isCut(n, v) || n.Decode(&v) != nil {
		return nil, want
	}
	return v, ""
}

// member returns the enum member with the node's name, which is in lower case as on a
// command line.
func member(n *yaml.Node, f gflagsutils.Field) (any, string) {
	var words []string
	for _, m := range f.Members {
		word := strings.ToLower(m.Name)
		if n.Kind == yaml.ScalarNode && n.Value == word {
			return m.Value, ""
		}
		words = append(words, word)
	}
	return nil, "one of " + strings.Join(words, ", ")
}

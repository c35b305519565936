package serve

import (
	"cmp"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/rpcerrors"
	"github.com/monosim/monosim/sim/tfserving"
	"github.com/monosim/monosim/sim/tfserving/answers"
)

// ownFlags holds the flags that only the simulation has, not upstream's server (TFS-9.5).
type ownFlags struct{ *flag.FlagSet }

// ownValues holds the text of those flags that must be parsed further to become options.
type ownValues struct {
	predictFault string
	predictLaw   string
	transition   string
	latestOnce   string
	standIns     bool
}

// newOwnFlags defines the simulation's flags. Parsing them sets fields of c.
func newOwnFlags(c *Command) ownFlags {
	f := flag.NewFlagSet("", flag.ContinueOnError)
	f.SetOutput(io.Discard)
	o, m := &c.Options, &c.Options.Machine
	f.StringVar(&c.profile, "monosim_profile", tfserving.Profile24.String(), "`server` to be: tfs-2.4, tfs-head or python-fake")
	f.StringVar(&o.Host, "monosim_host", DefaultHost, "`address` to listen on; 0.0.0.0 is upstream's")
	f.BoolVar(&o.AnyPort, "monosim_any_port", false, "replace every port that is not 0 by one that is free")
	f.StringVar(&c.PortsFile, "monosim_ports_file", "", "`file` for the open ports, as {\"grpc\":8500,\"rest\":0}, once they are open")
	f.StringVar(&c.AnswersFile, "monosim_answers", "", "`file` in YAML with what models answer to which inputs: values, errors, delays")
	f.StringVar(&c.EventsFile, "monosim_events", "", "`file` for a JSON object a line for every change of a servable's state; it is replaced")
	f.StringVar(&c.Admin.Addr, "monosim_admin", "", "`address` on this machine, as 127.0.0.1:0, of an HTTP interface that brings faults about; none without")
	f.StringVar(&c.Admin.Token, "monosim_admin_token", "", "`token` that requests to it carry, or none for one that whoever is on this machine may use; a new one without")
	f.StringVar(&c.Admin.TokenFile, "monosim_admin_token_file", "", "`file` of mode 600 for that token, which curl -H @FILE sends; one that is there says which token it is")
	f.Uint64Var(&o.Seed, "monosim_seed", 0, "`seed` that draws what upstream leaves open; 0 takes the default of each choice")
	f.Float64Var(&o.Speed, "monosim_speed", 1, "how many `times` faster than the wall clock time passes")
	f.StringVar(&o.Store, "monosim_store", "", "`directory` of the files of URIs: hdfs://a/b is <directory>/hdfs/a/b")
	c.costFlags(f)
	f.Int64Var(&m.MemoryLimitBytes, "monosim_memory_limit_bytes", 0, "`bytes` of memory above which the process is killed")
	f.Int64Var(&m.TotalModelMemoryLimitBytes, "monosim_reservation_limit_bytes", 0, "`bytes` that models may reserve (total_model_memory_limit_bytes)")
	f.IntVar(&o.PredictThreads, "monosim_predict_threads", 0, "how many `requests` to models are worked on at once, the others wait in line; 0 is all")
	f.BoolVar(&o.Timings, "monosim_timings", false, "say in trailers of gRPC how long each request to a model waited and was worked on")
	f.StringVar(&c.transient.predictFault, "monosim_predict_fault", "", "`CODE:text` that every request to a model fails with, as UNAVAILABLE:busy")
	f.StringVar(&c.transient.transition, "monosim_transition", "availability", "`policy` between versions: availability or resource")
	f.BoolVar(&m.FailIfZeroVersions, "monosim_fail_if_zero_versions", false, "fail_if_zero_versions_at_startup")
	f.BoolVar(&m.ServableVersionsAlwaysPresent, "monosim_versions_always_present", false, "servable_versions_always_present")
	f.StringVar(&c.transient.latestOnce, "monosim_latest_once", m.LatestOnce.String(),
		"`messages` for the policy latest_once: fork, with num_versions; public, those of tensorflow/serving#2040; stock, none")
	f.BoolVar(&c.transient.standIns, "monosim_stand_ins", false, "a saved_model.pb of any other bytes is a model that takes every request, not a damaged file")
	f.IntVar(&m.FakeNumVersions, "monosim_fake_num_versions", 1, "python-fake: versions of --model_name")
	f.BoolVar(&m.FakeBugs, "monosim_fake_bugs", false, "python-fake: with its lost events and dead thread")
	f.BoolVar(&m.FakeSwitches, "monosim_fake_switches", false, "python-fake: its thread runs within calls, too, and loses versions")
	return ownFlags{f}
}

func (c *Command) costFlags(f *flag.FlagSet) {
	cost, standard := &c.Options.Machine.Cost, tfserving.DefaultCost()
	f.DurationVar(&cost.LoadTime, "monosim_load_time", standard.LoadTime, "`time` of a load beside its bytes")
	f.Int64Var(&cost.LoadBytesPerSecond, "monosim_load_bytes_per_second", standard.LoadBytesPerSecond, "`bytes` that a load reads in a second; 0 reads at once")
	f.DurationVar(&cost.FailedLoadTime, "monosim_failed_load_time", standard.FailedLoadTime, "`time` of a load that fails")
	f.DurationVar(&cost.WarmupRequestTime, "monosim_warmup_request_time", standard.WarmupRequestTime, "`time` of a warm-up request")
	f.DurationVar(&cost.UnloadTime, "monosim_unload_time", standard.UnloadTime, "`time` of an unload")
	f.DurationVar(&cost.UnloadJitter, "monosim_unload_jitter", standard.UnloadJitter, "`time` that an unload may take longer, with a seed")
	f.Float64Var(&cost.RAMPerDiskByte, "monosim_ram_per_disk_byte", standard.RAMPerDiskByte, "`bytes` of memory for a byte of a model on disk")
	f.Float64Var(&cost.RetainedPercent, "monosim_retained_percent", standard.RetainedPercent, "`percent` of an unloaded model's memory that stays")
	f.Int64Var(&cost.BaseRAMBytes, "monosim_base_ram_bytes", standard.BaseRAMBytes, "`bytes` of memory without any model")
	f.DurationVar(&cost.PredictTime, "monosim_predict_time", standard.PredictTime, "`time` that a model works on a request")
	f.StringVar(&c.transient.predictLaw, "monosim_predict_law", standard.PredictLaw.String(),
		"`law` of that time: constant, uniform up to the high time, or lognormal with it as p99; draws want a seed")
	f.DurationVar(&c.Options.PredictItemTime, "monosim_predict_item_time", 0, "`time` by which each item of a Predict lengthens that; what the law draws grows in proportion")
	f.DurationVar(&cost.PredictTimeHigh, "monosim_predict_time_high", standard.PredictTimeHigh, "`time` at the other end of that law")
	f.Float64Var(&cost.PredictSlowdown, "monosim_predict_slowdown", standard.PredictSlowdown, "how many `times` slower that is while versions load or unload")
}

// describe prints the flags in the format of upstream's usage.
func (f ownFlags) describe(w io.Writer) {
	f.VisitAll(func(one *flag.Flag) {
		kind, help := flag.UnquoteUsage(one)
		kind = cmp.Or(kind, "bool")
		fmt.Fprintf(w, "\t%-33s\t%s\t%s\n", "--"+one.Name+"="+one.DefValue, kind, help)
	})
}

// parse parses flags one by one in upstream's form: --name=value, and --name for booleans.
func (f ownFlags) parse(args []string) error {
	for _, arg := range args {
		if err := f.Parse([]string{arg}); err != nil {
			return fmt.Errorf("%s: %w", arg, err)
		}
	}
	return nil
}

// parseProfile returns the profile that the flags select. It is parsed first, because the defaults
// of other flags depend on it.
func (c *Command) parseProfile(own []string) (tfserving.Profile, error) {
	if err := newOwnFlags(c).parse(own); err != nil {
		return 0, err
	}
	return tfserving.ParseProfile(c.profile)
}

func (c *Command) parseOwn(own []string) (err error) {
	flags := newOwnFlags(c)
	if err := flags.parse(own); err != nil {
		return err
	}
	if err := flags.checkNumbers(); err != nil {
		return err
	}
	if err := c.parsePredictLaw(); err != nil {
		return err
	}
	if speed := c.Options.Speed; !(speed >= minSpeed && speed <= maxSpeed) {
		return fmt.Errorf("--monosim_speed: got %v, want %v to %v", speed, minSpeed, maxSpeed)
	}
	if c.Options.Machine.Transition, err = parseTransition(c.transient.transition); err != nil {
		return err
	}
	if c.Options.Machine.LatestOnce, err = tfserving.ParseLatestOnce(c.transient.latestOnce); err != nil {
		return fmt.Errorf("--monosim_latest_once: %w", err)
	}
	if err = c.readAnswers(); err != nil {
		return err
	}
	c.Options.Machine.StrictBundles = !c.transient.standIns
	c.Options.PredictFault, err = parseFault(c.transient.predictFault)
	return err
}

// readAnswers reads the script of answers. Its errors name the file, line and column.
func (c *Command) readAnswers() error {
	if c.AnswersFile == "" {
		return nil
	}
	text, err := os.ReadFile(c.AnswersFile)
	if err == nil {
		c.Options.Machine.Answers, err = answers.Parse(c.AnswersFile, text)
	}
	if err != nil {
		return fmt.Errorf("--monosim_answers: %w", err)
	}
	return nil
}

// checkNumbers refuses negative and infinite numbers and NaN, which none of our flags allow.
func (f ownFlags) checkNumbers() (err error) {
	f.VisitAll(func(one *flag.Flag) {
		text := one.Value.String()
		if _, isText := one.Value.(flag.Getter).Get().(string); isText || err != nil {
			return
		}
		if strings.HasPrefix(text, "-") || strings.HasSuffix(text, "Inf") || text == "NaN" {
			err = fmt.Errorf("--%s: got %s, want 0 or more", one.Name, text)
		}
	})
	return err
}

func (c *Command) parsePredictLaw() (err error) {
	cost := &c.Options.Machine.Cost
	if cost.PredictLaw, err = tfserving.ParsePredictLaw(c.transient.predictLaw); err != nil {
		return fmt.Errorf("--monosim_predict_law: %w", err)
	}
	if cost.PredictLaw != tfserving.PredictConstant && cost.PredictTimeHigh < cost.PredictTime {
		return fmt.Errorf("--monosim_predict_time_high: got %v, want --monosim_predict_time, %v, or more", cost.PredictTimeHigh, cost.PredictTime)
	}
	if c.Options.PredictItemTime > 0 && cost.PredictTime == 0 {
		return fmt.Errorf("--monosim_predict_item_time: got %v with --monosim_predict_time 0, want a time to lengthen", c.Options.PredictItemTime)
	}
	return nil
}

// These are the limits of --monosim_speed. Beyond them a real machine could not keep up with the
// simulated times.
const (
	minSpeed = 0.001
	maxSpeed = 1000
)

func parseTransition(name string) (tfserving.Transition, error) {
	switch name {
	case "availability":
		return tfserving.AvailabilityPreserving, nil
	case "resource":
		return tfserving.ResourcePreserving, nil
	}
	return 0, fmt.Errorf("--monosim_transition: got %q, want availability or resource", name)
}

// parseFault parses "CODE:text"; "" means no fault.
func parseFault(text string) (*env.RPCError, error) {
	if text == "" {
		return nil, nil
	}
	name, message, _ := strings.Cut(text, ":")
	if code, ok := rpcerrors.Failure(name); ok {
		return &env.RPCError{Code: code, Message: message}, nil
	}
	return nil, fmt.Errorf("--monosim_predict_fault: got %q, want a code of gRPC and a text, as UNAVAILABLE:busy", text)
}

// usage returns upstream's usage, followed by our own flags in the same format.
func usage(program string, profile tfserving.Profile) string {
	var b strings.Builder
	b.WriteString(tfserving.FlagsUsage(profile, program))
	b.WriteString("Flags of the simulation, on the command line or in " + FlagsVariable + ":\n")
	newOwnFlags(&Command{}).describe(&b)
	return b.String()
}

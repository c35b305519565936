package plan

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"math/big"
	"reflect"
	"slices"
	"strings"

	"github.com/monosim/monosim/engine/agent/agentconfig"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/pysem/expr"
)

type agentConf struct {
	path   string
	values map[string]string
	lines  map[string]int
}

// readConf reads the file that model.agent_conf names. Problems in that file are reported
// with their line in it.
func (d *decoder) readConf(p *Plan) *agentConf {
	conf := p.Model.AgentConf
	if conf == "" {
		return nil
	}
	content, err := d.opener(p)(resolved(p.Dir, conf))
	if err != nil {
		d.report("model.agent_conf", fileError, "%s", reason(err))
		return nil
	}
	at := d.nearest("model.agent_conf")
	text, missing := agentconfig.ExpandIncludes(string(content), func(path string) (string, error) {
		text, err := d.opener(p)(path)
		return string(text), err
	})
	for _, file := range missing {
		d.problems = append(d.problems, Problem{Code: fileError, File: conf, Line: lineWith(string(content), file), Column: 1,
			Message: fmt.Sprintf("no such include %q (from %s:%d:%d)", file, d.file, at.line, at.column)})
	}
	for _, bad := range agentconfig.CheckConf(conf, content) {
		message := fmt.Sprintf("found %s, want %s (from %s:%d:%d)", bad.Found, bad.Want, d.file, at.line, at.column)
		if !bad.Fatal {
			message = warned + message
		}
		d.problems = append(d.problems, Problem{Code: fileError, File: conf, Line: max(bad.Line, 1), Column: 1, Message: message})
	}
	sum := sha256.Sum256([]byte(text))
	p.ConfHash = hex.EncodeToString(sum[:])
	return &agentConf{path: conf, values: agentconfig.ConfValues(text), lines: linesOf(string(content))}
}

func lineWith(text, word string) int {
	for i, line := range strings.Split(text, "\n") {
		if strings.Contains(line, word) {
			return i + 1
		}
	}
	return 1
}

// linesOf returns, for each key, the number of the line where it first occurs.
func linesOf(text string) map[string]int {
	lines := map[string]int{}
	for i, line := range strings.Split(text, "\n") {
		words := strings.FieldsFunc(line, func(r rune) bool { return r == ' ' || r == '\t' || r == '=' || r == '\r' })
		if len(words) > 0 && lines[words[0]] == 0 {
			lines[words[0]] = i + 1
		}
	}
	return lines
}

// useConf copies values of the agent.conf into the plan's fields that have a conf tag. If
// the plan gives such a value, too, both must be equal.
func (d *decoder) useConf(p *Plan, c *agentConf) {
	if c == nil {
		return
	}
	d.confFields(reflect.ValueOf(&p.Override).Elem(), "override", c)
	d.confFields(reflect.ValueOf(&p.Model).Elem(), "model", c)
	d.confRefused(p, c)
	dense := p.Fleet.Dense != nil
	if _, has := c.values["dense_alone"]; has && c.truth("dense_alone") != dense {
		path, with := "fleet", "no fleet.dense"
		if dense {
			path, with = "fleet.dense", "a fleet.dense"
		}
		d.reportKey(path, conflict, "%s:%d says dense_alone %s, but there is %s: containers of dense servers are what it means", c.path, c.lines["dense_alone"], c.values["dense_alone"], with)
	}
	b := &p.Override.Batching
	if !d.given("override.batching.enabled") {
		b.Enabled = dense && c.truth("enable_batching") // fleet.dense takes the place of the key dense_alone (CAP-12.2)
	}
}

// confRefused reports settings of an agent.conf that the plan contradicts, or that no plan can
// represent.
func (d *decoder) confRefused(p *Plan, c *agentConf) {
	refuse := func(key, why string) {
		d.report("model.agent_conf", conflict, "%s:%d says %s %s: %s", c.path, c.lines[key], key, c.values[key], why)
	}
	kind := "deploy_type"
	if c.values[kind] == "" {
		kind = "server_type" // the former name of deploy_type, used if deploy_type is missing (utils.py:791)
	}
	// Agents of version 3 support only the deploy type unified. stand_alone_serving means mixed,
	// whatever deploy_type says (utils.py:384).
	const together = "one container runs entry and PS then, which is a fleet.mixed; the plan has a tier for each"
	switch word := strings.ToLower(c.values[kind]); {
	case c.truth("stand_alone_serving"), word == "mixed":
		if c.truth("stand_alone_serving") {
			kind = "stand_alone_serving"
		}
		if p.Fleet.Mixed == nil {
			refuse(kind, together)
		}
	case word == "unified" && p.Model.AgentVersion != 3:
		refuse(kind, "agents of version 1 start no server of that type")
	case p.Fleet.Mixed != nil && word != "":
		d.reportKey("fleet.mixed", conflict, "%s:%d says %s %s, but fleet.mixed is what deploy_type mixed means", c.path, c.lines[kind], kind, c.values[kind])
	}
	if c.truth("rough_sort_resource_constrained") && !strings.EqualFold(c.values["rough_sort_model_loaded_server"], "ps") && !strings.EqualFold(c.values["rough_sort_model_loaded_server"], "dense") {
		refuse("rough_sort_resource_constrained", "entry servers load the rough sort model from base_path themselves, without the copy that model.rough_sort has (utils.py:729); write it as a model of workload.mix")
	}
	policy := strings.ToLower(c.values["version_policy"])
	published := slices.ContainsFunc(p.Events, func(e Event) bool { return e.Publish != nil })
	switch {
	case p.Model.AgentVersion == 3: // agents of version 3 declare a policy with each model (agent_v3.py:150)
	case policy == "all" && p.Model.ResidentVersions == 0:
		refuse("version_policy", "servers hold every version that is in the store; say how many in model.resident_versions")
	case (policy == "specific" || policy == "latest_once") && published:
		refuse("version_policy", "servers load no version that is published later, and the plan has an event that publishes")
	}
	if n, ok := number("grpc_max_threads", c.values["grpc_max_threads"]); ok && n > 0 {
		for _, tier := range TierNames {
			s, t := p.Service.Of(tier), p.Fleet.Tier(tier)
			if s == nil || t == nil {
				continue
			}
			if threads := cmp.Or(int64(s.Threads), int64(math.Ceil(t.CPU))); float64(threads) > n {
				refuse("grpc_max_threads", fmt.Sprintf("service.%s has %d threads", tier, threads))
			}
		}
	}
	if c.falsehood("preload_jemalloc") && !d.given("model.retained_after_unload") {
		p.Model.Retained = retainedByGlibc
	}
}

// retainedByGlibc is the fraction of memory that a process keeps after an unload if glibc's
// allocator is not replaced. It was measured as 70 to 80 % (CAP-3.15).
const retainedByGlibc = 0.75

// falsehood reports whether the file sets a key to false.
func (c *agentConf) falsehood(key string) bool {
	return agentconfig.IsFalse(c.values[key])
}

// confUses describes the effect of each key of agent.conf that is not a field of a plan. A test
// checks that it covers the reference's fields.
var confUses = func() map[string]string {
	uses := map[string]string{
		"enable_batching":                 "used: override.batching.enabled, with dense_alone",
		"dense_alone":                     "used: a fleet.dense is what it means",
		"deploy_type":                     "used: mixed is a fleet.mixed; else a tier's own. unified of version 1 starts no server",
		"stand_alone_serving":             "used: it is deploy_type mixed (utils.py:384), a fleet.mixed",
		"rough_sort_model_name":           "used: wants model.rough_sort.size",
		"rough_sort_model_loaded_server":  "used: model.rough_sort.on",
		"rough_sort_resource_constrained": "refused: entry servers load that model without a copy (utils.py:729)",
		"version_policy":                  "refused: all without model.resident_versions, specific and latest_once with an event that publishes; version 3 declares a policy with each model",
		"grpc_max_threads":                "refused: below the threads of service",
		"preload_jemalloc":                "used: false makes model.retained_after_unload 75 % by default",
		"num_unload_threads":              "none: an unload takes no time in the model",
		"batching_parameters_file":        "none: the platform config, which the agent writes, has the parameters",
		"platform_config_file":            "none: the agent writes it anew (utils.py:518)",
		"flush_filesystem_caches":         "none: caches of files are not counted as memory",
		"per_process_gpu_memory_fraction": "none: memory of a device is not counted",
		"allow_growth":                    "none: memory of a device is not counted",
		"enable_model_warmup":             "none: a warm-up is part of fleet.boot.load_fixed",
		"version_data":                    "none: which version is loaded is no capacity; how many are held is model.resident_versions",
		"layout_pattern":                  "none: fleet.ps.num_shard says what containers of version 3 hold",
		"layout_filters":                  "none: fleet.ps.num_shard says what containers of version 3 hold",
		"use_metrics":                     "none: metrics ask neither ZooKeeper nor model servers of others",
		"replica_id":                      "none: set from the environment (utils.py:475)",
		"rough_sort_model_local_path":     "none: a path; the disk is fleet.<tier>.disk",
		"rough_sort_model_p2p_path":       "none: a path",
		"bzid":                            "none: a name",
		"base_name":                       "none: a name",
		"base_path":                       "none: a path",
		"zk_servers":                      "none: addresses; the ensemble is zookeeper",
		"version":                         "none: a name",
		"saved_model_tags":                "none: a name",
		"allow_version_labels_for_unavailable_models": "none: a name",
	}
	for _, key := range []string{"tensorflow_session_parallelism", "tensorflow_intra_op_parallelism", "tensorflow_inter_op_parallelism", "ssl_config_file", "grpc_channel_arguments",
		"remove_unused_fields_from_bundle_metagraph", "enable_signature_method_name_check", "xla_cpu_compilation_enabled", "enable_profiler"} {
		uses[key] = "none: what it does to times is in those of service, which are measured or written"
	}
	for _, key := range agentconfig.Keys() {
		if strings.HasSuffix(key.Name, "_port") || strings.HasPrefix(key.Name, "tfs_port_") {
			uses[key.Name] = "none: a port"
		}
	}
	return uses
}()

func (c *agentConf) truth(key string) bool {
	return agentconfig.IsTrue(c.values[key])
}

func (d *decoder) confFields(v reflect.Value, path string, c *agentConf) {
	for _, f := range fieldsOf(v) {
		key := f.tag.Get("conf")
		word, has := c.values[key]
		if key == "" || !has {
			continue
		}
		at := join(path, f.name)
		if f.value.Kind() == reflect.Bool {
			d.agree(at, key, c, boolInt(c.truth(key)), boolInt(f.value.Bool()), func() { f.value.SetBool(c.truth(key)) })
			continue
		}
		n, ok := number(key, word)
		if !ok {
			continue // already reported by CheckConf; the reference takes the default
		}
		d.confNumber(f, at, key, c, n*map[string]float64{"us": 1e3, "ms": 1e6, "s": 1e9, "": 1}[f.tag.Get("confUnit")])
	}
}

// confNumber stores n, a number from agent.conf, in the field f. n is in the base unit of the
// field, and must be in the range that the tag of the field gives, as a number from the plan must.
func (d *decoder) confNumber(f field, path, key string, c *agentConf, n float64) {
	text, taken := f.tag.Get("range"), reflect.New(f.value.Type()).Elem()
	if math.Abs(n) < 1<<62 {
		taken.SetInt(int64(n))
	} else {
		text = "smaller"
	}
	if text == "smaller" || text != "" && !d.inRange(taken, text) {
		d.report("model.agent_conf", outOfRange, "%s:%d says %s %s: %s must be %s", c.path, c.lines[key], key, c.values[key], path, text)
		return
	}
	d.agree(path, key, c, taken.Int(), f.value.Int(), func() { f.value.Set(taken) })
}

func (d *decoder) agree(path, key string, c *agentConf, conf, plan int64, take func()) {
	if !d.given(path) {
		take()
		return
	}
	if conf != plan {
		d.report(path, conflict, "%s differs from %s:%d, which says %s %s; remove it from one of them", path, c.path, c.lines[key], key, c.values[key])
	}
}

func boolInt(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// number evaluates a value of agent.conf as the reference does. The reference accepts expressions
// such as 60 * 1000 or 1e3, and cuts fractions off (utils.py:775).
func number(key, text string) (float64, bool) {
	v, err := agentconfig.EvalNumber(text, key, "int")
	if err != nil {
		return 0, false
	}
	whole, err := expr.ToInt(v)
	if err != nil {
		return 0, false
	}
	n, ok := pysem.Big(whole)
	if !ok {
		return 0, false
	}
	x, _ := new(big.Float).SetInt(n).Float64()
	return x, true
}

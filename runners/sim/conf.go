package sim

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/monosim/monosim/engine/agent/agentconfig"
	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/runners/test/simrun"
)

// confValues holds the settings of an agent.conf that are needed before the run.
type confValues struct {
	version                  int
	numShard                 int // number of shards; 0 if the conf does not say
	bzid, baseName, basePath string
	unsharded                bool // whether the pods belong to no shard, because they serve only an entry or a dense server
	// agreed holds settings that pods of one model have to have alike to find each other, as far as the
	// conf has them.
	agreed map[string]string
}

// ConfError lists the mistakes in an agent.conf that keep every agent from starting. Each has the
// form "file:line: found X, want Y".
type ConfError []string

func (e ConfError) Error() string { return strings.Join(e, "\n") }

// planKey matches a line with a key of a capacity plan, such as fleet.boot.store, or with
// apiVersion, which begins every plan.
var planKey = regexp.MustCompile(`^\s*(apiVersion|(?:autoscale|client|fleet|model|network|override|service|workload|zookeeper)\.[a-z_.]+)\b`)

// ofPlan returns an error if a file contains keys of capacity plans, because an agent would ignore
// them silently. Otherwise it returns nil.
func ofPlan(path, text string) error {
	var list ConfError
	for i, line := range strings.Split(text, "\n") {
		m := planKey.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		where := fmt.Sprintf("%s:%d: found %s, ", path, i+1, m[1])
		switch {
		case m[1] == "apiVersion":
			return ConfError{where + "want an agent.conf: this is a capacity plan, for monosim whatif run"}
		case strings.HasPrefix(m[1], "fleet.boot."):
			list = append(list, where+"want none: that is of capacity plans (monosim whatif run); each server here loads for itself, --load-speed a second")
		default:
			list = append(list, where+"want none: that is of capacity plans (monosim whatif run)")
		}
	}
	if list == nil {
		return nil
	}
	return list
}

// readConfs reads the agent.conf of all pods, or one for each group of pods.
func (c *Cluster) readConfs() (err error) {
	if len(c.options.Groups) == 0 {
		c.conf, c.shards, c.values, err = c.readConf(c.options.Conf, c.options.Shards)
		return err
	}
	var names []string
	for i, g := range c.options.Groups {
		switch {
		case slices.ContainsFunc(c.options.Groups[:i], func(o Group) bool { return o.Name == g.Name }):
			return fmt.Errorf("--conf: found the group %s twice, want it once", g.Name)
		case g.Replicas < 1:
			return fmt.Errorf("--replicas: found %s=%d, want 1 or more", g.Name, g.Replicas)
		}
		text, shards, values, err := c.readConf(g.Conf, g.Shards)
		if err != nil {
			return err
		}
		if i == 0 {
			c.values = values
		}
		if v := c.values; v.version != values.version || v.bzid != values.bzid || v.baseName != values.baseName || v.basePath != values.basePath {
			return fmt.Errorf("%s: found agent_version %d, bzid %s, base_name %s, base_path %s, want those of %s: pods of one model find each other by them",
				g.Conf, values.version, values.bzid, values.baseName, values.basePath, c.options.Groups[0].Conf)
		}
		for _, key := range agreedKeys {
			if one, first := values.agreed[key], c.values.agreed[key]; one != first && one != "" && first != "" {
				c.Warnings = append(c.Warnings, fmt.Sprintf("%s: found %s %s, %s has %s: pods of one model look for each other by it", g.Conf, key, one, c.options.Groups[0].Conf, first))
			}
		}
		group := runners.Group{Name: g.Name, Conf: text, ConfName: g.Conf, Shards: shards, HostShards: shards, Replicas: g.Replicas}
		if values.unsharded {
			group.Shards = 1
		} else {
			c.shards = max(c.shards, shards)
		}
		c.groups, names = append(c.groups, group), append(names, g.Name+"="+g.Conf)
	}
	c.shards = max(c.shards, 1)
	c.conf, c.options.Conf = c.groups[0].Conf, strings.Join(names, ", ")
	return nil
}

// agreedKeys lists the settings of confValues.agreed.
var agreedKeys = []string{"num_ps", "num_shard", "dc_aware", "dense_alone"}

// agreed returns these settings of a conf, each in one form.
func agreed(values map[string]string) map[string]string {
	list := map[string]string{}
	for _, key := range agreedKeys {
		switch text := values[key]; {
		case text == "" && strings.HasPrefix(key, "num_"):
		case strings.HasPrefix(key, "num_"):
			list[key] = text
		default:
			list[key] = strconv.FormatBool(agentconfig.IsTrue(text))
		}
	}
	return list
}

// pods returns the number of pods in the cluster's spec.
func (c *Cluster) pods() int {
	spec := c.Spec()
	return len(spec.Pods())
}

// readConf reads an agent.conf and fails on mistakes that would keep every agent from starting. If
// shards is 0, the number of shards is the one in the file.
func (c *Cluster) readConf(path string, shards int) (text string, _ int, _ confValues, _ error) {
	fail := func(err error) (string, int, confValues, error) { return "", 0, confValues{}, err }
	data, err := os.ReadFile(path)
	if err != nil {
		return fail(fmt.Errorf("conf %s: %w", path, reasonOf(err)))
	}
	if found := ofPlan(path, string(data)); found != nil {
		return fail(found)
	}
	check := simrun.CheckConf(path, data, func(path string) (string, error) {
		text, err := os.ReadFile(path)
		return string(text), err
	})
	if len(check.Errors) > 0 {
		return fail(ConfError(check.Errors))
	}
	c.Warnings = append(c.Warnings, check.Warnings...)
	values := confValues{
		version: 1, numShard: number(check.Values["num_shard"]), bzid: check.Values["bzid"],
		baseName: check.Values["base_name"], basePath: strings.TrimSuffix(check.Values["base_path"], "/"), unsharded: unsharded(check.Values), agreed: agreed(check.Values),
	}
	if n := number(check.Values["agent_version"]); n != 0 {
		values.version = n
	}
	if values.bzid == "" {
		said := fmt.Sprintf("%s: found no bzid, want the first part of the paths of all znodes", path)
		if values.version == 1 {
			return fail(ConfError{said + ", without which no agent of version 1 starts"})
		}
		c.Warnings = append(c.Warnings, said)
	}
	if values.version == 3 && check.Values["layout_pattern"] == "" {
		return fail(fmt.Errorf("%s: found no layout_pattern, want the layout that an agent of version 3 loads", path))
	}
	if shards == 0 {
		shards = max(values.numShard, 1)
	}
	if shards < 1 {
		return fail(fmt.Errorf("--shards: found %d, want 1 or more", shards))
	}
	text = check.Text
	if n := values.numShard; n != 0 && n != shards {
		// utils.py:393 asserts that num_shard in the conf equals the number in the environment.
		text = numShardLine.ReplaceAllString(text, "${1}"+strconv.Itoa(shards))
		c.Warnings = append(c.Warnings, fmt.Sprintf("%s: found num_shard %d, taken as %d, as --shards says", path, n, shards))
	}
	return text, shards, values, nil
}

// unsharded reports whether the pods of this conf belong to no shard, as pods with only an
// entry or only a dense server do. stand_alone_serving always means a mixed container,
// whatever deploy_type says (utils.py:384).
func unsharded(values map[string]string) bool {
	kind := strings.ToLower(values["deploy_type"])
	if kind == "" {
		kind = strings.ToLower(values["server_type"])
	}
	alone := agentconfig.IsTrue(values["stand_alone_serving"])
	return !alone && (kind == "entry" || kind == "dense")
}

// numShardLine matches the line that sets num_shard. Its first group holds the text before
// the value.
var numShardLine = regexp.MustCompile(`(?m)^([ \t]*num_shard\b[ \t]*=?[ \t]*)[^\r\n]*`)

func number(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		return 0
	}
	return n
}

package steps

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/vectors/scope"
)

// maxPods is the most pods of a scenario. With more the program might run out of memory.
const maxPods = 20_000

// clusterOf sets the version of the agents and the number of pods: replicas of each shard.
func (w *World) clusterOf(version, shards, replicas int) error {
	if shards < 1 {
		return fmt.Errorf("shards: found %d, want 1 or more", shards)
	}
	if replicas < 1 {
		return fmt.Errorf("replicas: found %d, want 1 or more", replicas)
	}
	if shards > maxPods || replicas > maxPods || shards*replicas > maxPods {
		return fmt.Errorf("pods: found %d shards with %d replicas, want %d pods or fewer", shards, replicas, maxPods)
	}
	switch version {
	case 1:
		w.conf = parseConf(runners.ConfV1)
	case 3:
		w.conf = parseConf(runners.ConfV3)
	default:
		return fmt.Errorf("agent version: found %d, want 1 or 3", version)
	}
	w.spec.Shards, w.spec.Replicas = shards, replicas
	return nil
}

// replicasIn sets the idc and cluster of each replica, from a list such as "lf:default,
// hl:default".
func (w *World) replicasIn(list string) error {
	for place := range strings.SplitSeq(list, ",") {
		idc, cluster, ok := strings.Cut(strings.TrimSpace(place), ":")
		if !ok {
			return fmt.Errorf("place of replicas: found %q, want idc:cluster", place)
		}
		w.spec.Locations = append(w.spec.Locations, runners.Location{IDC: idc, Cluster: cluster})
	}
	return nil
}

func (w *World) setVariable(key, value string) error {
	if !slices.Contains(variables, key) {
		return fmt.Errorf("environment variable: found %q, want %s", key, oneOf(key, variables))
	}
	if n, err := strconv.ParseUint(value, 10, 32); key == "PYTHONHASHSEED" && (err != nil || n == 0) {
		return fmt.Errorf("environment variable PYTHONHASHSEED: found %q, want 1 to 4294967295", value)
	}
	w.spec.Env = append(w.spec.Env, runners.EnvVar{Key: key, Value: value})
	return nil
}

func (w *World) keepQuirks(quirks string) error {
	w.spec.Quirks = quirks
	return scope.CheckToggles(quirks)
}

func (w *World) repairQuirks(faults string) error {
	return w.keepQuirks("-" + strings.Join(list(faults), ",-"))
}

func (w *World) zooKeeperProfile(name string) error {
	w.spec.ZooKeeper = name
	return nil
}

func (w *World) modelServerProfile(name string) error {
	w.spec.ModelServer = name
	return nil
}

func (w *World) pythonVersion(version string) error {
	w.spec.Python = version
	return nil
}

func (w *World) outlive() error {
	w.spec.Outlive = true
	return nil
}

func (w *World) restartAfter(text string) error {
	d, err := time.ParseDuration(text)
	w.spec.RestartAfter = d
	return err
}

func (w *World) start() error { return w.cluster.Start() }

// listSeparator matches what separates the members of a list in a sentence.
var listSeparator = regexp.MustCompile(`, | and `)

// list splits a list into its members.
func list(text string) []string { return listSeparator.Split(text, -1) }

// conf is the agent.conf that sentences build up, as settings in the order of the file.
type conf []setting

type setting struct{ key, value string }

func parseConf(text string) conf {
	var c conf
	for line := range strings.Lines(text) {
		if key, value, ok := strings.Cut(strings.TrimSpace(line), " "); ok {
			c = append(c, setting{key, value})
		}
	}
	return c
}

func (c conf) text() string {
	var b strings.Builder
	for _, s := range c {
		fmt.Fprintf(&b, "%s %s\n", s.key, s.value)
	}
	return b.String()
}

func (c conf) get(key string) string {
	for _, s := range c {
		if s.key == key {
			return s.value
		}
	}
	return ""
}

func (c *conf) set(key, value string) {
	for i := range *c {
		if (*c)[i].key == key {
			(*c)[i].value = value
			return
		}
	}
	*c = append(*c, setting{key, value})
}

func (c *conf) remove(key string) {
	var kept conf
	for _, s := range *c {
		if s.key != key {
			kept = append(kept, s)
		}
	}
	*c = kept
}

func (w *World) setSetting(key, value string) error {
	w.conf.set(key, value)
	return nil
}

// addSetting adds a line to agent.conf. The file may already have a line with that key.
func (w *World) addSetting(key, value string) error {
	w.conf = append(w.conf, setting{key, value})
	return nil
}

func (w *World) removeSetting(key string) error {
	if w.conf.get(key) == "" {
		keys := lists.MapOrNil(w.conf, func(s setting) string { return s.key })
		return fmt.Errorf("agent setting: found %q to leave out, want %s", key, oneOf(key, keys))
	}
	w.conf.remove(key)
	return nil
}

func (w *World) bzid() string { return w.conf.get("bzid") }

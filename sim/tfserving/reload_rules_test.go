package tfserving

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/sim/tfserving/modelconfig"
)

// reloadBefore is the state before a reload that need not wait for another reload.
type reloadBefore struct {
	config   modelconfig.ServerConfig
	labels   labelMap
	source   bool
	monitors []string
	routes   map[string]string // routes has the platform of each model that the router knows
}

func (w *watcher) beforeReload() reloadBefore {
	c := &w.server.core
	before := reloadBefore{config: c.config, labels: w.server.reader.labels, source: c.source != nil}
	if before.source {
		before.monitors, before.routes = sortedNames(c.source.models), map[string]string{}
		for _, r := range c.routes {
			before.routes[r.model] = r.platform.Name
		}
	}
	return before
}

// afterReload checks the immediate effects of a reload against TFS-8.2: the error of the first
// failing check, what was stored until then, and whether the reload waits.
func (w *watcher) afterReload(number int, before reloadBefore, config modelconfig.ServerConfig, answer *env.RPCError) {
	rules := reloadRules{w: w, before: before, config: config}
	want := rules.check()
	c, answered := &w.server.core, w.reloads.answered[number]
	if diff := cmp.Diff(rules.stored, c.config); diff != "" {
		w.breaks("config stored by reload %d (-want +got):\n%s", number, diff)
	}
	if !maps.EqualFunc(rules.labels, w.server.reader.labels, maps.Equal) {
		w.breaks("labels after reload %d: got %v, want %v", number, w.server.reader.labels, rules.labels)
	}
	switch o := w.server.options; {
	case want != "":
		if !answered || answer == nil || answer.Message != want {
			w.breaks("reload %d: got %v, want %s", number, answer, want)
		}
	case o.FailIfZeroVersions || o.ServableVersionsAlwaysPresent || !before.source:
		return
	case rules.brandNew() == "" && !answered:
		w.breaks("reload %d waits, want an answer: it has no new model", number)
	case rules.brandNew() == "" && (answer != nil) != rules.logs():
		w.breaks("reload %d: got %v, want an error only of a request logger", number, answer)
	}
	if want == "" && before.source && !slices.Equal(sortedNames(c.source.models), rules.names()) {
		w.breaks("reload %d: the source monitors %v, want %v", number, sortedNames(c.source.models), rules.names())
	}
}

// reloadRules says TFS-8.2 again.
type reloadRules struct {
	w      *watcher
	before reloadBefore
	config modelconfig.ServerConfig
	// stored and labels are the config and labels that the server must have after the checks.
	stored modelconfig.ServerConfig
	labels labelMap
}

// check returns the error message of the first check that must fail; "" if all pass.
func (r *reloadRules) check() string {
	r.stored, r.labels = r.before.config, r.before.labels
	for _, step := range []func() string{r.duplicates, r.paths, r.platformsChanged} {
		if text := step(); text != "" {
			return text
		}
	}
	r.stored = r.config
	if text := r.labelled(); text != "" {
		return text
	}
	if !r.w.server.options.RefuseVersionLabels {
		r.labels = labelMap{}
		for _, m := range r.config.Models {
			for _, l := range m.Labels {
				r.labels[m.Name] = map[string]int64{l.Name: l.Version}
			}
		}
	}
	return r.routed()
}

func (r *reloadRules) names() []string {
	var names []string
	for _, m := range r.config.Models {
		names = append(names, m.Name)
	}
	slices.Sort(names)
	return names
}

// brandNew returns the first model of the config that the source does not monitor yet.
func (r *reloadRules) brandNew() string {
	for _, name := range r.names() {
		if !slices.Contains(r.before.monitors, name) {
			return name
		}
	}
	return ""
}

func (r *reloadRules) logs() bool {
	return slices.ContainsFunc(r.config.Models, func(m modelconfig.ModelConfig) bool { return m.Logging })
}

func (r *reloadRules) duplicates() string {
	for i, m := range r.config.Models {
		if slices.ContainsFunc(r.config.Models[:i], func(o modelconfig.ModelConfig) bool { return o.Name == m.Name }) {
			return "Illegal to list model " + m.Name + " multiple times in config list"
		}
	}
	return ""
}

func (r *reloadRules) paths() string {
	for _, m := range r.config.Models {
		if !strings.HasPrefix(m.BasePath, "/") {
			return "Expected model " + m.Name + " to have an absolute path or URI; got base_path()=" + m.BasePath
		}
	}
	return ""
}

// platformOf returns the platform of a model, or the error message if the model has none.
func (r *reloadRules) platformOf(m modelconfig.ModelConfig) (platform, failure string) {
	how := map[bool]string{true: "neither", false: "both"}[m.Platform == ""]
	joint := map[bool]string{true: "nor", false: "and"}[m.Platform == ""]
	tail := map[bool]string{true: ", model name is " + m.Name, false: "."}[r.w.server.profile == ProfileHead]
	if (m.Platform == "") == (m.Type == modelconfig.TypeUnspecified) {
		return "", fmt.Sprintf("Illegal setting %s ModelServerConfig::model_type (deprecated) %s ModelServerConfig::model_platform%s",
			how, joint, tail)
	}
	return cmpOr(m.Platform, "tensorflow"), ""
}

func cmpOr(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// platformsChanged checks all stored models before the new ones. A bad stored model therefore fails
// every later reload (TFS-8.4).
func (r *reloadRules) platformsChanged() string {
	was := map[string]string{}
	for _, m := range r.before.config.Models {
		platform, failure := r.platformOf(m)
		if failure != "" {
			return failure
		}
		was[m.Name] = platform
	}
	for _, m := range r.config.Models {
		before, stored := was[m.Name]
		if !stored {
			continue
		}
		switch now, failure := r.platformOf(m); {
		case failure != "":
			return failure
		case now != before:
			return fmt.Sprintf("Illegal to change a model's platform. For model %s platform was %s and new platform requested is %s",
				m.Name, before, now)
		}
	}
	return ""
}

func (r *reloadRules) labelled() string {
	o, some := r.w.server.options, false
	for _, m := range r.config.Models {
		for _, l := range m.Labels {
			some = true
			available := r.w.known[servable{m.Name, l.Version}].State == env.StateAvailable
			old, assigned := r.before.labels[m.Name][l.Name]
			if !available && !o.ForceAllowLabels && !(o.AllowVersionLabelsForUnavailableModels && (!assigned || old == l.Version)) {
				return fmt.Sprintf("Request to assign label to version %d of model %s, which is not currently available for inference",
					l.Version, m.Name)
			}
		}
	}
	if some && o.RefuseVersionLabels {
		return "Model version labels are not currently allowed by the server."
	}
	return ""
}

// routed checks that the server has each model's platform. It has the platform tensorflow, and in
// some scripts a broken one.
func (r *reloadRules) routed() string {
	for _, m := range r.config.Models {
		platform, failure := r.platformOf(m)
		if failure != "" {
			return failure
		}
		if !slices.ContainsFunc(r.w.server.options.Platforms, func(p Platform) bool { return p.Name == platform }) {
			return "Model " + m.Name + " requests unsupported platform " + platform
		}
	}
	for _, m := range r.config.Models {
		platform, _ := r.platformOf(m)
		if old, routed := r.before.routes[m.Name]; routed && old != platform {
			return "Old and new routes conflict."
		}
	}
	return ""
}

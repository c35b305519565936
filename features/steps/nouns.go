package steps

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/agnivade/levenshtein"

	"github.com/monosim/monosim/runners"
)

// These suffixes let a sentence name something that does not exist. Without one, an unknown name is
// an error, because a misspelt name would make every "is bound to no pod" true.
const (
	notExported = " that nobody has exported"
	notWatched  = " that no agent watches"
)

// nouns holds the names that a scenario's sentences may use at a point of the scenario. They come
// from its shapes and from earlier steps.
type nouns struct {
	spec *runners.Spec
	conf conf
	// versions holds all versions that were exported so far, by <model>:<sub-graph>.
	versions map[string]map[int64]bool
	// served holds the models to which sentences gave other base paths. Any version of these may be
	// named.
	served map[string]bool
	// znodes holds the first parts of the paths that steps have written. files holds the stored
	// files.
	znodes, files map[string]bool
	// own lists the caller's own sentences. What they name counts as existing, and they may create
	// znodes.
	own []*Sentence
}

// nounsOf collects the names that a scenario's shapes introduce.
func nounsOf(w *World) *nouns {
	n := &nouns{
		spec: &w.spec, conf: w.conf, versions: map[string]map[int64]bool{}, served: map[string]bool{}, znodes: map[string]bool{}, files: map[string]bool{},
	}
	for _, m := range w.models {
		for _, g := range m.SubGraphs {
			n.exported(m.Name+":"+g.Name, g.Versions...)
		}
	}
	if t := w.spec.Training; t != nil && t.ExportDir != "" {
		for _, g := range t.WithDefaults().ExportGraphs {
			n.served[path.Base(t.ExportDir)+":"+g] = true // each checkpoint is exported as a version
		}
	}
	if !w.spec.Serving.NoDefaultModel {
		n.served["default"] = true
	}
	return n
}

func (n *nouns) exported(name string, versions ...int64) {
	if n.versions[name] == nil {
		n.versions[name] = map[int64]bool{}
	}
	for _, v := range versions {
		n.versions[name][v] = true
	}
}

// noun is one text in a step that stands for a placeholder of its sentence.
type noun struct {
	word, text string
	// begin and end are the text's byte offsets in the step.
	begin, end int
	// before is the sentence's text before the placeholder. absent reports whether the step says
	// that the named thing does not exist.
	before string
	absent bool
}

// nounsOf lists the texts in a step that stand for the sentence's placeholders, in order.
func (s *Sentence) nounsOf(text string) []noun {
	at := s.expr.FindStringSubmatchIndex(text)[2:]
	if s.kind == anAssertion {
		at = at[4:]
	}
	var list []noun
	rest := 0
	for _, m := range token.FindAllStringSubmatchIndex(s.text, -1) {
		if m[2] < 0 {
			continue
		}
		i := 2 * len(list)
		u := noun{word: s.text[m[2]:m[3]], before: s.text[rest:m[0]], begin: at[i], end: at[i+1]}
		if u.begin >= 0 {
			u.text = text[u.begin:u.end]
			u.absent = strings.HasPrefix(text[u.end:], notExported) || strings.HasPrefix(text[u.end:], notWatched)
		}
		list = append(list, u)
		rest = m[1]
	}
	return list
}

// isVersion reports whether the placeholder stands for the version of a model.
func (u *noun) isVersion() bool {
	return u.word == "version" || u.word == "n" && strings.HasSuffix(u.before, "version ")
}

// check returns an error if a step names something that the scenario does not have.
func (n *nouns) check(s *Sentence, text string) error {
	list := s.nounsOf(text)
	if s.kind == aQuestion || s.kind == aFinding || slices.Contains(n.own, s) {
		return nil
	}
	for i := range list {
		if err := n.checkNoun(s, list, i); err != nil {
			return err
		}
	}
	return nil
}

// checkNoun checks the i-th name of a step. list holds all names of the step.
func (n *nouns) checkNoun(s *Sentence, list []noun, i int) error {
	u := &list[i]
	if s.declares || isModel(u.word) && n.invents(s) {
		return nil
	}
	switch u.word {
	case "model", "models", "servable":
		return n.checkModels(s, list, u)
	case "task":
		return n.checkName(list[i-1].text+":"+u.text, u, n.tasks())
	case "name":
		if strings.HasSuffix(u.before, "model ") {
			return n.checkName(u.text, u, n.models())
		}
	case "layout":
		return n.checkLayout(u)
	case "server", "servers":
		return n.checkServer(u.text)
	case "path":
		return n.checkPath(s, u)
	case "text":
		return n.checkText(s, u)
	case "n", "version":
		if u.isVersion() && !slices.ContainsFunc(list, func(o noun) bool { return isModel(o.word) }) {
			return n.checkVersion(u, slices.Collect(maps.Keys(n.versions)))
		}
	}
	return nil
}

func isModel(word string) bool { return word == "model" || word == "servable" || word == "models" }

// checkModels checks each sub-graph in a list. If the step names one sub-graph and a version, it
// also checks the version.
func (n *nouns) checkModels(s *Sentence, list []noun, u *noun) error {
	known := n.known(s, u)
	for _, said := range listSeparator.Split(u.text, -1) {
		name, absent := strings.CutSuffix(said, notExported)
		u := *u
		u.absent = u.absent || absent
		versioned := slices.IndexFunc(list, func(o noun) bool { return o.isVersion() })
		if versioned < 0 || s.exports || !slices.Contains(known, name) {
			if err := n.checkName(name, &u, known); err != nil {
				return err
			}
			continue
		}
		v := list[versioned]
		v.absent = u.absent || strings.HasSuffix(s.text, " before it is exported")
		if err := n.checkVersion(&v, []string{n.subGraph(name)}); err != nil {
			return err
		}
	}
	return nil
}

// known lists the names that are allowed for a word. If agents are of v1, these are tasks and
// sub-graphs, because model servers of v1 call their only model ps_0 or entry.
func (n *nouns) known(s *Sentence, u *noun) []string {
	all := append(slices.Collect(maps.Keys(n.versions)), slices.Collect(maps.Keys(n.served))...)
	switch {
	case !n.v1():
	case strings.Contains(s.text, "registered for {model}"), strings.Contains(s.text, "registration of {pod} for {model}"), strings.Contains(s.text, "list(s) {model}"):
		return n.tasks()
	case u.word == "servable":
		var names []string
		for _, name := range all {
			_, subGraph, _ := strings.Cut(name, ":")
			names = append(names, cmp.Or(subGraph, name))
		}
		all = names
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// subGraph returns the <model>:<sub-graph> for a name that model servers of v1 use, such as ps_0.
func (n *nouns) subGraph(name string) string {
	for full := range n.versions {
		if _, subGraph, _ := strings.Cut(full, ":"); n.v1() && subGraph == name {
			return full
		}
	}
	return name
}

func (n *nouns) v1() bool { return n.conf.get("agent_version") == "1" && n.spec.BareServer == nil }

// tasks lists the tasks for which pods of v1 register, such as ps:0.
func (n *nouns) tasks() []string {
	of := map[string]bool{"entry:0": true}
	for name := range n.versions {
		_, subGraph, _ := strings.Cut(name, ":")
		if kind, index, ok := strings.Cut(subGraph, "_"); ok {
			of[kind+":"+index] = true
		}
	}
	ps, _ := strconv.Atoi(n.conf.get("num_ps"))
	for i := range ps {
		of["ps:"+strconv.Itoa(i)] = true
	}
	if n.conf.get("dense_alone") == "true" {
		of["dense:0"] = true
	}
	return slices.Sorted(maps.Keys(of))
}

// models lists the models without their sub-graphs.
func (n *nouns) models() []string {
	var names []string
	for name := range n.versions {
		model, _ := modelAndSubGraph(name)
		names = append(names, model)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func (n *nouns) checkName(name string, u *noun, known []string) error {
	has := slices.Contains(known, name)
	switch {
	case has && u.absent:
		return fmt.Errorf("model: found %s%s, want no %q: the scenario has it", name, notExported, notExported[1:])
	case !has && !u.absent:
		return fmt.Errorf("model: found %s, want %s; of one that does not exist say %q", name, oneOf(name, known), name+notExported)
	}
	return nil
}

// checkVersion checks that at least one of the named sub-graphs has the version, or that none has
// it if the step says so.
func (n *nouns) checkVersion(u *noun, names []string) error {
	version, err := strconv.ParseInt(u.text, 10, 64)
	if err != nil {
		return nil // that the word is no number is reported by another check
	}
	var known []string
	for _, name := range names {
		if n.served[name] {
			if u.absent {
				return fmt.Errorf("version: found version %s of %s%s, want no %q: it can have any version", u.text, name, notExported, notExported[1:])
			}
			return nil
		}
		for v := range n.versions[name] {
			known = append(known, strconv.FormatInt(v, 10))
		}
	}
	slices.SortFunc(known, func(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) })
	known = slices.Compact(known)
	has := slices.Contains(known, strconv.FormatInt(version, 10))
	what := strings.Join(names, ", ")
	switch {
	case has && u.absent:
		return fmt.Errorf("version: found version %s of %s%s, want no %q: the scenario has it", u.text, what, notExported, notExported[1:])
	case !has && !u.absent && len(names) == 1:
		return fmt.Errorf("version of %s: found %s, want %s; of one that does not exist say %q", what, u.text, oneOf(u.text, known), "version "+u.text+" of "+what+notExported)
	case !has && !u.absent:
		return fmt.Errorf("version: found %s, want %s", u.text, oneOf(u.text, known))
	}
	return nil
}

// checkLayout checks that agents watch the named layout.
func (n *nouns) checkLayout(u *noun) error {
	w := World{conf: n.conf}
	watched := n.conf.get("layout_pattern")
	if n.v1() || watched == "" || n.spec.Shards == 0 {
		if u.absent {
			return nil
		}
		return fmt.Errorf("layout: found %s, want a cluster of v3, whose agents watch one; of any other say %q", u.text, u.text+notWatched)
	}
	has := w.layoutPath(u.text) == w.layoutPath(watched)
	switch {
	case has && u.absent:
		return fmt.Errorf("layout: found %s%s, want no %q: every agent watches it", u.text, notWatched, notWatched[1:])
	case !has && !u.absent:
		return fmt.Errorf("layout: found %s, want %s, which the agents watch; of another say %q", u.text, watched, u.text+notWatched)
	}
	return nil
}

var serverKind = regexp.MustCompile(`^the (model|ps|entry|dense) server of `)

// checkServer checks that pods of the cluster can have the named kind of model server.
func (n *nouns) checkServer(text string) error {
	m := serverKind.FindStringSubmatch(text)
	if m == nil {
		return nil
	}
	kinds := []string{"model"}
	if n.v1() {
		kinds = []string{"ps", "entry", "dense"}
	}
	if !slices.Contains(kinds, m[1]) {
		return fmt.Errorf("model server: found %q, want the %s server of a pod with such agents", text, strings.Join(kinds, ", "))
	}
	return nil
}

// roots lists the names of the znodes that agents create directly below /<bzid>, where bzid is the
// name of the agents' business.
var roots = []string{"binding", "container_service", "layouts", "locks", "portal", "publish", "resource", "saved_models", "service"}

// checkPath checks the beginning of a znode's path. The rest of the path is free, because scenarios
// may write znodes of any name, or find them missing.
func (n *nouns) checkPath(s *Sentence, u *noun) error {
	parts := strings.Split(strings.TrimPrefix(u.text, "/"), "/")
	switch {
	case strings.HasPrefix(s.text, "znode ") && strings.HasSuffix(s.text, "is written with {text}"):
		n.znodes[parts[0]] = true
	case strings.HasPrefix(s.text, "znode ") && n.own == nil:
		return n.checkZnode(u.text, parts)
	case strings.HasPrefix(s.text, "the model config file ") && n.hasConfigFile():
		return n.checkConfigFile(u.text)
	case strings.HasPrefix(u.before, "files under ") || strings.Contains(s.text, "files under {path}"):
		return n.checkFolder(u.text)
	case strings.HasPrefix(s.text, "the stored file ") && strings.HasSuffix(s.text, "is written with {text}"):
		n.files[u.text] = true
		return n.checkFolder(u.text)
	case strings.HasPrefix(s.text, "the stored file "):
		return n.checkStored(u.text)
	}
	return nil
}

func (n *nouns) checkZnode(text string, parts []string) error {
	first := []string{n.conf.get("bzid")}
	if n.spec.Training != nil {
		first = append(first, "monolith")
	}
	first = slices.DeleteFunc(append(first, slices.Sorted(maps.Keys(n.znodes))...), func(s string) bool { return s == "" })
	if layout := n.conf.get("layout_pattern"); strings.HasPrefix(layout, "/") {
		first = append(first, strings.Split(layout, "/")[1])
	}
	if !slices.Contains(first, parts[0]) {
		return fmt.Errorf("znode: found %s, want a path below /%s", text, oneOf(parts[0], first))
	}
	if len(parts) > 1 && parts[0] == n.conf.get("bzid") && !n.znodes[parts[0]] && !slices.Contains(roots, parts[1]) {
		return fmt.Errorf("znode: found %s, want a path below /%s/ and %s", text, parts[0], oneOf(parts[1], roots))
	}
	return nil
}

// hasConfigFile reports whether a flag names the model config file of the model server.
func (n *nouns) hasConfigFile() bool {
	return n.spec.BareServer != nil && slices.ContainsFunc(n.spec.BareServer.Flags, func(flag string) bool { return strings.HasPrefix(flag, "--model_config_file=") })
}

func (n *nouns) checkConfigFile(text string) error {
	var known []string
	for _, flag := range n.spec.BareServer.Flags {
		if file, ok := strings.CutPrefix(flag, "--model_config_file="); ok {
			known = append(known, file)
		}
	}
	if !slices.Contains(known, text) {
		return fmt.Errorf("model config file: found %s, want %s, as --model_config_file of the model server says", text, oneOf(text, known))
	}
	return nil
}

// folders lists the folders of exported models and of the training job.
func (n *nouns) folders() []string {
	list := []string{strings.TrimSuffix(modelRoot, "/")}
	if n.spec.Training != nil {
		list = append(list, n.spec.Training.Dirs()...)
	}
	return list
}

func (n *nouns) checkFolder(text string) error {
	for _, dir := range n.folders() {
		if text == dir || strings.HasPrefix(text, dir+"/") || strings.HasPrefix(dir, text+"/") {
			return nil
		}
	}
	return fmt.Errorf("file: found %s, want a path below %s", text, oneOf(text, n.folders()))
}

// storedFiles lists the files that a training job writes to, or reads from, its own folder.
var storedFiles = []string{"checkpoint", "clear_nn", "controller_server_addr.txt", "monolith_action", "monolith_action_response", "monolith_checkpoint", "restore_ckpt", "ps_cluster_dir", "graph.pbtxt"}

func (n *nouns) checkStored(text string) error {
	if err := n.checkFolder(text); err != nil || n.files[text] {
		return err
	}
	name := path.Base(text)
	if n.spec.Training != nil && !slices.Contains(n.spec.Training.Dirs(), path.Dir(text)) {
		return fmt.Errorf("stored file: found %s, want one in %s, or one that an earlier step writes", text, oneOf(path.Dir(text), n.spec.Training.Dirs()))
	}
	if !slices.Contains(storedFiles, name) && !strings.HasPrefix(name, "model.ckpt-") {
		return fmt.Errorf("stored file: found %s, want %s, model.ckpt-N... or one that an earlier step writes", text, oneOf(name, storedFiles))
	}
	return nil
}

// variables lists the environment variables that agents read.
var variables = []string{"CLOUDNATIVE_INET_ADDR", "DENSE_SERVICE_IDX", "MONOLITH_HOST_SHARD_N", "MONOLITH_METRIC_PREFIX", "MONOLITH_TFS_BINARY", "MY_HOST_IP", "MY_HOST_IPV6",
	"MY_POD_IP", "MY_POD_NAME", "PATH", "PORT", "PORT0", "PORT1", "PORT2", "PORT3", "PORT4", "PORT5", "PORT6", "PORT7", "PORT8", "PORT9", "PORT10", "PYTHONHASHSEED", "REPLICA_ID", "SHARD_ID", "TCE_CLUSTER", "TCE_INTERNAL_IDC",
	"TCE_LOGICAL_CLUSTER", "TCE_PHYSICAL_CLUSTER", "TCE_PSM", "YARN_INET_ADDR"}

// checkText checks names that a step gives in quotes, such as the name of a barrier's action.
func (n *nouns) checkText(s *Sentence, u *noun) error {
	var what string
	var known []string
	switch {
	case strings.Contains(s.text, "barrier {text}"):
		what, known = "action of a barrier", []string{"", noAction, "Save", "Stop"}
	case strings.Contains(s.text, "reported as {text}"):
		what, known = "end of the application", []string{"succeeded", "failed"}
	case strings.Contains(s.text, "began to say {text}"):
		what, known = "heartbeat", []string{"running", "stopped"}
	case strings.HasPrefix(s.text, "the workers at the barrier"):
		return n.checkWorkers(u.text)
	}
	if known != nil && !slices.Contains(known, u.text) {
		return fmt.Errorf("%s: found %q, want %s", what, u.text, oneOf(u.text, known))
	}
	return nil
}

func (n *nouns) checkWorkers(text string) error {
	if text == "" {
		return nil
	}
	for i := range strings.SplitSeq(text, ", ") {
		if number, err := strconv.Atoi(i); err != nil || number < 0 || number > n.spec.Training.Workers {
			return fmt.Errorf("workers at the barrier: found %q, want numbers of workers up to %d, as \"1, 2\"", text, n.spec.Training.Workers)
		}
	}
	return nil
}

// invents reports whether a step names models of the fake model server. That server has every
// version of every model that it is asked for, so any name is allowed.
func (n *nouns) invents(s *Sentence) bool {
	return n.spec.ModelServer == "python-fake" && n.spec.BareServer != nil &&
		(strings.HasPrefix(s.text, "the config of") || strings.Contains(s.text, "config file") || strings.Contains(s.text, "reload to"))
}

// take adds the things that a step creates, so that later steps may name them.
func (n *nouns) take(s *Sentence, text string) {
	list := s.nounsOf(text)
	for _, u := range list {
		if !isModel(u.word) {
			continue
		}
		if strings.Contains(s.text, "has the base path") || n.invents(s) || slices.Contains(n.own, s) {
			for _, name := range listSeparator.Split(u.text, -1) {
				n.served[name] = true
			}
		}
		for _, v := range list {
			if number, err := strconv.ParseInt(v.text, 10, 64); err == nil && v.isVersion() && s.exports {
				n.exported(u.text, number)
			}
		}
	}
}

// oneOf describes the allowed names, such as "one of a, b (did you mean a?)".
func oneOf(found string, known []string) string {
	if len(known) == 0 {
		return "one, but the scenario has none"
	}
	if len(known) == 1 {
		return known[0]
	}
	near := didYouMean(found, known)
	if len(known) > 12 && near != "" {
		return "one of " + strconv.Itoa(len(known)) + near
	}
	return "one of " + strings.Join(known, ", ") + near
}

// didYouMean suggests the known name nearest to found, as " (did you mean a?)". It returns "" if no
// name is near, or if known has only one name.
func didYouMean(found string, known []string) string {
	near, distance := "", 3
	for _, k := range known {
		if d := levenshtein.ComputeDistance(found, k); d < distance && d < len(found) {
			near, distance = k, d
		}
	}
	if near == "" || len(known) < 2 {
		return ""
	}
	return " (did you mean " + near + "?)"
}

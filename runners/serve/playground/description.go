package playground

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/monosim/monosim/engine/confined"
	"github.com/monosim/monosim/engine/yamldoc"
	"github.com/monosim/monosim/runners"
)

// Description describes a cluster, and the models to declare and publish after its start.
type Description struct {
	// Name is the name of the description's file.
	Name string
	Spec runners.Spec
	// Deploy lists the models to declare, and says which of them to publish.
	Deploy []Deployed
}

// Deployed is a model of the spec that is declared after the cluster's start. Publish means that it
// is published too.
type Deployed struct {
	Model   runners.Model
	Policy  string
	Publish bool
}

// file holds the fields of the YAML file.
type file struct {
	AgentVersion *int              `yaml:"agent_version" doc:"3 (the default) or 1"`
	Conf         string            `yaml:"conf" doc:"an agent.conf in this file's folder or below, in place of agent_version, bzid and layout"`
	Bzid         string            `yaml:"bzid" doc:"the business in ZooKeeper; default gip"`
	Layout       string            `yaml:"layout" doc:"the layout that the agents watch; default main"`
	Shards       *int              `yaml:"shards" doc:"1 to 100; default 1"`
	Replicas     *int              `yaml:"replicas" doc:"pods of each shard, 1 to 100; default 1"`
	ZooKeeper    string            `yaml:"zookeeper" doc:"profile of ZooKeeper, as zookeeper-3.8"`
	ModelServer  string            `yaml:"model_server" doc:"profile of model servers, as tfs-2.4"`
	Quirks       string            `yaml:"quirks" doc:"python (the default) for the reference's faults, fixed without them, or ids of quirks"`
	RestartAfter string            `yaml:"restart_after" doc:"a pod that ends comes back after this time; default never"`
	PredictTime  string            `yaml:"predict_time" doc:"what a Predict takes"`
	Seed         uint64            `yaml:"seed" doc:"what random choices follow from"`
	Env          map[string]string `yaml:"env" doc:"variables of the environment of every pod"`
	Locations    []fileLocation    `yaml:"locations" doc:"where the replicas of a shard are, in turn"`
	Models       []fileModel       `yaml:"models" doc:"what is exported, declared and published"`
}

type fileLocation struct {
	IDC     string `yaml:"idc"`
	Cluster string `yaml:"cluster"`
}

type fileModel struct {
	Name      string         `yaml:"name"`
	BasePath  string         `yaml:"base_path" doc:"where its versions are, below the directory of the cluster; default /models/NAME"`
	Policy    string         `yaml:"policy" doc:"of its declaration: latest (the default), latest_once, all or specific ones"`
	Publish   *bool          `yaml:"publish" doc:"false for one that is only declared"`
	SubGraphs []fileSubGraph `yaml:"sub_graphs" doc:"entry, dense, ps_0 and so on"`
}

type fileSubGraph struct {
	Name     string  `yaml:"name"`
	Versions []int64 `yaml:"versions"`
	Size     string  `yaml:"size" doc:"of each version, as 20MB; default 1MB"`
}

// Example is a complete sample description in YAML.
const Example = `# Two replicas of a model that agents of version 3 load once it is published.
replicas: 2
restart_after: 10s   # a pod that ends comes back
models:
  - name: ctr
    sub_graphs:
      - {name: entry, versions: [1], size: 2MB}
      - {name: ps_0, versions: [1], size: 20MB}
`

// Read reads a description from a file. Errors name the file, the line and the field. They say what
// was found and what was wanted.
func Read(name string) (*Description, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("description: %w", err)
	}
	return Parse(name, text)
}

// Parse parses a description. name is the description's file. Relative names of other files start
// at the folder of this file.
func Parse(name string, text []byte) (*Description, error) {
	r := &reader{name: name}
	root, err := yamldoc.Read(text)
	if err != nil {
		return nil, fmt.Errorf("%s:%w", name, err)
	}
	var f file
	if root == nil {
		return nil, fmt.Errorf("%s: found nothing, want a description, as:\n%s", name, Example)
	}
	r.check(root, reflect.TypeFor[file](), "")
	if r.err == nil {
		if err := root.Decode(&f); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	r.root = root
	d := r.describe(&f)
	if r.err != nil {
		return nil, r.err
	}
	return d, nil
}

// reader converts the YAML of a file to a description, and keeps the first error.
type reader struct {
	name string
	root *yaml.Node
	err  error
}

func (r *reader) fail(n *yaml.Node, field, format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf("%s:%d: %s: %s", r.name, n.Line, field, fmt.Sprintf(format, args...))
	}
}

// check compares a YAML node with a Go type. The node may only have known fields, with values of
// the right types.
func (r *reader) check(n *yaml.Node, t reflect.Type, field string) {
	switch t.Kind() {
	case reflect.Pointer:
		r.check(n, t.Elem(), field)
	case reflect.Struct:
		r.checkStruct(n, t, field)
	case reflect.Slice:
		if n.Kind != yaml.SequenceNode {
			r.fail(n, field, "found %s, want a list", shown(n))
			return
		}
		for i, item := range n.Content {
			r.check(item, t.Elem(), fmt.Sprintf("%s[%d]", field, i))
		}
	case reflect.Map:
		if n.Kind != yaml.MappingNode {
			r.fail(n, field, "found %s, want names with values", shown(n))
		}
	default:
		r.checkScalar(n, t, field)
	}
}

func (r *reader) checkStruct(n *yaml.Node, t reflect.Type, field string) {
	if n.Kind != yaml.MappingNode {
		r.fail(n, cmp.Or(field, "the description"), "found %s, want fields with values", shown(n))
		return
	}
	fields := map[string]reflect.Type{}
	var names []string
	for i := range t.NumField() {
		name := t.Field(i).Tag.Get("yaml")
		fields[name], names = t.Field(i).Type, append(names, name)
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		of, known := fields[key.Value]
		switch {
		case !known:
			r.fail(key, join(field, key.Value), "found a field that there is not, want one of %s", strings.Join(names, ", "))
		case seen[key.Value]:
			r.fail(key, join(field, key.Value), "found it twice, want it once")
		default:
			seen[key.Value] = true
			r.check(n.Content[i+1], of, join(field, key.Value))
		}
	}
}

func (r *reader) checkScalar(n *yaml.Node, t reflect.Type, field string) {
	if n.Kind != yaml.ScalarNode {
		r.fail(n, field, "found %s, want one value", shown(n))
		return
	}
	into := reflect.New(t)
	if err := n.Decode(into.Interface()); err != nil {
		want := map[reflect.Kind]string{reflect.Bool: "true or false", reflect.String: "text"}[t.Kind()]
		r.fail(n, field, "found %s, want %s", shown(n), cmp.Or(want, "a whole number"))
	}
}

func shown(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "fields"
	case yaml.SequenceNode:
		return "a list"
	}
	return strconv.Quote(n.Value)
}

func join(field, name string) string {
	if field == "" {
		return name
	}
	return field + "." + name
}

// at returns the YAML node of a field such as models[0].name. If the node is missing, it returns
// the nearest node above.
func (r *reader) at(field string) *yaml.Node {
	n := r.root
	for _, part := range strings.FieldsFunc(field, func(c rune) bool { return c == '.' || c == '[' || c == ']' }) {
		next := child(n, part)
		if next == nil {
			return n
		}
		n = next
	}
	return n
}

func child(n *yaml.Node, part string) *yaml.Node {
	if i, err := strconv.Atoi(part); err == nil {
		if n.Kind == yaml.SequenceNode && i < len(n.Content) {
			return n.Content[i]
		}
		return nil
	}
	for i := 0; n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == part {
			return n.Content[i+1]
		}
	}
	return nil
}

func (r *reader) wrong(field, format string, args ...any) {
	r.fail(r.at(field), field, format, args...)
}

// named checks the name of a model or a sub-graph and keeps the error, if any.
func (r *reader) named(field, name string) {
	if name == "" {
		r.wrong(field, "found no name, want one")
	}
	r.plain(field+".name", confined.Name(name))
}

// plain keeps an error about the name or the path in a field. It ignores a nil error.
func (r *reader) plain(field string, err error) {
	if err != nil {
		r.wrong(field, "%v", err)
	}
}

func (r *reader) describe(f *file) *Description {
	if r.err != nil {
		return nil
	}
	s := runners.Spec{
		Seed: f.Seed, ZooKeeper: f.ZooKeeper, ModelServer: f.ModelServer, Quirks: f.Quirks,
		Shards: r.count("shards", f.Shards), Replicas: r.count("replicas", f.Replicas),
		RestartAfter: r.duration("restart_after", f.RestartAfter),
	}
	s.Serving.PredictTime = r.duration("predict_time", f.PredictTime)
	for _, key := range slices.Sorted(maps.Keys(f.Env)) {
		s.Env = append(s.Env, runners.EnvVar{Key: key, Value: f.Env[key]})
	}
	for i, l := range f.Locations {
		at := fmt.Sprintf("locations[%d]", i)
		if l.IDC == "" || l.Cluster == "" {
			r.wrong(at, "found no idc or no cluster, want both")
		}
		r.plain(at+".idc", confined.Name(l.IDC))
		r.plain(at+".cluster", confined.Name(l.Cluster))
		s.Locations = append(s.Locations, runners.Location{IDC: l.IDC, Cluster: l.Cluster})
	}
	d := &Description{Name: r.name}
	for i := range f.Models {
		m := r.model(fmt.Sprintf("models[%d]", i), &f.Models[i])
		s.Models, d.Deploy = append(s.Models, m.Model), append(d.Deploy, m)
	}
	r.apart(s.Models)
	r.conf(f, &s)
	d.Spec = s
	return d
}

// apart checks that no sub-graph has its versions in or around the folder of another one: a fault or a delete of one
// would hit both.
func (r *reader) apart(models []runners.Model) {
	var before []string
	for i, m := range models {
		for j, g := range m.SubGraphs {
			base := m.SubGraphPath(g.Name)
			for _, other := range before {
				if base == other || strings.HasPrefix(base, other+"/") || strings.HasPrefix(other, base+"/") {
					r.wrong(fmt.Sprintf("models[%d].sub_graphs[%d].name", i, j), "found %q in %s, want a folder apart from %s", g.Name, base, other)
				}
			}
			before = append(before, base)
		}
	}
}

func (r *reader) count(field string, n *int) int {
	if n == nil {
		return 1
	}
	if *n < 1 || *n > 100 {
		r.wrong(field, "found %d, want 1 to 100", *n)
	}
	return *n
}

func (r *reader) duration(field, text string) time.Duration {
	if text == "" {
		return 0
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 {
		r.wrong(field, "found %q, want a time as 10s or 1m30s", text)
	}
	return d
}

func (r *reader) model(field string, f *fileModel) Deployed {
	d := Deployed{Model: runners.Model{Name: f.Name, BasePath: cmp.Or(f.BasePath, "/models/"+f.Name)}, Policy: cmp.Or(f.Policy, "latest"), Publish: f.Publish == nil || *f.Publish}
	r.named(field, f.Name)
	r.plain(field+".base_path", confined.Path(d.Model.BasePath))
	if len(f.SubGraphs) == 0 {
		r.wrong(field, "found no sub_graphs, want one or more, as {name: entry, versions: [1]}")
	}
	for i, g := range f.SubGraphs {
		at := fmt.Sprintf("%s.sub_graphs[%d]", field, i)
		r.named(at, g.Name)
		for _, v := range g.Versions {
			if v < 1 {
				r.wrong(at+".versions", "found %d, want 1 or more", v)
			}
		}
		d.Model.SubGraphs = append(d.Model.SubGraphs, runners.SubGraph{Name: g.Name, Versions: g.Versions, SizeBytes: r.size(at+".size", g.Size)})
	}
	return d
}

// units lists the units in which sizes can be written. A number without a unit counts bytes.
var units = []struct {
	name  string
	bytes float64
}{{"GB", 1e9}, {"MB", 1e6}, {"KB", 1e3}, {"B", 1}, {"", 1}}

// mostBytes is the largest size of a version, in bytes.
const mostBytes = 100e9

// size parses a size such as 5MB and returns it in bytes. "" means one megabyte.
func (r *reader) size(field, text string) int64 {
	if text == "" {
		return 1e6
	}
	for _, unit := range units {
		number, ok := strings.CutSuffix(text, unit.name)
		if !ok {
			continue
		}
		n, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
		if bytes := n * unit.bytes; err == nil && bytes >= 1 && bytes <= mostBytes && bytes == math.Trunc(bytes) {
			return int64(bytes)
		}
		break
	}
	r.wrong(field, "found %q, want a size up to 100GB, as 20MB", text)
	return 0
}

// beside reads a file from the description's folder or a folder below. Other paths are refused.
func (r *reader) beside(name string) ([]byte, error) {
	folder, err := os.OpenRoot(filepath.Dir(r.name))
	if err != nil {
		return nil, err
	}
	defer folder.Close()
	text, err := folder.ReadFile(name)
	if failed := (*fs.PathError)(nil); errors.As(err, &failed) {
		err = &fs.PathError{Op: "open", Path: name, Err: failed.Err}
	}
	return text, err
}

// conf sets the agent.conf of the spec. It reads the file that the description names, or generates
// one.
func (r *reader) conf(f *file, s *runners.Spec) {
	if f.Conf != "" {
		text, err := r.beside(f.Conf)
		switch {
		case err != nil:
			r.wrong("conf", "%v, want an agent.conf beside the description", err)
		case f.AgentVersion != nil || f.Bzid != "" || f.Layout != "":
			r.wrong("conf", "found it beside agent_version, bzid or layout, which such a file says itself")
		}
		s.Conf, s.ConfName = string(text), f.Conf
		return
	}
	for field, name := range map[string]string{"bzid": f.Bzid, "layout": f.Layout} {
		if name != "" {
			r.plain(field, confined.Name(name))
		}
	}
	version := 3
	if f.AgentVersion != nil {
		version = *f.AgentVersion
	}
	switch version {
	case 3:
		s.Conf = strings.NewReplacer("bzid gip", "bzid "+cmp.Or(f.Bzid, "gip"), "layout_pattern main", "layout_pattern "+cmp.Or(f.Layout, "main")).Replace(runners.ConfV3)
	case 1:
		r.confV1(f, s)
	default:
		r.wrong("agent_version", "found %d, want 1 or 3", version)
	}
}

// confV1 generates the agent.conf for agents of version 1, which serve a single model.
func (r *reader) confV1(f *file, s *runners.Spec) {
	switch {
	case f.Layout != "":
		r.wrong("layout", "found one, want none for agents of version 1")
	case len(s.Models) != 1:
		r.wrong("models", "found %d, want one for agents of version 1", len(s.Models))
	}
	if r.err != nil {
		return
	}
	m := s.Models[0]
	ps := 0
	for _, g := range m.SubGraphs {
		if strings.HasPrefix(g.Name, "ps_") {
			ps++
		}
	}
	s.Conf = strings.NewReplacer("bzid predict_ctr", "bzid "+cmp.Or(f.Bzid, m.Name), "base_name predict_ctr", "base_name "+m.Name,
		"base_path /models/predict_ctr", "base_path "+m.BasePath, "num_ps 2", fmt.Sprintf("num_ps %d", ps)).Replace(runners.ConfV1)
}

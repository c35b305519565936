package serve

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"google.golang.org/protobuf/encoding/prototext"

	"github.com/monosim/monosim/engine/proto/tensorflow_serving/apis"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/config"
	storagepath "github.com/monosim/monosim/engine/proto/tensorflow_serving/sources/storage_path"
	"github.com/monosim/monosim/sim/tfserving"
)

// twinModels lists the models that random scripts use.
var twinModels = []string{"a", "b", "c"}

// twinScript is a random script that both twins play.
type twinScript struct {
	machine tfserving.Options
	pools   bool
	file    bool // its config comes from a file that is polled, else by RPC
	first   string
	steps   []twinStep
}

type twinStep struct {
	text string
	do   func(s restingTwin)
}

func (s *twinScript) String() string {
	var b strings.Builder
	o := s.machine
	fmt.Fprintf(&b, "%s transition=%d retries=%d loaders=%d unloaders=%d labels=%t alwayspresent=%t file=%t %s\n", o.Profile, o.Transition,
		o.MaxNumLoadRetries, o.NumLoadThreads, o.NumUnloadThreads, o.AllowVersionLabelsForUnavailableModels, o.ServableVersionsAlwaysPresent,
		s.file, s.first)
	for i, step := range s.steps {
		fmt.Fprintf(&b, "%d: %s\n", i+1, step.text)
	}
	return b.String()
}

// twinDraw draws a script. It tracks the content of the disk, so that no step replaces existing
// files, because a real disk cannot do that in one step.
type twinDraw struct {
	*rand.Rand
	lab    *lab
	script *twinScript
	dirs   map[string]bool // "a", "a/1"
	number int             // of reloads
}

func drawTwinScript(l *lab, seed uint64) *twinScript {
	d := twinDraw{Rand: rand.New(rand.NewPCG(seed, seed)), lab: l, script: &twinScript{}, dirs: map[string]bool{}}
	s := d.script
	s.machine = d.options()
	s.pools = s.machine.NumLoadThreads+s.machine.NumUnloadThreads > 0
	mark := &config.ModelConfig{Name: pollMark, BasePath: l.path(pollMark), ModelPlatform: "tensorflow"}
	if s.file = d.IntN(4) == 0; s.file {
		s.first = textOf(mark)
		s.machine.ModelConfigFile, s.machine.ModelConfigFilePollWaitSeconds = l.path("config"), 1
	} else {
		s.machine.ModelName, s.machine.ModelBasePath = pollMark, l.path(pollMark)
	}
	s.steps = append(s.steps, twinStep{"remove the mark's version", func(s restingTwin) {
		s.await(pollMark + ":1 AVAILABLE")
		s.remove(l.path(pollMark, "1"))
	}})
	for range 4 + d.IntN(12) {
		if step, ok := d.step(); ok {
			s.steps = append(s.steps, step)
		}
	}
	return s
}

func (d *twinDraw) options() tfserving.Options {
	o := tfserving.DefaultOptions([]tfserving.Profile{tfserving.Profile24, tfserving.ProfileHead}[d.IntN(2)])
	o.Cost.UnloadJitter = 0
	o.Transition = tfserving.Transition(d.IntN(4) / 3)
	o.MaxNumLoadRetries, o.LoadRetryIntervalMicros = d.IntN(3), 100_000
	if d.IntN(2) == 0 {
		o.NumLoadThreads, o.NumUnloadThreads = d.IntN(3), d.IntN(2)
	}
	o.AllowVersionLabelsForUnavailableModels = d.IntN(3) == 0
	o.ServableVersionsAlwaysPresent = d.IntN(6) == 0
	return o
}

func (d *twinDraw) model() string { return twinModels[d.IntN(len(twinModels))] }

// step draws a step. It returns false if the step that was drawn is not possible now.
func (d *twinDraw) step() (twinStep, bool) {
	model, version := d.model(), 1+d.IntN(4)
	dir := fmt.Sprintf("%s/%d", model, version)
	switch d.IntN(12) {
	case 0, 1, 2:
		return d.export(model, dir)
	case 3:
		return d.remove(dir)
	case 4:
		return d.remove(model)
	case 5:
		if d.dirs[model] {
			return twinStep{}, false
		}
		d.dirs[model] = true
		return twinStep{"mkdir " + model, func(s restingTwin) { s.mkdir(d.lab.path(model)) }}, true
	case 6:
		return d.rename(model, dir)
	case 7:
		if !d.dirs[dir] {
			return twinStep{}, false
		}
		return twinStep{"complete " + dir, func(s restingTwin) { s.put(d.lab.path(dir, "saved_model.pb"), "{}") }}, true
	}
	return d.configure(), true
}

// export adds a version: good, half copied, or with a SavedModel that no load takes.
func (d *twinDraw) export(model, dir string) (twinStep, bool) {
	if d.dirs[dir] {
		return twinStep{}, false
	}
	d.dirs[model], d.dirs[dir] = true, true
	description := []string{"{}", "{}", "{}", "{}", "", `{"tags": ["train"]}`, `{"load_error": {"code": 3, "message": "broken"}}`}[d.IntN(7)]
	if description == "" {
		return twinStep{"half of " + dir, func(s restingTwin) { s.mkdir(d.lab.path(dir)) }}, true
	}
	return twinStep{"export " + dir + " " + description, func(s restingTwin) { exportTo(s, d.lab.path(dir), description) }}, true
}

func (d *twinDraw) remove(dir string) (twinStep, bool) {
	if !d.dirs[dir] {
		return twinStep{}, false
	}
	for known := range d.dirs {
		if known == dir || strings.HasPrefix(known, dir+"/") {
			delete(d.dirs, known)
		}
	}
	return twinStep{"remove " + dir, func(s restingTwin) { s.remove(d.lab.path(dir)) }}, true
}

func (d *twinDraw) rename(model, from string) (twinStep, bool) {
	to := fmt.Sprintf("%s/%d", model, 1+d.IntN(4))
	if !d.dirs[from] || d.dirs[to] {
		return twinStep{}, false
	}
	delete(d.dirs, from)
	d.dirs[to] = true
	return twinStep{"rename " + from + " " + to, func(s restingTwin) { s.rename(d.lab.path(from), d.lab.path(to)) }}, true
}

// configure returns a step that sets a new config, by RPC or by file.
func (d *twinDraw) configure() twinStep {
	models := []*config.ModelConfig{{Name: pollMark, BasePath: d.lab.path(pollMark), ModelPlatform: "tensorflow"}}
	for _, name := range twinModels {
		if d.IntN(4) > 0 {
			models = append(models, d.modelConfig(name))
		}
	}
	if d.IntN(12) == 0 {
		models = append(models, models[len(models)-1])
	}
	text := textOf(models...)
	if d.script.file {
		if d.IntN(8) == 0 {
			text = "nonsense"
		}
		return twinStep{"config file " + text, func(s restingTwin) { s.put(d.lab.path("config"), text) }}
	}
	request := reloadOf(models...)
	if d.IntN(16) == 0 {
		request, text = &apis.ReloadConfigRequest{}, "of another kind"
	}
	d.number++
	name := fmt.Sprint(d.number)
	return twinStep{"reload " + name + " " + text, func(s restingTwin) { s.reload(name, request) }}
}

func (d *twinDraw) modelConfig(name string) *config.ModelConfig {
	m := &config.ModelConfig{Name: name, BasePath: d.lab.path(name), ModelPlatform: "tensorflow", ModelVersionPolicy: d.policy()}
	if d.IntN(5) == 0 {
		m.VersionLabels = map[string]int64{"stable": 1 + d.Int64N(3)}
	}
	switch d.IntN(40) {
	case 0:
		m.ModelPlatform = ""
	case 1:
		m.ModelPlatform = "nonsense"
	case 2:
		m.BasePath = name
	}
	return m
}

type versionPolicy = storagepath.FileSystemStoragePathSourceConfig_ServableVersionPolicy

func (d *twinDraw) policy() *versionPolicy {
	switch d.IntN(6) {
	case 0, 1:
		return &versionPolicy{PolicyChoice: &storagepath.FileSystemStoragePathSourceConfig_ServableVersionPolicy_Latest_{
			Latest: &storagepath.FileSystemStoragePathSourceConfig_ServableVersionPolicy_Latest{NumVersions: d.Uint32N(3)},
		}}
	case 2:
		return &versionPolicy{PolicyChoice: &storagepath.FileSystemStoragePathSourceConfig_ServableVersionPolicy_All_{
			All: &storagepath.FileSystemStoragePathSourceConfig_ServableVersionPolicy_All{},
		}}
	case 3:
		return &versionPolicy{PolicyChoice: &storagepath.FileSystemStoragePathSourceConfig_ServableVersionPolicy_Specific_{
			Specific: &storagepath.FileSystemStoragePathSourceConfig_ServableVersionPolicy_Specific{Versions: []int64{2, 3}},
		}}
	}
	return nil
}

// textOf returns a model config file with the given models.
func textOf(models ...*config.ModelConfig) string {
	var b strings.Builder
	for _, m := range models {
		b.WriteString("config {" + prototext.MarshalOptions{}.Format(m) + "} ")
	}
	return "model_config_list { " + b.String() + "}"
}

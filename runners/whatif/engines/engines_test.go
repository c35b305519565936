package engines

import (
	"cmp"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"
)

func TestShardsAreReadFromTheirEnvironment(t *testing.T) {
	t.Setenv("JOB_COMPLETION_INDEX", "3")
	got, err := ParseShard("/8")
	if err != nil || got != (Shard{I: 3, N: 8}) {
		t.Errorf("got %v, %v", got, err)
	}
	for _, wrong := range []string{"", "8/8", "-1/8", "1", "a/b", "1/0"} {
		if _, err := ParseShard(wrong); err == nil {
			t.Errorf("shard=%s is taken", wrong)
		}
	}
}

func job() *Job {
	return &Job{Name: "sweep", Image: "monosim:1", Shards: 64, Parallel: 16, Claim: "shards", Plan: "apiVersion: capacity/v1\n", Files: map[string]string{"agent.conf": "num_ps 2\n"}}
}

// Goal: the manifest satisfies what the batch/v1 API requires of an Indexed Job with a
// failure limit for each index.
func TestTheManifestIsAnIndexedJob(t *testing.T) {
	text, err := job().Manifest()
	if err != nil {
		t.Fatal(err)
	}
	d := yaml.NewDecoder(strings.NewReader(text))
	var config struct {
		Kind string
		Data map[string]string
	}
	var list struct {
		Kind string
		Spec struct {
			CompletionMode       string `yaml:"completionMode"`
			Completions          int
			Parallelism          int
			BackoffLimitPerIndex int `yaml:"backoffLimitPerIndex"`
			Template             struct {
				Spec struct {
					RestartPolicy string `yaml:"restartPolicy"`
					Containers    []struct{ Args []string }
				}
			}
		}
	}
	if err := errors.Join(d.Decode(&config), d.Decode(&list)); err != nil {
		t.Fatal(err)
	}
	if config.Kind != "ConfigMap" || config.Data["plan.yaml"] != job().Plan || config.Data["agent.conf"] != job().Files["agent.conf"] {
		t.Errorf("got %+v", config)
	}
	s := list.Spec
	if list.Kind != "Job" || s.CompletionMode != "Indexed" || s.Completions != 64 || s.Parallelism != 16 || s.BackoffLimitPerIndex != 3 || s.Template.Spec.RestartPolicy != "Never" ||
		len(s.Template.Spec.Containers) != 1 || !slices.Contains(s.Template.Spec.Containers[0].Args, "shard=/64") {
		t.Errorf("got %+v", list)
	}
}

func TestManifestsThatKubernetesRefusesAreNotMade(t *testing.T) {
	for _, c := range []struct {
		change func(*Job)
		want   string
	}{
		{func(j *Job) { j.Name = "My_Sweep" }, `name: found "My_Sweep"`},
		{func(j *Job) { j.Claim = "" }, `claim: found ""`},
		{func(j *Job) { j.Image = "a b" }, `image: found "a b"`},
		{func(j *Job) { j.Shards = 0 }, "found 0 shards and 16 at once"},
		{func(j *Job) { j.Files["my conf"] = "" }, `found the file name "my conf"`},
		{func(j *Job) { j.Files["plan.yaml"] = "" }, `found the file name "plan.yaml"`},
		{func(j *Job) { j.Files["trace"] = strings.Repeat("1ms\n", 1<<18) }, "bytes of plan and files, want at most 1048576"},
	} {
		j := job()
		c.change(j)
		if _, err := j.Manifest(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
}

// Goal: Kubernetes accepts the manifest. Method: validate it strictly against the schemas of
// the Kubernetes API, where an unknown field is an error. pip install kubernetes-validate
// provides them.
func TestTheManifestFitsTheSchemaOfKubernetes(t *testing.T) {
	program := cmp.Or(os.Getenv("KUBERNETES_VALIDATE"), "kubernetes-validate")
	path, err := exec.LookPath(program)
	if err != nil {
		t.Skipf("%v: want kubernetes-validate, of pip, on PATH or in KUBERNETES_VALIDATE", err)
	}
	text, err := job().Manifest()
	if err != nil {
		t.Fatal(err)
	}
	check := func(text string) (string, error) {
		file := filepath.Join(t.TempDir(), "job.yaml")
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		out, err := exec.Command(path, "--strict", file).CombinedOutput()
		return string(out), err
	}
	if out, err := check(text); err != nil {
		t.Errorf("%v: %s", err, out)
	}
	wrong := strings.Replace(text, "completionMode:", "completionMood:", 1)
	if out, err := check(wrong); err == nil {
		t.Errorf("a field that there is not is taken: %s", out)
	}
}

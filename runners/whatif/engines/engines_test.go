package engines

import (
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

// The fields of batch/v1 that an Indexed Job needs.
func TestTheManifestIsAnIndexedJob(t *testing.T) {
	text := Job{Name: "sweep", Image: "monosim:1", Shards: 64, Parallel: 16, ConfigMap: "plan", Volume: "shards"}.Manifest()
	var job struct {
		APIVersion string `yaml:"apiVersion"`
		Kind       string
		Metadata   struct{ Name string }
		Spec       struct {
			CompletionMode       string `yaml:"completionMode"`
			Completions          int
			Parallelism          int
			BackoffLimitPerIndex int `yaml:"backoffLimitPerIndex"`
			Template             struct {
				Spec struct {
					RestartPolicy string `yaml:"restartPolicy"`
					Containers    []map[string]any
					Volumes       []map[string]any
				}
			}
		}
	}
	d := yaml.NewDecoder(strings.NewReader(text))
	d.KnownFields(true)
	if err := d.Decode(&job); err != nil {
		t.Fatal(err)
	}
	// backoffLimitPerIndex is for Indexed jobs whose pods are never restarted.
	s := job.Spec
	if job.Kind != "Job" || s.CompletionMode != "Indexed" || s.Completions != 64 || s.Template.Spec.RestartPolicy != "Never" || len(s.Template.Spec.Containers) != 1 {
		t.Errorf("got %+v", job)
	}
}

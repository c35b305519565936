package engines

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"gopkg.in/yaml.v3"
)

// Job is a Kubernetes Indexed Job that simulates a sweep in Shards parts. The plan is in a
// config map, and the results are files in a volume that all pods share. Kubernetes retries
// each failed pod separately (backoffLimitPerIndex).
type Job struct {
	Name, Image string
	Shards      int
	Parallel    int
	Claim       string // persistent volume claim that all pods can write to
	// Plan is the text of the plan. Files holds the files that the plan refers to, by their
	// names in the plan's folder.
	Plan  string
	Files map[string]string
}

// object is a mapping within a YAML manifest.
type object = map[string]any

// The plan's key in the config map, and the paths at which pods mount the plan and the
// results.
const (
	planKey   = "plan.yaml"
	planDir   = "/plan"
	shardsDir = "/shards"
)

// dnsLabel matches a valid name in Kubernetes (RFC 1123).
var dnsLabel = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$`)

// configKey matches a valid key of a config map.
var configKey = regexp.MustCompile(`^[-._a-zA-Z0-9]{1,253}$`)

const mostOfConfigMap = 1 << 20

// Check returns an error for values that Kubernetes would refuse.
func (j *Job) Check() error {
	switch {
	case !dnsLabel.MatchString(j.Name):
		return fmt.Errorf("name: found %q, want lower case letters, digits and -, at most 63", j.Name)
	case !dnsLabel.MatchString(j.Claim):
		return fmt.Errorf("claim: found %q, want the name of a persistent volume claim", j.Claim)
	case j.Image == "" || strings.ContainsAny(j.Image, " \t\n"):
		return fmt.Errorf("image: found %q, want the name of an image with monosim", j.Image)
	case j.Shards < 1 || j.Parallel < 1:
		return fmt.Errorf("found %d shards and %d at once, want 1 or more of both", j.Shards, j.Parallel)
	}
	bytes := len(j.Plan)
	for name, text := range j.Files { // in random order: if several names are wrong, the error names any of them
		if !configKey.MatchString(name) || name == planKey {
			return fmt.Errorf("found the file name %q, want letters, digits, -, _ and ., and another than the plan's: it is a key of a config map", name)
		}
		bytes += len(text)
	}
	if bytes > mostOfConfigMap {
		return fmt.Errorf("found %d bytes of plan and files, want at most %d: that is what a config map holds", bytes, mostOfConfigMap)
	}
	return nil
}

// Manifest returns the config map and the job as YAML.
func (j *Job) Manifest() (string, error) {
	objects, err := j.objects()
	if err != nil {
		return "", err
	}
	var b bytes.Buffer
	e := yaml.NewEncoder(&b)
	e.SetIndent(2)
	for _, one := range objects {
		if err := e.Encode(one); err != nil {
			return "", err
		}
	}
	return b.String(), e.Close()
}

// JSON returns the config map and the job as one JSON list, which kubectl apply accepts as
// well.
func (j *Job) JSON() (string, error) {
	objects, err := j.objects()
	if err != nil {
		return "", err
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err = e.Encode(object{"apiVersion": "v1", "kind": "List", "items": objects})
	return b.String(), err
}

func (j *Job) objects() ([]object, error) {
	if err := j.Check(); err != nil {
		return nil, err
	}
	data := object{planKey: j.Plan}
	for name, text := range j.Files { //lint:order written with sorted keys
		data[name] = text
	}
	meta := object{"name": j.Name}
	return []object{
		{"apiVersion": "v1", "kind": "ConfigMap", "metadata": meta, "data": data},
		{"apiVersion": "batch/v1", "kind": "Job", "metadata": meta, "spec": object{
			"completionMode": "Indexed", "completions": j.Shards, "parallelism": min(j.Parallel, j.Shards), "backoffLimitPerIndex": 3,
			"template": object{"spec": j.pod()},
		}},
	}, nil
}

// pod returns the pod specification. Kubernetes gives each pod its index in
// JOB_COMPLETION_INDEX, which --engine shard=/N reads.
func (j *Job) pod() object {
	args := []string{"whatif", "sweep", planDir + "/" + planKey, "--engine", fmt.Sprintf("shard=/%d", j.Shards), "--out", shardsDir, "--cache", shardsDir + "/cache"}
	return object{
		"restartPolicy": "Never", // backoffLimitPerIndex requires it
		"containers": []object{{
			"name": "sweep", "image": j.Image, "command": []string{"monosim"}, "args": args,
			"resources":    object{"requests": object{"cpu": "1", "memory": "1Gi"}},
			"volumeMounts": []object{{"name": "plan", "mountPath": planDir, "readOnly": true}, {"name": "shards", "mountPath": shardsDir}},
		}},
		"volumes": []object{
			{"name": "plan", "configMap": object{"name": j.Name}},
			{"name": "shards", "persistentVolumeClaim": object{"claimName": j.Claim}},
		},
	}
}

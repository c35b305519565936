package engines

import (
	"fmt"
	"strings"
)

// Job is the manifest of a Kubernetes Indexed Job that simulates N shards of a sweep: the
// plan lies in a config map, the shards' files in a volume that all pods share. Its pods
// are tried again when they fail, each for itself (backoffLimitPerIndex).
type Job struct {
	Name, Image string
	Shards      int
	Parallel    int
	ConfigMap   string // with the key plan.yaml
	Volume      string // a claim that all pods may write to
}

// Manifest is the job as YAML.
func (j Job) Manifest() string {
	var b strings.Builder
	fmt.Fprintf(&b, `apiVersion: batch/v1
kind: Job
metadata:
  name: %s
spec:
  completionMode: Indexed
  completions: %d
  parallelism: %d
  backoffLimitPerIndex: 3
  template:
    spec:
      restartPolicy: Never
      containers:
        - name: sweep
          image: %s
          args: [whatif, sweep, /plan/plan.yaml, --engine, shard=/%d, --out, /shards]
          resources:
            requests: {cpu: "1", memory: 1Gi}
          volumeMounts:
            - {name: plan, mountPath: /plan}
            - {name: shards, mountPath: /shards}
      volumes:
        - name: plan
          configMap: {name: %s}
        - name: shards
          persistentVolumeClaim: {claimName: %s}
`, j.Name, j.Shards, j.Parallel, j.Image, j.Shards, j.ConfigMap, j.Volume)
	return b.String()
}

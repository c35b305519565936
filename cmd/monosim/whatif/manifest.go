package whatif

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/monosim/monosim/cmd/monosim/command"
	"github.com/monosim/monosim/runners/whatif/engines"
)

// newManifest makes `monosim whatif manifest`.
func newManifest() *cobra.Command {
	var f planFlags
	var job engines.Job
	cmd := &cobra.Command{
		Use:   "manifest PLAN --image IMAGE",
		Short: "Print a Kubernetes Indexed Job that simulates a plan's sweeps in shards",
		Long: `Print the manifest of a Kubernetes Indexed Job, with the plan in a config map: each of its
pods simulates one shard of the plan's sweeps and writes a file into a volume that all
share. A pod that dies is started again and goes on from what it has. Then
monosim whatif merge DIR --plan PLAN gives the answer, the same bytes as one process.`,
		Example: `  monosim whatif manifest plan.yaml --image registry/monosim:1 --shards 64 | kubectl apply -f -`,
		Args:    onePlan,
		RunE: func(cmd *cobra.Command, args []string) error {
			return printManifest(cmd, &f, args[0], &job)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&job.Image, "image", "", "image with monosim on its PATH")
	flags.StringVar(&job.Name, "name", "monosim-sweep", "name of the job and of the config map")
	flags.StringVar(&job.Claim, "claim", "monosim-shards", "persistent volume claim for the shards' files, for many writers")
	flags.IntVar(&job.Shards, "shards", 16, "pods in all")
	flags.IntVar(&job.Parallel, "parallel", 16, "pods at once")
	return cmd
}

func printManifest(cmd *cobra.Command, f *planFlags, path string, job *engines.Job) error {
	source, p, warnings, err := readPlan(cmd, path, f)
	if err != nil {
		return err
	}
	if _, err := engines.Open(source, p, warnings); err != nil {
		return command.BadInput(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	job.Plan, job.Files = string(text), map[string]string{}
	if name := p.Model.AgentConf; name != "" {
		if name != filepath.Base(name) {
			return command.BadInput(fmt.Errorf("%s: found agent_conf %s, want it beside the plan: a config map has no folders", path, name))
		}
		conf, err := os.ReadFile(filepath.Join(filepath.Dir(path), name))
		if err != nil {
			return err
		}
		job.Files[name] = string(conf)
	}
	manifest, err := job.Manifest()
	if err != nil {
		return command.BadInput(err)
	}
	_, err = io.WriteString(cmd.OutOrStdout(), manifest)
	return err
}

package whatif

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/monosim/monosim/cmd/monosim/command"
	"github.com/monosim/monosim/runners/whatif/engines"
	"github.com/monosim/monosim/runners/whatif/plan"
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
share. What the plan reads (agent.conf, a profile, histograms, a trace of arrivals) goes into the
config map, too, and lies beside it. A pod that dies is started again and goes on from what it has. Then
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
	flags.BoolVar(&f.json, "json", false, "print it as JSON, one list of both objects")
	flags.IntVar(&job.Parallel, "parallel", 16, "pods at once")
	return cmd
}

// filesBeside returns the texts of the files that a plan reads, by name. They must be in the plan's
// folder, because the config map of the manifest becomes one flat folder.
func filesBeside(path string, p *plan.Plan) (map[string]string, error) {
	if p.Model.Exported != "" {
		return nil, fmt.Errorf("%s: found model.exported %s, want model.size: a config map has no folders", path, p.Model.Exported)
	}
	files := map[string]string{}
	for _, name := range p.Files {
		if filepath.Dir(name) != filepath.Dir(path) {
			return nil, fmt.Errorf("%s: it reads %s, want that beside the plan: a config map has no folders", path, name)
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		files[filepath.Base(name)] = string(text)
	}
	return files, nil
}

func printManifest(cmd *cobra.Command, f *planFlags, path string, job *engines.Job) error {
	source, p, warnings, err := readPlan(cmd, path, f)
	if err != nil {
		return err
	}
	if _, err := engines.Open(source, p, warnings); err != nil {
		return f.refuse(cmd, path, err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	job.Plan = string(text)
	if job.Files, err = filesBeside(path, p); err != nil {
		return command.BadInput(err)
	}
	write := job.Manifest
	if f.json {
		write = job.JSON
	}
	manifest, err := write()
	if err != nil {
		return command.BadInput(err)
	}
	_, err = io.WriteString(cmd.OutOrStdout(), manifest)
	return err
}

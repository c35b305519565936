package model

import (
	"fmt"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"github.com/monosim/monosim/cmd/monosim/command"
	"github.com/monosim/monosim/runners/serve/jsonmodel"
)

// These environment variables give the values of flags that are not set.
const (
	checkpointVariable = "MONOLITH_CHECKPOINT_PATH"
	exportVariable     = "MONOLITH_EXPORT_PATH"
)

// exportFlags holds the flags of `monosim export`.
type exportFlags struct {
	jsonmodel.ExportOptions
	format, version string
}

func newExport() *cobra.Command {
	f := exportFlags{ExportOptions: jsonmodel.Defaults()}
	cmd := &cobra.Command{
		Use:   "export --checkpoint-path PATH --output-path DIR",
		Short: "Make a model for serving of a training's checkpoint in JSON",
		Long: `Make a model for serving of a checkpoint in JSON, as the export command of monolith's
Rust port does: its steps in their order, its files, its errors. The checkpoint is a file, or
a directory, of which the checkpoint-N.json with the greatest N above 0 is taken.

A saved-model is a directory with manifest.json, dense/params.json and a file for each table
in embeddings; native is one file, model.bin, and the manifest. onnx and torch-script are
refused as they are there. --quantize rounds the numbers of each tensor to what 8 or 16 bits
tell apart, and keeps them as floats. Files for a warm-up are copied along.

The exit code is 0 when the model is there, and 2 when it is not, with the reason; what was
written before stays, as an empty directory when a format is refused.`,
		Example: `  monosim export -c checkpoints -o exported/ranker
  monosim export -c checkpoints/checkpoint-500.json -o model --format native --quantize --overwrite
  MONOLITH_CHECKPOINT_PATH=checkpoints MONOLITH_EXPORT_PATH=model monosim export`,
		Args: command.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	flags := cmd.Flags()
	flags.StringVarP(&f.CheckpointPath, "checkpoint-path", "c", "", "checkpoint, or directory of checkpoint-N.json (default: the variable "+checkpointVariable+")")
	flags.StringVarP(&f.OutputPath, "output-path", "o", "", "directory that is made for the model (default: the variable "+exportVariable+")")
	flags.StringVarP(&f.format, "format", "f", string(f.Format), fmt.Sprintf("form of the model: one of %v", jsonmodel.Formats()))
	flags.BoolVar(&f.Optimize, "optimize", f.Optimize, "written down in the metadata of a native model; it changes nothing")
	flags.BoolVar(&f.Quantize, "quantize", f.Quantize, "round numbers to --quantize-bits")
	flags.Uint8Var(&f.QuantizeBits, "quantize-bits", f.QuantizeBits, "bits of a rounded number: 8 or 16")
	flags.BoolVar(&f.IncludeEmbeddings, "include-embeddings", f.IncludeEmbeddings, "have the tables of embeddings in the model")
	flags.StringVar(&f.SignatureName, "signature-name", f.SignatureName, "signature of the model, for the metadata")
	flags.StringVar(&f.version, "model-version", "", "version of the model, for the manifest (default 1.0.0)")
	flags.BoolVar(&f.Overwrite, "overwrite", f.Overwrite, "remove what is at the output path before")
	flags.StringVar(&f.WarmupDataPath, "warmup-data-path", "", "file, or directory of files, that is copied into warmup")
	if err := cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(jsonmodel.Formats(), cobra.ShellCompDirectiveNoFileComp)); err != nil {
		panic(err) // cannot happen: the flag exists
	}
	return cmd
}

func (f *exportFlags) run(cmd *cobra.Command) error {
	if err := f.complete(cmd); err != nil {
		return command.BadInput(err)
	}
	done, err := jsonmodel.Export(cmd.Context(), f.ExportOptions, func(text string) { fmt.Fprintln(cmd.ErrOrStderr(), "export: "+text) })
	if err != nil {
		return command.BadInput(fmt.Errorf("export: %w", err))
	}
	fmt.Fprintf(cmd.OutOrStdout(), "exported %s, step %d, to %s: tables: %d, dense parameters: %d\n",
		done.Checkpoint, done.GlobalStep, f.OutputPath, done.Tables, done.DenseParams)
	return nil
}

// complete takes missing flags from the environment. It returns an error for values that make no
// sense.
func (f *exportFlags) complete(cmd *cobra.Command) error {
	for _, p := range []struct {
		value          *string
		flag, variable string
	}{{&f.CheckpointPath, "checkpoint-path", checkpointVariable}, {&f.OutputPath, "output-path", exportVariable}} {
		if !cmd.Flags().Changed(p.flag) {
			*p.value = os.Getenv(p.variable)
		}
		if *p.value == "" {
			return fmt.Errorf("--%s: found none, want a path, there or in %s; see %s --help", p.flag, p.variable, cmd.CommandPath())
		}
	}
	if !slices.Contains(jsonmodel.Formats(), f.format) {
		return fmt.Errorf("--format: found %q, want one of %v", f.format, jsonmodel.Formats())
	}
	f.Format = jsonmodel.Format(f.format)
	if cmd.Flags().Changed("model-version") {
		f.ModelVersion = &f.version
	}
	return nil
}

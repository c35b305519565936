package jsonexport

import (
	"fmt"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/monosim/monosim/engine/confined"
	"github.com/monosim/monosim/engine/env"
)

// Format is the format of an export.
type Format string

// These are the formats, by the names that the command accepts.
const (
	// SavedModel is a directory with a file for each table.
	SavedModel Format = "saved-model"
	// ONNX is a format that Export refuses.
	ONNX Format = "onnx"
	// TorchScript is a format that Export refuses.
	TorchScript Format = "torch-script"
	// Native is a single file with the whole model.
	Native Format = "native"
)

// Formats returns all formats.
func Formats() []Format { return []Format{SavedModel, ONNX, TorchScript, Native} }

// kept returns the format's name in the exported files.
func (f Format) kept() string {
	if f == Native {
		return "Binary"
	}
	return "SavedModel"
}

// Options says what to export, and how. [Defaults] returns the command's defaults.
type Options struct {
	// CheckpointPath is a checkpoint, or a directory with files checkpoint-N.json.
	CheckpointPath string
	// OutputPath is the directory to create.
	OutputPath string
	Format     Format
	// Optimize is recorded in the manifest and has no other effect.
	Optimize bool
	// Quantize rounds numbers to QuantizeBits bits, which must be 8 or 16.
	Quantize     bool
	QuantizeBits uint8
	// IncludeEmbeddings also exports the embedding tables.
	IncludeEmbeddings bool
	SignatureName     string
	// ModelVersion is the version in the manifest; nil means 1.0.0.
	ModelVersion *string
	// Overwrite first removes what exists at OutputPath.
	Overwrite bool
	// WarmupDataPath is a file, or a directory of files, to copy into the export; "" means none.
	WarmupDataPath string
}

// Defaults returns the command's default options.
func Defaults() Options {
	return Options{Format: SavedModel, Optimize: true, QuantizeBits: 8, IncludeEmbeddings: true, SignatureName: "serving_default"}
}

// Report is the result of an export.
type Report struct {
	// Checkpoint is the exported file, and GlobalStep its step.
	Checkpoint string
	GlobalStep uint64
	// Tables and DenseParams are the numbers of exported tables and dense parameters.
	Tables, DenseParams int
}

type export struct {
	files env.Files
	now   time.Time
	warn  func(string)
	o     Options
}

// Export exports a checkpoint. now becomes the time in the manifest, and warn receives warnings.
// The steps follow those of the Rust port, and an error leaves what earlier steps have written. An
// unsupported format, for example, leaves an empty output directory. Errors have the Rust port's
// texts.
func Export(files env.Files, now time.Time, o Options, warn func(string)) (*Report, error) {
	x := &export{files: files, now: now, warn: warn, o: o}
	if !env.Exists(files, o.CheckpointPath) {
		return nil, fmt.Errorf("Checkpoint path does not exist: %s", quoted(o.CheckpointPath))
	}
	checkpoint, state, unread := x.read()
	if unread == nil {
		if err := x.checkTables(state); err != nil {
			return nil, err
		}
	}
	if err := x.makeOutput(); err != nil {
		return nil, err
	}
	if unread != nil { // the Rust port has already made its output at this point
		return nil, unread
	}
	if o.Quantize {
		if err := state.quantize(o.QuantizeBits); err != nil {
			return nil, err
		}
	}
	x.describe(state, checkpoint)
	if err := x.writeModel(state); err != nil {
		return nil, err
	}
	if err := x.copyWarmup(); err != nil {
		return nil, err
	}
	return &Report{Checkpoint: checkpoint, GlobalStep: state.GlobalStep, Tables: len(state.Tables), DenseParams: len(state.DenseParams)}, nil
}

// read reads the checkpoint to export.
func (x *export) read() (checkpoint string, s *State, err error) {
	if checkpoint, err = x.resolve(); err != nil {
		return "", nil, err
	}
	if s, err = x.restore(checkpoint); err != nil {
		return "", nil, fmt.Errorf("Failed to restore checkpoint %s: %w", quoted(checkpoint), err)
	}
	if !x.o.IncludeEmbeddings {
		s.Tables = nil
	}
	return checkpoint, s, nil
}

// checkTables returns an error if a table's name would put its file outside the output directory.
func (x *export) checkTables(s *State) error {
	for _, t := range s.Tables {
		if _, err := confined.Below(t.Name + ".json"); x.o.Format == SavedModel && (err != nil || path.IsAbs(t.Name)) {
			return fmt.Errorf("%s: table: found %s, want a name that stays in the output", x.o.CheckpointPath, quoted(t.Name))
		}
	}
	return nil
}

// makeOutput creates the output directory. If the path exists, Overwrite removes it first, and
// without Overwrite that is an error.
func (x *export) makeOutput() error {
	if info, err := x.files.Stat(x.o.OutputPath); err == nil {
		if !x.o.Overwrite {
			return fmt.Errorf("Output path already exists: %s. Use --overwrite to replace.", quoted(x.o.OutputPath))
		}
		x.warn("Output path exists, overwriting: " + quoted(x.o.OutputPath))
		if err := x.removeOutput(info); err != nil {
			return fmt.Errorf("Failed to remove existing output directory: %w", err)
		}
	}
	if err := x.files.MkdirAll(x.o.OutputPath); err != nil {
		return fmt.Errorf("Failed to create output directory: %w", err)
	}
	return nil
}

// removeOutput removes the output directory. It refuses if the directory contains the checkpoint or
// the warm-up data. The Rust port removes these inputs too, and then finds no checkpoint.
func (x *export) removeOutput(info env.FileInfo) error {
	if !info.Dir {
		return fmt.Errorf("%s: found a file, want a directory", x.o.OutputPath)
	}
	for _, input := range []string{x.o.CheckpointPath, x.o.WarmupDataPath} {
		if input != "" && within(x.abs(x.o.OutputPath), x.abs(input)) {
			return fmt.Errorf("%s: found %s in it, want a directory without what is exported", x.o.OutputPath, input)
		}
	}
	return x.files.RemoveAll(x.o.OutputPath)
}

func (x *export) abs(name string) string {
	if path.IsAbs(name) {
		return name
	}
	return path.Join(x.files.Getwd(), name)
}

// resolve returns the path of the checkpoint file. If CheckpointPath is a directory, it returns the
// file with the largest step above 0.
func (x *export) resolve() (string, error) {
	dir := x.o.CheckpointPath
	if info, err := x.files.Stat(dir); err == nil && !info.Dir {
		return dir, nil
	}
	names, err := x.files.ReadDir(dir)
	latest, step := "", uint64(0)
	for _, name := range names {
		if n, ok := StepOf(name); ok && n > step {
			latest, step = name, n
		}
	}
	if err != nil || latest == "" {
		return "", fmt.Errorf("No checkpoint-*.json found under directory: %s", quoted(dir))
	}
	return join(dir, latest), nil
}

// StepOf returns the step N of a file called checkpoint-N.json; ok is false for any other name.
func StepOf(name string) (step uint64, ok bool) {
	number, found := strings.CutPrefix(name, "checkpoint-")
	number, json := strings.CutSuffix(number, ".json")
	if !found || !json {
		return 0, false
	}
	return parseSize(number)
}

func (x *export) restore(name string) (*State, error) {
	text, err := x.files.ReadFile(name)
	if err != nil {
		return nil, atPath(name, err)
	}
	s, err := Restore(text)
	if err != nil {
		return nil, fmt.Errorf("Deserialization error: %w", err)
	}
	return s, nil
}

// describe records the source and the options of the export in the metadata. Only the native
// format writes them out.
func (x *export) describe(s *State, checkpoint string) {
	s.Metadata["export_source_checkpoint"] = checkpoint
	s.Metadata["export_signature_name"] = x.o.SignatureName
	s.Metadata["export_optimized"] = strconv.FormatBool(x.o.Optimize)
	s.Metadata["export_quantized"] = strconv.FormatBool(x.o.Quantize)
	if x.o.Quantize {
		s.Metadata["export_quantize_bits"] = strconv.Itoa(int(x.o.QuantizeBits))
	}
}

func (x *export) writeModel(s *State) (err error) {
	switch x.o.Format {
	case SavedModel:
		err = x.savedModel(s)
	case Native:
		err = x.native(s)
	case ONNX:
		return fmt.Errorf("ONNX export is not implemented yet")
	case TorchScript:
		return fmt.Errorf("TorchScript export is not implemented yet")
	default:
		return fmt.Errorf("format: found %q, want one of %v", x.o.Format, Formats())
	}
	if err != nil {
		return fmt.Errorf("Failed to export model to %s: %w", quoted(x.o.OutputPath), err)
	}
	return nil
}

// copyWarmup copies the warm-up file, or the files directly in the warm-up directory.
func (x *export) copyWarmup() error {
	from := x.o.WarmupDataPath
	if from == "" {
		return nil
	}
	info, err := x.files.Stat(from)
	if err != nil {
		x.warn("Warmup data path does not exist: " + quoted(from))
		return nil
	}
	to := join(x.o.OutputPath, "warmup")
	if err := x.files.MkdirAll(to); err != nil {
		return fmt.Errorf("Failed to create warmup output directory: %w", err)
	}
	if !info.Dir {
		return x.copy(from, join(to, path.Base(from)))
	}
	names, err := x.files.ReadDir(from)
	if err != nil {
		return fmt.Errorf("Failed to read warmup directory %s: %w", quoted(from), err)
	}
	for _, name := range names {
		if info, err := x.files.Stat(join(from, name)); err != nil || info.Dir {
			continue
		}
		if err := x.copy(join(from, name), join(to, name)); err != nil {
			return err
		}
	}
	return nil
}

func (x *export) copy(from, to string) error {
	data, err := x.files.ReadFile(from)
	if err == nil {
		err = x.write(to, data)
	}
	if err != nil {
		return fmt.Errorf("Failed to copy warmup file %s -> %s: %w", quoted(from), quoted(to), err)
	}
	return nil
}

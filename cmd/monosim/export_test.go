package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Goal: the flags and environment variables of `monosim export` do what they say (TRN-4.10). That
// its files equal the Rust port's is tested in package jsonexport.

func TestExportTakesTheLatestCheckpoint(t *testing.T) {
	out := filepath.Join(t.TempDir(), "a", "model")
	code, printed, message := monosim("export", "-c", "testdata/checkpoints", "-o", out, "--model-version", "3", "--warmup-data-path", "testdata/agent.conf")
	want := "exported testdata/checkpoints/checkpoint-500.json, step 500, to " + out + ": tables: 1, dense parameters: 2\n"
	if code != 0 || printed != want || message != "" {
		t.Errorf("exit code %d, printed %q and %q, want 0 and %q", code, printed, message, want)
	}
	for _, name := range []string{"manifest.json", "model_spec.json", "dense/params.json", "embeddings/user.json", "warmup/agent.conf"} {
		if _, err := os.Stat(filepath.Join(out, name)); err != nil {
			t.Error(err)
		}
	}
	if text, err := os.ReadFile(filepath.Join(out, "manifest.json")); err != nil || !strings.Contains(string(text), `"version": "3"`) {
		t.Errorf("manifest: got %s, %v, want version 3", text, err)
	}
}

func TestExportTakesPathsFromTheEnvironment(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("MONOLITH_CHECKPOINT_PATH", "testdata/checkpoints/checkpoint-100.json")
	t.Setenv("MONOLITH_EXPORT_PATH", filepath.Join(dir, "1"))
	if code, printed, message := monosim("export", "-f", "native", "--include-embeddings=false"); code != 0 || !strings.Contains(printed, "step 100") || !strings.Contains(printed, "tables: 0") {
		t.Errorf("exit code %d, printed %q and %q, want 0 and step 100 without tables", code, printed, message)
	}
	if _, err := os.Stat(filepath.Join(dir, "1", "model.bin")); err != nil {
		t.Error(err)
	}
	if code, printed, message := monosim("export", "-c", "testdata/checkpoints", "-o", filepath.Join(dir, "2")); code != 0 || !strings.Contains(printed, "step 500") {
		t.Errorf("exit code %d, printed %q and %q, want 0 and step 500: flags come first", code, printed, message)
	}
}

func TestExportRefusesWhatMakesNoSense(t *testing.T) {
	t.Setenv("MONOLITH_CHECKPOINT_PATH", "")
	t.Setenv("MONOLITH_EXPORT_PATH", "")
	dir := t.TempDir()
	fresh := filepath.Join(dir, "fresh")
	for _, c := range []struct{ args, want string }{
		{"", "--checkpoint-path: found none, want a path, there or in MONOLITH_CHECKPOINT_PATH"},
		{"-c testdata/checkpoints", "--output-path: found none, want a path, there or in MONOLITH_EXPORT_PATH"},
		{"-c testdata/checkpoints -o " + fresh + " -f zip", `--format: found "zip", want one of [saved-model onnx torch-script native]`},
		{"-c testdata/checkpoints -o " + fresh + " --quantize-bits 256", `--quantize-bits: found "256", want a whole number from 0 to 255`},
		{"-c testdata/checkpoints -o " + fresh + " more", `found argument "more", want none`},
		{"-c testdata/gone -o " + fresh, `export: Checkpoint path does not exist: "testdata/gone"`},
		{"-c testdata/checkpoints -o " + dir, "Use --overwrite to replace."},
		{"-c testdata/checkpoints -o " + fresh + " -f onnx", "export: ONNX export is not implemented yet"},
		{"-c testdata/checkpoints -o " + fresh + " --overwrite -f torch-script", "Output path exists, overwriting"},
		{"-c testdata/checkpoints -o " + fresh + " --overwrite -f torch-script", "export: TorchScript export is not implemented yet"},
		{"-c testdata/checkpoints -o " + fresh + " --overwrite --quantize --quantize-bits 4", "export: Unsupported quantize bits: 4 (expected 8 or 16)"},
		{"-c testdata -o " + fresh + " --overwrite", `export: No checkpoint-*.json found under directory: "testdata"`},
	} {
		code, _, message := monosim(append([]string{"export"}, strings.Fields(c.args)...)...)
		if code != 2 || !strings.Contains(message, c.want) {
			t.Errorf("%s: exit code %d, %s, want 2 and %s", c.args, code, message, c.want)
		}
	}
}

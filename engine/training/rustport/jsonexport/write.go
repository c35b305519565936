package jsonexport

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/monosim/monosim/engine/lists"
)

// defaultVersion is the version in a manifest when none is given.
const defaultVersion = "1.0.0"

// savedModel writes the export as a directory: the tables, the dense parameters, the description of
// the layers, and last the manifest.
func (x *export) savedModel(s *State) error {
	embeddings, dense := join(x.o.OutputPath, "embeddings"), join(x.o.OutputPath, "dense")
	for _, dir := range []string{embeddings, dense} {
		if err := x.files.MkdirAll(dir); err != nil {
			return atPath(dir, err)
		}
	}
	for _, t := range s.Tables {
		e := &encoder{pretty: true}
		e.table(t)
		if err := x.write(join(embeddings, t.Name+".json"), e.out); err != nil {
			return err
		}
	}
	e := &encoder{pretty: true}
	e.tensors(s.DenseParams)
	if err := x.write(join(dense, "params.json"), e.out); err != nil {
		return err
	}
	if spec, ok := s.spec(); ok {
		if err := x.write(join(x.o.OutputPath, specFile), spec); err != nil {
			return err
		}
	}
	return x.manifest(s)
}

// native writes the whole model into one file, as JSON without blanks, and the manifest.
func (x *export) native(s *State) error {
	s.Metadata["export_format"] = x.o.Format.kept()
	if x.o.ModelVersion != nil {
		s.Metadata["export_version"] = *x.o.ModelVersion
	}
	s.Metadata["signature_name"] = x.o.SignatureName
	e := &encoder{}
	e.state(s)
	if err := x.write(join(x.o.OutputPath, "model.bin"), e.out); err != nil {
		return err
	}
	return x.manifest(s)
}

func (x *export) manifest(s *State) error {
	version := defaultVersion
	if x.o.ModelVersion != nil {
		version = *x.o.ModelVersion
	}
	tables := lists.MapOrNil(s.Tables, func(t Table) string { return t.Name })
	e := &encoder{pretty: true}
	e.open('{')
	e.textField("version", version)
	e.textField("format", x.o.Format.kept())
	e.uintField("global_step", s.GlobalStep)
	e.uintField("timestamp", uint64(max(0, x.now.Unix())))
	e.name("embedding_tables")
	e.strings(tables)
	e.name("dense_params")
	e.strings(slices.Sorted(maps.Keys(s.DenseParams)))
	e.boolField("includes_optimizer", false)
	e.name("metadata")
	e.texts(map[string]string{"signature_name": x.o.SignatureName})
	e.close('}')
	return x.write(join(x.o.OutputPath, "manifest.json"), e.out)
}

func (e *encoder) state(s *State) {
	e.open('{')
	e.uintField("version", uint64(s.Version))
	e.uintField("global_step", s.GlobalStep)
	e.uintField("timestamp", s.TimestampSec)
	e.name("hash_tables")
	e.open('[')
	for _, t := range s.Tables {
		e.item()
		e.table(t)
	}
	e.close(']')
	e.name("optimizers")
	e.strings(nil)
	e.name("dense_params")
	e.tensors(s.DenseParams)
	e.name("metadata")
	e.texts(s.Metadata)
	e.close('}')
}

func (e *encoder) table(t Table) {
	e.open('{')
	e.textField("name", t.Name)
	e.uintField("dim", t.Dim)
	e.name("entries")
	e.open('{')
	for _, key := range slices.Sorted(maps.Keys(t.Entries)) {
		e.name(fmt.Sprint(key))
		e.tensor(t.Entries[key])
	}
	e.close('}')
	e.name("metadata")
	e.texts(t.Metadata)
	e.close('}')
}

// write writes a file atomically, by renaming a temporary file.
func (x *export) write(name string, data []byte) error {
	temporary := name + ".tmp"
	err := x.files.WriteFile(temporary, data)
	if err == nil {
		err = x.files.Rename(temporary, name)
	}
	if err != nil {
		return atPath(name, err)
	}
	return nil
}

// atPath returns err with the path name in front, in place of the path that err itself mentions.
func atPath(name string, err error) error {
	return fmt.Errorf("I/O error at %s: %w", name, reason(err))
}

func reason(err error) error {
	if at, ok := errors.AsType[*fs.PathError](err); ok {
		return at.Err
	}
	return err
}

// join puts a slash between a directory and a name. Unlike path.Join it leaves "." and ".." in
// them.
func join(dir, name string) string {
	if strings.HasSuffix(dir, "/") {
		return dir + name
	}
	return dir + "/" + name
}

// within reports whether a path is dir or below it, comparing names only.
func within(dir, name string) bool {
	dir, name = path.Clean(dir), path.Clean(name)
	return name == dir || strings.HasPrefix(name, strings.TrimSuffix(dir, "/")+"/")
}

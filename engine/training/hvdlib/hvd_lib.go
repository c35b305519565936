// Package hvdlib chooses the library for synchronous training, BytePS or Horovod: the port of
// native_training/hvd_lib.py.
//
// Two things to use first:
//
//   - [Lib] imports the library that MONOLITH_WITH_BYTEPS asks for, when it is first needed.
//   - [RanksOf] reads ranks from the environment, as the Rust port does.
//
// To change what the Rust port takes for true: ranks.go.
//
// Cost: it does not grow with the processes: the library is imported once.
//
// Unstable: any commit may change it.
package hvdlib

import (
	"strings"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
)

// These are the module names of the libraries.
const (
	BytePS  = "byteps.tensorflow"
	Horovod = "horovod.tensorflow"
)

// Library is BytePS or Horovod.
type Library interface {
	Init() error
	Rank() int
	Size() int
}

// Importer imports a library by name. A missing library raises an ImportError.
type Importer func(name string) (Library, error)

// Lib provides the library that a process uses (hvd_lib.py:24).
type Lib struct {
	Host   env.Host
	Import Importer
	lib    Library
}

// EnableBPS returns MONOLITH_WITH_BYTEPS as an int, or 0 if it is unset. A value that is not a
// number, such as "true" or "", raises a ValueError.
func (l *Lib) EnableBPS() (int, error) { return IntVariable(l.Host, "MONOLITH_WITH_BYTEPS", 0) }

// IntVariable returns int(os.getenv(name, otherwise)).
func IntVariable(host env.Host, name string, otherwise int) (int, error) {
	text, ok := host.LookupEnv(name)
	if !ok {
		return otherwise, nil
	}
	n, err := pysem.ParseInt(text)
	if err != nil {
		return 0, err
	}
	return pysem.Saturate(pysem.Int(n)), nil
}

// MPI returns what MPI says about a process, such as its rank. If the variable is not set, it logs
// that and returns the value in otherwise (distribution_utils.py:316).
func MPI(e *env.Env, what string, otherwise int) (int, error) {
	name := "OMPI_COMM_WORLD_" + strings.ToUpper(what)
	if _, ok := e.Host.LookupEnv(name); !ok {
		e.Log.Logf(env.Warning, "get_mpi_%s use default %d", what, otherwise)
	}
	return IntVariable(e.Host, name, otherwise)
}

// Library returns the library. The first call imports it.
func (l *Lib) Library() (Library, error) {
	if l.lib != nil {
		return l.lib, nil
	}
	bps, err := l.EnableBPS()
	if err != nil {
		return nil, err
	}
	name := Horovod
	if bps != 0 {
		name = BytePS
	}
	lib, err := l.Import(name)
	if err == nil {
		l.lib = lib
	}
	return lib, err
}

// Rank returns the process's rank according to the library, not to the environment.
func (l *Lib) Rank() (int, error) {
	lib, err := l.Library()
	if err != nil {
		return 0, err
	}
	return lib.Rank(), nil
}

// Size returns the number of processes.
func (l *Lib) Size() (int, error) {
	lib, err := l.Library()
	if err != nil {
		return 0, err
	}
	return lib.Size(), nil
}

package steps

import (
	"fmt"

	"github.com/monosim/monosim/runners"
)

// storage is the cluster as one whose store of models can fail.
func (w *World) storage() (runners.Storage, error) {
	if s, ok := w.cluster.(runners.Storage); ok {
		return s, nil
	}
	return nil, runners.ErrUnsupported
}

// failing makes a fault of a base path that lasts.
func (w *World) failing(servable string, fault runners.StorageFault) lasting {
	do := func(fn func(s runners.Storage) error) error {
		s, err := w.storage()
		if err != nil {
			return err
		}
		return fn(s)
	}
	return lasting{
		begin: func() error {
			return do(func(s runners.Storage) error { return s.FailStorage(basePath(servable), fault) })
		},
		end: func() error {
			return do(func(s runners.Storage) error { return s.HealStorage(basePath(servable), fault) })
		},
	}
}

func (w *World) pathMissing(servable string) lasting {
	return w.failing(servable, runners.PathMissing)
}

func (w *World) pathEmpty(servable string) lasting {
	return w.failing(servable, runners.ListsNothing)
}

func (w *World) pathUnreadable(servable string) lasting {
	return w.failing(servable, runners.Unreadable)
}

func (w *World) pathBack(servable string) error   { return w.pathMissing(servable).end() }
func (w *World) pathFilled(servable string) error { return w.pathEmpty(servable).end() }
func (w *World) pathRead(servable string) error   { return w.pathUnreadable(servable).end() }

// halfCopied is a version of which one part is not there yet.
type halfCopied struct {
	servable string
	version  int64
	part     runners.VersionPart
}

func (w *World) withoutPart(h halfCopied, size string) lasting {
	return lasting{
		begin: func() error {
			bytes, err := sizeBytes(size)
			if err != nil {
				return err
			}
			s, err := w.storage()
			if err != nil {
				return err
			}
			if w.halfCopied == nil {
				w.halfCopied = map[halfCopied]int64{}
			}
			w.halfCopied[h] = bytes
			return s.ExportWithout(basePath(h.servable), h.version, bytes, h.part)
		},
		end: func() error { return w.partArrives(h) },
	}
}

func (w *World) partArrives(h halfCopied) error {
	bytes, ok := w.halfCopied[h]
	if !ok {
		return fmt.Errorf("version %d of %s: found no part that is missing", h.version, h.servable)
	}
	s, err := w.storage()
	if err != nil {
		return err
	}
	return s.ExportRest(basePath(h.servable), h.version, bytes, h.part)
}

func (w *World) withoutGraph(version int64, servable, size string) lasting {
	return w.withoutPart(halfCopied{servable, version, runners.GraphPart}, size)
}

func (w *World) withoutVariables(version int64, servable, size string) lasting {
	return w.withoutPart(halfCopied{servable, version, runners.VariablesPart}, size)
}

func (w *World) graphArrives(version int64, servable string) error {
	return w.partArrives(halfCopied{servable, version, runners.GraphPart})
}

func (w *World) variablesArrive(version int64, servable string) error {
	return w.partArrives(halfCopied{servable, version, runners.VariablesPart})
}

package files

import "time"

// writeBackAfter is how long changes stay in memory only: Linux's
// vm.dirty_expire_centisecs.
const writeBackAfter = 30 * time.Second

// change is one name of a directory that got another meaning.
type change struct {
	at     time.Duration
	dir    *entry
	name   string
	before *entry // nil for none
}

// record keeps what a crash may have to undo.
func (f *FS) record(dir *entry, name string) {
	f.writeBack()
	f.journal = append(f.journal, change{at: f.w.Now(), dir: dir, name: name, before: dir.child(name)})
}

// writeBack forgets the changes that have become durable with time.
func (f *FS) writeBack() {
	now := f.w.Now()
	i := 0
	for i < len(f.journal) && f.journal[i].at+writeBackAfter <= now {
		i++
	}
	if i > 0 {
		f.journal = append([]change(nil), f.journal[i:]...)
	}
}

// commit makes all changes of directories durable.
func (f *FS) commit() { f.journal = nil }

// Sync makes the file's present content durable, and with it all changes of
// directories so far.
func (f *FS) Sync(name string) error {
	p, err := f.existing("sync", name, followed)
	if err != nil {
		return err
	}
	p.fs.commit()
	p.entry.flush()
	return nil
}

func (e *entry) flush() { e.unsaved = nil }

// settle lets the write-back happen that is due. Content changes only after it,
// so that what is there is what was there when it was due.
func (e *entry) settle(now time.Duration) {
	if e.unsaved != nil && e.unsaved.since+writeBackAfter <= now {
		e.flush()
	}
}

func (f *FS) setContent(e *entry, data []byte, sizeBytes int64) {
	f.changes()
	e.settle(f.w.Now())
	if e.unsaved == nil {
		e.unsaved = &unsaved{durable: e.data, sizeBytes: e.sizeBytes, since: f.w.Now()}
	}
	e.data, e.sizeBytes = data, sizeBytes
	f.touch(e)
}

// HostCrash loses what is not durable. Mounted stores lose nothing: they are
// other machines'.
func (f *FS) HostCrash() {
	f.changes()
	f.writeBack()
	for i := len(f.journal) - 1; i >= 0; i-- {
		c := &f.journal[i]
		f.relink(c.dir, c.name, c.before)
	}
	f.commit()
	f.revert(f.root)
	f.notify("/")
}

func (f *FS) revert(e *entry) {
	for _, c := range e.children {
		f.revert(c.entry)
	}
	e.settle(f.w.Now())
	if e.unsaved == nil {
		return
	}
	e.data, e.sizeBytes, e.unsaved = e.unsaved.durable, e.unsaved.sizeBytes, nil
	// Appending must not reach into an array that was shared with lost content.
	e.data = e.data[:len(e.data):len(e.data)]
	f.touch(e)
}

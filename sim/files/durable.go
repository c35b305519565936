package files

import "time"

// writeBackAfter is the age at which a change becomes durable without a sync, as with Linux's
// vm.dirty_expire_centisecs.
const writeBackAfter = 30 * time.Second

// change is a journal entry: a name in a directory that was created, replaced or removed.
type change struct {
	at     time.Duration
	dir    *entry
	name   string
	before *entry // before is nil when there was no such name
}

// record adds a change to the journal, so that a crash can undo it.
func (f *FS) record(dir *entry, name string) {
	f.writeBack()
	f.journal = append(f.journal, change{at: f.w.Now(), dir: dir, name: name, before: dir.child(name)})
}

// writeBack removes from the journal the changes that are durable by now.
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

func (f *FS) commit() { f.journal = nil }

// Sync makes the content of a file durable, and also all earlier changes of names in directories.
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

// settle makes the content durable if its write-back is due. Call it before the content changes,
// so that a crash restores the content that was written back.
func (e *entry) settle(now time.Duration) {
	if e.unsaved != nil && e.unsaved.since+writeBackAfter <= now {
		e.flush()
	}
}

// setContent replaces the content of a file. It keeps the durable content, which a crash restores.
func (f *FS) setContent(e *entry, data []byte, sizeBytes int64) {
	f.changes()
	e.settle(f.w.Now())
	if e.unsaved == nil {
		e.unsaved = &unsaved{durable: e.data, sizeBytes: e.sizeBytes, since: f.w.Now()}
	}
	e.data, e.sizeBytes = data, sizeBytes
	f.touch(e)
}

// HostCrash reverts everything that is not durable. Mounted stores are on other machines and do
// not change.
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

// revert restores the durable content of an entry and of everything below it.
func (f *FS) revert(e *entry) {
	for _, c := range e.children {
		f.revert(c.entry)
	}
	e.settle(f.w.Now())
	if e.unsaved == nil {
		return
	}
	e.data, e.sizeBytes, e.unsaved = e.unsaved.durable, e.unsaved.sizeBytes, nil
	// The slice is clipped so that appending does not write into an array shared with the lost
	// content.
	e.data = e.data[:len(e.data):len(e.data)]
	f.touch(e)
}

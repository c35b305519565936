package files

import "time"

// writeBackAfter is how long changes stay in memory only, as with Linux's vm.dirty_expire_centisecs.
const writeBackAfter = 30 * time.Second

// change is one change of what a name in a directory refers to.
type change struct {
	at     time.Duration
	dir    *entry
	name   string
	before *entry // nil when there was no such name
}

// record journals a change that a crash may have to undo.
func (f *FS) record(dir *entry, name string) {
	f.writeBack()
	f.journal = append(f.journal, change{at: f.w.Now(), dir: dir, name: name, before: dir.child(name)})
}

// writeBack forgets the changes that have become durable by now.
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

// Sync makes the present content of a file durable, and with it all changes of directories so far.
func (f *FS) Sync(name string) error {
	p, err := f.existing("sync", name, followed)
	if err != nil {
		return err
	}
	p.fs.commit()
	p.entry.flush()
	return nil
}

// flush makes the present content durable.
func (e *entry) flush() { e.unsaved = nil }

// settle does the write-back that is due. It is called before the content changes, so that the content
// that becomes durable is the one that was there when the write-back was due.
func (e *entry) settle(now time.Duration) {
	if e.unsaved != nil && e.unsaved.since+writeBackAfter <= now {
		e.flush()
	}
}

// setContent changes the content of a file.
func (f *FS) setContent(e *entry, data []byte, sizeBytes int64) {
	f.changes()
	e.settle(f.w.Now())
	if e.unsaved == nil {
		e.unsaved = &unsaved{durable: e.data, sizeBytes: e.sizeBytes, since: f.w.Now()}
	}
	e.data, e.sizeBytes = data, sizeBytes
	f.touch(e)
}

// HostCrash loses everything that is not durable. Mounted stores lose nothing, because they are on other
// machines.
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
	// Appending must not write into an array that was shared with the lost content.
	e.data = e.data[:len(e.data):len(e.data)]
	f.touch(e)
}

package wire

import (
	"errors"
	"io"
	"os"
	"unsafe"
)

// logFile is the file of a log. What write has written is durable.
//
// A log that grows with each write makes the file system keep books of it before the write
// is durable, which takes several times as long as the write. So there are zeros behind
// what was written, more the longer the log is; no record begins with a zero. They are cut
// off when the log is closed.
//
// Where the file system can do it, writes go to the disk past the kernel's cache: that is
// one wait in place of two, of which each takes a turn of the scheduler on a busy machine.
// Such writes are of whole blocks, the last filled up with zeros and written again by the
// next.
type logFile struct {
	name string
	file *os.File
	size int64 // of what was written
	room int64 // how far the file goes

	direct bool
	// blocks begin with what the last block has so far; nil when not direct.
	blocks []byte
}

const (
	leastRoom = 64 << 10
	mostRoom  = 8 << 20

	// blockSize suits all disks; a write of a file is as long as blocksSize at most.
	blockSize  = 4 << 10
	blocksSize = 1 << 20
)

var zeros [1 << 20]byte

// createLog makes a log with its magic in it, and room for so many bytes.
func createLog(name string, room int64) (*logFile, error) {
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return nil, err
	}
	if _, err := file.WriteString(magic); err != nil {
		file.Close()
		return nil, err
	}
	l := &logFile{name: name, file: file, size: int64(len(magic)), room: int64(len(magic))}
	l.grow(file, room)
	if err := file.Sync(); err != nil {
		file.Close()
		return nil, err
	}
	l.goDirect([]byte(magic))
	return l, nil
}

// openLog goes on with a log behind what it is to keep.
func openLog(name string, kept []byte) (*logFile, error) {
	file, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		return nil, err
	}
	size := int64(len(kept))
	_, seekErr := file.Seek(size, io.SeekStart)
	if err := errors.Join(file.Truncate(size), file.Sync(), seekErr); err != nil {
		file.Close()
		return nil, err
	}
	l := &logFile{name: name, file: file, size: size, room: size}
	l.goDirect(kept)
	return l, nil
}

// goDirect goes over to direct writes behind what was written, if it can.
func (l *logFile) goDirect(written []byte) {
	file, err := openDirect(l.name)
	if err != nil {
		return
	}
	l.file.Close()
	l.file, l.direct, l.blocks = file, true, alignedBlocks()
	copy(l.blocks, written[l.size&^(blockSize-1):])
}

// goCached goes back to writes by way of the kernel's cache.
func (l *logFile) goCached() error {
	file, err := os.OpenFile(l.name, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	l.file.Close()
	l.file, l.direct, l.blocks = file, false, nil
	_, err = file.Seek(l.size, io.SeekStart)
	return err
}

// alignedBlocks begin at a multiple of blockSize.
func alignedBlocks() []byte {
	b := make([]byte, blocksSize+blockSize)
	skip := -uintptr(unsafe.Pointer(unsafe.SliceData(b))) & (blockSize - 1)
	return b[skip:][:blocksSize]
}

// write makes records durable.
func (l *logFile) write(records []byte) error {
	l.makeRoom(int64(len(records)))
	for l.direct && len(records) > 0 {
		n, err := l.writeBlocks(records)
		if err != nil && notDirect(err) {
			err = l.goCached()
		}
		if err != nil {
			return err
		}
		records = records[n:]
	}
	if len(records) == 0 {
		return nil
	}
	n, err := l.file.Write(records)
	l.size += int64(n)
	l.room = max(l.room, l.size)
	if err != nil {
		return err
	}
	return syncData(l.file)
}

// writeBlocks writes the first of some records, as many as there are blocks for.
func (l *logFile) writeBlocks(records []byte) (n int, err error) {
	have := int(l.size & (blockSize - 1))
	n = copy(l.blocks[have:], records)
	whole := (have + n + blockSize - 1) &^ (blockSize - 1)
	clear(l.blocks[have+n : whole])
	at := l.size - int64(have)
	k, err := l.file.WriteAt(l.blocks[:whole], at)
	l.room = max(l.room, at+int64(k))
	if err != nil {
		return 0, err
	}
	l.size += int64(n)
	last := (have + n) &^ (blockSize - 1)
	copy(l.blocks, l.blocks[last:have+n])
	return n, nil
}

// makeRoom lets n bytes be written where the file is already. Where there is no room on the
// disk the write itself says so.
func (l *logFile) makeRoom(n int64) {
	if l.size+n+blockSize <= l.room {
		return
	}
	until := l.size + n + min(max(l.size, leastRoom), mostRoom)
	if !l.direct {
		l.grow(l.file, until)
		return
	}
	cached, err := os.OpenFile(l.name, os.O_WRONLY, 0)
	if err != nil {
		return
	}
	l.grow(cached, until)
	_ = syncData(cached) // a direct write else waits for it
	cached.Close()
}

// grow writes zeros as far as a size.
func (l *logFile) grow(file *os.File, until int64) {
	for l.room < until {
		k, err := file.WriteAt(zeros[:min(until-l.room, int64(len(zeros)))], l.room)
		l.room += int64(k)
		if err != nil {
			return
		}
	}
}

// close closes the log without the room behind it.
func (l *logFile) close() error {
	var err error
	if l.room > l.size {
		err = l.file.Truncate(l.size)
	}
	return errors.Join(err, l.file.Close())
}

// Package logfile keeps a log on the disk: appended records are durable. The log's directory can
// be locked against a second process.
//
// To use first:
//
//   - [Create] and [Open] give a [File], to which records are appended.
//   - [LockDir] locks its directory.
//
// To change:
//
//   - how a log grows and is written: logfile.go
//   - what an operating system does: direct_linux.go, direct_other.go, lockfile_unix.go,
//     lockfile_windows.go
//
// Unstable: any commit may change it.
package logfile

import (
	"errors"
	"io"
	"os"
	"unsafe"
)

// File is a log file. Bytes are durable once Append has returned.
//
// A file that grows with each write is slow: the file system has to record its new size before the
// write is durable, which takes several times as long as the write. So zeros are written ahead of
// the records, more the longer the file is, and cut off at Close. No record may begin with a zero.
//
// If the file system supports it, writes bypass the kernel's cache. Such a write waits once
// instead of twice, and on a busy machine each wait costs a turn of the scheduler. It writes whole
// blocks: the last one is padded with zeros and written again next time.
type File struct {
	name string
	file *os.File
	size int64 // size is the number of bytes written, without the zeros behind them
	room int64 // room is the size of the file, including the zeros, in bytes

	direct bool
	// blocks is the buffer of direct writes. It begins with the written part of the file's last
	// block. It is nil while writes go through the kernel's cache.
	blocks []byte
}

const (
	// MinRoom and MaxRoom limit how many bytes of zeros are written ahead of the records.
	MinRoom = 64 << 10
	MaxRoom = 8 << 20

	// blockSize is a multiple of every disk's block size, in bytes. blocksSize is the length of the
	// longest direct write in bytes.
	blockSize  = 4 << 10
	blocksSize = 1 << 20
)

var zeros [1 << 20]byte

// Create makes a log file that begins with the bytes of head. It reserves space for room bytes of
// records.
func Create(name, head string, room int64) (*File, error) {
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return nil, err
	}
	if _, err := file.WriteString(head); err != nil {
		file.Close()
		return nil, err
	}
	l := &File{name: name, file: file, size: int64(len(head)), room: int64(len(head))}
	l.grow(file, room)
	if err := file.Sync(); err != nil {
		file.Close()
		return nil, err
	}
	l.goDirect([]byte(head))
	return l, nil
}

// Open opens a log for appending. kept is the beginning of the file to keep; the rest is cut off.
func Open(name string, kept []byte) (*File, error) {
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
	l := &File{name: name, file: file, size: size, room: size}
	l.goDirect(kept)
	return l, nil
}

// goDirect switches to direct writes, if the file system supports them. written is the whole
// content of the file so far.
func (l *File) goDirect(written []byte) {
	file, err := openDirect(l.name)
	if err != nil {
		return
	}
	l.file.Close()
	l.file, l.direct, l.blocks = file, true, alignedBlocks()
	copy(l.blocks, written[l.size&^(blockSize-1):])
}

// goCached switches back to writes through the kernel's cache.
func (l *File) goCached() error {
	file, err := os.OpenFile(l.name, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	l.file.Close()
	l.file, l.direct, l.blocks = file, false, nil
	_, err = file.Seek(l.size, io.SeekStart)
	return err
}

// alignedBlocks returns a buffer whose address is a multiple of blockSize, which direct writes
// need.
func alignedBlocks() []byte {
	b := make([]byte, blocksSize+blockSize)
	skip := -uintptr(unsafe.Pointer(unsafe.SliceData(b))) & (blockSize - 1)
	return b[skip:][:blocksSize]
}

// Append writes records to the log and returns once they are durable.
func (l *File) Append(records []byte) error {
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

// writeBlocks writes as many of the records as fit into l.blocks, and returns the number of bytes
// written.
func (l *File) writeBlocks(records []byte) (n int, err error) {
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

// makeRoom writes zeros ahead, so that the next n bytes do not make the file grow. It ignores
// errors: if the disk is full, the write itself fails.
func (l *File) makeRoom(n int64) {
	if l.size+n+blockSize <= l.room {
		return
	}
	until := l.size + n + min(max(l.size, MinRoom), MaxRoom)
	if !l.direct {
		l.grow(l.file, until)
		return
	}
	cached, err := os.OpenFile(l.name, os.O_WRONLY, 0)
	if err != nil {
		return
	}
	l.grow(cached, until)
	_ = syncData(cached) // otherwise the next direct write would wait for it
	cached.Close()
}

// grow appends zeros to the file. until is the size in bytes that the file shall have.
func (l *File) grow(file *os.File, until int64) {
	for l.room < until {
		k, err := file.WriteAt(zeros[:min(until-l.room, int64(len(zeros)))], l.room)
		l.room += int64(k)
		if err != nil {
			return
		}
	}
}

// Close cuts off the zeros and closes the log.
func (l *File) Close() error {
	var err error
	if l.room > l.size {
		err = l.file.Truncate(l.size)
	}
	return errors.Join(err, l.file.Close())
}

// Size returns the number of bytes written, without the zeros after them.
func (l *File) Size() int64 { return l.size }

// Rename renames the file.
func (l *File) Rename(name string) error {
	if err := os.Rename(l.name, name); err != nil {
		return err
	}
	l.name = name
	return nil
}

// Remove deletes the file.
func (l *File) Remove() error { return os.Remove(l.name) }

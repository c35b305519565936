package datadir

import (
	"encoding/binary"
	"fmt"
	"hash/adler32"
	"os"
	"strings"
)

// A log is a header and records (FileTxnLog.java):
//
// 	"ZKLG", int version, long id
// 	long Adler-32 of the bytes, int length, bytes, 'B'
//
// The file is enlarged in advance, so zeros follow the records. A server that is started again
// begins another log and leaves the last one as it is. So any log may end with the beginning of a
// record, of which no client was told. Anything else that is not a valid record is damage
// (ZK-25.2).

const (
	logMagic   = "ZKLG"
	headerSize = 16
	// recordFront is the length in bytes of the checksum and the length field before a record.
	recordFront = 12
	endOfRecord = 'B'
	// leastTransaction is the length of the shortest transaction: a header with nothing behind it.
	leastTransaction = 32
)

// logFile is a log file with its decoded records.
type logFile struct {
	name string
	list []Transaction
	// torn is the length in bytes of the incomplete record at the end of the log, usually 0.
	torn int
	end  int
}

// readLog reads a log.
func readLog(name string) (*logFile, error) {
	b, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	log := &logFile{name: name}
	written := len(b)
	for written > 0 && b[written-1] == 0 {
		written--
	}
	if front := b[:min(written, len(logMagic))]; !strings.HasPrefix(logMagic, string(front)) {
		return nil, fmt.Errorf("%s: found %q at its beginning, want %q, that of a log of transactions", name, front, logMagic)
	}
	if len(b) < headerSize || written < len(logMagic) {
		log.torn = written
		return log, nil
	}
	if version := binary.BigEndian.Uint32(b[4:]); version != fileVersion {
		return nil, fmt.Errorf("%s: found the version %d of the format, want %d", name, version, fileVersion)
	}
	for log.end = headerSize; log.end < written; {
		body, why := record(b, log.end, written)
		if why != "" {
			return nil, log.damaged(why)
		}
		if body == nil {
			log.torn = written - log.end
			break
		}
		t, err := transaction(body)
		if err != nil {
			return nil, log.damaged(fmt.Sprintf("which has its checksum, cannot be read: %v of it", err))
		}
		t.File, t.Record, t.Offset = name, len(log.list)+1, log.end
		log.list = append(log.list, t)
		log.end += recordFront + len(body) + 1
	}
	return log, nil
}

// cut returns a note on the incomplete bytes at the end of the log, "" if there are none.
func (l *logFile) cut() string {
	if l.torn == 0 {
		return ""
	}
	return fmt.Sprintf("%s: passed over the last %d bytes, from byte %d on, which are no whole record", l.name, l.torn, l.end)
}

func (l *logFile) damaged(why string) error {
	return fmt.Errorf("%s: record %d, at byte %d, %s", l.name, len(l.list)+1, l.end, why)
}

// record returns the bytes of the record that begins at byte at of b. For an incomplete last record
// it returns nil without a reason, for a damaged record nil with a reason in why. Only the first
// written bytes of b were written; the rest are zeros.
func record(b []byte, at, written int) (body []byte, why string) {
	if body := sound(b, at); body != nil {
		return body, ""
	}
	if next := soundBehind(b, at+1, written); next > 0 {
		return nil, fmt.Sprintf("is damaged, and a whole record follows at byte %d", next)
	}
	if written-at <= recordFront {
		return nil, ""
	}
	length := int64(binary.BigEndian.Uint32(b[at+8:]))
	if end := int64(at) + recordFront + length; end < int64(written) {
		return nil, fmt.Sprintf("is damaged: its %d bytes are there and have another checksum, or another end", length)
	}
	// The file seems to end before the record does: either the record is incomplete, or its length
	// field is damaged. If only the length is damaged, the checksum still matches the bytes that
	// are there.
	if b[written-1] == endOfRecord && binary.BigEndian.Uint64(b[at:]) == uint64(adler32.Checksum(b[at+recordFront:written-1])) {
		return nil, fmt.Sprintf("is damaged: its length, %d, is not that of its bytes", length)
	}
	return nil, ""
}

// sound returns the bytes of the record at an offset, nil if no valid record begins there.
func sound(b []byte, at int) []byte {
	if len(b)-at < recordFront+leastTransaction+1 {
		return nil
	}
	length := int64(binary.BigEndian.Uint32(b[at+8:]))
	if length < leastTransaction || length > int64(len(b)-at-recordFront-1) {
		return nil
	}
	end := at + recordFront + int(length)
	if b[end] != endOfRecord || binary.BigEndian.Uint64(b[at:]) != uint64(adler32.Checksum(b[at+recordFront:end])) {
		return nil
	}
	return b[at+recordFront : end]
}

// soundBehind returns the offset of the first valid record at or after an offset, 0 if there
// is none.
func soundBehind(b []byte, from, written int) int {
	for at := from; at+recordFront+leastTransaction < written; at++ {
		// The checksum field has 8 bytes, but an Adler-32 only fills 4. Checking the others for
		// zero rules out most offsets cheaply.
		if binary.BigEndian.Uint32(b[at:]) == 0 && sound(b, at) != nil {
			return at
		}
	}
	return 0
}

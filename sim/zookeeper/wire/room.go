package wire

// A log that grows with each write makes the file system keep books of it before the write
// is durable, which takes several times as long as the write. So there are zeros behind
// what was written, more the longer the log is; no record begins with a zero. They are cut
// off when the log is closed.
const (
	leastRoom = 64 << 10
	mostRoom  = 8 << 20
)

var zeros [1 << 20]byte

// makeRoom lets n bytes be written where the file is already. Where there is no room on the
// disk the write itself says so.
func (st *store) makeRoom(n int64) {
	if st.size+n <= st.room {
		return
	}
	until := st.size + n + min(max(st.size, leastRoom), mostRoom)
	for at := st.room; at < until; {
		k, err := st.log.WriteAt(zeros[:min(until-at, int64(len(zeros)))], at)
		at += int64(k)
		st.room = max(st.room, at)
		if err != nil {
			return
		}
	}
}

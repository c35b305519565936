package observe

import (
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// alarm waits with a precision of about ten microseconds. Go's own timers are up to a
// millisecond late in an idle program, because the runtime then sleeps for whole
// milliseconds.
type alarm struct {
	fd   int
	file *os.File // the descriptor fd as a file, on which the runtime waits as it does on sockets
}

func newAlarm() (alarm, error) {
	fd, err := unix.TimerfdCreate(unix.CLOCK_MONOTONIC, unix.TFD_NONBLOCK|unix.TFD_CLOEXEC)
	if err != nil {
		return alarm{}, err
	}
	return alarm{fd, os.NewFile(uintptr(fd), "timer")}, nil
}

func (a *alarm) wait(d time.Duration) {
	spec := unix.ItimerSpec{Value: unix.NsecToTimespec(int64(d))}
	var times [8]byte
	if unix.TimerfdSettime(a.fd, 0, &spec, nil) == nil {
		if _, err := a.file.Read(times[:]); err == nil {
			return
		}
	}
	<-time.After(d)
}

func (a *alarm) close() { a.file.Close() }

package serve

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/monosim/monosim/engine/wholefile"
	"github.com/monosim/monosim/sim/tfserving"
)

// AdminOptions configures an admin interface for faults: its address, and the token that clients
// must send.
type AdminOptions struct{ Addr, Token, TokenFile string }

// Admin opens the admin interface through which clients inject faults into a server.
type Admin func(server *Server, o AdminOptions) (AdminServer, error)

// AdminServer is an open admin interface. Its URL contains the token.
type AdminServer interface {
	URL() string
	Port() int
	Close() error
}

// Main runs tensorflow_model_server until the process ends, and returns the exit code. A negative
// code is the number of the signal that killed it. Like upstream, Main handles no signals. admin
// opens the interface of --monosim_admin; nil if the program has none.
func Main(program string, args []string, stdout, stderr io.Writer, admin Admin) int {
	c, code, end := ParseCommand(program, args, os.Getenv(FlagsVariable), stdout, stderr)
	if end {
		return code
	}
	complain := func(err error) { fmt.Fprintf(stderr, "%s: --monosim_events: %v\n", program, err) }
	events, err := c.openEvents(complain)
	if err != nil {
		complain(err)
		return exitUsage
	}
	defer events.close()
	c.Options.OnEvent = events.write
	server := Start(c.Options)
	adminPort := 0
	if c.Admin != (AdminOptions{}) {
		opened, err := openAdmin(admin, server, c.Admin)
		if err != nil {
			fmt.Fprintf(stderr, "%s: --monosim_admin: %v\n", program, err)
			server.Close()
			return exitUsage
		}
		defer opened.Close()
		adminPort = opened.Port()
		fmt.Fprintf(stderr, "%s: admin interface at %s\n", program, opened.URL())
	}
	select {
	case <-server.Serving():
		ports := server.Ports()
		ports.Admin = adminPort
		if err := c.writePorts(ports); err != nil {
			fmt.Fprintf(stderr, "%s: --monosim_ports_file: %v\n", program, err)
			server.Close()
			return exitUsage // ends here, because the program that asked for the file would wait for it in vain
		}
		<-server.Done()
	case <-server.Done():
	}
	code, text := server.Exit()
	io.WriteString(stdout, text)
	return code
}

func openAdmin(admin Admin, server *Server, o AdminOptions) (AdminServer, error) {
	switch {
	case admin == nil:
		return nil, errors.New("this program has no such interface; monosim tfserving has")
	case o.Addr == "":
		return nil, errors.New("found none with a token for it, want its address, too")
	}
	return admin(server, o)
}

// writePorts replaces the ports file in one step, so that a reader never sees an incomplete file.
func (c *Command) writePorts(ports Ports) error {
	if c.PortsFile == "" {
		return nil
	}
	data, err := json.Marshal(ports)
	if err != nil {
		return err
	}
	data = append(data, '\n')
	return wholefile.Write(c.PortsFile, data)
}

// eventLog writes events to a file as they happen. It reports only its first error.
type eventLog struct {
	file     *os.File
	complain func(error) // complain is nil after its first call
}

func (c *Command) openEvents(complain func(error)) (*eventLog, error) {
	if c.EventsFile == "" {
		return &eventLog{}, nil
	}
	file, err := os.Create(c.EventsFile)
	if err != nil {
		return nil, err
	}
	return &eventLog{file: file, complain: complain}, nil
}

type eventLine struct {
	// AtMs is the simulated time since the start of the process in ms. Time is the wall time.
	AtMs    float64 `json:"at_ms"`
	Time    string  `json:"time"`
	Model   string  `json:"model"`
	Version int64   `json:"version"`
	State   string  `json:"state"`
	Code    string  `json:"code,omitempty"`
	Message string  `json:"message,omitempty"`
}

// write writes one line without buffering, because the process may be killed at any time.
func (l *eventLog) write(e tfserving.Event) {
	if l.file == nil {
		return
	}
	line := eventLine{
		AtMs: float64(e.At.Microseconds()) / 1000, Time: time.Now().Format(time.RFC3339Nano),
		Model: e.Model, Version: e.Version, State: e.State.String(),
	}
	if e.Err != nil {
		line.Code, line.Message = e.Err.Code.String(), e.Err.Message
	}
	data, err := json.Marshal(line)
	if err == nil {
		_, err = l.file.Write(append(data, '\n'))
	}
	if err != nil && l.complain != nil {
		l.complain(err)
		l.complain = nil
	}
}

func (l *eventLog) close() {
	if l.file != nil {
		l.file.Close()
	}
}

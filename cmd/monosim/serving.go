package main

import (
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/monosim/monosim/cmd/monosim/command"
	"github.com/monosim/monosim/runners/serve/admin"
)

// serving is a running server of a command, to be stopped by a signal.
type serving struct {
	// title names the server and its address, for the HTTP interface for faults.
	title string
	// addr is the address of the server, as printed for the user.
	addr string
	// more holds lines to print after the addresses.
	more []string
	// actions lists the faults that the HTTP interface can cause in the server.
	actions []admin.Action
	// done, if not nil, is closed when the server has stopped by itself.
	done <-chan struct{}
	// close stops the server; the command returns its error.
	close func() error
}

// adminFlags holds the flags of the HTTP interface through which users cause faults.
type adminFlags struct {
	addr   string
	access admin.Access
}

func (a *adminFlags) register(f *pflag.FlagSet, help string) {
	f.StringVar(&a.addr, "admin", "", "address on this machine, as 127.0.0.1:0, "+help+"; none without")
	f.StringVar(&a.access.Token, "admin-token", "", "token that requests to --admin carry, or none for an interface that whoever is on this machine may use; a new one without")
	f.StringVar(&a.access.File, "admin-token-file", "", "file of mode 600 for that token, which curl -H @FILE sends; one that is there says which token it is; admin-PORT in monosim's folder of the user's caches without")
}

// check returns an error for flags that make no sense together.
func (a *adminFlags) check(cmd *cobra.Command) error {
	if err := notEmpty(cmd, "admin", "admin-token", "admin-token-file"); err != nil {
		return err
	}
	if a.addr == "" && a.access != (admin.Access{}) {
		return errors.New("--admin-token, --admin-token-file: found one of them, want --admin too")
	}
	if err := a.access.Validate(); err != nil {
		return fmt.Errorf("--admin-token: %w", err)
	}
	return nil
}

// tell prints where the access token of the interface for faults is stored.
func (a *adminFlags) tell(stderr io.Writer, file string) {
	if file != "" {
		fmt.Fprintf(stderr, "admin: the token is in %s; curl -H @%s sends it\n", file, file)
	}
}

// serveUntilSignal starts a server and, if asked is set, its HTTP interface for faults. It prints
// their addresses. It closes both at a signal, or when the server has stopped by itself.
func serveUntilSignal(cmd *cobra.Command, asked *adminFlags, open func() (*serving, error)) (err error) {
	if err := asked.check(cmd); err != nil {
		return command.BadInput(err)
	}
	ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	s, err := open()
	if err != nil {
		return err
	}
	var faults *admin.Server
	if asked.addr != "" {
		if faults, err = admin.Listen(asked.addr, s.title, asked.access, s.actions); err != nil {
			return command.BadInput(fmt.Errorf("--admin: %w", errors.Join(err, s.close())))
		}
	}
	defer func() { err = errors.Join(err, faults.Close()) }()
	fmt.Fprintln(cmd.OutOrStdout(), s.addr)
	if faults != nil {
		fmt.Fprintln(cmd.OutOrStdout(), "admin", faults.URL())
		asked.tell(cmd.ErrOrStderr(), faults.TokenFile())
	}
	for _, line := range s.more {
		fmt.Fprintln(cmd.OutOrStdout(), line)
	}
	select {
	case <-ctx.Done():
	case <-s.done:
	}
	stop() // a second signal now ends the program at once
	return s.close()
}

// checkListen refuses an address that other machines can reach, unless the user allows it. The
// reason is that the server does not authenticate its clients.
func checkListen(stderr io.Writer, name, flag, listen, example string, allowRemote bool) error {
	addr, err := net.ResolveTCPAddr("tcp", listen)
	if err != nil {
		return fmt.Errorf("%s: %w; want an address as %s", flag, err, example)
	}
	if addr.IP.IsLoopback() {
		return nil
	}
	if !allowRemote {
		return fmt.Errorf("%s: other machines reach %s; want an address as %s, or --allow-remote", flag, listen, example)
	}
	fmt.Fprintf(stderr, "%s: warning: other machines reach %s, and whoever does may write\n", name, listen)
	return nil
}

// milliseconds converts the value of a flag to milliseconds, which the protocol sends as int32. It
// returns an error for a duration that does not fit or is below least.
func milliseconds(flag string, d, least time.Duration) (int64, error) {
	ms := d.Milliseconds()
	if d < least || ms > math.MaxInt32 || time.Duration(ms)*time.Millisecond != d {
		return 0, fmt.Errorf("%s: %v, want whole milliseconds from %v to 596h", flag, d, least)
	}
	return ms, nil
}

func parseSpeed(text string) (float64, error) {
	speed, err := strconv.ParseFloat(strings.TrimSuffix(text, "x"), 64)
	if err != nil || !(speed >= 0.001 && speed <= 1e6) {
		return 0, fmt.Errorf("--speed: %q, want a number from 0.001x to 1000000x, as 60x", text)
	}
	return speed, nil
}

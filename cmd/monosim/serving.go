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

	"github.com/monosim/monosim/cmd/monosim/command"
	"github.com/monosim/monosim/runners/serve/admin"
)

// serving is a listening server of a command that serves until a signal.
type serving struct {
	// title names the server and its address, for the interface for faults.
	title string
	// addr is the printed address of the server.
	addr string
	// actions lists what the interface for faults can do with the server.
	actions []admin.Action
	// done, if not nil, is closed when the server has stopped by itself.
	done <-chan struct{}
	// close stops the server; the command returns its error.
	close func() error
}

// serveUntilSignal opens a server and, where adminAddr is not "", its interface for faults. It
// prints their addresses, and closes both at a signal or when the server has stopped by itself.
func serveUntilSignal(cmd *cobra.Command, adminAddr string, open func() (*serving, error)) (err error) {
	ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	s, err := open()
	if err != nil {
		return err
	}
	var faults *admin.Server
	if adminAddr != "" {
		if faults, err = admin.Listen(adminAddr, s.title, s.actions); err != nil {
			return command.BadInput(fmt.Errorf("--admin: %w", errors.Join(err, s.close())))
		}
	}
	defer func() { err = errors.Join(err, faults.Close()) }()
	fmt.Fprintln(cmd.OutOrStdout(), s.addr)
	if faults != nil {
		fmt.Fprintln(cmd.OutOrStdout(), "admin", faults.URL())
	}
	select {
	case <-ctx.Done():
	case <-s.done:
	}
	stop() // a second signal ends the program at once
	return s.close()
}

// checkListen refuses an address that other machines can reach, unless the user allows it:
// the server does not ask for secrets.
func checkListen(stderr io.Writer, name, listen, example string, allowRemote bool) error {
	addr, err := net.ResolveTCPAddr("tcp", listen)
	if err != nil {
		return fmt.Errorf("--listen: %w; want an address as %s", err, example)
	}
	if addr.IP.IsLoopback() {
		return nil
	}
	if !allowRemote {
		return fmt.Errorf("--listen: other machines reach %s; want an address as %s, or --allow-remote", listen, example)
	}
	fmt.Fprintf(stderr, "%s: warning: other machines reach %s, and whoever does may write\n", name, listen)
	return nil
}

// milliseconds reads a duration that the protocol carries as int32 milliseconds.
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

// Package zkfiles has the commands that look into the files of a ZooKeeper: `monosim zookeeper
// show`, `log` and `export`.
//
// Two things to use first:
//
//   - [Commands] makes the commands.
//   - Package runners/zookeeper/files does what they ask for.
//
// To change a flag or a help text, look here. To change what is read and printed, look in package
// runners/zookeeper/files.
//
// Unstable: any commit may change it.
package zkfiles

import (
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/monosim/monosim/cmd/monosim/command"
	"github.com/monosim/monosim/runners/zookeeper/files"
)

// Commands makes the commands.
func Commands() []*cobra.Command {
	return []*cobra.Command{newShowCommand(), newLogCommand(), newExportCommand()}
}

func logDirFlag(f *pflag.FlagSet, s *files.Source) {
	f.StringVar(&s.LogDir, "log-dir", "", "directory of an Apache ZooKeeper's logs, where it is another than that of its snapshots (dataLogDir)")
}

func atFlag(f *pflag.FlagSet, s *files.Source) {
	f.StringVar(&s.At, "at", "", "the state as it was after the transaction of this zxid, as 0x1f; of an Apache ZooKeeper")
}

// tell prints notes to standard error.
func tell(cmd *cobra.Command, notes []string) {
	for _, note := range notes {
		fmt.Fprintln(cmd.ErrOrStderr(), "zookeeper: "+note)
	}
}

// read reads the state of a ZooKeeper from a folder or file, and prints the notes about it.
func read(cmd *cobra.Command, s *files.Source, from string) (*files.State, error) {
	state, err := s.Read(from)
	if err != nil {
		return nil, command.BadInput(err)
	}
	tell(cmd, state.Notes)
	return state, nil
}

// newShowCommand makes `monosim zookeeper show`.
func newShowCommand() *cobra.Command {
	var s files.Source
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "show DIR",
		Short: "Show the znodes and sessions in the files of a ZooKeeper",
		Long: `Show the znodes and sessions in a data directory (dataDir) of an Apache ZooKeeper, as a
server would have them that is started on it: those of its newest snapshot, and what the logs
since have changed. No server runs, no Java is needed, and nothing in the directory changes.
DIR may also be one snapshot, or what --data-dir and --snapshot of this program have made.

Each znode is a line, with its data, what its stat has that is not zero, and its ACL if it is
another than that of everybody. Data that is not there at all is null.

Snapshots may be compressed by gzip. A last record of a log that was not written to its end is
passed over, which a line on standard error tells; any other damage ends the command with the file,
the record and the byte. Where the server has written digests the znodes are held to them.`,
		Example: `  monosim zookeeper show /var/lib/zookeeper
  monosim zookeeper show /var/lib/zookeeper --at 0x1f --json`,
		Args: command.OneArgument("DIR"),
		RunE: func(cmd *cobra.Command, args []string) error {
			state, err := read(cmd, &s, args[0])
			if err != nil {
				return err
			}
			if asJSON {
				return state.WriteJSON(cmd.OutOrStdout())
			}
			return state.Write(cmd.OutOrStdout())
		},
	}
	logDirFlag(cmd.Flags(), &s)
	atFlag(cmd.Flags(), &s)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON instead of text")
	return cmd
}

// newLogCommand makes `monosim zookeeper log`.
func newLogCommand() *cobra.Command {
	var s files.Source
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "log DIR",
		Short: "List the transactions in the logs of an Apache ZooKeeper",
		Long: `List the transactions in the logs of an Apache ZooKeeper's data directory (dataDir, or
dataLogDir), or in one log: zxid, time, session, and what was done to which znode. The operations
of a multi follow on lines of their own. With --json each transaction is an object on one line,
with its data, its ACL, and its place in the file.`,
		Example: `  monosim zookeeper log /var/lib/zookeeper
  monosim zookeeper log /var/lib/zookeeper/version-2/log.1 --json`,
		Args: command.OneArgument("DIR"),
		RunE: func(cmd *cobra.Command, args []string) error {
			notes, err := files.WriteLog(cmd.OutOrStdout(), args[0], s.LogDir, asJSON)
			tell(cmd, notes)
			return command.BadInput(err)
		},
	}
	logDirFlag(cmd.Flags(), &s)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON instead of text, an object a line")
	return cmd
}

// newExportCommand makes `monosim zookeeper export`.
func newExportCommand() *cobra.Command {
	var s files.Source
	cmd := &cobra.Command{
		Use:   "export FROM DIR",
		Short: "Write a state as the data directory of an Apache ZooKeeper",
		Long: `Write the state of a simulated ZooKeeper, a directory of its --data-dir or a file of its
--snapshot, as a data directory (dataDir) on which an Apache ZooKeeper starts: with the same znodes,
versions, zxids, ACLs, ephemerals and sessions. FROM may also be a data directory of an Apache
ZooKeeper, of which --at takes an earlier state. DIR is made, or must be empty. A server that is to
have TTL znodes needs -Dzookeeper.extendedTypesEnabled=true.`,
		Example: `  monosim zookeeper export zk apache
  monosim zookeeper export /var/lib/zookeeper before --at 0x1f`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 2 {
				return command.BadInput(fmt.Errorf("found %d arguments, want FROM and DIR; see %s --help", len(args), cmd.CommandPath()))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			state, err := read(cmd, &s, args[0])
			if err != nil {
				return err
			}
			done, err := state.Export(args[1])
			if err != nil {
				return command.BadInput(err)
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), done)
			return err
		},
	}
	logDirFlag(cmd.Flags(), &s)
	atFlag(cmd.Flags(), &s)
	return cmd
}

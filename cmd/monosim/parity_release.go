//go:build release

package main

import "github.com/spf13/cobra"

// newParityCommand returns nil, because released programs have no such command (see parity.go).
func newParityCommand() *cobra.Command { return nil }

//go:build release

package main

import "github.com/spf13/cobra"

// newParityCommand makes nothing: see parity.go.
func newParityCommand() *cobra.Command { return nil }

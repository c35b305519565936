// Package features holds the scenarios, one file per capability of a cluster.
//
// [FS] is what `monosim test` runs when it is given no path, so that the binary
// carries its own scenarios. The sentences are defined in features/steps; a new
// scenario goes into the file of the capability that it shows, and its title says
// the outcome.
//
// Scenarios of the model server have the tag of their id in TFS-19
// (sim/tfserving/SPEC.md), as @TFS-S1, and those of where they were seen: @issue-1519 is
// one of tensorflow/serving.
package features

import "embed"

// FS holds the .feature files at its root.
//
//go:embed *.feature training/*.feature
var FS embed.FS

// Package features holds the scenarios, one file per capability of a cluster.
//
// Two things to use first: [FS] has the files, which the binary carries: `monosim test builtin:`
// runs them, `monosim test builtin:features/startup.feature` those of a file. The sentences are defined in package
// features/steps.
//
// To add a scenario: the file of the capability that it shows; its title says the outcome.
// Scenarios of the model server have the tag of their id in TFS-19 (sim/tfserving/SPEC.md), as
// @TFS-S1, and a tag for where they were seen: @issue-1519 is an issue of tensorflow/serving.
//
// Unstable: any commit may change it.
package features

import "embed"

// FS holds the .feature files at its root.
//
//go:embed *.feature training/*.feature museum/*.feature
var FS embed.FS

// Package files is the simulated file system: a tree of files for each host, shared stores mounted
// into it, and the effects of a crash of the host.
//
// Two things to use first:
//
//   - [FS], made by [NewFS], is the tree. Engine code builds it ([FS.WriteTree],
//     [FS.AddModelVersion]), polls it without copies ([FS.Content], [FS.Names]), watches it
//     ([FS.Watch]) and breaks it ([FS.Freeze], [FS.Late], [FS.HostCrash]).
//   - [View] is the env.Files of one process.
//
// # What survives
//
// The death of a process loses no data. A crash of the host loses what was not yet written back.
// As on ext4, changes of directories become durable in order: those before a Sync, and those more
// than 30 s ago. The content of a file is durable once that file was synced, or 30 s after it
// became dirty. After a crash a file is empty if its creation was durable and its content was not.
//
// # Paths
//
// Symbolic links, "..", and slashes at the end of a path behave as on Linux: a test compares
// random operations on a tree and on a directory of the machine. A watch follows the links in its
// path.
//
// To change:
//
//   - paths, links and mounts: walk.go, link.go, mount.go
//   - reading: read.go
//   - changing: write.go
//   - what a process sees: view.go
//   - durability: durable.go
//   - watches: watch.go
//   - faults: faults.go, late.go
//   - the helpers that build trees: build.go
//   - what trees share: image.go, contents.go
//
// Unstable: any commit may change it.
package files

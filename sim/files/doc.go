// Package files is the simulated file system: a tree of files per host, with
// shared stores mounted into it, and what a crash of the host does to it.
//
// Two things to use first:
//
//   - [FS], made by [NewFS]: the tree. Engine code builds it ([FS.WriteTree],
//     [FS.AddModelVersion]), polls it without copies ([FS.Content],
//     [FS.Names]), watches it ([FS.Watch]) and breaks it ([FS.Freeze],
//     [FS.SetAvailable], [FS.HostCrash]).
//   - [View]: the env.Files of one process.
//
// # What survives
//
// A process's death loses nothing. A crash of the host loses what was not yet
// written back. As on ext4, changes of directories are durable in order: all
// that was done before a Sync, or more than 30 s ago. The content of a file is
// durable when that file was synced, or 30 s after it became dirty; a file whose
// creation is durable and whose content is not is empty after the crash.
//
// # Paths
//
// Symbolic links, "..", and slashes at the end of a path mean what they do to Linux: a
// test does the same at random to a tree and to a directory of the machine. A watch
// follows the links in its path.
//
// To change paths, links and mounts look in walk.go, link.go and mount.go; reading, read.go;
// changing, write.go; durability, durable.go; watches, watch.go; faults,
// faults.go; the helpers that build trees, build.go; trees that begin alike, image.go, and
// what is written alike in them, contents.go.
package files

// Package saveutils saves checkpoints during training and deletes old ones. It is the port
// of native_training/save_utils.py.
//
// Two things to use first:
//
//   - [NewSaverHook] makes the hook that saves every so many seconds or steps, tries again, and tells its listeners.
//   - [NewPartialRecoverySaver] makes the saver that the hook uses. It decides which checkpoints are kept, and in which order files are written.
//
// The faults of the reference are kept (TRN-8.7): the first save is always skipped, a saver
// of dense variables never saves step 0, and a save that is requested while the timer is
// off does nothing.
//
// Where to change what:
//
//   - when a save is due: timer.go
//   - which checkpoints are deleted: partial_recovery_saver.go
//   - which PS are restored: restore.go and ps_monitor.go
//   - the file monolith_checkpoint: state.go
//
// Cost: a save grows with the checkpoints that are kept, each of which is a line of the file
// "checkpoint". It reads monolith_checkpoint twice. A step without a save reads one variable.
//
// Unstable: any commit may change it.
package saveutils

// Package saveutils saves checkpoints while training goes on, and forgets old ones: the port
// of native_training/save_utils.py.
//
// Two things to use first:
//
//   - [NewSaverHook] makes the hook that saves after so many seconds or steps, tries again,
//     and tells its listeners.
//   - [NewPartialRecoverySaver] makes what it saves with: which checkpoints are kept, and in
//     which order files are written.
//
// The faults of the reference are kept (TRN-8.7): the first save is always eaten, a saver of
// dense variables never saves step 0, and a save that was asked for while the timer is off
// is none. To change when a save is due look in timer.go; which checkpoints are deleted,
// in partial_recovery_saver.go; what is restored of which PS, in restore.go and ps_monitor.go; the
// file monolith_checkpoint, in state.go.
//
// Cost: a save writes the file "checkpoint" with a line for each checkpoint that is kept, and
// reads monolith_checkpoint twice; a step without a save reads one variable.
package saveutils

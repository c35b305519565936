package rustport

import "fmt"

// Kind is the kind of an error.
type Kind int

// These are the kinds of errors. Each trailing comment is the kind's text or its beginning
// (TRN-4.4).
const (
	IO                   Kind = iota // "I/O error: "
	MissingCheckpoint                // "restore_dir does not contain checkpoint file: "
	RestoreCkptNotFound              // "restore_ckpt … is not in checkpoint.all_model_checkpoint_paths"
	ReadCheckpointFailed             // "read ckpt error!"
	MissingTFConfig                  // "TF_CONFIG is required for Primus discovery"
	MissingPSM                       // "psm is required for Consul discovery"
	DiscoveryFailed                  // "Discovery error: "
	RunConfigMerge                   // "RunConfig merge error: "
	RestoreSyncTimeout               // "Timed out waiting for restore synchronization file: "
	LocalModeNoDiscovery             // "No discovery backend available in local mode"
)

// texts holds the text of each kind, with %s for Error.About.
var texts = [...]string{
	IO: "I/O error: %s", MissingCheckpoint: "restore_dir does not contain checkpoint file: %s",
	RestoreCkptNotFound:  "restore_ckpt %s is not in checkpoint.all_model_checkpoint_paths",
	ReadCheckpointFailed: "read ckpt error!", MissingTFConfig: "TF_CONFIG is required for Primus discovery",
	MissingPSM: "psm is required for Consul discovery", DiscoveryFailed: "Discovery error: %s", RunConfigMerge: "RunConfig merge error: %s",
	RestoreSyncTimeout:   "Timed out waiting for restore synchronization file: %s",
	LocalModeNoDiscovery: "No discovery backend available in local mode",
}

// Error is an error with the Rust port's text.
type Error struct {
	Kind Kind
	// About is the path, name or text in the error's text; "" for none.
	About string
	// Err is the underlying error; nil for none.
	Err error
}

// Error returns the Rust port's text.
func (e *Error) Error() string {
	switch e.Kind {
	case ReadCheckpointFailed, MissingTFConfig, MissingPSM, LocalModeNoDiscovery:
		return texts[e.Kind]
	}
	return fmt.Sprintf(texts[e.Kind], e.About)
}

// Unwrap returns the underlying error; nil for none.
func (e *Error) Unwrap() error { return e.Err }

// wrap returns an error of a kind with the text of err; nil for a nil err.
func wrap(kind Kind, err error) error {
	if err == nil {
		return nil
	}
	return &Error{Kind: kind, About: err.Error(), Err: err}
}

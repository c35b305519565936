package absl

// thresholds lists the words that --stderrthreshold accepts, in lower case.
var thresholds = []string{"debug", "info", "warning", "warn", "error", "fatal", "0", "1", "2", "3"}

// appModule holds the flags of absl.app. Flags for debugging or profiling a Python program are
// accepted, but have no effect.
var appModule = Module{Name: "absl.app", Flags: []Flag{
	{Name: "run_with_pdb", Kind: Bool, Default: false, Help: "for Python's debugger; no effect here"},
	{Name: "pdb_post_mortem", Kind: Bool, Default: false, Help: "for Python's debugger; no effect here"},
	{Name: "pdb", Kind: Bool, Default: false, Help: "for Python's debugger; no effect here"},
	{Name: "run_with_profiling", Kind: Bool, Default: false, Help: "for Python's profiler; no effect here"},
	{Name: "profile_file", Kind: String, Help: "for Python's profiler; no effect here"},
	{Name: "use_cprofile_for_profiling", Kind: Bool, Default: true, Help: "for Python's profiler; no effect here"},
	{Name: "only_check_args", Kind: Bool, Default: false, Help: "check the flags and exit with 0"},
	{Name: "help", Short: "?", Kind: help, Default: false, Help: "show this help"},
	{Name: "helpshort", Kind: help, Default: false, Help: "show this help"},
	{Name: "helpfull", Kind: help, Default: false, Help: "show full help"},
}}

// loggingModule holds the flags of absl.logging. Only the verbosity has an effect, because logs
// always go to standard error.
var loggingModule = Module{Name: "absl.logging", Flags: []Flag{
	{Name: "logtostderr", Kind: Bool, Default: false, Help: "logs always go to standard error"},
	{Name: "alsologtostderr", Kind: Bool, Default: false, Help: "logs always go to standard error"},
	{Name: "log_dir", Kind: String, Default: "", Help: "directory of log files; no effect here"},
	{Name: VerbosityFlag, Short: "v", Kind: Integer, Default: -1, Help: "what is logged: -2 errors, -1 warnings too, 0 and unset infos too, 1 everything"},
	{Name: "logger_levels", Kind: leveled, Default: "", Help: "levels of Python's loggers, as name:level,name:level; no effect here"},
	{Name: "stderrthreshold", Kind: threshold, Default: "fatal", Help: "level from which logs go to standard error beside a log file; no effect here"},
	{Name: "showprefixforinfo", Kind: Bool, Default: true, Help: "prefixes of logged infos; no effect here"},
}}

// Names of flags that every program has.
const (
	VerbosityFlag     = "verbosity"
	OnlyCheckArgsFlag = "only_check_args"
)

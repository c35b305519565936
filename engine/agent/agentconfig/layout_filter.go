package agentconfig

import (
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/pysem/expr"
	"github.com/monosim/monosim/engine/pysem/pyre"
)

// LayoutFilter accepts the sub-graphs that match its pattern and for which its condition holds
// (agent_v3.py:72-81, 137-144).
type LayoutFilter struct {
	// Match is a regular expression, from [NormalizeRegex]. Condition is an expression over its
	// named groups as ints.
	Match, Condition string
	// Errors of compiling are kept until a sub-graph is checked, because Python compiles both only
	// then.
	pattern      *pyre.Pattern
	patternErr   error
	condition    *expr.Program
	conditionErr error
}

// NewLayoutFilter compiles a filter. It does not report a malformed filter, which is an error of
// [LayoutFilter.Accepts] as in Python. It returns an error for Python code that this program does
// not evaluate (Q230, Q231).
func NewLayoutFilter(match, condition string) (LayoutFilter, error) {
	f := LayoutFilter{Match: match, Condition: condition}
	f.pattern, f.patternErr = pyre.Compile(match)
	f.condition, f.conditionErr = expr.Compile(condition)
	for _, err := range []error{f.patternErr, f.conditionErr} {
		if pysem.IsRefused(err) {
			return LayoutFilter{}, err
		}
	}
	if f.patternErr != nil || f.conditionErr != nil {
		return f, nil
	}
	names := ConditionNames(nil)
	for _, id := range f.pattern.Names() {
		names.Locals = append(names.Locals, expr.Name{ID: id})
	}
	return f, f.condition.Refusal(names)
}

// Accepts reports whether the beginning of a sub-graph's name matches the pattern (Q23) and the
// condition holds. A named group that took no part in the match is int(None) in Python, a
// TypeError.
func (f *LayoutFilter) Accepts(subGraph string) (bool, error) {
	if f.patternErr != nil {
		return false, f.patternErr
	}
	m, err := f.pattern.Match(subGraph)
	if err != nil || m == nil {
		return false, err
	}
	names := ConditionNames(make([]expr.Name, 0, len(m.Groups)))
	for _, g := range m.Groups {
		if g.Name == "" {
			continue
		}
		var text any
		if g.Set {
			text = g.Text
		}
		n, err := expr.ToInt(text)
		if err != nil {
			return false, err
		}
		names.Locals = append(names.Locals, expr.Name{ID: g.Name, Value: n})
	}
	if f.conditionErr != nil {
		return false, f.conditionErr
	}
	return f.condition.Holds(names)
}

// EvalNumber evaluates the text of a number in a configuration as Python's eval(text) does
// (utils.py:775). The text can use the names key and clz: key is the name of the field, and clz is
// the class, int or float. In Python it could also use the texts of the file and the values made
// from them so far. Such an expression is refused.
func EvalNumber(text, field, class string) (any, error) {
	return expr.Eval(text, expr.Names{
		Locals: []expr.Name{{ID: "key", Value: field}, {ID: "clz", Value: expr.Class(class)}},
		Module: utilsNames, ModuleName: "monolith.agent_service.utils",
		Fixed: true,
	})
}

// utilsNames lists the names of utils.py (utils.py:16-63) and of its method that evaluates numbers.
// agentV3Names lists the names of agent_v3.py. In Python an expression could use these names.
var (
	utilsNames = expr.NamesOf(
		"AgentConfig", "ConfigProto", "DEFAULT_MODEL_CONFIG", "DEFAULT_PLATFORM_CONFIG_FILE", "DataType", "DefaultRoughSortModelLocalPath",
		"DefaultRoughSortModelP2PPath", "DeployType", "Dict", "ErrorCode", "FeatureKeys", "FileSystemStoragePathSourceConfig", "Instance",
		"InstanceFormater", "List", "ModelState", "ModelVersionStatus", "Optional", "RoughSortModelLoadedServer", "RoughSortModelPrefix", "SEQ",
		"ServableVersionPolicy", "StatusProto", "TFSServerType", "TFS_HOME", "TensorProto", "TfServingConfig", "Union", "ZKPath", "_HOSTS", "_PORT",
		"args", "check_port_open", "closing", "cls", "conf_parser", "constants", "dataclass", "default_zk_servers", "expand_pattern",
		"find_free_port", "flags", "fname", "gen_model_config", "gen_model_spec", "gen_model_version_status", "gen_status_proto", "get_local_ip",
		"get_type_hints", "hashlib", "is_ipv6_only", "isabs", "json", "json_format", "kwarg", "logging", "make_tensor_proto", "model_pb2",
		"model_server_config_pb2", "normalize_regex", "old_isabs", "os", "parse_pattern", "pasre_sub_model_name", "platform_config_pb2", "re",
		"replica_id_from_pod_name", "saved_model_bundle_source_adapter_pb2", "session_bundle_config_pb2", "socket", "tempfile", "text_format",
		"write_to_tmp_file")
	agentV3Names = expr.NamesOf(
		"AgentBase", "AgentConfig", "AgentDataProvider", "AgentService", "AgentV3", "Callable", "Container", "ContainerServiceInfo", "DeployType",
		"Dict", "List", "Popen", "RLock", "STDOUT", "SavedModel", "SavedModelDeployConfig", "State", "TFSWrapper", "Tuple", "ZKBackend", "app",
		"defaultdict", "flags", "gen_empty_model_config_file", "gen_model_config", "get_local_ip", "json", "json_format", "logging",
		"model_server_config_pb2", "normalize_regex", "os", "partial", "re", "signal", "tempfile", "text_format", "threading", "time")
)

// ConditionNames returns the names that a filter's condition can use: the given locals. The result
// also has the names of agent_v3.py, so that a condition which uses one of them is refused.
func ConditionNames(locals []expr.Name) expr.Names {
	return expr.Names{Locals: locals, Module: agentV3Names, ModuleName: "monolith.agent_service.agent_v3"}
}

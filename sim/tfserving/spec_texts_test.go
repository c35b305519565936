package tfserving

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// specTexts lists the messages that the specification's paragraphs define; <x> stands for any text.
// A message that differs between the profiles is listed for each.
var specTexts = []struct{ paragraph, text string }{
	{"TFS-3.1", "INVALID_ARGUMENT: Changing file_system_poll_wait_seconds is not supported"},
	{"TFS-3.2", "Could not find base path <p> for servable <n>\n"},
	{"TFS-3.2", "Could not find base path <p> for servable <n> with error NOT_FOUND: <p> not found\n"},
	{"TFS-3.2", "WARNING No versions of servable <n> found under base path <p>"},
	{"TFS-3.2", "WARNING No specific versions requested for servable <n>."},
	{"TFS-3.2", "WARNING Version <v> of servable <n>, which was requested to be served as a 'specific' version <x> was not found in the file system"},
	{"TFS-3.2", "WARNING Duplicate version directories detected. Version <v> will be loaded from <c>, <c> will be ignored."},
	{"TFS-3.2", "This servable is already being managed: {name: <n> version: <v>}"},
	{"TFS-3.3", "ERROR FileSystemStoragePathSource encountered a filesystem access error: <e>"},
	{"TFS-3.5", "NOT_FOUND: Unable to find a numerical version path for servable <n> at: <p>"},
	{"TFS-3.5", "ERROR Refusing to unload all versions for Servable: <n>"},
	{"TFS-5.3", "END  CANCELLED: Loading of servable cancelled"},
	{"TFS-5.4", "END  NOT_FOUND: <e>"},
	{"TFS-5.7", "NOT_FOUND: Could not find SavedModel .pb or .pbtxt at supplied export directory path: <d>\n"},
	{"TFS-5.7", "NOT_FOUND: Could not find SavedModel .pb or .pbtxt at supplied export directory path: <d>. Check that the directory exists and that you have the right permissions for accessing it."},
	{"TFS-5.7", "NOT_FOUND: Could not find meta graph def matching supplied tags: { <t> }. To inspect available tag-sets in the SavedModel, please use the SavedModel CLI: `saved_model_cli`"},
	{"TFS-5.8", "Error while attempting to reserve resources to load servable {name: <n> version: <v>}: <e>"},
	{"TFS-5.8", "RESOURCE_EXHAUSTED: Insufficient resources to load servable {name: <n> version: <v>}"},
	{"TFS-7.3", "INVALID_ARGUMENT: Missing ModelSpec"},
	{"TFS-7.3", "NOT_FOUND: Could not find version <v> of model <m>"},
	{"TFS-7.3", "NOT_FOUND: Could not find any versions of model <m>"},
	{"TFS-8.1", "...TRUNCATED"},
	{"TFS-8.2", "INVALID_ARGUMENT: ServerModelConfig type not supported by HandleReloadConfigRequest. Only ModelConfigList is currently supported"},
	{"TFS-8.2", "FAILED_PRECONDITION: Cannot transition to requested config. It is only legal to transition from one ModelConfigList to another."},
	{"TFS-8.2", "INVALID_ARGUMENT: Illegal to list model <n> multiple times in config list"},
	{"TFS-8.2", "INVALID_ARGUMENT: Expected model <n> to have an absolute path or URI; got base_path()=<p>"},
	{"TFS-8.2", "INVALID_ARGUMENT: Illegal to change a model's platform. For model <n> platform was <a> and new platform requested is <b>"},
	{"TFS-8.2", "FAILED_PRECONDITION: Request to assign label to version <v> of model <n>, which is not currently available for inference"},
	{"TFS-8.2", "INVALID_ARGUMENT: Illegal setting neither ModelServerConfig::model_type (deprecated) nor ModelServerConfig::model_platform, model name is <n>"},
	{"TFS-8.2", "INVALID_ARGUMENT: Illegal setting neither ModelServerConfig::model_type (deprecated) nor ModelServerConfig::model_platform.\n"},
	{"TFS-8.2", "INVALID_ARGUMENT: Illegal setting both ModelServerConfig::model_type (deprecated) and ModelServerConfig::model_platform, model name is <n>"},
	{"TFS-8.2", "INVALID_ARGUMENT: Illegal setting both ModelServerConfig::model_type (deprecated) and ModelServerConfig::model_platform.\n"},
	{"TFS-8.2", "INVALID_ARGUMENT: ModelServerConfig::model_type choice 2 not supported."},
	{"TFS-8.2", "INVALID_ARGUMENT: Model <n> requests unsupported platform <p>"},
	{"TFS-8.3", "UNKNOWN: 2 model(s) did not become available: {{{name: <n> version: <v>} due to error: Not found: <m>}, {{name: <n> version: <v>} due to error: Not found: <m>}, }"},
	{"TFS-8.3", "UNKNOWN: 2 model(s) did not become available: {{{name: <n> version: <v>} due to error: NOT_FOUND: <m>}, {{name: <n> version: <v>} due to error: NOT_FOUND: <m>}, }"},
	{"TFS-8.4", "INVALID_ARGUMENT: Illegal setting neither ModelServerConfig::model_type <x>"},
	{"TFS-8.4", "INVALID_ARGUMENT: Illegal to change a model's platform. For model <n> platform was nonsense and new platform requested is <b>"},
	{"TFS-8.9", "UNKNOWN: 1 servable(s) did not become available: {{{name: <n> version: <v>} due to error: <m>}, }"},
	{"TFS-8.10", "INFO Taking no action for empty config."},
	{"TFS-9.2", `exit 255 "Failed to start server. Error: Unknown: 1 servable(s) did not become available: {{{name: <n> version: <v>} due to error: Not found: <m>}, }\n"`},
	{"TFS-9.2", `exit 255 "Failed to start server. Error: UNKNOWN: 1 servable(s) did not become available: {{{name: <n> version: <v>} due to error: NOT_FOUND: <m>}, }\n"`},
	{"TFS-9.2", "Failed precondition: Request to assign label to version <v> of model <n>, which is not currently available for inference"},
	{"TFS-9.2", "Invalid argument: server_options.grpc_port is not set."},
	{"TFS-9.2", "INVALID_ARGUMENT: At least one of server_options.grpc_port or server_options.grpc_socket_path must be set."},
	{"TFS-9.2", "INVALID_ARGUMENT: Either use_alts_credentials must be false or ssl_config_file must be empty."},
	{"TFS-9.2", "Invalid argument: Both server_options.model_base_path and server_options.model_config_file are empty!"},
	{"TFS-9.2", "Invalid argument: server_options.batching_parameters_file is set without setting server_options.enable_batching to true."},
	{"TFS-9.2", "Invalid argument: Either configure server_options.tensorflow_session_parallelism or (server_options.tensorflow_intra_op_parallelism, server_options.tensorflow_inter_op_parallelism) separately. You cannot configure all."},
	{"TFS-9.2", `exit 255 "Failed to start server. Error: Invalid argument: Failed to BuildAndStart gRPC server\n"`},
	{"TFS-9.2", "Invalid argument: Invalid protobuf file: '<f>'"},
	{"TFS-9.2", "Not found: <f>; No such file or directory"},
	{"TFS-9.3", "INFO unknown argument: <a>"},
	{"TFS-10", "ERROR Failed to read ModelServerConfig file: <e>"},
	{"TFS-10", "ERROR PollFilesystemAndReloadConfig failed to ReloadConfig: <e>"},
	{"TFS-11", "UNAVAILABLE: Model labels does not init yet.<l>"},
	{"TFS-11", "INVALID_ARGUMENT: Unrecognized servable version label: <l>"},
	{"TFS-11", "NOT_FOUND: Servable not found for request: Specific(<n>, <v>)"},
	{"TFS-22.1", "Invalid argument: Last entry in allowed_batch_sizes must match max_batch_size; last entry was <a>; expected <b>"},
	{"TFS-22.1", "num_batch_threads must be positive; was <n>"},
	{"TFS-22.1", "INVALID_ARGUMENT: input_batch_size_limit must be positive; was 0"},
	{"TFS-22.1", "INVALID_ARGUMENT: batch_timeout_micros must be non-negative; was <n>"},
	{"TFS-22.1", "When enable_large_batch_splitting is true, input_batch_size_limit must be greater than or equal to max_execution_batch_size.1<a>"},
	{"TFS-22.1", "exit -11"},
	{"TFS-22.2", "INVALID_ARGUMENT: Batching Run() input tensors must have at least one dimension"},
	{"TFS-22.2", "INVALID_ARGUMENT: Batching Run() input tensors must have equal 0th-dimension size"},
	{"TFS-22.2", "INVALID_ARGUMENT: Batching Run() not find batch_size tensor"},
	{"TFS-22.2", "INVALID_ARGUMENT: Task size <n> is larger than maximum input batch size <m>"},
	{"TFS-22.2", "UNAVAILABLE: The batch scheduling queue to which this task was submitted is full\n"},
	{"TFS-22.2", "UNAVAILABLE: The batch scheduling queue to which this task was submitted is full; currently <n> batches enqueued and max_enqueued_batches is <m>"},
	{"TFS-22.3", "RESOURCE_EXHAUSTED: Run() timeout exceeded while waiting in batching queue"},
	{"TFS-22.3", "Cannot concatenate tensors that have different data types. Got <a> and <b>."},
	{"TFS-22.3", "INTERNAL: Tensor concat operation failed: Invalid argument: Cannot concatenate a zero-dimensional tensor"},
	{"TFS-22.3", "INVALID_ARGUMENT: Got empty tensor in batch of non-empty tensors."},
	{"TFS-22.3", "INVALID_ARGUMENT: Only tensors with rank from 1 to 6 can be padded."},
	{"TFS-22.3", "FAILED_PRECONDITION: Batched output tensor has 0 dimensions"},
	{"TFS-22.3", "FAILED_PRECONDITION: Batched output tensor's 0th dimension does not equal the sum of the 0th dimension sizes of the input tensors"},
}

// TestEveryTextOfTheSpecificationIsAsserted checks that every message of specTexts is printed by a
// script, in a block whose comment names the message's paragraph.
func TestEveryTextOfTheSpecificationIsAsserted(t *testing.T) {
	printed := printedByParagraph(t)
	for _, s := range specTexts {
		if !textPattern(s.text).MatchString(printed[s.paragraph]) {
			t.Errorf("%s: no script's block that names it prints %q", s.paragraph, s.text)
		}
	}
}

// textPattern returns an expression that matches the text. Each <x> matches any characters within a
// line.
func textPattern(text string) *regexp.Regexp {
	parts := regexp.MustCompile(`<\w+>`).Split(text, -1)
	for i := range parts {
		parts[i] = regexp.QuoteMeta(parts[i])
	}
	return regexp.MustCompile(strings.Join(parts, ".+"))
}

var paragraph = regexp.MustCompile(`TFS-[0-9]+(?:\.[0-9]+)?`)

// printedByParagraph returns for each paragraph the output of the script blocks whose comments name
// it.
func printedByParagraph(t *testing.T) map[string]string {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	printed := map[string]string{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, block := range strings.Split(string(data), "\n\n") {
			head, output, _ := strings.Cut(block+"\n", "\n----\n")
			for _, name := range paragraph.FindAllString(comments(head), -1) {
				printed[name] += output
			}
		}
	}
	return printed
}

func comments(text string) string {
	var b strings.Builder
	for _, line := range strings.Split(text, "\n") {
		if strings.HasPrefix(line, "#") {
			b.WriteString(line + "\n")
		}
	}
	return b.String()
}

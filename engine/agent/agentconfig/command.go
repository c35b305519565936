package agentconfig

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/monosim/monosim/engine/proto/textpb"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/quirks"
)

// CmdAndPort returns the command line of a model server and its gRPC port (utils.py:586-666). The
// caller splits the command line at single blanks into arguments. A server type of None means the
// container's own. If configFile is None, a config file is written to a temporary file. The port is
// None for UNIFIED (Q162).
//
// Errors are those of [DeployType.CompatServerType], of [AgentConfig.ModelServerConfig] and of
// writing the file.
func (c *AgentConfig) CmdAndPort(binary string, serverType, configFile pysem.OptString) (cmd string, port pysem.OptInt, err error) {
	server, err := c.DeployType.CompatServerType(serverType)
	if err != nil {
		return "", pysem.OptInt{}, err
	}
	path := configFile.V
	if !configFile.Set {
		if path, err = c.writeModelServerConfig(server); err != nil {
			return "", pysem.OptInt{}, err
		}
	}
	flags := append([]string{"--model_config_file=" + path}, c.namingFlags(server)...)
	port, ports := c.portFlags(server)
	flags = append(flags, ports...)
	flags = append(flags, c.rpcFlags(server)...)
	if !c.IsVersion(1) {
		flags = append(flags, "--model_config_file_poll_wait_seconds=0")
	}
	flags = append(flags, c.changedFlags(server)...)
	return binary + " " + strings.Join(flags, " "), port, nil
}

func (c *AgentConfig) writeModelServerConfig(server string) (path string, err error) {
	message, err := c.ModelServerConfig(pysem.Some(server))
	if err != nil {
		return "", err
	}
	text, err := textpb.Marshal(message)
	if err != nil {
		return "", err
	}
	path = c.env.Files.TempFile()
	return path, c.env.Files.WriteFile(path, []byte(text))
}

// namingFlags returns the flags with the server's service name. In a mixed container every server
// except the entry appends its server type to the name.
func (c *AgentConfig) namingFlags(server string) []string {
	psm, logConf := c.envOr("TCE_PSM", ""), "../conf/log4j.properties"
	if c.DeployType == DeployMixed && server != ServerEntry {
		suffix := "_" + pysem.Lower(server)
		psm += suffix
		logConf = "../conf/log4j" + suffix + ".properties"
	}
	return []string{
		"--archon_rpc_psm=" + psm,
		"--archon_rpc_cluster=" + c.envOr("TCE_CLUSTER", ""),
		"--metrics_namespace_prefix=" + psm,
		"--log_conf=" + logConf,
	}
}

func (c *AgentConfig) portFlags(server string) (port pysem.OptInt, flags []string) {
	rest, archon := c.TFSEntryHTTPPort, c.TFSEntryArchonPort
	port = c.TFSEntryPort
	switch {
	case server == ServerPS:
		port, rest, archon = c.TFSPSPort, c.TFSPSHTTPPort, c.TFSPSArchonPort
	case server == ServerDense:
		port, rest, archon = c.TFSDensePort, c.TFSDenseHTTPPort, c.TFSDenseArchonPort
	case server == ServerUnified && !c.Quirks.Keeps(quirks.Q162):
		port, rest, archon = c.TFSPortGRPC, c.TFSPortHTTP, c.TFSPortArchon
	}
	return port, []string{
		"--port=" + port.String(),
		"--rest_api_port=" + rest.String(),
		"--archon_port=" + archon.String(),
	}
}

// rpcFlags returns the flags that tell entry and dense servers how to call PS.
func (c *AgentConfig) rpcFlags(server string) []string {
	if server == ServerPS {
		return nil
	}
	var flags []string
	if server == ServerDense && c.EnableBatching && c.Quirks.Keeps(quirks.Q163) {
		// utils.py:622: changedFlags may add the same flag a second time (Q163).
		flags = append(flags, "--enable_batching=true")
	}
	flags = append(flags,
		"--archon_entry_to_ps_rpc_timeout="+c.Text("fetch_ps_timeout_ms"),
		"--archon_entry_to_ps_long_conn_num="+c.Text("fetch_ps_long_conn_num"),
		"--archon_entry_to_ps_rpc_retry="+c.Text("fetch_ps_retry"),
		"--archon_async_dispatcher_threads="+c.Text("aio_thread_num"))
	if !c.FetchPSLongConnEnable {
		flags = append(flags, "--archon_entry_to_ps_long_conn_enable=false")
	}
	return flags
}

// Text formats the field with the reference's name as a Python f-string does. None gives "None".
func (c *AgentConfig) Text(field string) string { return pysem.Str(c.value(field)) }

// AtLeast formats Python's max(field, least).
func (c *AgentConfig) AtLeast(field string, least int) (string, error) {
	value := c.value(field)
	order, ordered, isNumber := pysem.CompareNumbers(value, least)
	switch {
	case !isNumber:
		return "", pysem.Raise("TypeError", "'>' not supported between instances of 'int' and '%s'", pysem.TypeName(value))
	case ordered && order < 0:
		return strconv.Itoa(least), nil
	}
	return pysem.Str(value), nil
}

// changedFlags returns the model server's flags that differ from their defaults. The flag
// file_system_poll_wait_seconds is only for agents of version 1. PS have a field of their own for
// it and always get it.
func (c *AgentConfig) changedFlags(server string) []string {
	var flags []string
	for _, key := range serverFlags {
		if key.Name == "file_system_poll_wait_seconds" {
			if !c.IsVersion(1) {
				continue
			}
			if server == ServerPS {
				field := "file_system_poll_wait_seconds_ps"
				if c.FileSystemPollWaitSecondsPS == 0 && !c.Quirks.Keeps(quirks.Q212) {
					field = key.Name
				}
				flags = append(flags, "--file_system_poll_wait_seconds="+c.Text(field))
				continue
			}
		}
		if flag, changed := key.changedFlag(c.value(key.Name)); changed {
			flags = append(flags, flag)
		}
	}
	return flags
}

// changedFlag returns the flag for a value, and whether the value differs from the default.
func (k Key) changedFlag(value any) (flag string, changed bool) {
	if pysem.Equal(value, k.Default) {
		return "", false
	}
	text := pysem.Str(value)
	if k.Reading == ReadBool {
		text = pysem.Lower(text)
	}
	return "--" + k.Name + "=" + text, true
}

// WrapperFlags returns the flags that the wrapper of agent v3 passes to the model server
// (tfs_wrapper.py:79-95): flags that differ from their defaults, and always a platform config file.
func (c *AgentConfig) WrapperFlags() []string {
	var flags []string
	for _, key := range serverFlags {
		if key.Name == "platform_config_file" {
			file := cmp.Or(c.PlatformConfigFile.Or(""), "conf/platform_config_file.cfg")
			flags = append(flags, "--platform_config_file="+file)
			continue
		}
		if flag, changed := key.changedFlag(c.value(key.Name)); changed {
			flags = append(flags, flag)
		}
	}
	return flags
}

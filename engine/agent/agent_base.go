package agent

import (
	"strings"

	"github.com/monosim/monosim/engine/agent/agentconfig"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
)

// Paths of the binaries, below TFS_HOME (agent_base.py:24).
const (
	binDir      = "/bin"
	tfsBinary   = binDir + "/tensorflow_model_server"
	proxyBinary = binDir + "/server"
)

// Agent is what the entry point uses of an agent, whatever its version (agent_base.py:77).
type Agent interface {
	// Start starts all parts of the agent and returns when they serve. Call it only once.
	Start() error
	// WaitForTermination waits for the agent's end, and returns the error with which the process
	// ends. It must be the last call in the main task's function. In virtual time it may return
	// early, and the function must return right after it.
	WaitForTermination() error
}

// startLogged starts a program in TFS_HOME/bin and appends its output to the file
// <dir>/<prefix>_<base>, where dir and base are the directory and the base name of log
// (agent_base.py:54-74, ServingLog). If log is a relative path, the file lies below TFS_HOME/bin,
// because the reference changes into that folder after it has computed the name (Q8). In an MLP pod
// the file stays empty, because the program writes to the agent's output (agent_v1.py:172).
//
// Cost: open log files grow with the processes of the container, one each. The reference never
// closes them.
func startLogged(e *env.Env, home, prefix, log string, cmd env.Command) (env.Process, error) {
	cmd.Output = pysem.JoinStrings(pysem.Dirname(log), prefix+"_"+pysem.Basename(log))
	cmd.Append = true
	_, cmd.InheritOutput = e.Host.LookupEnv("MLP_POD_NAME")
	cwd := e.Files.Getwd()
	if err := e.Files.Chdir(home + binDir); err != nil {
		return nil, err
	}
	process, err := e.Processes.Start(cmd)
	if back := e.Files.Chdir(cwd); err == nil {
		err = back
	}
	return process, err
}

// proxyCommand returns the command line of the proxy, the only process type that is not a model
// server (agent_base.py:46-53). It ends in "&", which is an ordinary argument without a shell (Q9).
func proxyCommand(e *env.Env, conf *agentconfig.AgentConfig, confPath string) string {
	cmd := []string{conf.TFSHome() + proxyBinary, "--port=" + conf.ProxyPort.String(), "--grpc_target=localhost:" + conf.TFSEntryPort.String()}
	if proxyConf := pysem.JoinStrings(confPath, "proxy.conf"); env.Exists(e.Files, proxyConf) {
		cmd = append(cmd, "--conf_file="+proxyConf)
	}
	return strings.Join(append(cmd, "&"), " ")
}

// CmdAndPort returns the command line of a process and the port it serves on (agent_base.py:28).
// For a model server both come from the configuration. Any other type is the proxy, and confPath is
// the folder of its proxy.conf. A type of None is a TypeError. Agents start only model servers.
func CmdAndPort(e *env.Env, conf *agentconfig.AgentConfig, confPath, serverType, configFile pysem.OptString) (string, pysem.OptInt, error) {
	switch serverType.V {
	case agentconfig.ServerPS, agentconfig.ServerEntry, agentconfig.ServerDense:
		return conf.CmdAndPort(conf.TFSHome()+tfsBinary, serverType, configFile)
	}
	if !confPath.Set {
		return "", pysem.OptInt{}, pysem.Raise("TypeError", "expected str, bytes or os.PathLike object, not NoneType")
	}
	return proxyCommand(e, conf, confPath.V), conf.ProxyPort, nil
}

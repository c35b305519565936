package loopback

import (
	"fmt"
	"path/filepath"
)

// OwnAgent is the [AgentProgram] that runs `monosim agent`.
func OwnAgent(p Container) (Program, error) {
	args := []string{
		p.Monosim, "agent", "--conf=" + p.Conf, "--tfs_home=" + p.Home, "--tfs_log=" + filepath.Join(p.Dir, "var", "log", "tfs.std.log"),
		"--listen=" + p.IP, "--localhost=" + p.IP, fmt.Sprintf("--speed=%gx", 1/p.TimeScale), fmt.Sprintf("--seed=%d", p.Seed),
	}
	if p.Quirks != "" {
		args = append(args, "--quirks="+p.Quirks)
	}
	if p.Python != "" {
		args = append(args, "--python="+p.Python)
	}
	if p.Outlive {
		args = append(args, "--outlive")
	}
	return Program{Args: args, Env: p.Env}, nil
}

var _ AgentProgram = OwnAgent

package programs

import (
	"strings"

	"github.com/monosim/monosim/engine/agent/clients"
	"github.com/monosim/monosim/engine/pysem"
)

// agentController runs agent_controller.py: it declares, publishes or withdraws models, or lists
// the existing ones.
func (p *process) agentController() error {
	overwrite, err := p.flags.Value("overwrite")
	if err != nil {
		return err
	}
	text := func(name string) string { return p.flags.Text(name).V }
	o := clients.ControlOptions{
		Cmd: text("cmd"), ZKServers: text("zk_servers"), Bzid: text("bzid"), ExportBase: text("export_base"),
		Overwrite: pysem.Truth(overwrite), Arch: text("arch"), ModelName: text("model_name"), Layout: text("layout"),
		Quirks: p.options.Quirks,
	}
	switch o.Cmd {
	case "decl":
		p.want = "want --export_base, the directory of an export"
		if o.ExportBase != "" {
			p.want += " with entry/VERSION/saved_model.pb, a SavedModel in protobuf's binary form whose graph calls the PS by the model's name"
		}
	case "pub", "unpub":
		if o.Layout == "" || o.ModelName == "" {
			p.want = "want --layout, and --model_name as a pattern of sub-graphs: ctr:ps_*"
		}
	}
	p.trying("ZooKeeper at "+o.ZKServers, "is one running there? --zk_servers names it")
	printed, err := clients.Control(p.Env, o)
	p.printed.WriteString(printed)
	if o.Cmd == "bzid_info" {
		p.result = rawJSON(strings.TrimSpace(printed))
	} else {
		p.result = pysem.DictOf("cmd", o.Cmd)
	}
	return err
}

package agentcheck

import (
	"strconv"
	"strings"

	"github.com/monosim/monosim/engine/agent"
	"github.com/monosim/monosim/engine/agent/agentconfig"
	"github.com/monosim/monosim/engine/agent/datadef"
	"github.com/monosim/monosim/runners"
)

// placeV3 returns what an agent v3 has to serve: what its filters accept of a layout.
func placeV3(a *agent.AgentV3) (*place, error) {
	layout, err := a.Conf().LayoutPath()
	if err != nil {
		return nil, err
	}
	root, _, _ := strings.Cut(strings.TrimPrefix(layout, "/"), "/")
	if bzid := a.Conf().Bzid.String(); bzid != "" {
		root = bzid
	}
	p := &place{prefix: "/" + root, layout: layout, container: a.Container().String()}
	p.filters, err = filtersOf(a.Conf())
	return p, err
}

// filtersOf reads the filters from the configuration, so as not to ask the agent that is checked.
func filtersOf(conf *agentconfig.AgentConfig) (list []agentconfig.LayoutFilter, err error) {
	shard, err := conf.ShardID()
	if err != nil {
		return nil, err
	}
	replace := strings.NewReplacer("${shard_id}", strconv.Itoa(max(shard, 0)), "${shard_num}", strconv.Itoa(max(conf.NumShard.V, 1)))
	for _, text := range conf.LayoutFilters {
		match, condition, ok := strings.Cut(replace.Replace(text), ";")
		if !ok {
			condition = "True" // only where Q22 is repaired
		}
		f, err := agentconfig.NewLayoutFilter(agentconfig.NormalizeRegex(match), condition)
		if err != nil {
			return nil, err
		}
		list = append(list, f)
	}
	return list, nil
}

// targets lists the models that a pod has to serve now. Children of the layout that are not
// declared models are skipped.
func (c *Checker) targets(p *place) ([]target, error) {
	if p.v1 {
		return p.tasks, nil
	}
	layout, _, err := c.view.Znode(p.layout)
	if err != nil {
		return nil, err
	}
	var list []target
	for _, child := range layout.Children {
		model, subGraph, ok := strings.Cut(child, ":")
		if !ok || !p.accepts(subGraph) {
			continue
		}
		declared, ok, err := c.view.Znode(p.prefix + "/saved_models/" + model + "/" + subGraph)
		if err != nil {
			return nil, err
		}
		deploy, wrong := datadef.ParseSavedModelDeployConfig(declared.Data)
		if !ok || wrong != nil {
			continue
		}
		list = append(list, target{
			model: child, key: child, base: deploy.ModelBasePath.V, all: strings.EqualFold(deploy.VersionPolicy.V, "all"),
			node: p.prefix + "/binding/" + model + "/" + subGraph + ":" + p.container,
		})
	}
	return list, nil
}

// accepts reports whether the filters accept a sub-graph. A filter that fails accepts none.
func (p *place) accepts(subGraph string) bool {
	for i := range p.filters {
		if ok, err := p.filters[i].Accepts(subGraph); ok || err != nil {
			return err == nil
		}
	}
	return len(p.filters) == 0
}

// declared notes whether a deploy config that was just written can be read.
func (c *Checker) declared(o runners.Observation) {
	if !strings.Contains(o.Path, "/saved_models/") || strings.Count(o.Path, "/") != 4 {
		return
	}
	delete(c.unreadable, o.Path)
	z, ok, err := c.view.Znode(o.Path)
	if err != nil || !ok {
		return
	}
	if _, err := datadef.ParseSavedModelDeployConfig(z.Data); err != nil {
		c.unreadable[o.Path] = true
	}
}

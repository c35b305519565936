package settings

import "testing"

// Goal: every setting that a scenario may name has an explanation, and nothing else is explained.
func TestEverySettingIsDescribed(t *testing.T) {
	found := map[string]int{}
	named := map[string]bool{}
	for _, s := range List() {
		found[s.Of]++
		named[s.Of+" "+s.Name] = true
		if s.Meaning == "" || (s.Of == "agent" || s.Of == "job") && s.Type == "" || s.Of == "agent" && s.Default == "" {
			t.Errorf("%+v: want a type, a default and a meaning", s)
		}
	}
	if found["agent"] < 60 || found["job"] < 40 || found["error code"] != 17 {
		t.Errorf("found %v, want all settings of agents and jobs, and 17 codes", found)
	}
	for name := range agents {
		if !named["agent "+name] {
			t.Errorf("agents: %s is no setting", name)
		}
	}
	for name := range jobs {
		if !named["job "+name] {
			t.Errorf("jobs: %s is no setting", name)
		}
	}
}

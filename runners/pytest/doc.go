// Package pytest has no code in Go: beside it lies a Python package of fixtures for pytest, which
// serve with monosim, and its tests here build the wheel and run it with pytest.
//
// Two things to use first:
//
//   - `make pytest-wheel` builds the wheel.
//   - README.md has a test with each fixture.
//
// To change
//
//   - a fixture, or a setting of pytest: src/monosim_fixtures/plugin.py
//   - how a server is started, awaited and ended: src/monosim_fixtures/servers.py
//
// Unstable: any commit may change it.
package pytest

# Written by monosim-lab calibrate: how long work took, as it was measured.
profile: monosim.profile/v1
calibrated: {on: 2026-11-29, runs: 1, calls: 7188, disturbed: 1}
service:
  entry: {cpu: "gamma(mean=16.27957ms, cv=1.708)", threads: 10000}
  ps: {cpu: "lognormal(mean=24.536399ms, sigma=0.3518)", threads: 4}
  contention: {model: none}
network:
  overhead_per_rpc: 487.631µs
  same_cluster: "gamma(mean=14.008764ms, cv=2.072)"
fitted: # with intervals of 95 %
  - {what: service.ps.cpu mean, value: 2.4611e+07, low: 2.3545e+07, high: 2.5677e+07, unit: "ns"}
  - {what: service.ps.cpu sigma, value: 0.35176, low: 0.33438, high: 0.36915, unit: ""}
  - {what: service.entry.cpu mean, value: 1.628e+07, low: 8.7716e+06, high: 2.3788e+07, unit: "ns"}
  - {what: service.entry.cpu cv, value: 1.7079, low: 1.5772, high: 1.8386, unit: ""}
  - {what: network.overhead_per_rpc, value: 4.8763e+05, low: -92418, high: 1.0677e+06, unit: "ns"}
  - {what: network.same_cluster mean, value: 1.4009e+07, low: 8.2382e+06, high: 1.9779e+07, unit: "ns"}

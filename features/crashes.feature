Feature: Crashes of model servers and agents

  @v3 @Q29 @Q30
  Scenario: A v3 pod whose model server crashed stays in discovery until its threads have woken
    Given a v3 cluster of 1 shard with 2 replicas
    And model ctr with sub-graphs entry of 30 MB in version 1
    And model ctr is declared and published to layout main
    When the cluster starts
    # Between two looks of the agents, which bind at 90s after their start and then at 120s.
    And 95s pass
    Then every agent lists ctr:entry on every pod
    When the model server of shard0-replica1 is killed
    Then shard0-replica1 runs 0 model servers
    And for 20s the agent of shard0-replica0 lists ctr:entry on every pod
    And within 45s ctr:entry is bound to shard0-replica0
    And within 3s shard0-replica1 has ended with exit code -9
    And the agent of shard0-replica0 lists ctr:entry on shard0-replica0

  @v3
  Scenario: A v3 pod that starts again after a crash of its model server serves as before
    Given a v3 cluster of 1 shard with 2 replicas
    And pods that end start again after 10s
    And model ctr with sub-graphs entry of 30 MB in version 1
    And model ctr is declared and published to layout main
    When the cluster starts
    Then within 95s every agent lists ctr:entry on every pod
    When the model server of shard0-replica1 is killed
    Then within 65s shard0-replica1 has ended
    And within 15s shard0-replica1 runs
    And within 100s every agent lists ctr:entry on every pod
    And shard0-replica1 was started 2 times

  @v3
  Scenario: A v3 agent that was killed leaves discovery with its session
    Given a v3 cluster of 1 shard with 2 replicas
    And model ctr with sub-graphs entry of 30 MB in version 1
    And model ctr is declared and published to layout main
    When the cluster starts
    Then within 95s every agent lists ctr:entry on every pod
    When the agent of shard0-replica1 is killed
    Then shard0-replica1 has ended with exit code -9
    And the agent of shard0-replica1 does not answer
    And for 5s the agent of shard0-replica0 lists ctr:entry on every pod
    And within 8s the agent of shard0-replica0 lists ctr:entry on shard0-replica0
    When shard0-replica1 is started again
    Then within 100s every agent lists ctr:entry on every pod

  @v3
  Scenario: A v3 model server that outlives its agent serves on where no container ends with it (BB-2.7)
    Given a v3 cluster of 1 shard with 1 replica
    And what agents have started outlives them
    And model ctr with sub-graphs entry of 30 MB in version 1
    And model ctr is declared and published to layout main
    When the cluster starts
    Then within 95s every agent lists ctr:entry on every pod
    When the agent of shard0-replica0 is killed
    Then shard0-replica0 has ended with exit code -9
    And shard0-replica0 runs 1 model server
    And for 60s every model server has version 1 of ctr:entry AVAILABLE
    When shard0-replica0 is started again
    Then within 100s every agent lists ctr:entry on every pod
    And shard0-replica0 runs 2 model servers

  @v3
  Scenario: A v3 agent that is asked to stop ends its session in order
    Given a v3 cluster of 1 shard with 2 replicas
    And model ctr with sub-graphs entry of 30 MB in version 1
    And model ctr is declared and published to layout main
    When the cluster starts
    Then within 95s every agent lists ctr:entry on every pod
    When the agent of shard0-replica1 is asked to stop
    Then within 63s shard0-replica1 has ended with exit code -9
    And ctr:entry is bound to shard0-replica0
    And shard0-replica1 has no service info

  @v1 @Q15
  Scenario: The end of one model server of v1 takes the whole pod with it
    Given a v1 cluster of 1 shard with 2 replicas
    And the agent setting "num_ps" is "1"
    And model predict_ctr with sub-graphs entry, ps_0 of 30 MB in version 1
    When the cluster starts
    Then within 60s every agent lists entry:0 on every pod
    # The agent sees the entry's port, which it tries every 10s, before it looks after its servers.
    When 11s pass
    And the entry server of shard0-replica1 is killed
    Then within 5s shard0-replica1 has ended with exit code -9
    And shard0-replica1 runs 0 model servers
    And within 14s shard0-replica1 is not registered for ps:0
    And within 1s the agent of shard0-replica0 lists ps:0 on shard0-replica0

  @v1 @Q20
  Scenario: A v1 pod takes an hour to notice that its entry died before its port was seen
    Given a v1 cluster of 1 shard with 1 replica
    And the agent setting "num_ps" is "1"
    And model predict_ctr with sub-graphs entry, ps_0 of 30 MB in version 1
    When the cluster starts
    Then within 60s shard0-replica0 runs 2 model servers
    And within 5s the entry server of shard0-replica0 serves
    When the entry server of shard0-replica0 is killed
    Then shard0-replica0 runs 1 model server
    And for 59m shard0-replica0 runs
    And within 2m shard0-replica0 has ended with exit code -9

  @v1
  Scenario: A v1 pod that comes back is found under its old replica
    Given a v1 cluster of 1 shard with 2 replicas
    And pods that end start again after 30s
    And the agent setting "num_ps" is "1"
    And model predict_ctr with sub-graphs entry, ps_0 of 30 MB in version 1
    When the cluster starts
    Then within 60s every agent lists entry:0 on every pod
    When the agent of shard0-replica1 is killed
    Then within 14s the agent of shard0-replica0 lists ps:0 on shard0-replica0
    And within 150s every agent lists entry:0 on every pod
    And znode /predict_ctr/service/predict_ctr/ps:0 has 2 children
    And shard0-replica1 was started 2 times

  @v1 @Q40 @Q120
  Scenario: A v1 pod that comes back within the session timeout is dropped with the old session
    Given a v1 cluster of 1 shard with 2 replicas
    And pods that end start again after 2s
    And the agent setting "num_ps" is "1"
    And model predict_ctr with sub-graphs entry, ps_0 of 30 MB in version 1
    When the cluster starts
    Then within 60s every agent lists entry:0 on every pod
    When the agent of shard0-replica1 is killed
    Then within 5s shard0-replica1 is registered for ps:0 as UNKNOWN
    And within 10s shard0-replica1 is not registered for ps:0

  @v1
  Scenario: A v1 agent that is asked to stop kills its model servers one after the other and then itself
    Given a v1 cluster of 1 shard with 1 replica
    And the agent setting "num_ps" is "1"
    And model predict_ctr with sub-graphs entry, ps_0 of 30 MB in version 1
    When the cluster starts
    Then within 60s shard0-replica0 is registered for entry:0 as AVAILABLE
    When the agent of shard0-replica0 is asked to stop
    Then within 100ms shard0-replica0 runs 1 model server
    And for 500ms shard0-replica0 runs 1 model server
    And within 1s shard0-replica0 runs 0 model servers
    And shard0-replica0 runs
    And within 1500ms shard0-replica0 has ended with exit code -9

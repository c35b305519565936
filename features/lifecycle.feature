Feature: The life of a cluster

  @v3 @cluster1000
  Scenario: A v3 cluster starts, serves, rolls out, loses a pod and gets it back
    Given a v3 cluster of 2 shards with 2 replicas each
    And pods that end start again after 20s
    And the agent setting "layout_filters" is "ps_{i};i % ${shard_num} == ${shard_id}"
    And the agent setting "layout_filters" is also "entry;True"
    And model ctr with sub-graphs entry, ps_0, ps_1 of 60 MB in version 1
    When the cluster starts
    And 5s pass
    And model ctr is declared and published to layout main
    Then within 100s ctr:entry is bound to every pod
    And within 35s every agent lists ctr:ps_0 on shard0-replica0 and shard0-replica1
    And within 35s every agent lists ctr:ps_1 on shard1-replica0 and shard1-replica1
    When version 2 of ctr:entry is exported with 120 MB
    Then within 5s every model server has version 2 of ctr:entry AVAILABLE
    And within 2s every model server has version 1 of ctr:entry END
    When the agent of shard1-replica0 is killed
    Then within 15s the agents of shard0-replica0 and shard1-replica1 list ctr:ps_1 on shard1-replica1
    And within 2m every agent lists ctr:ps_1 on shard1-replica0 and shard1-replica1
    And within 35s every agent lists ctr:entry on every pod
    And shard1-replica0 was started 2 times

Feature: The cause of another-model

  Scenario: A v1 cluster serves a model of another name
    Given a v1 cluster of 1 shard with 1 replica
    And the agent setting "num_ps" is "1"
    And model ranker with sub-graphs entry, ps_0 of 30 MB in version 1
    When the cluster starts
    Then within 60s the ps server of shard0-replica0 has version 1 of ps_0 AVAILABLE

Feature: A failure after agent.stopped

  Scenario: An agent that is asked to stop ends with 1
    Given a v3 cluster of 1 shard with 2 replicas
    And model ctr with sub-graphs entry, ps_0 of 30 MB in version 1
    And model ctr is declared and published to layout main
    When the cluster starts
    Then within 95s every agent lists ctr:entry on every pod
    When the agent of shard0-replica0 is asked to stop
    Then within 2m shard0-replica0 has ended with exit code 1

Feature: The cause of memory-limit

  Scenario: Two versions fit into the memory
    Given a v3 cluster of 1 shard with 1 replica
    And model servers may use 5 GB of memory
    And model ctr with sub-graphs entry of 3 GB in version 1
    And model ctr is declared and published to layout main
    When the cluster starts
    Then within 95s ctr:entry is bound to every pod
    When version 2 of ctr:entry is exported with 3 GB
    Then within 60s the model server of shard0-replica0 has version 2 of ctr:entry AVAILABLE

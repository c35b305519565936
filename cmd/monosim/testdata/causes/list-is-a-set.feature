Feature: The cause of list-is-a-set

  Scenario: The model config lists what was published
    Given a v3 cluster of 1 shard with 2 replicas
    And model ctr with sub-graphs entry, ps_0 of 30 MB in version 1
    And model ctr is declared and published to layout main
    When the cluster starts
    Then within 95s the model config of shard0-replica0 lists ctr:entry

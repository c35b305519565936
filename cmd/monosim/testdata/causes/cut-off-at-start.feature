Feature: The cause of cut-off-at-start

  Scenario: An agent that is cut off at its start waits
    Given a v3 cluster of 1 shard with 2 replicas
    When shard0-replica1 gets cut off from ZooKeeper for 20s
    And the cluster starts
    Then within 40s every pod has service info

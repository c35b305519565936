Feature: The cause of looks-later

  Scenario: Agents list a model at once after an election
    Given a v3 cluster of 1 shard with 2 replicas
    And model ctr with sub-graphs entry, ps_0 of 30 MB in version 1
    When the cluster starts
    And 20s pass
    And ZooKeeper loses its leader for 10s
    And 15s pass
    And model ctr is declared and published to layout main
    Then within 30s every agent lists ctr:entry on every pod

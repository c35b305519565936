Feature: A failure after zookeeper.down

  Scenario: Service info stays through a long outage
    Given a v3 cluster of 1 shard with 2 replicas
    And model ctr with sub-graphs entry, ps_0 of 30 MB in version 1
    And model ctr is declared and published to layout main
    When the cluster starts
    Then within 95s every agent lists ctr:entry on every pod
    When ZooKeeper is down for 50s
    Then for 60s every pod has service info

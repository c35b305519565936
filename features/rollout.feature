Feature: Rolling out versions

  @v3
  Scenario: A new version replaces the old one without a gap in discovery
    Given a v3 cluster of 1 shard with 2 replicas
    And model ctr with sub-graphs entry of 30 MB in version 1
    And model ctr is declared and published to layout main
    When the cluster starts
    Then within 95s ctr:entry is bound to every pod
    When version 2 of ctr:entry is exported
    Then within 3s every model server has version 2 of ctr:entry AVAILABLE
    And within 1s every model server has version 1 of ctr:entry END
    And for 65s every agent lists ctr:entry on every pod

  @v3
  Scenario: The old version serves as long as a large new one loads
    Given a v3 cluster of 1 shard with 1 replica
    And model ctr with sub-graphs entry of 30 MB in version 1
    And model ctr is declared and published to layout main
    When the cluster starts
    Then within 65s every model server has version 1 of ctr:entry AVAILABLE
    When version 2 of ctr:entry is exported with 3 GB
    Then within 2s every model server has version 2 of ctr:entry LOADING
    And for 6s every model server has version 1 of ctr:entry AVAILABLE
    And within 6s every model server has version 2 of ctr:entry AVAILABLE

  @v3
  Scenario: Deleting the newest version brings the one before it back
    Given a v3 cluster of 1 shard with 1 replica
    And model ctr with sub-graphs entry of 30 MB in version 1
    And model ctr is declared and published to layout main
    When the cluster starts
    And version 2 of ctr:entry is exported
    Then within 65s every model server has version 2 of ctr:entry AVAILABLE
    When version 2 of ctr:entry is deleted
    Then within 3s every model server has version 1 of ctr:entry AVAILABLE
    And within 1s every model server has version 2 of ctr:entry END
    And within 35s ctr:entry is bound to every pod

  @v1 @Q212
  Scenario: A v1 entry follows new versions, its PS does not
    Given a v1 cluster of 1 shard with 1 replica
    And the agent setting "num_ps" is "1"
    And model predict_ctr with sub-graphs entry, ps_0 of 30 MB in version 1
    When the cluster starts
    Then within 60s shard0-replica0 is registered for entry:0 as AVAILABLE
    When version 2 of predict_ctr:entry is exported
    And version 2 of predict_ctr:ps_0 is exported
    Then within 3s the entry server of shard0-replica0 has version 2 of entry AVAILABLE
    And for 2m the ps server of shard0-replica0 has version 1 of ps_0 AVAILABLE
    And for 10s shard0-replica0 is registered for entry:0 as AVAILABLE

  @v1
  Scenario: A v1 PS follows new versions when it is told to poll
    Given a v1 cluster of 1 shard with 1 replica
    And the agent setting "num_ps" is "1"
    And the agent setting "file_system_poll_wait_seconds_ps" is "5"
    And model predict_ctr with sub-graphs entry, ps_0 of 30 MB in version 1
    When the cluster starts
    Then within 60s shard0-replica0 is registered for ps:0 as AVAILABLE
    When version 2 of predict_ctr:ps_0 is exported
    Then within 7s the ps server of shard0-replica0 has version 2 of ps_0 AVAILABLE
    And within 1s the ps server of shard0-replica0 has version 1 of ps_0 END

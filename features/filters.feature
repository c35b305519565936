Feature: Layout filters

  @v3
  Scenario: A shard filter spreads the PS over the shards
    Given a v3 cluster of 2 shards with 2 replicas each
    And the agent setting "layout_filters" is "ps_{i};i % ${shard_num} == ${shard_id}"
    And the agent setting "layout_filters" is also "entry;${shard_id} == 0"
    And model ctr with sub-graphs entry, ps_0, ps_1, ps_2, ps_10 of 30 MB in version 1
    And model ctr is declared and published to layout main
    When the cluster starts
    Then within 3s the model config of shard0-replica0 lists ctr:entry, ctr:ps_0, ctr:ps_2, ctr:ps_10
    And within 3s the model config of shard1-replica1 lists ctr:ps_1
    And within 95s ctr:ps_1 is bound to shard1-replica0 and shard1-replica1
    And within 95s ctr:entry is bound to shard0-replica0 and shard0-replica1
    And within 95s every agent lists ctr:ps_10 on shard0-replica0 and shard0-replica1

  @v3 @Q23
  Scenario: A filter matches by prefix
    Given a v3 cluster of 1 shard with 1 replica
    And the agent setting "layout_filters" is "ps_{i};i == 1"
    And model ctr with sub-graphs entry, ps_1, ps_1_backup, ps_2 of 30 MB in version 1
    And model ctr is declared and published to layout main
    When the cluster starts
    Then within 3s the model config of shard0-replica0 lists ctr:ps_1 and ctr:ps_1_backup

  @v3 @Q22
  Scenario: A filter without a semicolon ends the agent of the reference
    Given a v3 cluster of 1 shard with 1 replica
    And the agents keep the quirks "python"
    And the agent setting "layout_filters" is "ps_0"
    And model ctr with sub-graphs entry, ps_0 of 30 MB in version 1
    And model ctr is declared and published to layout main
    When the cluster starts
    Then within 3s shard0-replica0 has ended with exit code 1

  # not-python: the reference keeps all of its faults
  @v3 @Q22 @not-python
  Scenario: A filter without a semicolon always holds for a repaired agent
    Given a v3 cluster of 1 shard with 1 replica
    And the agents keep the quirks "fixed"
    And the agent setting "layout_filters" is "ps_0"
    And model ctr with sub-graphs entry, ps_0 of 30 MB in version 1
    And model ctr is declared and published to layout main
    When the cluster starts
    Then within 95s every agent lists ctr:ps_0 on every pod
    And the model config of shard0-replica0 lists ctr:ps_0

  @v3 @Q152
  Scenario: The third filter of a configuration is dropped
    Given a v3 cluster of 1 shard with 1 replica
    And the agents keep the quirks "python"
    And the agent setting "layout_filters" is "ps_0;True"
    And the agent setting "layout_filters" is also "ps_1;True"
    And the agent setting "layout_filters" is also "entry;True"
    And model ctr with sub-graphs entry, ps_0, ps_1 of 30 MB in version 1
    And model ctr is declared and published to layout main
    When the cluster starts
    Then within 3s the model config of shard0-replica0 lists ctr:ps_0 and ctr:ps_1

  # not-python: the reference keeps all of its faults
  @v3 @Q152 @not-python
  Scenario: A repaired agent keeps all filters
    Given a v3 cluster of 1 shard with 1 replica
    And the agents keep the quirks "fixed"
    And the agent setting "layout_filters" is "ps_0;True"
    And the agent setting "layout_filters" is also "ps_1;True"
    And the agent setting "layout_filters" is also "entry;True"
    And model ctr with sub-graphs entry, ps_0, ps_1 of 30 MB in version 1
    And model ctr is declared and published to layout main
    When the cluster starts
    Then within 3s the model config of shard0-replica0 lists ctr:entry, ctr:ps_0, ctr:ps_1

  @v3 @Q24
  Scenario: A condition with an unknown name keeps the model config as it was
    Given a v3 cluster of 1 shard with 1 replica
    And the agent setting "layout_filters" is "ps_{i};j == 0"
    And model ctr with sub-graphs entry, ps_0 of 30 MB in version 1
    When the cluster starts
    And 5s pass
    And ctr:entry and ctr:ps_0 are declared
    And ctr:entry is published to layout main
    And ctr:ps_0 is published to layout main
    Then for 65s the model config of shard0-replica0 is empty
    And shard0-replica0 runs

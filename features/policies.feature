Feature: Version policies of a deploy config

  Background:
    Given a v3 cluster of 1 shard with 1 replica
    And model ctr with sub-graphs entry, ps_0 of 30 MB in version 1

  @v3 @Q25
  Scenario: One model with policy latest_once keeps the reference from loading any
    Given the agents keep the quirks "python"
    When the cluster starts
    And ctr:entry is declared
    And ctr:ps_0 is declared with policy "latest_once"
    And 5s pass
    And ctr:ps_0 and ctr:entry are published to layout main
    Then for 65s the model config of shard0-replica0 is empty
    And every model server has no version of ctr:entry

  # not-python: the reference keeps all of its faults
  @v3 @Q25 @not-python
  Scenario: A repaired agent loads a model with policy latest_once
    Given the agents keep the quirks "fixed"
    When the cluster starts
    And ctr:entry is declared
    And ctr:ps_0 is declared with policy "latest_once"
    And ctr:entry and ctr:ps_0 are published to layout main
    Then within 65s every model server has version 1 of ctr:ps_0 AVAILABLE
    And within 65s every model server has version 1 of ctr:entry AVAILABLE

  @v3 @Q25
  Scenario: An agent with the fork's protos has a model with policy latest_once stay on its version (BB-2.6)
    Given the agents keep the quirks "python,Q25=fork"
    When the cluster starts
    And ctr:entry is declared
    And ctr:ps_0 is declared with policy "latest_once"
    And ctr:entry and ctr:ps_0 are published to layout main
    Then within 65s every model server has version 1 of ctr:ps_0 AVAILABLE
    And within 65s every model server has version 1 of ctr:entry AVAILABLE
    When version 2 of ctr:entry is exported
    And version 2 of ctr:ps_0 is exported
    Then within 3s every model server has version 2 of ctr:entry AVAILABLE
    And for 2m every model server has version 1 of ctr:ps_0 AVAILABLE

  # TFS-21.1: polls skip a model while any version of it is AVAILABLE, and then it is as latest.
  @v3 @Q25
  Scenario: With the fork's protos a PS moves to a new version when its pod starts again
    Given pods that end start again after 5s
    And the agents keep the quirks "python,Q25=fork"
    When the cluster starts
    And ctr:entry is declared
    And ctr:ps_0 is declared with policy "latest_once"
    And ctr:entry and ctr:ps_0 are published to layout main
    Then within 65s every model server has version 1 of ctr:ps_0 AVAILABLE
    When version 2 of ctr:ps_0 is exported
    And version 1 of ctr:ps_0 is deleted
    Then for 2m every model server has version 1 of ctr:ps_0 AVAILABLE
    When the agent of shard0-replica0 is killed
    Then within 100s every model server has version 2 of ctr:ps_0 AVAILABLE
    And every model server has 1 version of ctr:ps_0

  @v3 @Q26
  Scenario: Policy specific means version 1
    When the cluster starts
    And version 2 of ctr:entry is exported
    And ctr:entry is declared with policy "specific"
    And ctr:entry is published to layout main
    Then within 65s every model server has version 1 of ctr:entry AVAILABLE
    When version 3 of ctr:entry is exported
    Then for 10s every model server has version 1 of ctr:entry AVAILABLE

  @v3
  Scenario: Policy all serves every version
    When the cluster starts
    And version 2 of ctr:entry is exported
    And ctr:entry is declared with policy "all"
    And ctr:entry is published to layout main
    Then within 65s every model server has version 1 of ctr:entry AVAILABLE
    And within 1s every model server has version 2 of ctr:entry AVAILABLE
    When version 3 of ctr:entry is exported
    Then within 3s every model server has version 3 of ctr:entry AVAILABLE
    And every model server has version 1 of ctr:entry AVAILABLE

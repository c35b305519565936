# a remark before all

@whole @a/b
Feature: Pods in rules
  What this is about,
    in two lines.

  Background:
    Given a v3 cluster of 1 shard with 2 replicas

  Scenario: Pods run
    About one pod.

    When the cluster starts
    Then every pod runs

  Rule: At the start

    @same
    Scenario: same
      When the cluster starts
      Then every pod runs

  @later
  Rule: Later on

    Scenario: same
      When the cluster starts
      And 10s pass
      Then every pod runs

    @each
    Scenario Outline: After <time> pass pods run
      In rows.
      When the cluster starts
      * <time> pass
      Then every pod runs

      @short
      Examples:
        | time |
        | 1s   |
        | 2s   |

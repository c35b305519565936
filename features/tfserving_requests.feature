# not-python: a model server without an agent
@not-python
Feature: Requests in flight

  Background:
    Given a model server with the flags "--model_config_file=/etc/models.conf"
    And model ctr with sub-graphs entry of 30 MB in version 1
    And model cvr with sub-graphs entry of 30 MB in version 1

  # S-17, TFS-12.2, TFS-2.3 item 3. Issue 1265. That a request holds up the versions
  # of other models follows from the code alone.
  @TFS-S17 @issue-1265
  Scenario Outline: A request that its client has given up runs on and holds up a new version of another model
    Given the model server profile is "<profile>"
    And a Predict takes 30s
    And the model config file /etc/models.conf lists ctr:entry and cvr:entry
    When the model server starts
    Then within 6s the model server serves
    When a Predict of cvr:entry is sent to the model server with a deadline of 5s
    And version 2 of ctr:entry is exported
    Then for 4.9s the Predict is not answered
    And within 200ms the Predict fails with DEADLINE_EXCEEDED ""
    And for 24s the model server has version 2 of ctr:entry LOADING
    And within 2s the model server has version 2 of ctr:entry AVAILABLE

    Examples:
      | profile  |
      | tfs-2.4  |
      | tfs-head |

  @TFS-S17 @issue-1265
  Scenario: A request that its client has given up keeps the version of another model unloading
    Given a Predict takes 30s
    And the model config file /etc/models.conf lists ctr:entry and cvr:entry
    When the model server starts
    Then within 6s the model server serves
    When a Predict of cvr:entry is sent to the model server with a deadline of 5s
    And 1s passes
    And the model server is asked to reload to cvr:entry
    Then within 100ms the reload is answered with OK
    And within 200ms the model server has version 1 of ctr:entry UNLOADING
    And for 28s the model server has version 1 of ctr:entry UNLOADING
    And the Predict fails with DEADLINE_EXCEEDED ""
    And within 2s the model server has version 1 of ctr:entry END

  @TFS-S17 @issue-1265
  Scenario: A request whose client waits is answered by the version that it began with
    Given a Predict takes 30s
    And the model config file /etc/models.conf lists ctr:entry
    When the model server starts
    Then within 6s the model server serves
    When a Predict of ctr:entry is sent to the model server
    And version 2 of ctr:entry is exported
    Then within 2s the model server has version 2 of ctr:entry LOADING
    And for 28s the model server has version 2 of ctr:entry LOADING
    And the Predict is not answered
    And within 2s the Predict is answered by version 1
    And within 1s the model server has version 2 of ctr:entry AVAILABLE

# not-python: a model server without an agent
@not-python
Feature: Reloads of a model server's config

  Background:
    Given a model server with the flags "--model_config_file=/etc/models.conf"
    And model ctr with sub-graphs entry of 30 MB in version 1
    And model cvr with sub-graphs entry of 30 MB in version 1

  # S-2, TFS-3.1, TFS-8.7. Issues 1519, 1565 and 1447.
  @TFS-S2 @issue-1565 @issue-1447
  Scenario Outline: A reload to a model without a version hangs, and later reloads hang with it
    Given the model server profile is "<profile>"
    And the model config file /etc/models.conf lists ctr:entry
    When version 1 of new:entry is exported with 1 MB
    And version 1 of new:entry is deleted
    And the model server starts
    Then within 5s the model server serves
    When the model server is asked to reload to ctr:entry and new:entry with a deadline of 5s
    Then for 4.9s the reload is not answered
    And within 200ms the reload fails with DEADLINE_EXCEEDED ""
    When the model server is asked to reload to ctr:entry
    Then for 1h the second reload is not answered
    And a Predict of ctr:entry to the model server is answered by version 1
    When version 1 of new:entry is exported with 1 MB
    Then within 3s the second reload is answered with OK

    Examples:
      | profile  |
      | tfs-2.4  |
      | tfs-head |

  @TFS-S2 @issue-1519
  Scenario: Without polling a reload to a new model hangs for good
    Given a model server with the flags "--model_config_file=/etc/models.conf --file_system_poll_wait_seconds=0"
    And the model config file /etc/models.conf lists ctr:entry
    When the model server starts
    Then within 5s the model server serves
    When the model server is asked to reload to ctr:entry and cvr:entry with a deadline of 5s
    Then for 4.9s the reload is not answered
    And within 200ms the reload fails with DEADLINE_EXCEEDED ""
    When version 2 of cvr:entry is exported
    And the model server is asked to reload to ctr:entry
    Then for 2h the second reload is not answered
    And the model server has no version of cvr:entry

  @TFS-S2 @issue-1519
  Scenario: Without polling a reload still removes a model at once
    Given a model server with the flags "--model_config_file=/etc/models.conf --file_system_poll_wait_seconds=0"
    And the model config file /etc/models.conf lists ctr:entry and cvr:entry
    When the model server starts
    Then within 5s the model server serves
    When the model server is asked to reload to ctr:entry
    Then within 100ms the reload is answered with OK
    And within 300ms the model server has version 1 of cvr:entry END

  # S-3, TFS-8.9.
  @TFS-S3 @issue-1565
  Scenario Outline: A model that failed in the first config of an empty server can never be added again
    Given the model server profile is "<profile>"
    And a model server with the flags "--model_config_file=/etc/models.conf --max_num_load_retries=0"
    And the model config file /etc/models.conf is empty
    And version 1 of ctr:entry is broken
    When the model server starts
    Then within 4s the model server serves
    When the model server is asked to reload to ctr:entry
    Then within 3s the reload fails with UNKNOWN "1 servable(s) did not become available: {{{name: ctr:entry version: 1} due to error: <code>: Could not find SavedModel"
    When the model server is asked to reload to cvr:entry
    Then within 3s the second reload is answered with OK
    When version 1 of ctr:entry is repaired
    And the model server is asked to reload to ctr:entry and cvr:entry
    Then for 1h the third reload is not answered
    And the model server has version 1 of ctr:entry END
    When the model server is asked to reload to cvr:entry with a deadline of 5s
    Then within 5.1s the fourth reload fails with DEADLINE_EXCEEDED ""
    And a Predict of cvr:entry to the model server is answered by version 1

    Examples:
      | profile  | code      |
      | tfs-2.4  | Not found |
      | tfs-head | NOT_FOUND |

  @TFS-S3 @issue-1565
  Scenario: A server that starts with an empty list of models gets over a first failure
    Given a model server with the flags "--model_config_file=/etc/models.conf --max_num_load_retries=0"
    And the model config file /etc/models.conf lists no model
    And version 1 of ctr:entry is broken
    When the model server starts
    Then within 4s the model server serves
    When the model server is asked to reload to ctr:entry
    Then within 3s the reload fails with UNKNOWN "1 model(s) did not become available: {{{name: ctr:entry version: 1} due to error: Not found: Could not find SavedModel"
    When the model server is asked to reload to cvr:entry
    Then within 3s the second reload is answered with OK
    When version 1 of ctr:entry is repaired
    And the model server is asked to reload to ctr:entry and cvr:entry
    Then within 3s the third reload is answered with OK
    And the model server has version 1 of ctr:entry AVAILABLE

  # S-4, TFS-8.8: follows from the code alone (TFS-21.5).
  @TFS-S4
  Scenario Outline: A model that is removed and added again while the manager is busy wakes nobody up
    Given the model server profile is "<profile>"
    And the model config file /etc/models.conf lists ctr:entry and cvr:entry
    When the model server starts
    Then within 6s the model server serves
    When version 2 of ctr:entry is exported
    And version 2 of ctr:entry is broken
    And 3s pass
    And the model server is asked to reload to ctr:entry
    Then within 100ms the reload is answered with OK
    When the model server is asked to reload to ctr:entry and cvr:entry
    Then for 1h the model server has version 1 of cvr:entry AVAILABLE
    And the second reload is not answered
    When the model server is asked to reload to ctr:entry and cvr:entry with a deadline of 5s
    Then within 5.1s the third reload fails with DEADLINE_EXCEEDED ""

    Examples:
      | profile  |
      | tfs-2.4  |
      | tfs-head |

  @TFS-S4
  Scenario: A model that is removed and added again while the manager is idle is loaded again
    Given the model config file /etc/models.conf lists ctr:entry and cvr:entry
    When the model server starts
    Then within 6s the model server serves
    When the model server is asked to reload to ctr:entry
    Then within 500ms the model server has version 1 of cvr:entry END
    When the model server is asked to reload to ctr:entry and cvr:entry
    Then within 3s the second reload is answered with OK
    And the model server has version 1 of cvr:entry AVAILABLE

  @TFS-S4
  Scenario: Load threads keep the manager of tfs-head free to see that a model was removed and added again
    Given the model server profile is "tfs-head"
    And a model server with the flags "--model_config_file=/etc/models.conf --num_load_threads=4"
    And the model config file /etc/models.conf lists ctr:entry and cvr:entry
    When the model server starts
    Then within 6s the model server serves
    When version 2 of ctr:entry is exported
    And version 2 of ctr:entry is broken
    And 3s pass
    And the model server is asked to reload to ctr:entry
    Then within 500ms the model server has version 1 of cvr:entry END
    When the model server is asked to reload to ctr:entry and cvr:entry
    Then within 3s the second reload is answered with OK
    And the model server has version 2 of ctr:entry LOADING

  # S-14, TFS-8.4. tensorflow issue 41387, pull request 1687; the poisoning follows
  # from the code alone (TFS-21.5).
  @TFS-S14 @tensorflow-41387 @issue-1687
  Scenario Outline: A forgotten platform poisons every later reload until the restart
    Given the model server profile is "<profile>"
    And the model config file /etc/models.conf lists ctr:entry
    When the model server starts
    Then within 5s the model server serves
    When the config of cvr:entry has the platform ""
    And the model server is asked to reload to ctr:entry and cvr:entry
    Then within 1s the reload fails with INVALID_ARGUMENT "<text>"
    When the model server is asked to reload to ctr:entry
    Then within 1s the second reload fails with INVALID_ARGUMENT "<text>"
    When the config of cvr:entry has the platform "tensorflow"
    And 1h passes
    And the model server is asked to reload to ctr:entry and cvr:entry
    Then within 1s the third reload fails with INVALID_ARGUMENT "<text>"
    And the model server has no version of cvr:entry
    And a Predict of ctr:entry to the model server is answered by version 1
    When the model server is killed
    And the model server starts
    Then within 5s the model server serves
    When the model server is asked to reload to ctr:entry and cvr:entry
    Then within 3s the fourth reload is answered with OK
    And the model server has version 1 of cvr:entry AVAILABLE

    Examples:
      | profile  | text                                                                                                                              |
      | tfs-2.4  | Illegal setting neither ModelServerConfig::model_type (deprecated) nor ModelServerConfig::model_platform.                         |
      | tfs-head | Illegal setting neither ModelServerConfig::model_type (deprecated) nor ModelServerConfig::model_platform, model name is cvr:entry |

  @TFS-S14
  Scenario: An unknown platform cannot be corrected until a reload leaves the model out
    Given the model config file /etc/models.conf lists ctr:entry
    When the model server starts
    Then within 5s the model server serves
    When the config of cvr:entry has the platform "caffe"
    And the model server is asked to reload to ctr:entry and cvr:entry
    Then within 1s the reload fails with INVALID_ARGUMENT "Model cvr:entry requests unsupported platform caffe"
    When the config of cvr:entry has the platform "tensorflow"
    And the model server is asked to reload to ctr:entry and cvr:entry
    Then within 1s the second reload fails with INVALID_ARGUMENT "Illegal to change a model's platform. For model cvr:entry platform was caffe and new platform requested is tensorflow"
    When the model server is asked to reload to ctr:entry
    Then within 1s the third reload is answered with OK
    When the model server is asked to reload to ctr:entry and cvr:entry
    Then within 3s the fourth reload is answered with OK
    And the model server has version 1 of cvr:entry AVAILABLE

  # S-18, TFS-10, TFS-8.7, TFS-8.8. Issue 1786.
  @TFS-S18 @issue-1786
  Scenario Outline: A server that polls its config every 5s hangs after hours in which it did not
    Given the model server profile is "<profile>"
    And a model server with the flags "--model_config_file=/etc/models.conf --model_config_file_poll_wait_seconds=5"
    And the model config file /etc/models.conf lists ctr:entry and cvr:entry
    When the model server starts
    Then within 6s the model server serves
    When 3h pass
    And the model config file /etc/models.conf lists ctr:entry
    Then within 6s the model server has version 1 of cvr:entry END
    When 3h pass
    And the model config file /etc/models.conf lists ctr:entry and cvr:entry
    Then within 7s the model server has version 1 of cvr:entry AVAILABLE
    When version 2 of ctr:entry is exported
    And version 2 of ctr:entry is broken for 10s
    And the model config file /etc/models.conf lists ctr:entry
    And 6s pass
    And the model config file /etc/models.conf lists ctr:entry and cvr:entry
    And 6s pass
    And the model config file /etc/models.conf lists ctr:entry
    Then within 1m the model server has version 2 of ctr:entry AVAILABLE
    And for 6h the model server has version 1 of cvr:entry AVAILABLE
    When the model server is asked to reload to ctr:entry with a deadline of 10s
    Then within 10.1s the reload fails with DEADLINE_EXCEEDED ""
    And a Predict of cvr:entry to the model server is answered by version 1
    When version 2 of cvr:entry is exported
    Then within 8s the model server has version 2 of cvr:entry END

    Examples:
      | profile  |
      | tfs-2.4  |
      | tfs-head |

# not-python: a model server without an agent
@not-python
Feature: Labels of versions

  Background:
    Given a model server with the flags "--model_config_file=/etc/models.conf"
    And model ctr with sub-graphs entry of 30 MB in version 1

  # S-12, TFS-8.2 step 7, TFS-9.2. Issues 1230 and 1608.
  @TFS-S12 @issue-1230 @issue-1608
  Scenario Outline: Labels in the first config end the start with 255
    Given the model server profile is "<profile>"
    And the config of ctr:entry gives version 1 the label "stable"
    And the model config file /etc/models.conf lists ctr:entry
    When the model server starts
    Then within 4s the model server has ended with exit code 255
    And the model server printed "Failed to start server. Error: <code>: Request to assign label to version 1 of model ctr:entry, which is not currently available for inference"

    Examples:
      | profile  | code                |
      | tfs-2.4  | Failed precondition |
      | tfs-head | FAILED_PRECONDITION |

  @TFS-S12 @issue-1608
  Scenario Outline: Labels in the first config are taken where unavailable versions may have them
    Given the model server profile is "<profile>"
    And a model server with the flags "--model_config_file=/etc/models.conf --allow_version_labels_for_unavailable_models=true"
    And the config of ctr:entry gives version 1 the label "stable"
    And the config of ctr:entry gives version 2 the label "canary" before it is exported
    And the model config file /etc/models.conf lists ctr:entry
    When the model server starts
    Then within 5s the model server serves
    And a Predict of ctr:entry with label "stable" to the model server is answered by version 1
    And a Predict of ctr:entry with label "canary" to the model server fails with NOT_FOUND "Servable not found for request: Specific(ctr:entry, 2)"
    When version 2 of ctr:entry is exported
    Then within 3s a Predict of ctr:entry with label "canary" to the model server is answered by version 2
    And within 1s a Predict of ctr:entry with label "stable" to the model server fails with NOT_FOUND "Servable not found for request: Specific(ctr:entry, 1)"

    Examples:
      | profile  |
      | tfs-2.4  |
      | tfs-head |

  # Issues 1413 and 1555.
  @TFS-S12 @issue-1413 @issue-1555
  Scenario Outline: A label for a version that is not available is refused and is given once it is
    Given the model server profile is "<profile>"
    And the config of ctr:entry has the policy "latest 2"
    And the model config file /etc/models.conf lists ctr:entry
    When the model server starts
    Then within 5s the model server serves
    And a Predict of ctr:entry with label "canary" to the model server fails with INVALID_ARGUMENT "Unrecognized servable version label: canary"
    When the config of ctr:entry gives version 1 the label "stable"
    And the config of ctr:entry gives version 2 the label "canary" before it is exported
    And the model server is asked to reload to ctr:entry
    Then within 1s the reload fails with FAILED_PRECONDITION "Request to assign label to version 2 of model ctr:entry, which is not currently available for inference"
    And a Predict of ctr:entry with label "stable" to the model server fails with INVALID_ARGUMENT "Unrecognized servable version label: stable"
    When version 2 of ctr:entry is exported
    Then within 3s the model server has version 2 of ctr:entry AVAILABLE
    When the model server is asked to reload to ctr:entry
    Then within 1s the second reload is answered with OK
    And a Predict of ctr:entry with label "stable" to the model server is answered by version 1
    And a Predict of ctr:entry with label "canary" to the model server is answered by version 2

    Examples:
      | profile  |
      | tfs-2.4  |
      | tfs-head |

  # A label that points elsewhere may not move to what is not available, whatever
  # the flag (TFS-8.2 step 7).
  @TFS-S12 @issue-1555
  Scenario: A label moves to a version that is not available only if it pointed nowhere
    Given a model server with the flags "--model_config_file=/etc/models.conf --allow_version_labels_for_unavailable_models=true"
    And the config of ctr:entry gives version 1 the label "stable"
    And the model config file /etc/models.conf lists ctr:entry
    When the model server starts
    Then within 5s the model server serves
    When the config of ctr:entry gives version 2 the label "stable" before it is exported
    And the model server is asked to reload to ctr:entry
    Then within 1s the reload fails with FAILED_PRECONDITION "Request to assign label to version 2 of model ctr:entry, which is not currently available for inference"
    And for 1m a Predict of ctr:entry with label "stable" to the model server is answered by version 1

  # TFS-10 item 3.
  @TFS-S12 @issue-1413
  Scenario: A polled config file labels a version as soon as a poll finds it available
    Given a model server with the flags "--model_config_file=/etc/models.conf --model_config_file_poll_wait_seconds=10"
    And the config of ctr:entry has the policy "latest 2"
    And the model config file /etc/models.conf lists ctr:entry
    When the model server starts
    Then within 5s the model server serves
    When the config of ctr:entry gives version 2 the label "canary" before it is exported
    And the model config file /etc/models.conf lists ctr:entry
    Then for 1h a Predict of ctr:entry with label "canary" to the model server fails with INVALID_ARGUMENT "Unrecognized servable version label: canary"
    When version 2 of ctr:entry is exported
    Then within 13s a Predict of ctr:entry with label "canary" to the model server is answered by version 2

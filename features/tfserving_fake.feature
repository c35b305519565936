# not-agent: a model server without an agent
@not-agent
Feature: The model server of the reference's own tests

  Background:
    Given a model server with the flags "--model_config_file=/etc/models.conf"
    And the model server profile is "python-fake"

  # S-19, TFS-17.1 items 1, 5 and 22.
  @TFS-S19 @python-fake
  Scenario: The fake invents the versions that a policy asks for and serves at once
    Given the config of ctr:entry has the policy "latest 3"
    And the config of cvr:entry has the policy "specific 7"
    And the model config file /etc/models.conf lists ctr:entry and cvr:entry
    When the model server starts
    Then within 3s the model server serves
    And within 100ms the model server has version 3 of ctr:entry AVAILABLE
    And the model server has version 1 of ctr:entry AVAILABLE
    And the model server has 3 versions of ctr:entry
    And for 1h the model server has version 7 of cvr:entry AVAILABLE
    And the model server has 1 version of cvr:entry

  # Item 3.
  @TFS-S19 @python-fake
  Scenario: The fake has version 0 of a model without a policy UNKNOWN for ever
    Given the model config file /etc/models.conf lists ctr:entry
    When the model server starts
    Then within 3s the model server serves
    And for 24h the model server has version 0 of ctr:entry UNKNOWN
    And the model server has 1 version of ctr:entry

  # Items 8, 12 and 13; tfs_monitor_test.py relies on them.
  @TFS-S19 @python-fake
  Scenario: The fake answers version -1 for a model before it comes and after it went
    Given the config of ctr:entry has the policy "latest 1"
    And the model config file /etc/models.conf lists no model
    When the model server starts
    Then within 3s the model server serves
    And the model server reports NOT_FOUND "ctr:entry is not found" for version -1 of ctr:entry
    And the model server has version -1 of ctr:entry UNKNOWN
    When the model server is asked to reload to ctr:entry
    Then within 100ms the reload is answered with OK
    And the model server has version 1 of ctr:entry AVAILABLE
    And the model server has 1 version of ctr:entry
    When the model server is asked to reload to no model
    Then within 100ms the second reload is answered with OK
    And for 1h the model server reports NOT_FOUND "ctr:entry is not found" for version -1 of ctr:entry

  # Item 14.
  @TFS-S19 @python-fake
  Scenario: The fake ignores what a reload says of a model that it has
    Given the config of ctr:entry has the policy "specific 1"
    And the model config file /etc/models.conf lists ctr:entry
    When the model server starts
    Then within 3s the model server has version 1 of ctr:entry AVAILABLE
    When the config of ctr:entry has the policy "specific 2"
    And the model server is asked to reload to ctr:entry
    Then within 100ms the reload is answered with OK
    And for 1h the model server has version 1 of ctr:entry AVAILABLE
    And the model server has 1 version of ctr:entry

  # Item 19: every 30 s or so the newest version of a model is followed by one more.
  @TFS-S19 @python-fake
  Scenario: The fake goes from version to version although nothing is exported
    Given the config of ctr:entry has the policy "latest 1"
    And the model config file /etc/models.conf lists ctr:entry
    When the model server starts
    Then within 3s the model server has version 1 of ctr:entry AVAILABLE
    And for 25s the model server has version 1 of ctr:entry AVAILABLE
    And within 10s the model server has version 2 of ctr:entry AVAILABLE
    And within 1s the model server has 1 version of ctr:entry
    And within 35s the model server has version 3 of ctr:entry AVAILABLE
    And within 1s the model server has 1 version of ctr:entry

  # Item 4: policy all ends the thread that moves versions.
  @TFS-S19 @python-fake
  Scenario: The fake loses every event after a model with policy all is available
    Given the fake model server keeps its faults
    And the config of ctr:entry has the policy "all"
    And the config of cvr:entry has the policy "latest 2"
    And the model config file /etc/models.conf lists ctr:entry
    When the model server starts
    Then within 3s the model server has version 1 of ctr:entry AVAILABLE
    When the model server is asked to reload to cvr:entry
    Then within 100ms the reload is answered with OK
    And for 1h the model server has version 1 of ctr:entry AVAILABLE
    And the model server has version 1 of cvr:entry UNKNOWN
    And the model server has version 2 of cvr:entry UNKNOWN

  # not-python: the reference keeps all of its faults
  @TFS-S19 @python-fake @not-python
  Scenario: The fake without its faults goes on after a model with policy all
    Given the config of ctr:entry has the policy "all"
    And the config of cvr:entry has the policy "latest 2"
    And the model config file /etc/models.conf lists ctr:entry
    When the model server starts
    Then within 3s the model server has version 1 of ctr:entry AVAILABLE
    When the model server is asked to reload to cvr:entry
    Then within 200ms the model server has version 2 of cvr:entry AVAILABLE
    And the model server has version -1 of ctr:entry UNKNOWN

  # Item 18. The calls of one monitor follow each other within microseconds; the many
  # versions of the other model keep the queue of the fake longer than that.
  @TFS-S19 @python-fake
  Scenario: The fake loses a model that is removed and added again at once
    Given the fake model server keeps its faults
    And the config of ctr:entry has the policy "specific 1"
    And the config of many:entry has the policy "latest 1000"
    And the model config file /etc/models.conf lists no model
    When the model server starts
    And 3s pass
    And the TFSMonitor of the model server is asked to reload to ctr:entry and many:entry
    And the TFSMonitor of the model server is asked to reload to many:entry
    And the TFSMonitor of the model server is asked to reload to ctr:entry and many:entry
    Then within 100ms the third reload is answered with OK
    And within 10s the model server has version 1000 of many:entry AVAILABLE
    And for 1h the model server has version -1 of ctr:entry UNKNOWN

  # not-real: requests that are sent at one instant come in any order through sockets
  # not-python: the reference keeps all of its faults
  @TFS-S19 @python-fake @not-real @not-python
  Scenario: The fake without its faults keeps a model that is removed and added again at once
    Given the config of ctr:entry has the policy "specific 1"
    And the config of many:entry has the policy "latest 1000"
    And the model config file /etc/models.conf lists no model
    When the model server starts
    And 3s pass
    And the TFSMonitor of the model server is asked to reload to ctr:entry and many:entry
    And the TFSMonitor of the model server is asked to reload to many:entry
    And the TFSMonitor of the model server is asked to reload to ctr:entry and many:entry
    Then within 100ms the third reload is answered with OK
    And within 1s the model server has version 1 of ctr:entry AVAILABLE
    And for 1h the model server has version 1 of ctr:entry AVAILABLE

  # mocked_tfserving.py:125-132 walks the list from which the thread deletes, without the lock that the thread holds.
  # not-python: it hangs on the instruction at which Python changes threads
  @TFS-S19 @python-fake @Q229 @not-python
  Scenario: The fake leaves a version for ever when its thread runs within a reload
    Given the thread of the fake model server runs within calls
    And the config of ctr:entry has the policy "latest 2"
    And the model config file /etc/models.conf lists ctr:entry
    When the model server starts
    Then within 3s the model server has version 2 of ctr:entry AVAILABLE
    When the model server is asked to reload to no model
    Then within 100ms the reload is answered with OK
    And the model server has 1 version of ctr:entry
    And for 25s the model server has version 2 of ctr:entry AVAILABLE

# not-python: a model server without an agent
@not-python
Feature: Loads of a model server, their failures and their cost

  Background:
    Given a model server with the flags "--model_config_file=/etc/models.conf"
    And model ctr with sub-graphs entry of 30 MB in version 1
    And model cvr with sub-graphs entry of 30 MB in version 1

  # S-5, TFS-5.4, TFS-4.4.
  @TFS-S5 @issue-1738
  Scenario Outline: A version that failed is never tried again and the old one serves for ever
    Given the model server profile is "<profile>"
    And the model config file /etc/models.conf lists ctr:entry
    When the model server starts
    Then within 5s the model server serves
    When version 2 of ctr:entry is exported
    And version 2 of ctr:entry is broken
    Then within 3s the model server has version 2 of ctr:entry LOADING
    And for 4m55s the model server has version 2 of ctr:entry LOADING
    And within 10s the model server reports NOT_FOUND "Could not find SavedModel" for version 2 of ctr:entry
    When version 2 of ctr:entry is repaired
    Then for 24h the model server has version 2 of ctr:entry END
    And the model server has version 1 of ctr:entry AVAILABLE
    And a Predict of ctr:entry to the model server is answered by version 1
    When the model server is asked to reload to no model
    And 1s passes
    And the model server is asked to reload to ctr:entry
    Then within 3s the second reload is answered with OK
    And a Predict of ctr:entry to the model server is answered by version 2

    Examples:
      | profile  |
      | tfs-2.4  |
      | tfs-head |

  # The old version is managed and no longer aspired, so that a poll that lists it
  # alone stays queued and nothing takes the failed one back (TFS-4.2). A newer one
  # does.
  @TFS-S5 @issue-1738
  Scenario: A version that failed is not tried again when it is deleted and exported anew
    Given a model server with the flags "--model_config_file=/etc/models.conf --max_num_load_retries=0"
    And the model config file /etc/models.conf lists ctr:entry
    When the model server starts
    Then within 5s the model server serves
    When version 2 of ctr:entry is exported
    And version 2 of ctr:entry is broken
    And 3s pass
    And version 2 of ctr:entry is deleted
    And 3s pass
    And version 2 of ctr:entry is exported
    Then for 1h the model server has version 2 of ctr:entry END
    And the model server has version 1 of ctr:entry AVAILABLE
    When version 3 of ctr:entry is exported
    Then within 3s the model server has version 3 of ctr:entry AVAILABLE

  # S-6, TFS-5.2.
  @TFS-S6 @issue-1099
  Scenario: A bad model keeps every other model from loading and unloading for five minutes
    Given the model config file /etc/models.conf lists ctr:entry and cvr:entry
    When the model server starts
    Then within 6s the model server serves
    When version 2 of ctr:entry is exported
    And version 2 of ctr:entry is broken
    And 3s pass
    And version 2 of cvr:entry is exported
    And the model server is asked to reload to ctr:entry, cvr:entry and new:entry that nobody has exported
    And version 1 of new:entry is exported with 30 MB
    Then for 4m55s the model server has 1 version of cvr:entry
    And the model server has no version of new:entry
    And the reload is not answered
    And within 5s the model server has version 2 of cvr:entry AVAILABLE
    And within 1s the reload is answered with OK

  @TFS-S6 @issue-1099
  Scenario: A bad model keeps a removed one serving until its last try
    Given the model config file /etc/models.conf lists ctr:entry and cvr:entry
    When the model server starts
    Then within 6s the model server serves
    When version 2 of ctr:entry is exported
    And version 2 of ctr:entry is broken
    And 3s pass
    And the model server is asked to reload to ctr:entry
    Then within 100ms the reload is answered with OK
    And for 4m55s a Predict of cvr:entry to the model server is answered by version 1
    And within 5s the model server has version 1 of cvr:entry END

  # PR 1796: tfs-2.4 has no such flag and says so (TFS-1.3, TFS-9.3).
  @TFS-S6 @issue-1099
  Scenario: Load threads keep a bad model from blocking the others in tfs-head
    Given the model server profile is "tfs-head"
    And a model server with the flags "--model_config_file=/etc/models.conf --num_load_threads=4"
    And the model config file /etc/models.conf lists ctr:entry and cvr:entry
    When the model server starts
    Then within 6s the model server serves
    When version 2 of ctr:entry is exported
    And version 2 of ctr:entry is broken
    And 3s pass
    And version 2 of cvr:entry is exported
    Then within 3s the model server has version 2 of cvr:entry AVAILABLE
    And the model server has version 2 of ctr:entry LOADING

  @TFS-S6 @issue-1099
  Scenario: Load threads are unknown to tfs-2.4 and a bad model blocks the others all the same
    Given a model server with the flags "--model_config_file=/etc/models.conf --num_load_threads=4"
    And the model config file /etc/models.conf lists ctr:entry and cvr:entry
    When the model server starts
    Then within 6s the model server serves
    And the model server printed "unknown argument: --num_load_threads=4"
    And the model server printed "usage: tensorflow_model_server"
    When version 2 of ctr:entry is exported
    And version 2 of ctr:entry is broken
    And 3s pass
    And version 2 of cvr:entry is exported
    Then for 4m55s the model server has 1 version of cvr:entry

  # S-9, TFS-5.8, TFS-18.1. Issues 1664, 1215, 1346, 1572 and 2142.
  # not-real: the memory of a process is not what models of a size without content would take
  @TFS-S9 @issue-1664 @issue-1215 @issue-1346 @issue-2142 @not-real
  Scenario Outline: Memory of unloaded models stays with the process, most of it under glibc and little under jemalloc
    Given model servers keep <percent>% of the memory of unloaded models
    And the model config file /etc/models.conf lists big:entry that nobody has exported and huge:entry that nobody has exported
    When version 1 of big:entry is exported with 1 GB
    And version 1 of huge:entry is exported with 2 GB
    And the model server starts
    Then within 18s the model server serves
    And the memory of the model server is between 3600 MB and 3700 MB
    When the model server is asked to reload to no model
    Then within 2s the model server has version 1 of huge:entry END
    And within 1s the model server has version 1 of big:entry END
    And for 24h the memory of the model server is between <least> and <most>
    When the model server is asked to reload to huge:entry
    Then within 15s the second reload is answered with OK
    And the memory of the model server is between <after> and <most after>

    Examples:
      | allocator | percent | least   | most    | after   | most after |
      | glibc     | 75      | 2700 MB | 2800 MB | 2700 MB | 2800 MB    |
      | jemalloc  | 5       | 180 MB  | 200 MB  | 2400 MB | 2500 MB    |

  # not-real: the memory of a process is not what models of a size without content would take
  @TFS-S9 @issue-1572 @issue-1215 @not-real
  Scenario Outline: Both versions are resident in a transition, which kills a server without room for both
    Given model servers may use <limit> of memory
    And the model config file /etc/models.conf lists big:entry that nobody has exported
    When version 1 of big:entry is exported with 1 GB
    And the model server starts
    Then within 13s the model server serves
    And for 1h the memory of the model server is between 1200 MB and 1300 MB
    When version 2 of big:entry is exported with 1 GB
    Then within 3s the model server has version 2 of big:entry LOADING
    And within 10s <outcome>

    Examples:
      | limit | outcome                                         |
      | 2 GB  | the model server has ended with exit code -9    |
      | 3 GB  | the model server has version 1 of big:entry END |

  # S-11, TFS-18.1. Issues 385, 881, 910, 996 and 1866.
  # not-real: a call by the wall clock takes longer than what it tells apart
  @TFS-S11 @issue-385 @issue-881 @issue-910 @issue-996 @issue-1866 @not-real
  Scenario Outline: Predicts of every model are slow while one model loads
    Given the model server profile is "<profile>"
    And the model config file /etc/models.conf lists ctr:entry and cvr:entry
    When the model server starts
    Then within 6s the model server serves
    And for 30s a Predict of cvr:entry to the model server takes 5ms or less
    When version 2 of ctr:entry is exported with 3 GB
    Then within 3s the model server has version 2 of ctr:entry LOADING
    And for 9s a Predict of cvr:entry to the model server takes 10ms or more
    And within 3s the model server has version 1 of ctr:entry END
    And for 30s a Predict of cvr:entry to the model server takes 5ms or less

    Examples:
      | profile  |
      | tfs-2.4  |
      | tfs-head |

  # S-16, TFS-9.1. Issues 1175, 1754 and 1756, kubeflow issue 368.
  @TFS-S16 @issue-1754 @issue-1756 @kubeflow-368
  Scenario Outline: A server refuses connections until its slowest model is loaded
    Given the model server profile is "<profile>"
    And the model config file /etc/models.conf lists ctr:entry and huge:entry that nobody has exported
    When version 1 of huge:entry is exported with 9 GB
    And the model server starts
    Then for 30s the model server refuses connections
    And within 5s the model server serves
    And the model server has version 1 of huge:entry AVAILABLE
    And the model server has version 1 of ctr:entry AVAILABLE
    When the model server is asked to reload to ctr:entry and huge:entry
    Then within 100ms the reload is answered with OK

    Examples:
      | profile  |
      | tfs-2.4  |
      | tfs-head |

  @TFS-S16 @issue-1175
  Scenario: A server whose model has no version refuses connections until there is one
    Given the model config file /etc/models.conf lists ctr:entry and new:entry that nobody has exported
    When the model server starts
    Then for 24h the model server refuses connections
    When version 1 of new:entry is exported with 30 MB
    Then within 6s the model server serves

  @TFS-S16
  Scenario Outline: A server whose first model is bad gives up after five minutes with 255
    Given the model server profile is "<profile>"
    And the model config file /etc/models.conf lists ctr:entry and cvr:entry
    When version 1 of ctr:entry is broken
    And the model server starts
    Then for 4m59s the model server refuses connections
    And within 8s the model server has ended with exit code 255
    And the model server printed "Failed to start server. Error: <unknown>: 1 servable(s) did not become available: {{{name: ctr:entry version: 1} due to error: <code>: Could not find SavedModel"

    Examples:
      | profile  | unknown | code      |
      | tfs-2.4  | Unknown | Not found |
      | tfs-head | UNKNOWN | NOT_FOUND |

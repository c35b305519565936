# not-python: a model server without an agent
@not-python
Feature: What a model server makes of its storage

  Background:
    Given a model server with the flags "--model_config_file=/etc/models.conf"
    And model ctr with sub-graphs entry of 30 MB in version 1
    And model cvr with sub-graphs entry of 30 MB in version 1

  # S-1, TFS-3.3: a poll is all or nothing. Issues 2189, 2004, 1447 and 1693.
  @TFS-S1 @issue-2189 @issue-2004 @issue-1447 @issue-1693
  Scenario Outline: One missing base path freezes every model of the server
    Given the model server profile is "<profile>"
    And the model config file /etc/models.conf lists ctr:entry and cvr:entry
    When the model server starts
    Then within 3s the model server has version 1 of cvr:entry AVAILABLE
    When the base path of ctr:entry is missing
    And version 2 of cvr:entry is exported
    And version 1 of cvr:entry is deleted
    Then for 1h the model server has 1 version of cvr:entry
    And the model server has version 1 of cvr:entry AVAILABLE
    And the model server has version 1 of ctr:entry AVAILABLE
    And the model server printed "FileSystemStoragePathSource encountered a filesystem access error: Could not find base path /models/ctr/entry for servable ctr:entry"
    And the model server <prints> " with error NOT_FOUND: /models/ctr/entry not found"
    When the base path of ctr:entry is back
    Then within 2s the model server has version 2 of cvr:entry AVAILABLE
    And within 1s the model server has version 1 of cvr:entry END

    Examples:
      | profile  | prints        |
      | tfs-2.4  | did not print |
      | tfs-head | printed       |

  # S-1, TFS-8.7: the reload that brings the missing path waits for ever, and all
  # that comes after it waits for its lock.
  @TFS-S1 @issue-2189 @issue-2004 @issue-1447
  Scenario: A reload to a model with a missing base path hangs and freezes the others
    Given the model config file /etc/models.conf lists ctr:entry
    When the model server starts
    Then within 5s the model server serves
    When the model server is asked to reload to ctr:entry and new:entry that nobody has exported with a deadline of 5s
    Then for 4.9s the reload is not answered
    And within 200ms the reload fails with DEADLINE_EXCEEDED ""
    When version 2 of ctr:entry is exported
    And the model server is asked to reload to ctr:entry with a deadline of 5s
    Then within 5.1s the second reload fails with DEADLINE_EXCEEDED ""
    And for 1h the model server has 1 version of ctr:entry
    And the model server has no version of new:entry that nobody has exported
    When the model server is asked to reload to ctr:entry
    And version 1 of new:entry is exported with 30 MB
    Then within 3s the third reload is answered with OK
    And within 2s the model server has version 2 of ctr:entry AVAILABLE
    And within 2s the model server has version 1 of new:entry END

  # S-1, TFS-10: the poll of the config file holds the same lock.
  @TFS-S1 @issue-2189 @issue-2004
  Scenario: A polled config file that names a missing base path shuts the door behind it
    Given a model server with the flags "--model_config_file=/etc/models.conf --model_config_file_poll_wait_seconds=5"
    And the model config file /etc/models.conf lists ctr:entry
    When the model server starts
    Then within 5s the model server serves
    When the model config file /etc/models.conf lists ctr:entry and new:entry that nobody has exported
    And 6s pass
    And the model config file /etc/models.conf lists ctr:entry and cvr:entry
    And the model server is asked to reload to ctr:entry with a deadline of 5s
    Then within 5.1s the reload fails with DEADLINE_EXCEEDED ""
    And for 1h the model server has no version of cvr:entry
    When version 1 of new:entry is exported with 30 MB
    Then within 8s the model server has version 1 of cvr:entry AVAILABLE

  # S-7, TFS-5.7: the graph comes last. Issues 631 and 1086.
  @TFS-S7 @issue-631 @issue-1086
  Scenario: A version that is seen before its graph fails a try and loads at the next
    Given the model config file /etc/models.conf lists ctr:entry
    When the model server starts
    Then within 5s the model server serves
    When version 2 of ctr:entry is exported without its graph, with variables of 30 MB for 20s
    Then the model server has version 2 of ctr:entry LOADING
    And for 35s the model server has version 2 of ctr:entry LOADING
    And a Predict of ctr:entry to the model server is answered by version 1
    And within 10s the model server has version 2 of ctr:entry AVAILABLE
    And within 1s a Predict of ctr:entry to the model server is answered by version 2

  @TFS-S7 @issue-631
  Scenario Outline: A version whose graph comes after the last try has failed for good
    Given the model server profile is "<profile>"
    And a model server with the flags "--model_config_file=/etc/models.conf --max_num_load_retries=1 --load_retry_interval_micros=5000000"
    And the model config file /etc/models.conf lists ctr:entry
    When the model server starts
    Then within 5s the model server serves
    When version 2 of ctr:entry is exported without its graph, with variables of 30 MB for 20s
    Then the model server reports NOT_FOUND "<text>" for version 2 of ctr:entry
    And for 1h the model server has version 2 of ctr:entry END
    And a Predict of ctr:entry to the model server is answered by version 1

    Examples:
      | profile  | text                                                                                                                 |
      | tfs-2.4  | Could not find SavedModel .pb or .pbtxt at supplied export directory path: /models/ctr/entry/2                       |
      | tfs-head | path: /models/ctr/entry/2. Check that the directory exists and that you have the right permissions for accessing it. |

  # S-7: the variables come last. Issue 572, tensorflow issue 20635.
  @TFS-S7 @issue-572 @issue-1086 @tensorflow-20635
  Scenario: A version that is seen before its variables loads without them and never serves
    Given the model config file /etc/models.conf lists ctr:entry
    When the model server starts
    Then within 5s the model server serves
    When version 2 of ctr:entry is exported without its variables of 30 MB for 20s
    Then the model server has version 2 of ctr:entry AVAILABLE
    And the model server has version 1 of ctr:entry END
    And for 1h a Predict of ctr:entry to the model server fails with FAILED_PRECONDITION "Attempting to use uninitialized value"
    When version 2 of ctr:entry is deleted
    Then within 3s a Predict of ctr:entry to the model server is answered by version 1

  # S-10, TFS-3.2: an empty listing is an answer. Issue 1480.
  @TFS-S10 @issue-1480
  Scenario: A storage that lists nothing unloads every version
    Given the model config file /etc/models.conf lists ctr:entry and cvr:entry
    When the model server starts
    Then within 6s the model server serves
    When the base path of ctr:entry lists nothing
    Then within 3s the model server has version 1 of ctr:entry END
    And the model server printed "No versions of servable ctr:entry found under base path /models/ctr/entry"
    And a Predict of ctr:entry to the model server fails with NOT_FOUND "Servable not found for request: Latest(ctr:entry)"
    And for 10m the model server has version 1 of cvr:entry AVAILABLE
    When the base path of ctr:entry lists its versions again
    Then within 3s a Predict of ctr:entry to the model server is answered by version 1

  # S-10, TFS-3.3, TFS-3.4: an error is none.
  @TFS-S10 @issue-1480
  Scenario Outline: A storage that is gone or cannot be read leaves every version loaded and frozen
    Given the model config file /etc/models.conf lists ctr:entry and cvr:entry
    When the model server starts
    Then within 6s the model server serves
    When the base path of ctr:entry <fault>
    And version 2 of cvr:entry is exported
    Then for 10m a Predict of ctr:entry to the model server is answered by version 1
    And the model server has 1 version of cvr:entry
    When the base path of ctr:entry <healed>
    Then within 2s the model server has version 2 of cvr:entry AVAILABLE
    And the model server has version 1 of ctr:entry AVAILABLE

    Examples:
      | fault          | healed            |
      | is missing     | is back           |
      | cannot be read | can be read again |

  # TFS-3.2 step 2: tfs-head looks for the versions that a policy names and lists
  # nothing.
  @TFS-S10 @TFS-S1 @issue-1480
  Scenario Outline: A path that cannot be listed freezes the other models unless tfs-head knows which versions it wants
    Given the model server profile is "<profile>"
    And the config of ctr:entry has the policy "<policy>"
    And the model config file /etc/models.conf lists ctr:entry and cvr:entry
    When the model server starts
    Then within 6s the model server serves
    When the base path of ctr:entry cannot be read
    And version 2 of cvr:entry is exported
    And 3s pass
    Then for 1h a Predict of cvr:entry to the model server is answered by version <version>
    And the model server has version 1 of ctr:entry AVAILABLE

    Examples:
      | profile  | policy     | version |
      | tfs-2.4  | latest 1   | 1       |
      | tfs-2.4  | specific 1 | 1       |
      | tfs-head | latest 1   | 1       |

  # not-real: a base path of this machine that cannot be listed cannot be entered either
  @TFS-S10 @TFS-S1 @issue-1480 @not-real
  Scenario: A path that cannot be listed freezes nothing where tfs-head knows which versions it wants
    Given the model server profile is "tfs-head"
    And the config of ctr:entry has the policy "specific 1"
    And the model config file /etc/models.conf lists ctr:entry and cvr:entry
    When the model server starts
    Then within 6s the model server serves
    When the base path of ctr:entry cannot be read
    And version 2 of cvr:entry is exported
    And 3s pass
    Then for 1h a Predict of cvr:entry to the model server is answered by version 2
    And the model server has version 1 of ctr:entry AVAILABLE

  # S-15, TFS-8.6; compare issue 1822.
  # not-real: the memory of a process is not what models of a size without content would take
  @TFS-S15 @issue-1822 @not-real
  Scenario Outline: A base path that changes does not reload the same version
    Given the model server profile is "<profile>"
    And the model config file /etc/models.conf lists ctr:entry
    When the model server starts
    Then within 5s the model server serves
    And the memory of the model server is between 36 MB and 40 MB
    When version 1 of other:entry is exported with 3 GB
    And the config of ctr:entry has the base path /models/other/entry
    And the model server is asked to reload to ctr:entry
    Then within 1s the reload is answered with OK
    And for 10m the model server has version 1 of ctr:entry AVAILABLE
    And the memory of the model server is between 36 MB and 40 MB
    When version 2 of other:entry is exported with 3 GB
    Then within 3s the model server has version 2 of ctr:entry LOADING
    And within 15s the model server has version 2 of ctr:entry AVAILABLE
    And within 1s the model server has version 1 of ctr:entry END
    And the memory of the model server is between 3 GB and 4 GB

    Examples:
      | profile  |
      | tfs-2.4  |
      | tfs-head |

  # TFS-21.1: as in tensorflow/serving#2040; num_versions, which its message lacks, is of monolith's fork.
  @pr-2040
  Scenario Outline: Polls skip a model of latest_once while a version of it is AVAILABLE
    Given the model server profile is "<profile>"
    And the model config file /etc/models.conf lists cvr:entry
    When the model server starts
    Then within 5s the model server serves
    When version 2 of ctr:entry is exported
    And version 3 of ctr:entry is exported
    And the config of ctr:entry has the policy "<policy>"
    And the model server is asked to reload to ctr:entry and cvr:entry
    Then within 3s the reload is answered with OK
    And within 1s the model server has <served> of ctr:entry
    When version 4 of ctr:entry is exported
    And the base path of ctr:entry is missing
    And version 2 of cvr:entry is exported
    Then within 3s the model server has version 2 of cvr:entry AVAILABLE
    And for 10m the model server has <served> of ctr:entry
    And the model server has version 3 of ctr:entry AVAILABLE
    When the base path of ctr:entry is back
    And the model server is asked to reload to cvr:entry
    Then within 1s the model server has version 3 of ctr:entry END
    When the model server is asked to reload to ctr:entry and cvr:entry
    Then within 3s the model server has version 4 of ctr:entry AVAILABLE

    Examples:
      | profile  | policy        | served     |
      | tfs-2.4  | latest_once   | 1 version  |
      | tfs-head | latest_once   | 1 version  |
      | tfs-2.4  | latest_once 2 | 2 versions |

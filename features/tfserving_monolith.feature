Feature: A model server as monolith runs and reads it

  # S-8, TFS-7.2. Issue 1488, codycollier/tfs-model-status-probe issue 1.
  # not-python: a model server without an agent
  @TFS-S8 @issue-1488 @tfs-model-status-probe-1 @not-python
  Scenario Outline: The list of versions grows and the newest has ended after a rollback
    Given the model server profile is "<profile>"
    And a model server with the flags "--model_config_file=/etc/models.conf"
    And model ctr with sub-graphs entry of 30 MB in version 1
    And the model config file /etc/models.conf lists ctr:entry
    When the model server starts
    Then within 5s the model server serves
    When version 2 of ctr:entry is exported
    And 3s pass
    And version 3 of ctr:entry is exported
    Then within 3s the model server has version 2 of ctr:entry END
    And the model server has 3 versions of ctr:entry
    When version 3 of ctr:entry is deleted
    Then within 3s the model server has version 3 of ctr:entry END
    And the model server has version 2 of ctr:entry AVAILABLE
    And a Predict of ctr:entry to the model server is answered by version 2
    When the TFSMonitor of the model server is asked for the state of ctr:entry
    Then within 1s the status request is answered with version 3 END
    When the model server is asked to reload to no model
    Then within 1s the model server has version 2 of ctr:entry END
    And for 24h the model server has 3 versions of ctr:entry

    Examples:
      | profile  |
      | tfs-2.4  |
      | tfs-head |

  # S-8, TFS-16.5: TFSWrapper prefers what is available.
  @v3 @TFS-S8 @issue-1488
  Scenario: An agent v3 goes on listing a model whose newest version has ended
    Given a v3 cluster of 1 shard with 2 replicas
    And model ctr with sub-graphs entry of 30 MB in version 1
    And model ctr is declared and published to layout main
    When the cluster starts
    Then within 95s every agent lists ctr:entry on every pod
    When version 2 of ctr:entry is exported
    Then within 3s every model server has version 1 of ctr:entry END
    When version 2 of ctr:entry is deleted
    Then within 3s every model server has version 2 of ctr:entry END
    And every model server has version 1 of ctr:entry AVAILABLE
    And for 10m every agent lists ctr:entry on every pod
    When the TFSMonitor of the model server of shard0-replica0 is asked for the state of ctr:entry
    Then within 1s the status request is answered with version 2 END

  # S-8, TFS-16.5: so does the updater of v1 (replica_manager.py:537-560).
  @v1 @TFS-S8 @issue-1488
  Scenario: An agent v1 keeps a model AVAILABLE whose newest version has ended
    Given a v1 cluster of 1 shard with 1 replica
    And the agent setting "num_ps" is "1"
    And model predict_ctr with sub-graphs entry, ps_0 of 30 MB in version 1
    When the cluster starts
    Then within 60s shard0-replica0 is registered for entry:0 as AVAILABLE
    When version 2 of predict_ctr:entry is exported
    Then within 5s the entry server of shard0-replica0 has version 1 of entry END
    When version 2 of predict_ctr:entry is deleted
    Then within 5s the entry server of shard0-replica0 has version 2 of entry END
    And the entry server of shard0-replica0 has version 1 of entry AVAILABLE
    And for 10m shard0-replica0 is registered for entry:0 as AVAILABLE
    And every agent lists entry:0 on every pod

  # S-9, TFS-5.8: an agent v3 ends with its model server, once its threads have slept
  # their time (Q29).
  # not-python: a process has no limit of memory that a simulated model could pass
  # not-real: a process has no limit of memory that a simulated model could pass
  @v3 @TFS-S9 @issue-1572 @issue-1215 @not-real @not-python
  Scenario: A new version that does not fit beside the old one takes every model server down and every agent with it
    Given a v3 cluster of 1 shard with 2 replicas
    And model servers may use 2 GB of memory
    And model big with sub-graphs entry of 1 GB in version 1
    And model big is declared and published to layout main
    When the cluster starts
    Then within 95s every agent lists big:entry on every pod
    And the memory of the model server of shard0-replica0 is between 1200 MB and 1300 MB
    When version 2 of big:entry is exported
    Then within 10s shard0-replica0 runs 0 model servers
    And within 2s shard0-replica1 runs 0 model servers
    And within 70s every pod has ended

  # S-13, TFS-10 item 1.
  @v3 @TFS-S13
  Scenario: The polled config file of an agent v3 undoes a config that came by RPC
    Given a v3 cluster of 1 shard with 1 replica
    And model ctr with sub-graphs entry of 30 MB in version 1
    And model cvr with sub-graphs entry of 30 MB in version 1
    And model ctr is declared and published to layout main
    When the cluster starts
    Then within 65s every model server has version 1 of ctr:entry AVAILABLE
    When 30s pass
    And the model server of shard0-replica0 is asked to reload to cvr:entry
    Then within 3s the reload is answered with OK
    And the model server of shard0-replica0 has version 1 of cvr:entry AVAILABLE
    And within 1s the model server of shard0-replica0 has version 1 of ctr:entry END
    And within 60s the model server of shard0-replica0 has version 1 of cvr:entry END
    And within 2s the model server of shard0-replica0 has version 1 of ctr:entry AVAILABLE
    And for 10m the model server of shard0-replica0 has version 1 of ctr:entry AVAILABLE
    And the model config of shard0-replica0 lists ctr:entry

  # not-python: a model server without an agent
  @TFS-S13 @not-python
  Scenario Outline: A config that came by RPC stays without a poll and goes at the next of 60s
    Given the model server profile is "<profile>"
    And a model server with the flags "--model_config_file=/etc/models.conf --model_config_file_poll_wait_seconds=<poll>"
    And model ctr with sub-graphs entry of 30 MB in version 1
    And model cvr with sub-graphs entry of 30 MB in version 1
    And the model config file /etc/models.conf lists ctr:entry
    When the model server starts
    And 30s pass
    And the model server is asked to reload to ctr:entry and cvr:entry
    Then within 3s the reload is answered with OK
    And for 20s the model server has version 1 of cvr:entry AVAILABLE
    When 20s pass
    Then for 1h the model server has version 1 of cvr:entry <state>
    And the model server has version 1 of ctr:entry AVAILABLE

    Examples:
      | profile  | poll | state     |
      | tfs-2.4  | 0    | AVAILABLE |
      | tfs-2.4  | 60   | END       |
      | tfs-head | 0    | AVAILABLE |
      | tfs-head | 60   | END       |

  # S-20, TFS-16.4: the model that every reload adds has no path, so that the first
  # poll fails and the RPC without a deadline keeps the monitor's lock.
  # not-python: a model server without an agent
  @TFS-S20 @not-python
  Scenario Outline: Without the path of the model default the first reload keeps the agent under its lock
    Given the model server profile is "<profile>"
    And a model server with the flags "--model_config_file=/etc/models.conf --model_config_file_poll_wait_seconds=0"
    And the model default is not exported
    And model ctr with sub-graphs entry of 30 MB in version 1
    And the model config file /etc/models.conf lists no model
    When the model server starts
    Then within 4s the model server serves
    When the TFSMonitor of the model server is asked to reload to ctr:entry
    Then for 1h the reload is not answered
    And the model server has no version of ctr:entry
    And the model server has no version of default that nobody has exported
    When the TFSMonitor of the model server is asked for the state of ctr:entry
    Then for 23h the status request is not answered
    And the reload is not answered
    And the model server serves

    Examples:
      | profile  |
      | tfs-2.4  |
      | tfs-head |

  # not-python: a model server without an agent
  @TFS-S20 @not-python
  Scenario: With the path of the model default every reload of the agent is answered
    Given a model server with the flags "--model_config_file=/etc/models.conf --model_config_file_poll_wait_seconds=0"
    And model ctr with sub-graphs entry of 30 MB in version 1
    And the model config file /etc/models.conf lists no model
    When the model server starts
    Then within 4s the model server serves
    When the TFSMonitor of the model server is asked to reload to ctr:entry
    Then within 3s the reload is answered with OK
    And the model server has version 1 of default AVAILABLE
    When the TFSMonitor of the model server is asked for the state of ctr:entry
    Then within 1s the status request is answered with version 1 AVAILABLE

Feature: What agents make of their configuration

  @v1 @Q153
  Scenario: A comment behind a value leaves its blank, which turns false into true
    Given a v1 cluster of 1 shard with 1 replica
    And the agents keep the quirks "python"
    And the agent setting "num_ps" is "1"
    And the agent setting "dc_aware" is "false # one data centre"
    And model predict_ctr with sub-graphs entry, ps_0 of 30 MB in version 1
    When the cluster starts
    Then within 15s znode /predict_ctr/service/predict_ctr/lf:default/ps:0 exists

  # not-python: the reference keeps all of its faults
  @v1 @Q153 @not-python
  Scenario: A repaired agent takes the blank away with the comment
    Given a v1 cluster of 1 shard with 1 replica
    And the agents keep all quirks but Q153
    And the agent setting "num_ps" is "1"
    And the agent setting "dc_aware" is "false # one data centre"
    And model predict_ctr with sub-graphs entry, ps_0 of 30 MB in version 1
    When the cluster starts
    Then within 15s shard0-replica0 is registered for ps:0 as AVAILABLE
    And znode /predict_ctr/service/predict_ctr/lf:default does not exist

  @v1 @Q154
  Scenario: Any unknown word for a bool is true
    Given a v1 cluster of 1 shard with 1 replica
    And the agents keep the quirks "python"
    And the agent setting "num_ps" is "1"
    And the agent setting "dc_aware" is "never"
    And model predict_ctr with sub-graphs entry, ps_0 of 30 MB in version 1
    When the cluster starts
    Then within 15s znode /predict_ctr/service/predict_ctr/lf:default/ps:0 exists

  # The error is seen only where errors of conversion are not hidden (Q158).
  # not-python: the reference keeps all of its faults
  @v1 @Q154 @not-python
  Scenario: A repaired agent refuses an unknown word for a bool
    Given a v1 cluster of 1 shard with 1 replica
    And the agents keep all quirks but Q154 and Q158
    And the agent setting "dc_aware" is "never"
    When the cluster starts
    Then within 3s shard0-replica0 has ended with exit code 1

  @v1 @Q156
  Scenario: A number that is given twice falls back to its default
    Given a v1 cluster of 1 shard with 1 replica
    And the agents keep the quirks "python"
    And the agent setting "num_ps" is also "2"
    And model predict_ctr with sub-graphs entry, ps_0, ps_1 of 30 MB in version 1
    When the cluster starts
    Then within 30s shard0-replica0 is registered for ps:0 as AVAILABLE
    And for 60s shard0-replica0 is not registered for ps:1

  # not-python: the reference keeps all of its faults
  @v1 @Q156 @not-python
  Scenario: A repaired agent takes the last of two numbers
    Given a v1 cluster of 1 shard with 1 replica
    And the agents keep all quirks but Q156
    And the agent setting "num_ps" is also "2"
    And model predict_ctr with sub-graphs entry, ps_0, ps_1 of 30 MB in version 1
    When the cluster starts
    Then within 30s shard0-replica0 is registered for ps:0 as AVAILABLE
    And within 30s shard0-replica0 is registered for ps:1 as AVAILABLE

  @v1 @Q158
  Scenario: A number that is none is replaced by its default without a word
    Given a v1 cluster of 1 shard with 1 replica
    And the agents keep the quirks "python"
    And the agent setting "num_ps" is "two"
    And model predict_ctr with sub-graphs entry, ps_0, ps_1 of 30 MB in version 1
    When the cluster starts
    Then within 30s shard0-replica0 is registered for ps:0 as AVAILABLE
    And for 60s shard0-replica0 is not registered for ps:1

  # not-python: the reference keeps all of its faults
  @v1 @Q158 @not-python
  Scenario: A repaired agent ends where a number is none
    Given a v1 cluster of 1 shard with 1 replica
    And the agents keep all quirks but Q158
    And the agent setting "num_ps" is "two"
    When the cluster starts
    Then within 3s shard0-replica0 has ended with exit code 1

  @v1 @Q160
  Scenario: The replica id of the file is not looked at
    Given a v1 cluster of 1 shard with 1 replica
    And the agents keep the quirks "python"
    And the agent setting "num_ps" is "1"
    And the environment variable "MY_POD_NAME" is ""
    And the agent setting "replica_id" is "7"
    And model predict_ctr with sub-graphs entry, ps_0 of 30 MB in version 1
    When the cluster starts
    Then within 15s znode /predict_ctr/service/predict_ctr/ps:0/0 exists
    And znode /predict_ctr/service/predict_ctr/ps:0/7 does not exist

  # not-python: the reference keeps all of its faults
  @v1 @Q160 @not-python
  Scenario: A repaired agent registers under the replica id of its file
    Given a v1 cluster of 1 shard with 1 replica
    And the agents keep all quirks but Q160
    And the agent setting "num_ps" is "1"
    And the environment variable "MY_POD_NAME" is ""
    And the agent setting "replica_id" is "7"
    And model predict_ctr with sub-graphs entry, ps_0 of 30 MB in version 1
    When the cluster starts
    Then within 15s znode /predict_ctr/service/predict_ctr/ps:0/7 exists
    And znode /predict_ctr/service/predict_ctr/ps:0/0 does not exist

  @v1 @Q161
  Scenario: Without SHARD_ID no PS is served
    Given a v1 cluster of 1 shard with 1 replica
    And the agents keep the quirks "python"
    And the environment variable "SHARD_ID" is ""
    And the agent setting "num_ps" is "1"
    And model predict_ctr with sub-graphs entry, ps_0 of 30 MB in version 1
    When the cluster starts
    And 5s pass
    Then for 60s shard0-replica0 runs 0 model servers
    And shard0-replica0 is not registered for ps:0

  # not-python: the reference keeps all of its faults
  @v1 @Q161 @not-python
  Scenario: Without SHARD_ID a repaired agent serves the PS of shard 0
    Given a v1 cluster of 1 shard with 1 replica
    And the agents keep all quirks but Q161
    And the environment variable "SHARD_ID" is ""
    And the agent setting "num_ps" is "1"
    And model predict_ctr with sub-graphs entry, ps_0 of 30 MB in version 1
    When the cluster starts
    Then within 15s shard0-replica0 is registered for ps:0 as AVAILABLE
    And the ps server of shard0-replica0 has version 1 of ps_0 AVAILABLE

  @v1 @Q116
  Scenario: An agent that is to know its data centre and does not ends with an error
    Given a v1 cluster of 1 shard with 1 replica
    And the agents keep the quirks "python"
    And the environment variable "TCE_INTERNAL_IDC" is ""
    And the agent setting "num_ps" is "1"
    And the agent setting "dc_aware" is "true"
    And model predict_ctr with sub-graphs entry, ps_0 of 30 MB in version 1
    When the cluster starts
    Then within 5s shard0-replica0 has ended with exit code 1

  # not-python: the reference keeps all of its faults
  @v1 @Q116 @not-python
  Scenario: A repaired agent that does not know its data centre leaves it out of its paths
    Given a v1 cluster of 1 shard with 1 replica
    And the agents keep all quirks but Q116
    And the environment variable "TCE_INTERNAL_IDC" is ""
    And the agent setting "num_ps" is "1"
    And the agent setting "dc_aware" is "true"
    And model predict_ctr with sub-graphs entry, ps_0 of 30 MB in version 1
    When the cluster starts
    Then within 15s znode /predict_ctr/service/predict_ctr/ps:0 has 1 child
    And shard0-replica0 runs

  @v1 @Q117
  Scenario: A base name with entry in it numbers the znodes of PS that have no replica id
    Given a v1 cluster of 1 shard with 1 replica
    And the agents keep the quirks "python"
    And the environment variable "MY_POD_NAME" is ""
    And the agent setting "server_type" is "ps"
    And the agent setting "stand_alone_serving" is "false"
    And the agent setting "base_name" is "entry_ctr"
    And the agent setting "num_ps" is "1"
    And model predict_ctr with sub-graphs entry, ps_0 of 30 MB in version 1
    When the cluster starts
    Then within 15s znode /predict_ctr/service/entry_ctr/ps:0/-10000000000 exists
    And znode /predict_ctr/service/entry_ctr/ps:0 has 1 child

  # not-python: the reference keeps all of its faults
  @v1 @Q117 @not-python
  Scenario: A repaired agent numbers the znode of its entry only
    Given a v1 cluster of 1 shard with 1 replica
    And the agents keep all quirks but Q117
    And the environment variable "MY_POD_NAME" is ""
    And the agent setting "server_type" is "ps"
    And the agent setting "stand_alone_serving" is "false"
    And the agent setting "base_name" is "entry_ctr"
    And the agent setting "num_ps" is "1"
    And model predict_ctr with sub-graphs entry, ps_0 of 30 MB in version 1
    When the cluster starts
    Then within 15s znode /predict_ctr/service/entry_ctr/ps:0/-1 exists
    And znode /predict_ctr/service/entry_ctr/ps:0 has 1 child

  @v3 @Q172
  Scenario: A pod that knows nothing of where it is tells that it is in None
    Given a v3 cluster of 1 shard with 1 replica
    And the agents keep the quirks "python"
    And the environment variable "TCE_PSM" is ""
    And the environment variable "TCE_INTERNAL_IDC" is ""
    And the environment variable "TCE_LOGICAL_CLUSTER" is ""
    When the cluster starts
    Then within 65s znode /gip/container_service/unknown;None;None:shard0-replica0 exists

  # not-python: the reference keeps all of its faults
  @v3 @Q172 @not-python
  Scenario: A repaired pod leaves out what it does not know of where it is
    Given a v3 cluster of 1 shard with 1 replica
    And the agents keep all quirks but Q172
    And the environment variable "TCE_PSM" is ""
    And the environment variable "TCE_INTERNAL_IDC" is ""
    And the environment variable "TCE_LOGICAL_CLUSTER" is ""
    When the cluster starts
    Then within 65s znode /gip/container_service/unknown;;:shard0-replica0 exists

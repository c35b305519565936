# not-real: a recorded case is asked of the code, without a cluster
# not-python: a recorded case is asked of the code, without a cluster
@not-real @not-python
Feature: Commands, patterns and files that agents make

  @Q162
  Scenario: The model server of a unified deployment is told to listen on port None
    Given the recorded case utils.AgentConfig.get_cmd_and_port/port-of-unified
    When it is answered as the reference does
    Then the answer at "flags" has "--port=None" 1 time
    And the answer at "port" is null
    When it is answered with Q162 repaired
    Then the answer at "flags" has "--port=1003" 1 time
    And the answer at "port" is 1003

  @Q163
  Scenario: The dense server is told to batch twice
    Given the recorded case utils.AgentConfig.get_cmd_and_port/batching-of-dense
    When it is answered as the reference does
    Then the answer at "flags" has "--enable_batching=true" 2 times
    When it is answered with Q163 repaired
    Then the answer at "flags" has "--enable_batching=true" 1 time

  @Q157
  Scenario: Every key that begins with include includes a file
    Given the recorded case utils.conf_parser/key-that-begins-with-include
    When it is answered as the reference does
    Then the answer at "args" is [["b", "8"]]
    When it is answered with Q157 repaired
    Then the answer at "args" is [["include_all", "b.conf"]]

  @Q166
  Scenario: A pattern of single numbers cannot be expanded
    Given the recorded case utils.expand_pattern/single-numbers
    When it is answered as the reference does
    Then the answer raises TypeError
    When it is answered with Q166 repaired
    Then the answer is ["ps_1", "ps_4"]

  @Q168
  Scenario: An instance that is to be written to a named file is looked for there
    Given the recorded case utils.InstanceFormater.to_pb_text/named
    When it is answered as the reference does
    Then the answer raises FileNotFoundError
    When it is answered with Q168 repaired
    Then the answer at "path" is "out"
    And the answer at "content" has "fid: 3" 1 time

  @Q144
  Scenario: A reload adds a model to the list that it was given
    Given the recorded case tfs_monitor.TFSMonitor.sequence/model-of-a-reload
    When it is answered as the reference does
    Then the answer at "steps > 1 > config > model_config_list > config > 2 > name" is "default"
    When it is answered with Q144 repaired
    Then the answer at "steps > 1 > config > model_config_list > config" is [{"name": "ps_0", "base_path": "/e/ps_0", "model_platform": "tensorflow", "model_version_policy": {"latest": {"num_versions": 1}}}]

  @Q71
  Scenario: A client asks for a type of server by its name
    Given the recorded case svr_client.SvrClient.sequence/type-by-name
    When it is answered as the reference does
    Then step 1 raises NameError
    And the answer at "steps > 4" raises NameError
    When it is answered with Q71 repaired
    Then the answer at "steps > 1 > r > json > addresses > ps:0 > address" is ["10.0.0.1:1", "10.0.0.2:1"]
    And step 4 returns 0
    And the answer at "steps > 5" raises Exception

  @Q61
  Scenario: Locks are looked for where no mirror keeps any
    Given the recorded case agent_client.main/get-lock-of-a-mirror
    When it is answered as the reference does
    Then the answer at "stdout" is "no lock found !\n"
    When it is answered with Q61 repaired
    Then the answer at "stdout" is "lock-1 b''\n"

  # TRN-8.4.
  @Q317
  Scenario: A client that knows the address of its host needs its name
    Given the recorded case agent_client.main/unload-without-names
    When it is answered as the reference does
    Then the answer at "error > type" is "gaierror"
    When it is answered with Q317 repaired
    Then the answer at "error" is null
    And the answer at "zk > tree" has no "/b/portal/ctr"

  # TRN-8.4.
  @Q318
  Scenario: A client that is told no model takes the request for None back
    Given the recorded case agent_client.main/unload-no-model
    When it is answered as the reference does
    Then the answer at "error" is null
    And the answer at "zk > tree" has no "/b/portal/None"
    When it is answered with Q318 repaired
    Then the answer at "error > type" is "AssertionError"
    And the answer at "exit" is 1

  @Q67
  Scenario: The program client ends at its first call
    Given the recorded case client.main/status
    When it is answered as the reference does
    Then the answer at "error > type" is "AttributeError"
    And the answer at "exit" is 1
    When it is answered with Q67 repaired
    Then the answer at "stdout" is "LoadSate(portal=True, publish=True, service={'ps:0:0': 30})\n"
    And the answer at "exit" is 0

  @Q68
  Scenario: The program client does not know the flags that it asks for
    Given the recorded case client.main/flags-of-agent-client
    When it is answered as the reference does
    Then the answer at "stdout" is "<USAGE>"
    When it is answered with Q68 repaired
    Then the answer at "error > type" is "AttributeError"
    And the answer at "stdout" is ""

  @Q135
  Scenario: Nothing is profiled, for no slot is valid
    Given the recorded case tfs_client.main/profile-without-slots
    When it is answered as the reference does
    Then the answer at "result" raises AssertionError
    And the answer at "calls" is []
    When it is answered with Q135 repaired
    Then the answer at "result" raises NameError

  @Q136
  Scenario: An example batch cannot be sent, for a name is not defined
    Given the recorded case tfs_client.main/get-an-example-batch
    When it is answered as the reference does
    Then the answer at "result" raises NameError
    When it is answered with Q136 repaired
    Then the answer at "printed" has "outputs {" 2 times
    And the answer at "exit" is 0

  @Q234
  Scenario: The metadata that are asked for are none that a model server has
    Given the recorded case tfs_client.main/prints-metadata
    When it is answered as the reference does
    Then the answer at "calls > 1 > 3 > metadata_field" is ["base_path", "num_versions", "signature_name"]
    When it is answered with Q234 repaired
    Then the answer at "calls > 1 > 3 > metadata_field" is ["signature_def"]

  @Q235
  Scenario: Sending a model server its configuration exits as if it had failed
    Given the recorded case tfs_client.main/load-exits-with-1
    When it is answered as the reference does
    Then the answer at "exit" is 1
    When it is answered with Q235 repaired
    Then the answer at "exit" is 0

"""Has a real TensorFlow run SavedModels: JSON lines on stdin, a line on stdout for each.

    {"directory", "inputs": {alias: values}}    {alias: values}, of serving_default
"""
import json
import os
import sys

os.environ['TF_CPP_MIN_LOG_LEVEL'] = '3'
import tensorflow as tf

v1 = tf.compat.v1


def run(directory, inputs):
    with tf.Graph().as_default(), v1.Session() as session:
        signature = v1.saved_model.load(session, ['serve'], directory).signature_def['serving_default']
        feeds = {signature.inputs[alias].name: values for alias, values in inputs.items()}
        outputs = {alias: info.name for alias, info in signature.outputs.items()}
        return {alias: values.tolist() for alias, values in session.run(outputs, feeds).items()}


for line in sys.stdin:
    try:
        answer = run(**json.loads(line))
    except Exception as e:  # pylint: disable=broad-except
        answer = {'failed': f'{type(e).__name__}: {e}'}
    print(json.dumps(answer), flush=True)

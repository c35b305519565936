{"signatures": {}}

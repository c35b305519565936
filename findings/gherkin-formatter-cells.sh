#!/bin/sh
# Guess:     a formatter of feature files changes how a feature looks, not what it says: a parser reads the same from
#            it before and after.
# Version:   gherkin-formatter 0.1.3 of PyPI, read by gherkin-official 42.0.1
# Behaviour: it writes cells without their escapes, so \| in a cell makes two cells of one, in silence where each row
#            has one; and a doc string without its media type, its numbers written anew where it is JSON. It reports
#            success.
# Seen:      before: cells [["a|b"], ["c|d"]], doc string json {"limit": 1e5}
#            Reformatted f.feature
#            after: cells [["a", "b"], ["c", "d"]], doc string none { "limit": 100000.0 }
# Shaped:    no table and no doc string of our features has an escape or a media type.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
cat > f.feature <<'END'
Feature: f
  Scenario: s
    Given a table
      | a\|b |
      | c\|d |
    And a text
      """json
      {"limit": 1e5}
      """
END
python3 -m venv venv
venv/bin/pip install -q --disable-pip-version-check gherkin-formatter==0.1.3 gherkin-official==42.0.1
cat > f.py <<'END'
import json
import sys

from gherkin.parser import Parser

with open("f.feature") as f:
    table, text = Parser().parse(f.read())["feature"]["children"][0]["scenario"]["steps"]
cells = [[cell["value"] for cell in row["cells"]] for row in table["dataTable"]["rows"]]
doc = text["docString"]
print(f"{sys.argv[1]}: cells {json.dumps(cells)}, doc string {doc.get('mediaType', 'none')} {' '.join(doc['content'].split())}")
END
cat > want <<'END'
before: cells [["a|b"], ["c|d"]], doc string json {"limit": 1e5}
Reformatted f.feature
after: cells [["a", "b"], ["c", "d"]], doc string none { "limit": 100000.0 }
END
{
  venv/bin/python f.py before
  venv/bin/gherkin-formatter f.feature | grep Reformatted
  venv/bin/python f.py after
} > got
cat got
diff want got

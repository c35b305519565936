#!/bin/sh
# Guess:     behave reads a table's cell and a doc string as Cucumber's own parsers do, which take \n in a cell
#            for a line break, \\ for a backslash, and \"\"\" in a doc string for three quotes.
# Version:   behave 1.3.3; @cucumber/gherkin 42.0.1 beside it
# Behaviour: behave undoes \| alone: other backslashes of cells and doc strings stay in the text.
# Seen:      behave    ["a\\nb", "c\\\\d", "e|f"] "say \\\"\\\"\\\""
#            cucumber  ["a\nb", "c\\d", "e|f"] "say \"\"\""
# Shaped:    no table and no doc string of our features has an escape, so both read them alike.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
cat > f.feature <<'END'
Feature: f
  Scenario: s
    Given a table
      | a\nb | c\\d | e\|f |
    And a text
      """
      say \"\"\"
      """
END
python3 -m venv venv
venv/bin/pip install -q --disable-pip-version-check behave==1.3.3
cat > f.py <<'END'
import json

from behave.parser import parse_file

table, text = parse_file("f.feature").scenarios[0].steps
print("behave   ", json.dumps(table.table.headings), json.dumps(str(text.text)))
END
npm install --silent --no-fund --no-audit @cucumber/gherkin@42.0.1 @cucumber/messages@34.2.0 >&2
cat > f.mjs <<'END'
import { readFileSync } from 'node:fs'
import { AstBuilder, GherkinClassicTokenMatcher, Parser } from '@cucumber/gherkin'
import { IdGenerator } from '@cucumber/messages'

const parser = new Parser(new AstBuilder(IdGenerator.incrementing()), new GherkinClassicTokenMatcher())
const [table, text] = parser.parse(readFileSync('f.feature', 'utf8')).feature.children[0].scenario.steps
const cells = table.dataTable.rows[0].cells.map((c) => JSON.stringify(c.value)).join(', ')
console.log('cucumber ', `[${cells}]`, JSON.stringify(text.docString.content))
END
cat > seen <<'END'
behave    ["a\\nb", "c\\\\d", "e|f"] "say \\\"\\\"\\\""
cucumber  ["a\nb", "c\\d", "e|f"] "say \"\"\""
END
{ venv/bin/python f.py; node f.mjs; } > got
cat got
diff seen got

#!/bin/sh
# Records what cucumber-js writes of the .gherkin files of testdata, as JSON and as messages:
#
#   sh features/report/record.sh
#
# Step definitions are those of `monosim steps --glue typescript`. Times, places in files of
# JavaScript, and definitions that no step uses are left out; ids are numbered as they come.
# cucumber-js is installed into a folder that is removed; NODE needs version 20 or later.
set -eu
version=12.9.0
cd "$(dirname "$0")"
here=$PWD
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
${GO:-go} run ../../cmd/monosim steps --glue typescript > "$dir/steps.ts"
for file in testdata/*.gherkin; do
	cp "$file" "$dir/$(basename "$file" .gherkin).feature"
done
cd "$dir"
# cucumber-js runs a definition only if it takes an argument for each placeholder.
"${NODE:-node}" -e '
const fs = require("fs");
fs.writeFileSync("steps.mjs", fs.readFileSync("steps.ts", "utf8").replace(/^(\w+\((".*"), \()\) => /gm,
  (all, begin, expression) => begin + (expression.match(/{/g) || []).map((_, i) => "a" + i) + ") => "));
'
npm install --silent --no-audit --no-fund "@cucumber/cucumber@$version"
npx cucumber-js --import steps.mjs --format json:out.json --format message:out.ndjson ./*.feature > out.txt || { cat out.txt; exit 1; }
"${NODE:-node}" -e '
const fs = require("fs"), to = process.argv[1];
const features = JSON.parse(fs.readFileSync("out.json"));
for (const f of features) for (const e of f.elements) for (const s of e.steps) for (const k of ["arguments", "match", "result"]) delete s[k];
fs.writeFileSync(to + ".json", JSON.stringify(features, null, 1) + "\n");

const ids = new Map(), number = id => ids.get(id) || (ids.set(id, String(ids.size)), String(ids.size - 1));
const text = fs.readFileSync("out.ndjson", "utf8").replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, number);
const drop = v => { if (v && typeof v === "object") for (const k of Object.keys(v)) if (["timestamp", "duration", "sourceReference"].includes(k)) delete v[k]; else drop(v[k]); };
let list = text.split("\n").filter(line => line).map(line => JSON.parse(line)).filter(m => !m.meta);
const steps = list.filter(m => m.testCase).flatMap(m => m.testCase.testSteps);
const used = new Set(steps.flatMap(s => s.stepDefinitionIds));
const types = new Set(steps.flatMap(s => s.stepMatchArgumentsLists.flatMap(l => l.stepMatchArguments.map(a => a.parameterTypeName))));
list = list.filter(m => !(m.stepDefinition && !used.has(m.stepDefinition.id)) && !(m.parameterType && !types.has(m.parameterType.name)));
list.forEach(drop);
fs.writeFileSync(to + ".ndjson", list.map(m => JSON.stringify(m)).join("\n") + "\n");
' "$here/testdata/cucumber-js-$version"

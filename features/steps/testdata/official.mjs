// Reads the .feature files of a folder with the official parser for JavaScript, and prints for
// each a line of JSON: its pickles with what the file has for them, or that it is refused.
import { readdirSync, readFileSync } from 'node:fs'
import { AstBuilder, compile, GherkinClassicTokenMatcher, Parser } from '@cucumber/gherkin'

for (const file of readdirSync('.').filter(name => name.endsWith('.feature')).sort()) {
  let n = 0
  const id = () => String(n++)
  const parser = new Parser(new AstBuilder(id), new GherkinClassicTokenMatcher())
  let document
  try {
    document = parser.parse(readFileSync(file, 'utf8'))
  } catch (e) {
    console.log(JSON.stringify({ file, refused: true }))
    continue
  }
  const at = new Map(), rules = new Map()
  const walk = (v, rule) => {
    if (!v || typeof v !== 'object') return
    if (v.id !== undefined) { at.set(v.id, v); rules.set(v.id, rule) }
    for (const [key, one] of Object.entries(v)) walk(one, key === 'rule' ? one.name : rule)
  }
  walk(document, '')
  const heading = v => ({ keyword: v.keyword, name: v.name, description: v.description, line: v.location.line })
  const pickles = compile(document, file, id).map(p => {
    const scenario = at.get(p.astNodeIds[0])
    return {
      name: p.name,
      line: at.get(p.astNodeIds[p.astNodeIds.length - 1]).location.line,
      feature: heading(document.feature), scenario: heading(scenario), rule: rules.get(scenario.id),
      tags: p.tags.map(t => `${t.name} in line ${at.get(t.astNodeId).location.line}`),
      steps: p.steps.map(s => ({ text: s.text, keyword: at.get(s.astNodeIds[0]).keyword, line: at.get(s.astNodeIds[0]).location.line, content: !!s.argument })),
    }
  })
  console.log(JSON.stringify({ file, pickles }))
}

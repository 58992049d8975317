import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { camelCase } from '@lethe/create-plugin';
import { assertName } from './scaffold.mjs';

/** The one file that papers share. */
const shared = 'packages/algorithms/src/papers.ts';

/**
 * Writes the folders of a paper (its optimizers and its claims ledger, the checks that decide the ledger with
 * a mutant, a guide and an experiment) and adds its line to the one file that papers share.
 *
 * @param {string} root the repository's root folder
 * @param {string | undefined} name kebab-case: the subject, which names its folders and is the key of its ledger
 * @returns {string[]} the files written or changed, from the root
 * @throws {Error} before anything is written, when the name does not serve
 */
export function scaffoldPaper(root, name) {
  assertName(name, 'random-projections');
  const files = new Map(Object.entries(filesOf(name, camelCase(name))));
  for (const file of files.keys())
    if (existsSync(join(root, file))) throw new Error(`${file} exists already; choose another name`);
  files.set(shared, `${readFileSync(join(root, shared), 'utf8')}export * from './${name}/index.js';\n`);
  for (const [file, text] of files) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), text);
  }
  return [...files.keys()];
}

/** @param {string} name @param {string} constant @returns {Record<string, string>} */
function filesOf(name, constant) {
  const algorithms = `packages/algorithms/src/${name}`;
  const claims = `packages/claims/src/${name}`;
  const type = `${constant.charAt(0).toUpperCase()}${constant.slice(1)}`;
  const key =
    `Key of its claims ledger: \`${name}\` (\`lethe claims --paper ${name}\`). ` +
    `Guide: \`docs/papers/${name}.md\` of the repository.`;
  return {
    [`${algorithms}/README.md`]: `# ${name}

Optimizers and bounds of the paper. Say here which paper, and what is where.

${key}

| export | kind, name | what it is | source |
|---|---|---|---|
| \`${constant}\`, \`${constant}Optimizers\` | list | the paper, as it is registered, and its optimizers | |
| \`${constant}Bound\` | function | the bound on its excess risk | Theorem 1 |
`,
    [`${algorithms}/claims.json`]: `${JSON.stringify(
      {
        v: 1,
        paper: name,
        title: `The paper on ${name.replaceAll('-', ' ')}`,
        rows: 1,
        claims: [
          {
            id: `${name}:1`,
            item: 'Theorem 1',
            statement: 'With twice as many records the bound on the excess risk is half as large.',
            verdict: 'holds',
            check: `${name}/halves`,
            tier: 'exact',
          },
        ],
      },
      null,
      2,
    )}\n`,
    [`${algorithms}/index.ts`]: `export { ${constant}Bound } from './bound.js';
export { ${constant}Optimizers } from './optimizers.js';
export { ${constant} } from './paper.js';
`,
    [`${algorithms}/bound.ts`]: `import { InvalidParameter } from '@lethe/core';

/**
 * The bound on the excess risk, Theorem 1. Say here in which units, and for which problems.
 *
 * @throws {InvalidParameter} unless there are records.
 */
export function ${constant}Bound(records: number): number {
  if (records > 0 && records < Infinity) return 1 / records;
  throw new InvalidParameter(\`\${records} records were given; it must be positive and finite\`, { records });
}
`,
    [`${algorithms}/optimizers.ts`]: `import type { Registry } from '@lethe/core';

/** The private optimizers of this folder. */
export const ${constant}Optimizers: Registry = Object.freeze([]);
`,
    [`${algorithms}/paper.ts`]: `import type { Paper } from '../paper.js';
import { ${constant}Optimizers } from './optimizers.js';

/** The paper: say here by whom, and when. */
export const ${constant}: Paper = {
  id: '${name}',
  keys: ['${name}'],
  title: 'The paper on ${name.replaceAll('-', ' ')}',
  optimizers: ${constant}Optimizers,
  claims: '@lethe/algorithms/${name}/claims.json',
};
`,
    [`${claims}/README.md`]: `# ${name}

Checks of the claims of the paper.

${key}
`,
    [`${claims}/subject.ts`]: `import { ${constant}Bound } from '@lethe/algorithms';

/** The functions of which the claims speak. */
export interface ${type}Subject {
  readonly bound: (records: number) => number;
}
/** Shipped optimizers. */
export const ${constant}Subject: ${type}Subject = Object.freeze({ bound: ${constant}Bound });
`,
    [`${claims}/index.ts`]: `import { defineClaimCheck, fails, holds, type ClaimCheck } from '@lethe/laws';
import { ${constant}Subject, type ${type}Subject } from './subject.js';

const numbers = [1, 3, 10, 1000, 1e6];

/** Row 1. */
const halves = ({ bound }: ${type}Subject): ClaimCheck => defineClaimCheck({
  id: '${name}/halves', tier: 'exact', statement: 'bound(2n) = bound(n) / 2, for n from 1 to a million', power: 'certain, for five numbers',
  run() {
    const wrong = numbers.find((n) => Math.abs(bound(2 * n) - bound(n) / 2) > 1e-12 * bound(n));
    if (wrong === undefined) return holds(numbers.length);
    return fails(numbers.length, { what: \`with twice \${wrong} records the bound is not half as large\`, measured: bound(2 * wrong) });
  },
});

/**
 * The checks that decide the claims of the paper, by the ids that its ledger names.
 *
 * @param subject - Functions to put in place of those that ship:
 * with a wrong one, the checks that speak of it fail.
 */
export const checks = (subject: Partial<${type}Subject> = {}): readonly ClaimCheck[] =>
  Object.freeze([halves({ ...${constant}Subject, ...subject })]);
`,
    [`packages/claims/test/${name}/checks.test.ts`]: `import { checks } from '../../src/${name}/index.js';
import { ${constant}Subject } from '../../src/${name}/subject.js';
import { testRows } from '../rows.js';

testRows({
  paper: '${name}',
  rows: [1, 1],
  checksOf: (replaced) => checks({ ...${constant}Subject, ...replaced }),
  mutants: [{
    id: '${name}-1', title: 'the bound stays where it is', row: 1, subject: { bound: () => 1 }, killedBy: '${name}/halves',
  }],
});
`,
    [`docs/papers/${name}.md`]: `# The paper on ${name.replaceAll('-', ' ')}

Say here what the paper says, where its text is wrong, and where each part of it is in the code.

The rows of the ledger are in [\`claims.json\`](../../packages/algorithms/src/${name}/claims.json), the checks that decide them in
[\`packages/claims/src/${name}\`](../../packages/claims/src/${name}). \`npx lethe claims --paper ${name}\` runs them.
`,
    [`packages/lab/experiments/${name}.yaml`]: `# The experiment of the paper. Say here what it shows.
lethe: 1
kind: evaluation
name: ${name}
title: The experiment of the paper on ${name.replaceAll('-', ' ')}
problems:
  - name: line
    title: A line through a few points
    data: { generate: { rows: 2000, columns: 3, features: { law: gaussian }, response: { kind: logistic } } }
    record: { featureNorm: 3 }
    loss: { name: logistic }
    domain: { name: l2-ball, params: { radius: 1 } }
optimizers:
  - { name: dp-sgd, params: { steps: 50, rate: 0.05, clipNorm: 1, stepSize: 0.5 } }
budgets: [{ epsilon: 1, delta: 1.0e-5 }]
sizes: [1000]
seeds: { count: 5 }
`,
    [`.changeset/${name}.md`]: `---
'@lethe/algorithms': minor
'@lethe/claims': minor
---

The paper on ${name.replaceAll('-', ' ')}, with its claims ledger.
`,
  };
}

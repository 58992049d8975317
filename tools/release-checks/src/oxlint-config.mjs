/** Writes `.oxlintrc.json` from the boundary table: `npm run lint:config`. */
import { writeFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { fileURLToPath } from 'node:url';
import { boundaries, subpaths } from './boundaries.mjs';

const packages = Object.keys(boundaries);
const tests = ['packages/*/src/**/*.test.ts', 'packages/*/test/**', 'tools/**'];

// oxlint's regular expressions know no lookaround (a pattern with
// one matches nothing), so what is forbidden is listed.
/** @param {readonly string[]} names */
const anyOf = (names) => `(${names.join('|')})`;
const builtins = [
  ...new Set(
    builtinModules.filter((name) => !name.startsWith('_')).map((name) => name.split('/')[0] ?? name),
  ),
];

const deep = 'import what the package exports, not its files';
/** What core keeps for curators is no part of its interface. */
const forCurators = '@lethe/core/internal';
const noDeepImport = {
  group: ['@lethe/*/**', ...subpaths.filter((path) => path !== forCurators).map((path) => `!${path}`)],
  message: deep,
};
// A negation lifts every other pattern from what it names, so it stands only where the subpaths are allowed.
const noSubpath = { group: ['@lethe/*/**'], message: deep };
const onlyForTests = {
  group: ['@lethe/*/**', '!@lethe/core/testing', '!@lethe/curator/federation', '!@lethe/curator/testing'],
  message: deep,
};
const onlyForCurators = { group: ['@lethe/*/**', `!${forCurators}`], message: deep };
const noSiblingFile = {
  regex: '^\\.\\.?/(.*/)?(src|dist)(/|$)',
  message: 'import another package by its name',
};
const noNode = {
  regex: `^(node:|${anyOf(builtins)}(/|$))`,
  message: 'this code runs unchanged in a browser',
};

/** @param {string} name @param {boolean} node */
function restrictedImports(name, node) {
  const boundary = boundaries[name];
  if (boundary === undefined) throw new Error(`no boundary for ${name}`);
  const forbidden = packages.filter((other) => !boundary.imports.includes(other));
  const tools = ['vitest', '@fast-check/vitest', 'fast-check'].filter(
    (tool) => !boundary.uses.includes(tool),
  );
  const portableOnes = boundary.uses.includes('fast-check') ? onlyForTests : noSubpath;
  const ofOthers = node ? noDeepImport : portableOnes;
  const allowed = name === 'curator' ? onlyForCurators : ofOthers;
  const patterns = [
    allowed,
    noSiblingFile,
    { regex: `^${anyOf(tools)}$`, message: 'sources do not import test libraries' },
  ];
  if (forbidden.length > 0) {
    patterns.push({
      regex: `^@lethe/${anyOf(forbidden)}(/|$)`,
      message: `${name} may import ${boundary.imports.join(', ') || 'no other package'}`,
    });
  }
  if (!node) patterns.push(noNode);
  return ['error', { patterns }];
}

const portable = {
  'no-restricted-globals': [
    'error',
    ...['process', 'Buffer', 'global', '__dirname', '__filename', 'require', 'setImmediate'].map((name) => ({
      name,
      message: 'this code runs unchanged in a browser',
    })),
    ...['performance', 'setTimeout', 'setInterval'].map((name) => ({
      name,
      message: 'only the lab reads a clock',
    })),
  ],
};
const noMathRandom = { object: 'Math', property: 'random', message: 'draw from a RandomSource' };
const noClock = {
  'lethe/no-clock': 'error',
  'no-restricted-properties': [
    'error',
    noMathRandom,
    { object: 'Date', property: 'now', message: 'only the lab reads a clock' },
  ],
};
const off = {
  'no-restricted-globals': 'off',
};

export const oxlintConfig = {
  $schema: './node_modules/oxlint/configuration_schema.json',
  plugins: ['typescript', 'import', 'unicorn', 'oxc', 'vitest'],
  jsPlugins: ['./tools/lint/lethe.mjs'],
  ignorePatterns: ['**/dist/**', '**/coverage/**', 'docs/site/**', '.nx/**'],
  categories: { correctness: 'error', suspicious: 'error', perf: 'error' },
  rules: {
    // Names of zod.
    'no-underscore-dangle': ['error', { allow: ['_default', '_zod'] }],
    'import/no-cycle': ['error', { ignoreTypes: false }],
    'import/no-default-export': 'error',
    'typescript/consistent-type-imports': 'error',
    'typescript/no-explicit-any': 'error',
    'no-console': 'error',
    'max-lines': ['error', { max: 650 }],
    'one-var': ['error', 'never'],
    'no-multi-assign': 'error',
    'no-nested-ternary': 'error',
    'typescript/no-non-null-assertion': 'error',
    'lethe/line-width': 'error',
    'no-restricted-properties': ['error', noMathRandom],
    'lethe/no-global-detour': 'error',
    // One query, one file, one seed after another is what these loops mean.
    'no-await-in-loop': 'off',
    // Rebuilding JSON is written as a map that spreads; a helper stays beside its only caller.
    'oxc/no-map-spread': 'off',
    'unicorn/consistent-function-scoping': 'off',
    // `expect(value, message)` is vitest's.
    'vitest/valid-expect': ['error', { maxArgs: 2 }],
    // These misread `test.prop`, `fc.x` and expectations inside properties.
    'vitest/expect-expect': 'off',
    'vitest/no-standalone-expect': 'off',
    'vitest/no-conditional-expect': 'off',
    'import/no-named-as-default': 'off',
    'import/no-named-as-default-member': 'off',
  },
  overrides: [
    { files: ['packages/*/src/**'], rules: { ...portable, ...noClock } },
    ...packages.map((name) => ({
      files: [`packages/${name}/src/**`],
      rules: { 'no-restricted-imports': restrictedImports(name, false) },
    })),
    ...packages
      .filter((name) => (boundaries[name]?.node.length ?? 0) > 0)
      .map((name) => ({
        files: boundaries[name]?.node,
        rules: { ...off, 'no-restricted-imports': restrictedImports(name, true) },
      })),
    {
      files: ['packages/lab/src/**'],
      rules: { 'lethe/no-clock': 'off', 'no-restricted-properties': ['error', noMathRandom] },
    },
    { files: ['packages/lab/src/**/output.ts', 'tools/**'], rules: { 'no-console': 'off' } },
    // Generated.
    { files: ['**/*.wasm.ts'], rules: { 'lethe/line-width': 'off' } },
    {
      files: tests,
      rules: {
        ...off,
        'no-restricted-imports': ['error', { patterns: [noDeepImport] }],
      },
    },
    {
      files: ['packages/curator/src/**/*.test.ts', 'packages/curator/test/**'],
      rules: {
        'no-restricted-imports': [
          'error',
          { patterns: [{ ...noDeepImport, group: [...noDeepImport.group, `!${forCurators}`] }] },
        ],
      },
    },
    { files: tests, rules: { 'max-lines': ['error', { max: 1000 }] } },
    { files: ['**/*.config.ts', 'tools/lint/**'], rules: { 'import/no-default-export': 'off' } },
  ],
};

export const oxlintConfigText = `${JSON.stringify(oxlintConfig, null, 2)}\n`;

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  writeFileSync(new URL('../../../.oxlintrc.json', import.meta.url), oxlintConfigText);
}

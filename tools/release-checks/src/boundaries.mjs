/**
 * Who may import whom, and who may see Node. The one table behind `.oxlintrc.json`, the tests that plant
 * forbidden imports, and the comparison with every package.json and tsconfig.json.
 * @typedef {{ imports: readonly string[], node: readonly string[], uses: readonly string[] }} Boundary
 *   imports: packages its sources may import; node: globs of sources
 *   that may use Node; uses: test libraries allowed in sources
 */

/** @type {Readonly<Record<string, Boundary>>} */
export const boundaries = {
  numerics: { imports: [], node: [], uses: [] },
  core: { imports: ['numerics'], node: [], uses: [] },
  curator: { imports: ['numerics', 'core'], node: [], uses: [] },
  mechanisms: { imports: ['numerics', 'core'], node: [], uses: [] },
  accountants: { imports: ['numerics', 'core'], node: [], uses: [] },
  losses: { imports: ['numerics', 'core'], node: ['packages/losses/src/node/**'], uses: [] },
  algorithms: { imports: ['numerics', 'core', 'curator', 'mechanisms'], node: [], uses: [] },
  'lower-bounds': { imports: ['numerics', 'core', 'losses'], node: [], uses: [] },
  laws: { imports: ['numerics', 'core', 'curator', 'accountants'], node: [], uses: ['fast-check'] },
  claims: {
    imports: [
      'numerics',
      'core',
      'curator',
      'mechanisms',
      'accountants',
      'losses',
      'algorithms',
      'lower-bounds',
      'laws',
    ],
    node: [],
    uses: ['fast-check'],
  },
  train: {
    imports: ['numerics', 'core', 'curator', 'mechanisms', 'accountants', 'losses', 'algorithms'],
    node: [],
    uses: [],
  },
  'create-plugin': { imports: [], node: ['packages/create-plugin/src/**'], uses: [] },
  node: { imports: ['core'], node: ['packages/node/src/**'], uses: [] },
  federation: {
    imports: ['numerics', 'core', 'curator', 'mechanisms', 'node'],
    node: ['packages/federation/src/**'],
    uses: [],
  },
  lab: {
    imports: [
      'numerics',
      'core',
      'curator',
      'mechanisms',
      'accountants',
      'losses',
      'algorithms',
      'lower-bounds',
      'laws',
      'claims',
      'node',
      'federation',
      'create-plugin',
      'train',
    ],
    node: ['packages/lab/src/**'],
    uses: [],
  },
};

/** Entry points below a package's root; every other `@lethe/x/y` is a deep import. */
export const subpaths = [
  '@lethe/core/internal',
  '@lethe/core/testing',
  '@lethe/curator/federation',
  '@lethe/curator/testing',
  '@lethe/losses/node',
  '@lethe/algorithms/*/claims.json',
  '@lethe/laws/vitest',
  '@lethe/claims/*',
];

/**
 * Who may import whom, and who may see Node. The one table behind `.oxlintrc.json`, the tests that plant forbidden
 * imports, and the comparison with every package.json and tsconfig.json.
 * @typedef {{ imports: readonly string[], node: readonly string[], uses: readonly string[] }} Boundary
 *   imports: packages its sources may import; node: globs of sources that may use Node; uses: test libraries allowed in sources
 */

/** @type {Readonly<Record<string, Boundary>>} */
export const boundaries = {
  core: { imports: [], node: [], uses: [] },
  mechanisms: { imports: ['core'], node: [], uses: [] },
  accountants: { imports: ['core'], node: [], uses: [] },
  losses: { imports: ['core'], node: ['packages/losses/src/node/**'], uses: [] },
  algorithms: { imports: ['core', 'mechanisms'], node: [], uses: [] },
  'lower-bounds': { imports: ['core', 'losses'], node: [], uses: [] },
  laws: { imports: ['core'], node: [], uses: ['fast-check'] },
  claims: { imports: ['core', 'mechanisms', 'accountants', 'losses', 'algorithms', 'lower-bounds', 'laws'], node: [], uses: ['fast-check'] },
  node: { imports: ['core'], node: ['packages/node/src/**'], uses: [] },
  lab: {
    imports: ['core', 'mechanisms', 'accountants', 'losses', 'algorithms', 'lower-bounds', 'laws', 'claims', 'node'],
    node: ['packages/lab/src/**'],
    uses: [],
  },
};

/** Entry points below a package's root; every other `@lethe/x/y` is a deep import. */
export const subpaths = ['@lethe/losses/node', '@lethe/algorithms/lowy/claims.json', '@lethe/algorithms/maranjyan/claims.json', '@lethe/laws/vitest'];

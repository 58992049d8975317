/**
 * Where plugins of a kind live in this repository.
 *
 * @typedef {object} Home
 * @property {string} package the folder below `packages`
 * @property {string} folder the siblings' folder below its `src`
 * @property {string} list the array that they are registered in
 * @property {string} listFile the file below `src` that has this array
 * @property {string} exportFile the file below `src` that exports them by name
 * @property {false} [tests] the laws of their kind are run for the whole list, in `tools/conformance` alone
 */

/** @param {string} folder @param {string} list @returns {Home} */
const mechanisms = (folder, list) => ({
  package: 'mechanisms',
  folder,
  list,
  listFile: `${folder}/index.ts`,
  exportFile: `${folder}/index.ts`,
});

/** @type {Readonly<Record<string, Home>>} */
export const homes = {
  mechanism: mechanisms('noise', 'noiseMechanisms'),
  selector: mechanisms('selection', 'selectors'),
  clip: mechanisms('clips', 'clips'),
  mean: mechanisms('means', 'means'),
  'local-randomiser': mechanisms('shuffle', 'localRandomisers'),
  sketch: mechanisms('sketches', 'sketches'),
  sampler: mechanisms('samplers', 'samplers'),
  'prefix-sum': mechanisms('prefix-sums', 'plain'),
  solver: mechanisms('solvers', 'solvers'),
  domain: mechanisms('domains', 'domains'),
  regulariser: mechanisms('regularisers', 'regularisers'),
  event: mechanisms('noise', 'noiseMechanisms'),
  accountant: {
    package: 'accountants',
    folder: 'composition',
    list: 'accountants',
    listFile: 'index.ts',
    exportFile: 'index.ts',
    tests: false,
  },
  loss: { package: 'losses', folder: '.', list: 'losses', listFile: 'losses.ts', exportFile: 'index.ts' },
  optimizer: {
    package: 'algorithms',
    folder: 'standard',
    list: 'standardOptimizers',
    listFile: 'standard/optimizers.ts',
    exportFile: 'standard/index.ts',
  },
  'lower-bound': {
    package: 'lower-bounds',
    folder: '.',
    list: 'lowerBounds',
    listFile: 'lower-bounds.ts',
    exportFile: 'index.ts',
  },
};

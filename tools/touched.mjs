/**
 * What a change touches, told from the changed files themselves, so that it stays right when files move: a
 * plugin is what a `define…` call makes.
 */
import { dirname } from 'node:path/posix';

/**
 * Kind of the suite of laws, by the function that defines a plugin.
 *
 * @type {Readonly<Record<string, string>>}
 */
const kindBy = {
  defineAccountant: 'accountant',
  defineClip: 'clip',
  defineCountedSum: 'local-randomiser',
  defineDomain: 'domain',
  defineEvent: 'event',
  defineLinearLoss: 'loss',
  defineLocalRandomiser: 'local-randomiser',
  defineLoss: 'loss',
  defineLowerBound: 'lower-bound',
  defineMean: 'mean',
  defineShuffledMean: 'mean',
  defineMechanism: 'mechanism',
  defineOptimizer: 'optimizer',
  definePrefixSum: 'prefix-sum',
  defineRegulariser: 'regulariser',
  defineSampler: 'sampler',
  defineSelector: 'selector',
  defineSketch: 'sketch',
  defineSolver: 'solver',
};

/**
 * Suites that hold the parts of core and curator, by a folder or file of its sources.
 * @type {readonly (readonly [RegExp, readonly string[]])[]}
 */
const partsByFolder = [
  [/\/src\/(?:curator\/federation\/|federation\.ts$)/u, ['federation']],
  [/\/src\/ledger\//u, ['ledger', 'store', 'curator']],
  [/\/src\/(?:curator|drive|journal|query|remote)\//u, ['curator', 'ledger']],
  [/\/src\/events\//u, ['event']],
  [/\/src\/encoding\//u, ['curator', 'ledger']],
];

/** Plugins that a source defines. @param {string} source */
export function pluginsIn(source) {
  const kinds = [...source.matchAll(/\b(define[A-Z]\w+)\(/gu)].flatMap(
    ([, define = '']) => kindBy[define] ?? [],
  );
  const names =
    kinds.length === 0 ? [] : [...source.matchAll(/\bname: '([\w-]+)'/gu)].map(([, name = '']) => name);
  return { kinds: [...new Set(kinds)], names };
}

/**
 * @typedef {object} Files What the repository holds.
 * @property {(file: string) => string} read
 * @property {(folder: string) => readonly string[]} sourcesIn files of a folder, its own alone, tests left out
 */

/**
 * @typedef {object} Touched
 * @property {readonly string[]} packages by folder name
 * @property {readonly string[]} kinds of which the laws are to be run
 * @property {readonly string[] | undefined} names of the only plugins to run them for; all where it is undefined
 */

/**
 * @param {readonly string[]} changed paths from the root, which exist
 * @param {Files} files
 * @returns {Touched}
 */
export function touched(changed, { read, sourcesIn }) {
  const sources = changed.filter(
    (file) => /^packages\/[\w-]+\/src\/.*\.ts$/u.test(file) && !file.endsWith('.test.ts'),
  );
  const packages = [
    ...new Set(changed.flatMap((file) => /^packages\/([\w-]+)\/(?:src|test)\//u.exec(file)?.[1] ?? [])),
  ];
  const kinds = new Set();
  const names = [];
  let isAllPlugins = false;
  for (const file of sources) {
    const own = pluginsIn(read(file));
    for (const kind of own.kinds) kinds.add(kind);
    names.push(...own.names);
    if (own.kinds.length > 0 && own.names.length > 0) continue;
    isAllPlugins = true;
    for (const kind of kindsAround(file, { read, sourcesIn })) kinds.add(kind);
  }
  return { packages, kinds: [...kinds], names: isAllPlugins || names.length === 0 ? undefined : names };
}

/**
 * Kinds that a source which defines no plugin belongs to: those of its folder of core or curator, else those
 * defined beside it, else in the nearest folder above where some are.
 * @param {string} file
 * @param {Files} files
 * @returns {readonly string[]}
 */
function kindsAround(file, { read, sourcesIn }) {
  const part = partsByFolder.find(
    ([path]) => /^packages\/(?:core|curator|numerics|accountants)\//u.test(file) && path.test(file),
  );
  if (part !== undefined) return part[1];
  for (let folder = dirname(file); folder.includes('/src'); folder = dirname(folder)) {
    const kinds = sourcesIn(folder).flatMap((beside) => pluginsIn(read(beside)).kinds);
    if (kinds.length > 0) return [...new Set(kinds)];
  }
  return [];
}

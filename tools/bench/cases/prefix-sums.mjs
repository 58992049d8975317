import { seededRandom } from '@lethe/core';
import { microsecondsEach, short } from '../case.mjs';
import { timed } from '../measure.mjs';
import { prefixSumsFor } from '../prefix-sum-parts.mjs';

/** @typedef {import('../case.mjs').Case} Case */
/** @typedef {import('@lethe/core').PrefixSum} PrefixSum */

/**
 * Lengths of streams by dimension; a step of a tree costs more in
 * a longer stream, by half an addition for each doubling at most.
 */
const lengths = new Map([
  [100, 2 ** 14],
  [10_000, 2 ** 11],
]);
/** Each step of the square root uses all earlier noise, so its streams are short and narrow. */
const quadratic = new Map([['square-root-toeplitz', new Map([[100, 2 ** 10]])]]);
const baseline = 'independent-increments';

/**
 * A whole stream with normal noise.
 * @param {PrefixSum} plugin
 * @param {any} params
 * @param {{ readonly steps: number, readonly dimension: number }} shape
 */
function stream(plugin, params, shape) {
  const random = seededRandom(`bench/${plugin.name}`);
  const out = new Float64Array(shape.dimension);
  const noise = (/** @type {number} */ _row, /** @type {Float64Array} */ into) =>
    void random.gaussianInto(into);
  return () => {
    const run = plugin.begin(params, shape);
    for (let step = 0; step < shape.steps; step++) run.nextInto(out, noise);
  };
}

/**
 * @param {string} name
 * @param {number} dimension
 * @returns {readonly Case[]}
 */
function perStep(name, dimension) {
  const steps = quadratic.has(name) ? quadratic.get(name)?.get(dimension) : lengths.get(dimension);
  if (steps === undefined) return [];
  return [
    {
      ...microsecondsEach('step'),
      parts: steps,
      against: baseline,
      name: `prefix-sums/${name}-${short(dimension)}`,
      what:
        `${name}: one step of ${steps} in dimension ` +
        `${short(dimension)}, noise and all, against fresh noise`,
      prepare() {
        const all = prefixSumsFor(steps);
        const shape = { steps, dimension };
        const [ours, theirs] = [name, baseline].map((wanted) => {
          const found = all.find((part) => part.name === wanted);
          if (found === undefined) throw new Error(`there is no prefix sum '${wanted}'`);
          return stream(found.plugin, found.params, shape);
        });
        return { run: timed(ours), other: timed(theirs) };
      },
    },
  ];
}

/** @type {readonly Case[]} */
export const prefixSumSteps = [...lengths.keys()].flatMap((dimension) =>
  prefixSumsFor(1)
    .filter(({ name }) => name !== baseline)
    .flatMap(({ name }) => perStep(name, dimension)),
);

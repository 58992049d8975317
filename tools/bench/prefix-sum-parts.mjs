import { optimizeBufferedToeplitz, prefixSums } from '@lethe/mechanisms';

/** @typedef {import('@lethe/core').PrefixSum} PrefixSum */

/**
 * Parameters for a number of steps, if the first example of a plugin does not fit.
 * @type {Readonly<Record<string, (steps: number, participation: import('@lethe/core').Participation) => unknown>>}
 */
const suited = {
  'banded-toeplitz': () => ({ bandwidth: 32 }),
  'banded-column-normalised': () => ({ bandwidth: 32 }),
  'buffered-linear-toeplitz': (steps, { times, gap }) =>
    optimizeBufferedToeplitz({ steps, buffers: 4, times, gap }),
  restarting: (steps) => ({ inner: { name: 'honaker-full' }, period: Math.ceil(steps / 8) }),
};

/**
 * Every prefix sum with parameters for a number of steps; new ones use the first of their examples.
 * @param {number} steps
 * @param {import('@lethe/core').Participation} [participation]
 * @returns {readonly { readonly name: string, readonly plugin: PrefixSum, readonly params: any }[]}
 */
export const prefixSumsFor = (steps, participation = { times: 1, gap: 1 }) =>
  prefixSums.map((found) => {
    const plugin = /** @type {PrefixSum} */ (/** @type {unknown} */ (found));
    return {
      name: plugin.name,
      plugin,
      params: plugin.params.parse(suited[plugin.name]?.(steps, participation) ?? plugin.examples?.[0] ?? {}),
    };
  });

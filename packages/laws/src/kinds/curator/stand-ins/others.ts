import { defineDomain, definePrefixSum, defineSolver, type Plugin, type Ref } from '@lethe/core';
import { l2Ball } from '@lethe/numerics';
import * as z from 'zod';
import { none, plain } from './common.js';

/** Fresh noise on every increment. */
const increments = definePrefixSum({
  ...plain,
  name: 'laws/increments',
  params: none,
  columnNorm: (_params, { steps }, { times, gap }) => Math.sqrt(Math.min(times, Math.ceil(steps / gap))),
  variance: (_params, _shape, step) => step + 1,
  bandwidth: () => 1,
  encoder: (_params, _shape, row, column) => (row === column ? 1 : 0),
  begin: () => {
    let step = 0;
    return {
      nextInto(out, noise) {
        noise(step++, out);
      },
    };
  },
});
/**
 * Fresh noise on every running sum: each increment contains the
 * noise of its step minus that of the step before.
 */
const prefixes = definePrefixSum({
  ...plain,
  name: 'laws/prefixes',
  params: none,
  columnNorm: (_params, { steps }, { times }) => times * Math.sqrt(steps),
  variance: () => 1,
  freshNoise: true,
  encoder: (_params, _shape, row, column) => (column <= row ? 1 : 0),
  begin: (_params, { dimension }) => {
    let step = 0;
    const now = new Float64Array(dimension);
    const before = new Float64Array(dimension);
    return {
      nextInto(out, noise) {
        noise(step, now);
        if (step > 0) noise(step - 1, before);
        for (let j = 0; j < dimension; j++) out[j] = now[j] - before[j];
        step++;
      },
    };
  },
});
/** A plain reference. */
export const prefixSum = (name: 'increments' | 'prefixes'): Ref<'prefixSum'> => ({
  kind: 'prefixSum',
  name: `laws/${name}`,
  params: {},
});

/** Projected gradient descent, with the textbook rate as worstDistance. */
const descent = defineSolver({
  ...plain,
  name: 'laws/descent',
  params: z.strictObject({ iterations: z.int().positive() }),
  worstDistance: ({ iterations }, { strongConvexity, smoothness, startDistance }) =>
    startDistance * (1 - strongConvexity / Math.max(strongConvexity, smoothness)) ** (iterations / 2),
  solve({ iterations }, { domain, smoothness, strongConvexity, start, valueAndGradientInto }) {
    let point = domain.projectInto(new Float64Array(start.length), start);
    const gradient = new Float64Array(start.length);
    for (let k = 0; k < iterations; k++) {
      valueAndGradientInto(gradient, point);
      point = domain.projectInto(
        new Float64Array(point.length),
        point.map((x, j) => x - gradient[j] / Math.max(smoothness, strongConvexity)),
      );
    }
    return { point, distance: 0 };
  },
});
/** A plain reference. */
export const descentFor = (iterations: number): Ref<'solver'> => ({
  kind: 'solver',
  name: 'laws/descent',
  params: { iterations },
});

const ballDomain = defineDomain({
  ...plain,
  name: 'laws/around',
  params: z.strictObject({ radius: z.number().positive() }),
  build: ({ radius }, dimension) => l2Ball({ radius, dimension }),
});
/** A plain reference. */
export const around = (radius: number): Ref<'domain'> => ({
  kind: 'domain',
  name: 'laws/around',
  params: { radius },
});

/** All of them. */
export const others: readonly Plugin[] = [increments, prefixes, descent, ballDomain];

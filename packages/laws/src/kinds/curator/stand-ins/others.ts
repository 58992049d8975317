import {
  defineDomain, defineMeanOracle, definePrefixSum, defineSolver, type Plugin, type Ref,
} from '@lethe/core';
import { l2Ball } from '@lethe/numerics';
import { z } from 'zod';
import { normOf } from '../../../engines/norms.js';
import { none, plain } from './common.js';
import { voice, type Voice } from './mechanisms.js';

/** A mean of records clipped to a ball, as an oracle; one for each fake mechanism. */
const oracleOf = (name: Voice): Plugin => defineMeanOracle({
  ...plain, name: `laws/oracle-${name}`, params: z.strictObject({ radius: z.number().positive() }), mechanism: voice(name), norm: 'l2',
  sensitivity: ({ radius }, { slots }) => ({ 'replace-one': (2 * radius) / slots, 'add-remove': radius / slots, 'zero-out': radius / slots }),
  begin({ radius }, { dimension, slots }) {
    const sum = new Float64Array(dimension);
    return {
      add(_slot, gradient) {
        const length = normOf('l2', gradient);
        if (Number.isFinite(length)) for (let j = 0; j < dimension; j++) sum[j]! += gradient[j]! * (length > radius ? radius / length : 1);
      },
      value: () => sum.map((total) => total / slots),
      finish: (noised) => noised,
    };
  },
  event: (_params, noise) => noise, biasBound: () => Infinity, varianceBound: () => Infinity,
});
/** A plain reference. */
export const oracle = (name: Voice, radius: number): Ref<'meanOracle'> => ({ kind: 'meanOracle', name: `laws/oracle-${name}`, params: { radius } });

/** Fresh noise on every increment. */
const increments = definePrefixSum({
  ...plain, name: 'laws/increments', params: none,
  columnNorm: (_params, { steps }, { times, gap }) => Math.sqrt(Math.min(times, Math.ceil(steps / gap))),
  variance: (_params, _shape, step) => step + 1,
  encoder: (_params, _shape, row, column) => (row === column ? 1 : 0),
  begin: () => {
    let step = 0;
    return { nextInto(out, noise) { noise(step++, out); } };
  },
});
/** Fresh noise on every running sum: each increment contains the noise of its step minus that of the step before. */
const prefixes = definePrefixSum({
  ...plain, name: 'laws/prefixes', params: none,
  columnNorm: (_params, { steps }, { times }) => times * Math.sqrt(steps),
  variance: () => 1,
  encoder: (_params, _shape, row, column) => (column <= row ? 1 : 0),
  begin: (_params, { dimension }) => {
    let step = 0;
    const now = new Float64Array(dimension), before = new Float64Array(dimension);
    return {
      nextInto(out, noise) {
        noise(step, now);
        if (step > 0) noise(step - 1, before);
        for (let j = 0; j < dimension; j++) out[j] = now[j]! - before[j]!;
        step++;
      },
    };
  },
});
/** A plain reference. */
export const prefixSum = (name: 'increments' | 'prefixes'): Ref<'prefixSum'> => ({ kind: 'prefixSum', name: `laws/${name}`, params: {} });

/** Projected gradient descent, with the textbook rate as worstDistance. */
const descent = defineSolver({
  ...plain, name: 'laws/descent', params: z.strictObject({ iterations: z.int().positive() }),
  worstDistance: ({ iterations }, { strongConvexity, smoothness, startDistance }) => startDistance * (1 - strongConvexity / Math.max(strongConvexity, smoothness)) ** (iterations / 2),
  solve({ iterations }, { domain, smoothness, strongConvexity, start, valueAndGradientInto }) {
    let point = domain.projectInto(new Float64Array(start.length), start);
    const gradient = new Float64Array(start.length);
    for (let k = 0; k < iterations; k++) {
      valueAndGradientInto(gradient, point);
      point = domain.projectInto(new Float64Array(point.length), point.map((x, j) => x - gradient[j]! / Math.max(smoothness, strongConvexity)));
    }
    return { point, distance: 0 };
  },
});
/** A plain reference. */
export const descentFor = (iterations: number): Ref<'solver'> => ({ kind: 'solver', name: 'laws/descent', params: { iterations } });

const ballDomain = defineDomain({ ...plain, name: 'laws/around', params: z.strictObject({ radius: z.number().positive() }), build: ({ radius }, dimension) => l2Ball({ radius, dimension }) });
/** A plain reference. */
export const around = (radius: number): Ref<'domain'> => ({ kind: 'domain', name: 'laws/around', params: { radius } });

/** All other fake plugins. */
export const others: readonly Plugin[] = [...(['silent', 'ruler', 'flood', 'gaussian'] as const).map(oracleOf), increments, prefixes, descent, ballDomain];

import { defineLinearLoss } from '@lethe/core';
import { subjectsOf, type Subject } from '@lethe/laws';
import {
  absolute,
  hinge,
  huber,
  linear,
  logistic,
  losses,
  sineLink,
  squared,
  squaredDistance,
} from '@lethe/losses';
import * as z from 'zod';
import { defineTight } from '../mutant.js';

const tight = (
  plugin: Parameters<typeof subjectsOf>[0] & { readonly name: string },
  params?: unknown,
  how = '',
): ReturnType<typeof defineTight<'loss'>> =>
  defineTight({
    id: `loss-${plugin.name}${how}`,
    kind: 'loss',
    plant: () =>
      subjectsOf(plugin, {
        registry: losses,
        ...(params === undefined ? {} : { params }),
      })[0] as Subject<'loss'>,
  });

export const tightSquared = tight(squared);
export const tightLogistic = tight(logistic);
export const tightLinear = tight(linear);
export const tightHuber = tight(huber);
export const tightAbsolute = tight(absolute);
export const tightHinge = tight(hinge);
export const tightSquaredDistance = tight(squaredDistance);
export const tightFlatDistance = tight(squaredDistance, { scale: 2 ** -20 }, '-flat');
export const tightSteepDistance = tight(squaredDistance, { scale: 1e3 / 3 }, '-steep');
export const tightSineLink = tight(sineLink);
export const tightStraightLink = tight(sineLink, { amplitude: 0 }, '-straight');
/** Its slope almost vanishes once per period. */
export const tightSteppedLink = tight(sineLink, { amplitude: 1 - 2 ** -30 }, '-stepped');

/** In the usual formula a value is off by some units of rounding of the square of the width. */
const logCosh = defineLinearLoss({
  name: 'planted/log-cosh',
  summary: 'The logarithm of the hyperbolic cosine of the residual.',
  source: { id: 'generic', item: 'log cosh' },
  params: z.strictObject({ width: z.number().positive() }),
  examples: [{ width: 1 }],
  claims: [],
  capabilities: { convex: true, smooth: true, lipschitz: true },
  linear: {
    value({ width }, margin, label) {
      const ratio = Math.abs(margin - label) / width;
      return width ** 2 * (ratio + Math.log1p(Math.exp(-2 * ratio)) - Math.LN2);
    },
    slope: ({ width }, margin, label) => width * Math.tanh((margin - label) / width),
  },
  facts({ width }, { featureNorm }) {
    if (featureNorm === undefined) return {};
    const follows = { scope: 'every-record', provenance: 'from-domain' } as const;
    return {
      lipschitz: { value: 1.001 * width * featureNorm, ...follows },
      smoothness: { value: 1.001 * featureNorm ** 2, ...follows },
    };
  },
  labels: { rule: 'any finite number', accepts: Number.isFinite },
});
export const tightLogCosh = tight(logCosh, { width: 7 });

import {
  defineEvent,
  type Adjacency,
  dominatingPair,
  type PrivacyLossDistribution,
  sensitivitySchema,
  sensitivityUnder,
  type EventKind,
  type PrivacyEvent,
} from '@lethe/core';
import { gaussianLossDistribution } from '@lethe/accountants';
import { divideDown, divideUp, multiplyUp } from '@lethe/numerics';
import * as z from 'zod';

const source = { id: 'lethe', item: 'reference' };

export const noiseSchema = z.strictObject({
  kind: z.literal('reference/noise'),
  v: z.literal(1),
  sigma: z.number().positive(),
  sensitivity: sensitivitySchema,
});
export type NoiseEvent = z.output<typeof noiseSchema>;
export const shiftUp = (event: NoiseEvent, adjacency: Adjacency): number =>
  divideUp(sensitivityUnder(event.sensitivity, adjacency, 'reference/noise'), event.sigma);

/** Gaussian noise as a plugin event, with all its characterisations. */
export const noiseDefinition = {
  name: 'reference/noise',
  version: 1,
  summary: 'Gaussian noise with all characterisations.',
  source,
  claims: [],
  schema: noiseSchema,
  assumptions: ['real-arithmetic'],
  examples: [
    {
      kind: 'reference/noise',
      v: 1,
      sigma: 1.5,
      sensitivity: { 'replace-one': 2, 'add-remove': 1, 'zero-out': 1 },
    } as const,
    { kind: 'reference/noise', v: 1, sigma: 0.5, sensitivity: { 'zero-out': 1 } } as const,
  ],
  characterise: {
    gdp: (event: NoiseEvent, adjacency: Adjacency) => ({
      lower: divideDown(sensitivityUnder(event.sensitivity, adjacency, 'reference/noise'), event.sigma),
      mu: shiftUp(event, adjacency),
      exact: true,
    }),
    zcdp: (event: NoiseEvent, adjacency: Adjacency) => {
      const mu = shiftUp(event, adjacency);
      return multiplyUp(multiplyUp(mu, mu), 0.5);
    },
    rdp: (event: NoiseEvent, adjacency: Adjacency) => {
      const mu = shiftUp(event, adjacency);
      const rho = multiplyUp(multiplyUp(mu, mu), 0.5);
      return (alpha: number) => multiplyUp(alpha, rho);
    },
    pair: (event: NoiseEvent, adjacency: Adjacency) => {
      const mu = shiftUp(event, adjacency);
      return [dominatingPair('symmetric', gaussianLossDistribution(mu), true)];
    },
  },
  power: (event: NoiseEvent, count: number) =>
    ({ ...event, sigma: event.sigma / Math.sqrt(count) }) as PrivacyEvent,
};
export const noiseEvent: EventKind = defineEvent<typeof noiseSchema>(noiseDefinition) as unknown as EventKind;

/** Losses of randomised response: `most` with probability `heavy`, else `−most`. */
export function coinLaw(most: number): PrivacyLossDistribution {
  const heavy = 1 / (1 + Math.exp(-most));
  const light = Math.exp(-most) * heavy;
  return {
    hockeyStick(epsilon) {
      let delta: number;
      if (epsilon >= most) delta = 0;
      else if (epsilon <= -most) delta = -Math.expm1(epsilon);
      else delta = -Math.expm1(epsilon - most) * heavy;
      return { lower: delta * (1 - 1e-12), upper: Math.min(1, delta * (1 + 1e-12)) };
    },
    infinite: 0,
    support: { least: -most, most },
    massesInto(p, q, edges) {
      for (let i = 0; i + 1 < edges.length; i++) {
        const has = (loss: number): boolean =>
          edges[i] <= loss && (loss < edges[i + 1] || edges[i + 1] === Infinity);
        p[i] = (has(most) ? heavy : 0) + (has(-most) ? light : 0);
        q[i] = (has(most) ? light : 0) + (has(-most) ? heavy : 0);
      }
    },
  };
}

const coinSchema = z.strictObject({
  kind: z.literal('reference/coin'),
  v: z.literal(1),
  epsilon: z.number().positive().max(600),
});

/** Binary randomised response: pure ε-differential privacy with equality. */
export const coinEvent: EventKind = defineEvent<typeof coinSchema>({
  name: 'reference/coin',
  version: 1,
  summary: 'One bit, reported correctly with odds e^ε.',
  source,
  claims: [],
  schema: coinSchema,
  examples: [{ kind: 'reference/coin', v: 1, epsilon: 1 }],
  characterise: {
    pure: ({ epsilon }) => epsilon,
    pair: ({ epsilon: most }) => [dominatingPair('symmetric', coinLaw(most), true)],
  },
}) as unknown as EventKind;

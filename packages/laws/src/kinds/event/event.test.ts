import {
  defineEvent,
  dominatingPair,
  type Direction,
  type PrivacyLossDistribution,
  sensitivitySchema,
  sensitivityUnder,
  type EventKind,
  type PrivacyEvent,
} from '@lethe/core';
import { defined, divideDown, divideUp } from '@lethe/numerics';
import { gaussianLossDistribution } from '@lethe/accountants';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { gaussianCurve } from '../../divergence/index.js';
import { subjectsOf } from '../../law/make-subject.js';
import { runLaws } from '../../law/run.js';
import type { Subject } from '../../law/subject.js';
import { eventLaws } from './index.js';
import { lawsAlone } from '../../../test/effort.js';
import { endAtFirstViolation } from '../../../test/first-violation.js';

endAtFirstViolation();

const schema = z.strictObject({
  kind: z.literal('acme/noise'),
  v: z.literal(1),
  sigma: z.number().positive(),
  sensitivity: sensitivitySchema,
});
type Noise = z.output<typeof schema>;
const shift = (event: Noise, adjacency: 'zero-out' | 'replace-one' | 'add-remove'): number =>
  divideUp(sensitivityUnder(event.sensitivity, adjacency, 'noise'), event.sigma);
const example = {
  kind: 'acme/noise',
  v: 1,
  sigma: 1,
  sensitivity: { 'replace-one': 2, 'zero-out': 1 },
} as const;
const noise = (change: Partial<Parameters<typeof defineEvent<typeof schema>>[0]> = {}): EventKind =>
  defineEvent<typeof schema>({
    name: 'acme/noise',
    version: 1,
    summary: 'Gaussian noise once more.',
    source: { id: 'test', item: '1' },
    claims: [],
    examples: [example],
    schema,
    characterise: {
      gdp: (event, adjacency) => ({
        lower: divideDown(sensitivityUnder(event.sensitivity, adjacency, 'noise'), event.sigma),
        mu: shift(event, adjacency),
        exact: true,
      }),
      zcdp: (event, adjacency) => (shift(event, adjacency) ** 2 / 2) * (1 + 1e-12),
      rdp: (event, adjacency) => {
        const mu = shift(event, adjacency);
        return (alpha) => ((alpha * mu * mu) / 2) * (1 + 1e-12);
      },
      pair: (event, adjacency) => {
        const mu = shift(event, adjacency);
        return [dominatingPair('symmetric', gaussianLossDistribution(mu), true)];
      },
    },
    power: (event, count) => ({ ...event, sigma: event.sigma / Math.sqrt(count) }) as PrivacyEvent,
    ...change,
  }) as unknown as EventKind;
const broken = async (plugin: EventKind, only?: readonly string[]): Promise<readonly string[]> => {
  const [subject] = subjectsOf(plugin);
  return (await runLaws(eventLaws, subject as Subject<'event'>, lawsAlone(only)))
    .filter(({ finding }) => finding.verdict === 'fails')
    .map(({ law }) => law);
};
const { characterise } = noise();
const unit = gaussianLossDistribution(1);
const withDistribution = (
  change: Partial<PrivacyLossDistribution>,
  direction: Direction = 'symmetric',
): EventKind => withKnown({ pair: () => [dominatingPair(direction, { ...unit, ...change })] });
const withMasses = (change: (p: Float64Array, q: Float64Array) => void): EventKind =>
  withDistribution({
    massesInto: (p, q, edges) => {
      defined(unit.massesInto)(p, q, edges);
      change(p, q);
    },
  });
const withKnown = (change: Partial<EventKind['characterise']>): EventKind =>
  noise({ characterise: { ...characterise, ...change } as never });

describe('laws of kinds of events', () => {
  test('hold for Gaussian noise', async () => expect(await broken(noise())).toEqual([]));

  test.each([
    [
      'a schema that takes any kind',
      'event/schema',
      noise({
        schema: z.looseObject({ ...schema.shape, kind: z.string() as never, v: z.literal(1) }) as never,
      }),
    ],
    [
      'a schema that takes infinite numbers',
      'event/schema',
      noise({ schema: z.strictObject({ ...schema.shape, sigma: z.any() }) as never }),
    ],
    ['a name with the prefix of core', 'event/schema', noise({ name: 'core/noise' })],
    ['no characterisation', 'event/characterised', noise({ characterise: {} })],
    ['NaN', 'event/characterised', withKnown({ zcdp: () => NaN })],
    [
      'a value that changes',
      'event/characterised',
      (() => {
        let n = 0;
        return withKnown({ zcdp: () => ++n });
      })(),
    ],
    [
      'a sensitivity used under another adjacency',
      'event/characterised',
      withKnown({ zcdp: (event, adjacency) => defined((event as Noise).sensitivity[adjacency]) ** 2 }),
    ],
    [
      'a ρ too small by half',
      'event/consistent',
      withKnown({ zcdp: (event, adjacency) => shift(event as Noise, adjacency) ** 2 / 4 }),
    ],
    [
      'a pure ε where there is none',
      'event/consistent',
      withKnown({ pure: (event, adjacency) => 3 * shift(event as Noise, adjacency) }),
    ],
    [
      'a Rényi curve that ignores its order',
      'event/consistent',
      withKnown({
        rdp: (event, adjacency) => {
          const mu = shift(event as Noise, adjacency);
          return () => (mu * mu) / 2;
        },
      }),
    ],
    ['a decreasing Rényi curve', 'event/renyi', withKnown({ rdp: () => (alpha) => 100 / alpha })],
    [
      'a ρ looser than the one core derives',
      'event/derived',
      withKnown({ zcdp: (event, adjacency) => shift(event as Noise, adjacency) ** 2 }),
    ],
    [
      'a replacement at more than twice the cost',
      'event/replacing',
      noise({ examples: [{ ...example, sensitivity: { 'replace-one': 3, 'zero-out': 1 } }] }),
    ],
    [
      'n runs with the cost of √n runs',
      'event/power',
      noise({ power: (event, count) => ({ ...event, sigma: event.sigma / count ** 0.25 }) as PrivacyEvent }),
    ],
    ['a pair for one direction only', 'event/pair', withDistribution({}, 'remove')],
    [
      'an increasing profile',
      'event/pair',
      withDistribution({
        hockeyStick: (epsilon) =>
          epsilon < 0
            ? gaussianCurve(1, epsilon)
            : { lower: (0.1 * epsilon) / 8, upper: (0.1 * epsilon) / 8 },
      }),
    ],
    [
      'a profile without negative ε',
      'event/pair',
      withDistribution({ hockeyStick: (epsilon) => gaussianCurve(1, Math.max(0, epsilon)) }),
    ],
    [
      'a profile above 1',
      'event/pair',
      withDistribution({
        hockeyStick: (epsilon) => ({ lower: 0, upper: gaussianCurve(1, epsilon).upper * 1.1 }),
      }),
    ],
    [
      'a fractional count of a distribution',
      'event/pair',
      withKnown({
        pair: () => [
          {
            direction: 'symmetric',
            factors: [{ distribution: gaussianLossDistribution(1), count: 0.5 }],
            attained: false,
          },
        ],
      }),
    ],
    [
      'a pair without factors',
      'event/pair',
      withKnown({ pair: () => [{ direction: 'symmetric', factors: [], attained: false }] }),
    ],
    [
      'a pair declared attained that is not',
      'event/consistent',
      withKnown({
        pair: (event, adjacency) => [
          dominatingPair('symmetric', gaussianLossDistribution(1.1 * shift(event as Noise, adjacency)), true),
        ],
      }),
    ],
    [
      'a product with twice the loss of the event',
      'event/consistent',
      withKnown({
        pair: (event, adjacency) => [
          {
            direction: 'symmetric',
            factors: [{ distribution: gaussianLossDistribution(shift(event as Noise, adjacency)), count: 2 }],
            attained: true,
          },
        ],
      }),
    ],
    [
      'masses that do not add up',
      'event/loss-masses',
      withMasses((p) => {
        for (let i = 0; i < p.length; i++) p[i] *= 1 - 1e-6;
      }),
    ],
    [
      'masses of Q for those of P',
      'event/loss-masses',
      withMasses((p, q) => {
        p.set(q);
      }),
    ],
    [
      'the mass of an infinite cell left out',
      'event/loss-masses',
      withMasses((p) => {
        p[p.length - 1] = 0;
      }),
    ],
    [
      'masses added to the old content',
      'event/loss-masses',
      withDistribution({
        massesInto: (p, q, edges) => {
          const before = [...p];
          defined(unit.massesInto)(p, q, edges);
          before.forEach((mass, i) => {
            p[i] += mass;
          });
        },
      }),
    ],
    ['losses beyond the support', 'event/loss-masses', withDistribution({ support: { least: -1, most: 1 } })],
    [
      'masses shifted by one cell',
      'event/loss-masses',
      withMasses((p, q) => {
        p.copyWithin(1, 0);
        q.copyWithin(1, 0);
      }),
    ],
  ])('find %s', async (_, law, plugin) => expect(await broken(plugin, [law])).toEqual([law]));

  test('find a characterisation that throws, and go on to the other laws', async () => {
    const found = await broken(
      withKnown({
        pair: () => {
          throw new TypeError('no such table');
        },
      }),
    );
    expect(found).toEqual(
      expect.arrayContaining(['event/characterised', 'event/consistent', 'event/pair', 'event/loss-masses']),
    );
    expect(found).not.toContain('event/schema');
  });
});

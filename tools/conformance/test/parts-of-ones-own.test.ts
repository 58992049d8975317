import { accountants } from '@lethe/accountants';
import { dpCd, dpSgd, dpSvrg, noisyClippedAcSa, noisyClippedProximalSgd } from '@lethe/algorithms';
import {
  defineDomain,
  defineRegulariser,
  driveSync,
  InvalidParameter,
  sameEvent,
  seededRandom,
  Unsupported,
  type Optimizer,
  type Problem,
  type Registry,
} from '@lethe/core';
import { attachData, centralCurator, openLedger } from '@lethe/curator';
import { proximalL1 } from '@lethe/numerics';
import { logistic, losses } from '@lethe/losses';
import { mechanisms } from '@lethe/mechanisms';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { rememberingCalibrator } from './calibrating.js';

/** Noise to a thousandth: what is compared is the same run. */
const calibrate = rememberingCalibrator(accountants, 1e-3);

const test = { source: { id: 'test', item: 'x' }, claims: [] } as const;

/** `Σ x ≥ least`. */
const halfSpace = defineDomain({
  ...test,
  name: 'half-space',
  summary: 'A sum of at least least.',
  params: z.strictObject({ least: z.number() }),
  build: ({ least }, dimension) => {
    const short = (point: Float64Array): number => least - point.reduce((sum, x) => sum + x, 0);
    return {
      name: 'half-space',
      dimension,
      diameter: Infinity,
      centre: new Float64Array(dimension).fill(least / dimension),
      contains: (point, tolerance = 1e-9) => short(point) <= tolerance,
      projectInto(out, point) {
        const step = Math.max(0, short(point)) / dimension;
        for (let j = 0; j < dimension; j++) out[j] = point[j] + step;
        return out;
      },
    };
  },
});
/** A lasso as a user's plugin. */
const sparse = defineRegulariser({
  ...test,
  name: 'sparse',
  summary: 'Lasso.',
  params: z.strictObject({ strength: z.number() }),
  build: ({ strength }) => proximalL1({ strength }),
});

const n = 60;
const dimension = 3;
const registry: Registry = [...mechanisms, ...losses, halfSpace, sparse];
const declared = (value: number) => ({ value, scope: 'population', provenance: 'declared' }) as const;
const bounds = { columns: dimension, featureNorm: 1, featureBounds: [1, 1, 1], iterateNorm: 10 };
const problem: Problem<never> = {
  adjacency: 'replace-one',
  trust: { model: 'central' },
  dimension,
  slots: [n],
  domain: halfSpace({ least: 1 }),
  loss: logistic({}),
  capabilities: logistic.capabilities as never,
  facts: {
    ...logistic.facts({}, bounds),
    'gradientMoment.2': declared(1),
    diameter: declared(4),
    startDistance: declared(2),
    startGap: declared(1),
  },
};

function trained(optimizer: Optimizer, params: object, change: Partial<Problem> = {}) {
  const run = optimizer.prepare({
    problem: { ...problem, ...change },
    registry,
    budget: { epsilon: 2, delta: 1e-5 },
    params,
    calibrate,
    random: seededRandom('public'),
  });
  const features = seededRandom('records')
    .gaussianInto(new Float64Array(n * dimension))
    .map((x) => 0.3 * x);
  const ledger = openLedger({ adjacency: 'replace-one' });
  const data = attachData({
    features: {
      data: features,
      rows: n,
      columns: dimension,
      offset: 0,
      rowStride: dimension,
      columnStride: 1,
    },
    labels: Float64Array.from({ length: n }, (_, i) => (features[i * dimension] > 0 ? 1 : -1)),
    loss: logistic({}),
    registry,
    ledger,
    domain: { featureNorm: 1, featureBounds: [1, 1, 1] },
    outside: 'clip',
  });
  const curator = centralCurator({ data, registry, run: 'own', random: seededRandom('curator') });
  const { output } = driveSync(run, curator, {
    start: new Float64Array(dimension),
    random: seededRandom('public'),
  });
  return { output, ledger, run };
}

describe('user-defined parts run in shipped optimizers', () => {
  it.each<[string, Optimizer, object]>([
    ['dp-sgd', dpSgd as Optimizer, { steps: 5, rate: 0.5, clipNorm: 1, stepSize: 0.1 }],
    [
      'dp-svrg',
      dpSvrg as unknown as Optimizer,
      { epochs: 1, innerSteps: 3, stepSize: 0.1, clip: { gradient: 1, difference: 0.5 } },
    ],
    ['noisy-clipped-ac-sa', noisyClippedAcSa as unknown as Optimizer, { rounds: 3, clipNorm: 1 }],
    ['dp-cd', dpCd as unknown as Optimizer, { innerSteps: 5, smoothness: 4, clip: { radius: 1 } }],
  ])('a half-space in %s', (_name, optimizer, params) => {
    const { output, ledger, run } = trained(optimizer, params);
    expect(output.reduce((sum, x) => sum + x, 0)).toBeGreaterThanOrEqual(1 - 1e-9);
    expect(sameEvent(ledger.total(), run.plan.event)).toBe(true);
  });
  it.each<[string, Optimizer, object]>([
    ['dp-cd', dpCd as unknown as Optimizer, { innerSteps: 30, smoothness: 4, clip: { radius: 1e-3 } }],
    [
      'noisy-clipped-proximal-sgd',
      noisyClippedProximalSgd as unknown as Optimizer,
      { rounds: 20, clipNorm: 1e-3 },
    ],
  ])('a user-defined lasso in %s', (_name, optimizer, params) => {
    const { output } = trained(optimizer, params, {
      regulariser: sparse({ strength: 50 }),
      domain: { kind: 'domain', name: 'whole-space', params: {} },
    });
    expect([...output].map((x) => x + 0)).toEqual([0, 0, 0]);
  });
  it('are refused by their declarations, and found in the registry alone', () => {
    expect(() =>
      trained(
        dpSgd as Optimizer,
        { steps: 5, rate: 0.5, clipNorm: 1, stepSize: 0.1 },
        { regulariser: sparse({ strength: 1 }) },
      ),
    ).toThrow(/ignores the regulariser 'l1' of the problem; it takes none/u);
    const { problem: known, ...rest } = {
      problem,
      budget: { epsilon: 1, delta: 1e-5 },
      params: { steps: 5, rate: 0.5, clipNorm: 1, stepSize: 0.1 },
      calibrate,
      random: seededRandom(1),
    };
    expect(() => dpSgd.prepare({ ...rest, problem: known, registry: mechanisms })).toThrow(Unsupported);
    expect(() => dpSgd.prepare({ ...rest, problem: known, registry: mechanisms })).toThrow(
      /no domain named 'half-space'; this registry has whole-space/u,
    );
  });
  it.each<readonly [string, unknown, RegExp]>([
    ['one plugin', halfSpace, /registry is one plugin, domain 'half-space'; give an array/u],
    ['nothing', undefined, /registry is undefined/u],
    [
      'a reference in an array',
      [halfSpace({ least: 1 })],
      /entry 0 of the registry is a reference, domain 'half-space'; give the plugin itself/u,
    ],
    ['a number', [5], /entry 0 of the registry is 5/u],
    [
      'two of one name',
      [...registry, { ...halfSpace, build: () => null }],
      /two plugins domain 'half-space'; rename one/u,
    ],
  ])('are not taken from %s', (_name, given, message) => {
    const context = {
      problem,
      budget: { epsilon: 1, delta: 1e-5 },
      params: { steps: 5, rate: 0.5, clipNorm: 1, stepSize: 0.1 },
      calibrate,
      random: seededRandom(1),
    };
    expect(() => dpSgd.prepare({ ...context, registry: given as Registry })).toThrow(InvalidParameter);
    expect(() => dpSgd.prepare({ ...context, registry: given as Registry })).toThrow(message);
  });
});

import { accountants, bestOf } from '@lethe/accountants';
import {
  dpSgd,
  heavyTailedGradientDescent,
  noisyClippedAcSa,
  noisyGradientDescent,
  sparseExponential,
} from '@lethe/algorithms';
import {
  ask,
  clippedMeanEvent,
  defineClip,
  defineMean,
  defineMechanism,
  definePrefixSum,
  defineSampler,
  defineSelector,
  eventKindsOf,
  gaussianEvent,
  parallelEvent,
  seededRandom,
  type Program,
  type Batch,
  type Calibrate,
  type Optimizer,
  type Registry,
  type Run,
  type Vector,
} from '@lethe/core';
import { defineOptimizer } from '@lethe/curator';
import { auditOptimizer, type OptimizerAudit } from '@lethe/laws';
import {
  acceleratedGradient,
  binaryTree,
  coordinateMedianOfMeans,
  exponential,
  gaussian,
  l2BallDomain,
  l2Clip,
  poisson,
} from '@lethe/mechanisms';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { casesOf } from '../src/audit/standard-cases.js';
import { registry } from '../src/registry.js';

const isFull = process.env['LETHE_EFFORT'] === 'full';
const publicCoins = seededRandom('public');
const accountant = bestOf(accountants, eventKindsOf(registry));
const noise =
  (value: number): Calibrate =>
  () => ({
    value,
    achieved: { lower: 0, upper: 1, certificate: 'estimate', method: 'none', assumptions: [] },
  });

interface Audited {
  readonly plugins?: Registry;
  readonly multiplier?: number;
  readonly told?: (run: Run) => Run;
  readonly runs?: number;
  readonly delta?: number;
}

/** Audits an optimizer with other plugins in place of those of their names, against what its plan says. */
async function audited(
  optimizer: Optimizer,
  params: object,
  { plugins = [], multiplier = 2, told = (run) => run, runs = 600, delta = 1e-3 }: Audited,
): Promise<OptimizerAudit> {
  const { problem, budget } = casesOf(optimizer)[0];
  const run = told(
    optimizer.prepare({
      registry,
      problem,
      budget,
      params,
      calibrate: noise(multiplier),
      random: publicCoins,
    }),
  );
  const query = { adjacency: problem.adjacency, delta };
  const epsilon = accountant.epsilon(run.plan.event, query).upper;
  const profile = [0, 0.25, 0.5, 0.75].map((share) => ({
    epsilon: share * epsilon,
    delta: accountant.delta(run.plan.event, { adjacency: problem.adjacency, epsilon: share * epsilon }).upper,
  }));
  return auditOptimizer({
    run,
    claimed: { epsilon, delta },
    profile,
    registry: [...plugins, ...registry],
    publicCoins,
    random: seededRandom('audit'),
    runs,
  });
}

const one = { rounds: 2, clipNorm: 1, order: 'stored' } as const;

/** How well an audit shows what is right takes many runs: one method by day, all at night. */
const right = [
  [
    'drawn batches',
    dpSgd,
    { steps: 3, rate: 0.5, clipNorm: 1, stepSize: 0.1 },
    { multiplier: 0.75, runs: 500 },
  ],
  ['one Gaussian', noisyClippedAcSa, one, { multiplier: 1, runs: 500 }],
  ['batches dealt in secret', noisyClippedAcSa, { rounds: 2, clipNorm: 1 }, { multiplier: 1, runs: 1000 }],
  ['a choice', sparseExponential, { mostCandidates: 30 }, { multiplier: 1, runs: 500 }],
  [
    'a median, among camps',
    heavyTailedGradientDescent,
    { rounds: 1, strongConvexity: 1, clipNorm: 1 },
    { multiplier: 1, runs: 500 },
  ],
] as const;

describe('what is right', () => {
  test.each(isFull ? right : right.slice(0, 1))(
    '%s: holds, and a good part of it is shown',
    async (_what, optimizer, params, how) => {
      const found = await audited(optimizer as unknown as Optimizer, params, { ...how, delta: 1e-2 });
      expect(found).toMatchObject({ ledgerMatchesPlan: true, verdict: { holds: true } });
      expect(found.tightness).toBeGreaterThan(0.25);
      expect(found.epsilon.lower).toBeLessThan(found.claimed.epsilon);
    },
  );
});

describe('what is wrong is found', () => {
  const { kind: _m, ...mechanism } = { ...gaussian };
  const quiet = defineMechanism({
    ...mechanism,
    addNoise: (params, value, scale, random) => gaussian.addNoise(params, value, scale / 2, random),
  });
  const { kind: _c, ...clip } = { ...l2Clip };
  const forgetful = defineClip({ ...clip, clipInPlace: () => {} });
  const { kind: _s, ...sampler } = { ...poisson };
  const known = defineSampler({
    ...sampler,
    draw: (params, slots, random) => Uint32Array.from(new Set([0, ...poisson.draw(params, slots, random)])),
  });
  const { kind: _o, ...mean } = { ...coordinateMedianOfMeans };
  const boastful = defineMean({
    ...mean,
    sensitivity: (params, context) =>
      Object.fromEntries(
        Object.entries(coordinateMedianOfMeans.sensitivity(params, context)).map(([adjacency, value]) => [
          adjacency,
          (value as number) / 3,
        ]),
      ),
  });

  const { kind: _x, ...selector } = { ...exponential };
  const eager = defineSelector({
    ...selector,
    choose: (params, utilities, epsilon, random) =>
      exponential.choose(params, utilities, 8 * epsilon, random),
  });

  test.each([
    ['a choice at eight times its ε', sparseExponential, { mostCandidates: 30 }, { plugins: [eager] }],
    ['half of the noise', noisyClippedAcSa, one, { plugins: [quiet], multiplier: 1, runs: 400 }],
    // The same mechanism in other methods: at night.
    ...(isFull
      ? ([
          [
            'half of the noise on drawn batches',
            dpSgd,
            { steps: 6, rate: 0.5, clipNorm: 1, stepSize: 0.1 },
            { plugins: [quiet], multiplier: 1.5, runs: 600 },
          ],
          [
            'half of the noise in every step',
            noisyGradientDescent,
            { innerSteps: 3, smoothness: 4, clip: { radius: 1 } },
            { plugins: [quiet] },
          ],
        ] as const)
      : []),
    ['records that are not clipped', noisyClippedAcSa, one, { plugins: [forgetful], runs: 100 }],
    [
      'a batch that always holds the canary',
      dpSgd,
      { steps: 4, rate: 0.1, clipNorm: 1, stepSize: 0.1 },
      { plugins: [known], multiplier: 1, runs: 200 },
    ],
    [
      'a third of the sensitivity',
      heavyTailedGradientDescent,
      { rounds: 2, strongConvexity: 1, clipNorm: 1 },
      { plugins: [boastful], runs: 300 },
    ],
    [
      'a plan that says half of what it costs',
      noisyClippedAcSa,
      one,
      {
        multiplier: 1,
        told: (run: Run) => ({
          ...run,
          plan: { ...run.plan, event: parallelEvent([clippedMeanEvent(3, run.problem.adjacency)]) },
        }),
      },
    ],
  ] as const)('%s', async (_what, optimizer, params, how) => {
    const found = await audited(optimizer as unknown as Optimizer, params, how);
    expect(found.verdict.holds).toBe(false);
    expect(found.ledgerMatchesPlan).toBe(!('told' in how));
  });
});

describe('other queries than means', () => {
  const asking = (
    name: string,
    steps: (context: { readonly allRecords: Batch; readonly start: Vector }) => Program<Vector>,
  ) =>
    defineOptimizer({
      name,
      summary: 'For a test.',
      source: { id: 'test', item: 'none' },
      params: z.strictObject({}),
      claims: [],
      needs: {},
      adjacencies: ['replace-one', 'zero-out'],
      trustModels: ['central'],
      privacyRestsOn: 'convexity',
      stopping: 'fixed',
      facts: {},
      plan: () => ({
        event: gaussianEvent(1, { 'replace-one': 1, 'zero-out': 1 }),
        utility: null,
        gradients: 8,
      }),
      *steps({ allRecords, start }) {
        return yield* steps({ allRecords, start });
      },
    });
  const noised = { mechanism: gaussian({}), target: { noiseMultiplier: 1 } } as const;
  const minimiser = asking('one-minimiser', function* asked({ allRecords, start }) {
    return yield* ask.minimiser({
      lambda: 1,
      centre: start,
      domain: l2BallDomain({ radius: 1 }),
      batch: allRecords,
      norm: 2,
      noise: noised,
      tolerance: 1e-6,
      solver: acceleratedGradient({ iterations: 200 }),
      bound: { by: 'certificate', fact: 'lipschitz' },
    });
  });
  const value = asking('one-value', function* asked({ allRecords, start }) {
    yield* ask.value({ statistic: { of: 'risk' }, at: start, batch: allRecords, noise: noised });
    return start;
  });
  const descentWith = (release: 'last' | 'average', noiseOn: 'answer' | 'steps') =>
    asking('one-descent', function* asked({ allRecords, start }) {
      return yield* ask.descend({
        start,
        domain: l2BallDomain({ radius: 1 }),
        batch: allRecords,
        steps: [{ count: 4, stepSize: 0.125, batchSize: 2 }],
        release,
        noiseOn,
        bound: { by: 'certificate', fact: 'lipschitz' },
        noise: noised,
      });
    });
  const streamIn = (order: 'stored' | 'shuffled') =>
    asking('one-stream', function* asked({ allRecords, start }) {
      const bound = { by: 'clip', clip: l2Clip({ radius: 1 }) } as const;
      const batches = yield* ask.split({ of: allRecords, order, parts: { by: 'size', sizes: [2, 2, 2, 2] } });
      const opened = yield* ask.open({
        prefixSum: binaryTree({}),
        steps: 4,
        dimension: 2,
        bound,
        noise: noised,
        participation: { times: 1, gap: 4 },
        normaliser: 2,
      });
      for (const batch of batches) yield* ask.push({ stream: opened, at: start, batch });
      return start;
    });

  test.each([
    ['minimiser', minimiser, 600, 0.3, []],
    ['descend to the last point', descentWith('last', 'answer'), 600, 0.3, []],
    ['descend to the average', descentWith('average', 'answer'), 600, 0.3, []],
    ['value', value, 600, 0.3, []],
    ['push', streamIn('stored'), 400, 0.3, []],
    // What is not heard shows nothing, however many runs there are.
    ['descend with noise on the steps', descentWith('last', 'steps'), 100, 0, ['descend']],
    ['push of batches in secret places', streamIn('shuffled'), 100, 0, ['push']],
  ] as const)('%s', async (_ask, optimizer, runs, least, unheard) => {
    const { problem } = casesOf(dpSgd as unknown as Optimizer)[0];
    const run = (optimizer as unknown as Optimizer).prepare({
      registry,
      problem,
      budget: { epsilon: 1, delta: 1e-2 },
      params: {},
      calibrate: noise(1),
      random: publicCoins,
    });
    const { upper: epsilon } = accountant.epsilon(run.plan.event, {
      adjacency: problem.adjacency,
      delta: 1e-2,
    });
    const found = await auditOptimizer({
      run,
      claimed: { epsilon, delta: 1e-2 },
      registry,
      publicCoins,
      random: seededRandom('audit'),
      runs,
    });
    expect(found).toMatchObject({ verdict: { holds: true }, unheard });
    expect(found.tightness).toBeGreaterThanOrEqual(least);
  });

  test('push to a stream whose sensitivity is a third of what it is', async () => {
    const { kind: _k, ...tree } = { ...binaryTree };
    const understated = definePrefixSum({
      ...tree,
      columnNorm: (params, shape, participation) => binaryTree.columnNorm(params, shape, participation) / 3,
    });
    const changed = registry.map((plugin) => (plugin.name === 'binary-tree' ? understated : plugin));
    const { problem } = casesOf(dpSgd as unknown as Optimizer)[0];
    const run = (streamIn('stored') as unknown as Optimizer).prepare({
      registry: changed,
      problem,
      budget: { epsilon: 1, delta: 1e-2 },
      params: {},
      calibrate: noise(1),
      random: publicCoins,
    });
    const { upper: epsilon } = accountant.epsilon(run.plan.event, {
      adjacency: problem.adjacency,
      delta: 1e-2,
    });
    const found = await auditOptimizer({
      run,
      claimed: { epsilon, delta: 1e-2 },
      registry: changed,
      publicCoins,
      random: seededRandom('audit'),
      runs: 600,
    });
    expect(found.verdict.holds).toBe(false);
  });
});

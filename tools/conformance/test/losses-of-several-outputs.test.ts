import { dpSgd, dpSvrg, noisyClippedAcSa } from '@lethe/algorithms';
import {
  classLabels,
  defineMultiOutputLoss,
  driveSync,
  IncompatiblePlugins,
  sameEvent,
  seededRandom,
  type Loss,
  type Optimizer,
  type Problem,
  type Query,
  type Ref,
  type Registry,
  type Vector,
} from '@lethe/core';
import { attachData, centralCurator, openLedger } from '@lethe/curator';
import {
  averageRisk,
  losses,
  matrixFactorisation,
  nonPrivateOptimum,
  poissonRegression,
  softmax,
  syntheticData,
  twoLayerPerceptron,
} from '@lethe/losses';
import {
  blockClip,
  clippedMean,
  gaussian,
  l2BallDomain,
  mechanisms,
  wholeSpaceDomain,
} from '@lethe/mechanisms';
import { defined, l2Ball } from '@lethe/numerics';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { cheapAccountant, rememberingCalibrator } from './calibrating.js';

/** Noise to a thousandth: what is compared is the same run. */
const calibrate = rememberingCalibrator([cheapAccountant], 1e-3);

const rows = 3000;
const columns = 4;
const classes = 3;
const {
  features: { data: features },
  labels,
} = syntheticData(
  {
    rows,
    columns,
    features: { law: 'gaussian', scale: 1 },
    response: { kind: 'softmax', classes },
    weightNorm: 8,
  },
  seededRandom('classes'),
);

/** A softmax of one's own, without a fused sum. */
const ownSoftmax = defineMultiOutputLoss({
  name: 'own-softmax',
  summary: 'Multi-class logistic loss.',
  source: { id: 'test', item: 'x' },
  claims: [],
  params: z.strictObject({ classes: z.int().min(2) }),
  examples: [{ classes: 3 }],
  capabilities: { convex: true, smooth: true, nullRecord: true, nonNegative: true },
  multiOutput: {
    outputs: (params) => params.classes,
    value: (_params, outputs, { label }) =>
      Math.log(outputs.reduce((sum, m) => sum + Math.exp(m - outputs[label]), 0)),
    slopesInto(_params, out, outputs, { label }) {
      const weights = outputs.map((m) => Math.exp(m));
      const total = weights.reduce((sum, weight) => sum + weight, 0);
      weights.forEach((weight, k) => {
        out[k] = weight / total - Number(k === label);
      });
    },
  },
  facts: (_params, { featureNorm }) =>
    featureNorm === undefined
      ? {}
      : { lipschitz: { value: Math.SQRT2 * featureNorm, scope: 'every-record', provenance: 'from-domain' } },
  labels: classLabels((params: { readonly classes: number }) => params.classes),
});

const registry: Registry = Object.freeze([...mechanisms, ...losses, ownSoftmax]);
const view = (data: Float64Array, width: number) => ({
  data,
  rows: data.length / width,
  columns: width,
  offset: 0,
  rowStride: width,
  columnStride: 1,
});

interface Trained {
  readonly output: Vector;
  readonly dimension: number;
  readonly isPlanned: boolean;
}

/** Runs an optimizer on records with a secret curator’s stand-in. */
function trained(
  optimizer: Optimizer,
  loss: Ref<'loss'>,
  params: object,
  {
    given = view(features, columns),
    answers = labels,
    domain = l2BallDomain({ radius: 20 }),
    bounds = {},
    start,
  }: {
    readonly given?: ReturnType<typeof view>;
    readonly answers?: Float64Array;
    readonly domain?: Ref<'domain'>;
    readonly bounds?: object;
    readonly start?: Vector;
  } = {},
): Trained {
  const plugin = defined(registry.find((one): one is Loss => one.kind === 'loss' && one.name === loss.name));
  const ledger = openLedger({ adjacency: 'zero-out' });
  const data = attachData({
    features: given,
    labels: answers,
    loss,
    registry,
    ledger,
    domain: { featureNorm: 3, iterateNorm: 20, ...bounds },
    outside: 'clip',
  });
  const problem: Problem = {
    adjacency: 'zero-out',
    trust: { model: 'central' },
    dimension: data.dimension,
    slots: [given.rows],
    domain,
    loss,
    capabilities: plugin.capabilities,
    facts: {
      ...data.facts,
      'gradientMoment.2': { value: 4, scope: 'population', provenance: 'declared' },
      diameter: { value: 40, scope: 'every-record', provenance: 'from-domain' },
    },
  };
  const run = optimizer.prepare({
    problem,
    registry,
    budget: { epsilon: 4, delta: 1e-5 },
    params,
    calibrate,
    random: seededRandom('public'),
  });
  const curator = centralCurator({ data, registry, run: 'run', random: seededRandom('curator') });
  const { output } = driveSync(run, curator, {
    start: start ?? new Float64Array(data.dimension),
    random: seededRandom('public'),
  });
  return { output, dimension: data.dimension, isPlanned: sameEvent(ledger.total(), run.plan.event) };
}

const sgd = { steps: 150, rate: 0.1, clipNorm: 2, stepSize: 2 };
const right = (w: Vector): number =>
  labels.filter((label, i) => {
    const outputs = [0, 1, 2].map((k) =>
      Array.from({ length: columns }, (_, j) => w[k * columns + j] * features[i * columns + j]).reduce(
        (a, b) => a + b,
      ),
    );
    return outputs.indexOf(Math.max(...outputs)) === label;
  }).length / rows;

describe('softmax on three generated classes', () => {
  const best = nonPrivateOptimum(
    { plugin: softmax, params: { classes } },
    { features, rows, columns, labels },
    l2Ball({ dimension: columns * classes, radius: 20 }),
  );

  it.each<[string, Ref<'loss'>]>([
    ['that ships', softmax({ classes })],
    ['of one’s own', ownSoftmax({ classes })],
  ])('%s: dp-sgd comes near the optimum, at the planned cost', (_name, loss) => {
    const { output, dimension, isPlanned } = trained(dpSgd as Optimizer, loss, sgd);
    expect([dimension, output.length, isPlanned]).toEqual([12, 12, true]);
    // log 3 at the start; the optimum is near 0.4, and nine classes of ten are told.
    const risk = averageRisk(
      { plugin: softmax, params: { classes } },
      { features, rows, columns, labels },
      output,
    );
    expect(best.gap).toBeLessThan(1e-6);
    expect(risk - best.risk).toBeLessThan(0.1 * (Math.log(3) - best.risk));
    expect(right(output)).toBeGreaterThan(0.75);
  });

  it('that ships and one’s own give the same, the first by its fused sum', () => {
    const [shipped, own] = [softmax({ classes }), ownSoftmax({ classes })].map(
      (loss) =>
        trained(dpSgd as Optimizer, loss, { ...sgd, steps: 3, rate: 1, noiseMultiplier: 1e-9 }).output,
    );
    shipped.forEach((entry, j) => expect(entry).toBeCloseTo(own[j], 6));
  });

  it('is clipped by the blocks it declares, one for each class', () => {
    const sizes = [...defined(softmax.blocks)({ classes }, columns)];
    const w = new Float64Array(12).fill(0.1);
    const few = 20;
    const data = attachData({
      features: view(features.slice(0, few * columns), columns),
      labels: labels.slice(0, few),
      loss: softmax({ classes }),
      registry,
      ledger: openLedger({ adjacency: 'zero-out' }),
    });
    const curator = centralCurator({
      data,
      registry,
      run: 'run',
      random: seededRandom('curator'),
      allowUnprotected: true,
    });
    const mean = curator.answer(0, {
      ask: 'mean',
      of: { terms: [{ weight: 1, at: w }] },
      batch: curator.allRecords,
      mean: clippedMean({ clip: blockClip({ radii: [0.1, 0.2, 0.3], sizes }), mechanism: gaussian({}) }),
      target: { unprotected: true },
    } satisfies Query).answer as Vector;
    const expected = new Float64Array(12);
    const gradient = new Float64Array(12);
    for (let i = 0; i < few; i++) {
      softmax.gradientInto({ classes }, gradient, w, {
        features: features.subarray(i * columns, (i + 1) * columns),
        label: labels[i],
      });
      for (let k = 0; k < classes; k++) {
        const block = gradient.subarray(k * columns, (k + 1) * columns);
        const by = Math.min(1, (0.1 * (k + 1)) / Math.hypot(...block)) / few;
        block.forEach((entry, j) => {
          expected[k * columns + j] += by * entry;
        });
      }
    }
    mean.forEach((entry, j) => expect(entry).toBeCloseTo(expected[j], 12));
  });

  it('is differenced by dp-svrg', () => {
    const { output, isPlanned } = trained(dpSvrg as unknown as Optimizer, softmax({ classes }), {
      epochs: 1,
      innerSteps: 3,
      stepSize: 0.1,
      clip: { gradient: 1, difference: 0.5 },
    });
    expect([output.length, isPlanned]).toEqual([12, true]);
  });
});

describe('losses on bounded domains', () => {
  const counts = Float64Array.from(labels, (label) => label * 2);

  it('Poisson regression runs in an optimizer that needs smoothness only if the domain bounds it', () => {
    const params = { rounds: 10, clipNorm: 2 };
    const bounds = { labelBound: 4, iterateNorm: 2 };
    const { output, isPlanned } = trained(
      noisyClippedAcSa as unknown as Optimizer,
      poissonRegression({}),
      params,
      { answers: counts, domain: l2BallDomain({ radius: 2 }), bounds },
    );
    expect([output.length, isPlanned]).toEqual([columns, true]);
    expect(() =>
      trained(noisyClippedAcSa as unknown as Optimizer, poissonRegression({}), params, {
        answers: counts,
        domain: wholeSpaceDomain({}),
        bounds,
      }),
    ).toThrow(IncompatiblePlugins);
    expect(() =>
      trained(noisyClippedAcSa as unknown as Optimizer, poissonRegression({}), params, {
        answers: counts,
        bounds: { ...bounds, iterateNorm: 1e4 },
      }),
    ).toThrow(
      /needs a loss that is smooth; 'poisson-regression' is so where records, labels and iterates are bounded. Take a bounded domain and declare bounds from which 'smoothness' follows/u,
    );
  });
});

describe('losses that are not convex', () => {
  it('matrix factorisation learns ratings, and a perceptron a bend', () => {
    const users = 6;
    const items = 5;
    const ratings = 1500;
    const one = new Float64Array(ratings * (users + items));
    const given = new Float64Array(ratings);
    const random = seededRandom('ratings');
    for (let i = 0; i < ratings; i++) {
      const [user, item] = [random.integer(users), random.integer(items)];
      one[i * (users + items) + user] = 1;
      one[i * (users + items) + users + item] = 1;
      given[i] = (user < 3 ? 1 : -1) * (item < 2 ? 1 : -1);
    }
    const own = { users, rank: 1 };
    const loss = { plugin: matrixFactorisation, params: own };
    const data = { features: one, rows: ratings, columns: users + items, labels: given };
    const start = defined(matrixFactorisation.start)(own, users + items, seededRandom('start'));
    const { output, isPlanned } = trained(
      dpSgd as Optimizer,
      matrixFactorisation(own),
      { ...sgd, steps: 300, rate: 0.05, stepSize: 0.5 },
      { given: view(one, users + items), answers: given, start },
    );
    expect(isPlanned).toBe(true);
    expect(averageRisk(loss, data, output)).toBeLessThan(
      0.2 * averageRisk(loss, data, new Float64Array(users + items)),
    );

    const x = random.gaussianInto(new Float64Array(4000)).map((entry, k) => (k % 2 === 0 ? 1 : entry));
    const bent = Float64Array.from({ length: 2000 }, (_, i) => Math.tanh(2 * x[2 * i + 1]));
    const units = { hidden: 3 };
    const net = { plugin: twoLayerPerceptron, params: units };
    const points = { features: x, rows: 2000, columns: 2, labels: bent };
    const trainedNet = trained(
      dpSgd as Optimizer,
      twoLayerPerceptron(units),
      { ...sgd, steps: 300, stepSize: 0.3 },
      {
        given: view(x, 2),
        answers: bent,
        start: defined(twoLayerPerceptron.start)(units, 2, seededRandom('start')),
      },
    );
    expect(averageRisk(net, points, trainedNet.output)).toBeLessThan(
      0.2 * averageRisk(net, points, new Float64Array(9)),
    );
  });
});

import { addUp, divideUp, l2Ball, normalCdf } from '@lethe/numerics';
import {
  defineDomain,
  defineLocalRandomiser,
  defineMean,
  defineMechanism,
  defineShuffledMean,
  gaussianEvent,
  InvalidParameter,
  type CentralMean,
  type Claim,
  type MeanRun,
  type MeanShape,
  type Moment,
  type RandomSource,
  type ShuffledMean,
  type Vector,
} from '@lethe/core';
import { describe, expect, it } from 'vitest';
import * as zod from 'zod';
import { subjectsOf } from '../../law/make-subject.js';
import { runLaws } from '../../law/run.js';
import type { Subject } from '../../law/subject.js';
import { meanLaws } from './index.js';
import { lawsAlone, smallEffort } from '../../../test/effort.js';
import { endAtFirstViolation } from '../../../test/first-violation.js';

endAtFirstViolation();

const noise = defineMechanism({
  name: 'noise',
  summary: 'Gaussian noise.',
  source: { id: 'lethe', item: 'test' },
  params: zod.strictObject({}),
  claims: [],
  norm: 'l2',
  numerics: 'idealised',
  event: (_params, multiplier, relative) => gaussianEvent(multiplier, relative),
  multiplierFor: () => 1,
  standardDeviation: () => 1,
  cdf: (_params, x) => normalCdf(x),
  addNoise(_params, value, scale, random) {
    random.gaussianInto(new Float64Array(value.length)).forEach((x, j) => {
      value[j] += scale * x;
    });
  },
});

const params = zod.strictObject({ radius: zod.number().positive() });
type Changes = Partial<Omit<CentralMean<typeof params>, 'kind'>>;
type Shape = Pick<MeanShape, 'dimension' | 'slots'>;

function checked({ order, value }: Moment): void {
  if (!(order >= 2) || !(value >= 0))
    throw new InvalidParameter(`a moment of order ${order} and value ${value} was given`, {});
}

/** The record itself inside the ball, on its sphere outside; zero when it is not finite. */
function clip(vector: Vector, radius: number): Vector {
  if (!vector.every(Number.isFinite)) return new Float64Array(vector.length);
  const largest = Math.max(1e-300, ...vector.map(Math.abs));
  const ratio = Math.hypot(...vector.map((x) => x / largest));
  return radius / largest >= ratio ? vector.slice() : vector.map((x) => (x / largest) * (radius / ratio));
}

const runOf = (
  { radius }: { readonly radius: number },
  { dimension, slots }: Shape,
  changes: Partial<MeanRun> = {},
  of = (z: Vector): Vector => clip(z, radius),
): MeanRun => {
  const sum = new Float64Array(dimension);
  return {
    add: (_slot, gradient) => {
      of(gradient).forEach((x, j) => {
        sum[j] += x;
      });
    },
    value: () => sum.map((x) => x / slots),
    finish: (noised) => noised,
    ...changes,
  };
};

const variance = (
  radius: number,
  moment: Moment,
  { dimension, slots }: Shape,
  noiseVariance: number,
): number => {
  checked(moment);
  if (!(noiseVariance >= 0)) throw new InvalidParameter(`a noise variance of ${noiseVariance} was given`, {});
  return addUp(
    dimension * noiseVariance * (1 + 1e-12),
    (Math.min(radius, moment.value ** (1 / moment.order)) ** 2 / slots) * (1 + 1e-12),
  );
};
const bias = (radius: number, moment: Moment): number => {
  checked(moment);
  return Math.min(moment.value ** (1 / moment.order), moment.value / radius ** (moment.order - 1));
};

function subject(changes: Changes = {}): Subject<'mean'> {
  const claims = [
    'sensitivity',
    'sensitivity-attained',
    'permutation-invariant',
    'unbiased',
    'bias-bound',
    'variance-bound',
  ];
  return subjectsOf(
    defineMean({
      name: 'small',
      summary: 'A clipped mean.',
      source: { id: 'lethe', item: 'test' },
      params,
      examples: [{ radius: 2 }],
      claims: claims.map((property) => ({ property, statement: property })),
      trust: 'central',
      privacyRestsOn: 'clip',
      mechanism: () => noise({}),
      norm: () => 'l2',
      event: (_params, event) => event,
      begin: (given, shape) => runOf(given, shape),
      sensitivity: ({ radius }, { slots }) => ({
        'replace-one': 2 * divideUp(radius, slots),
        'add-remove': divideUp(radius, slots),
        'zero-out': divideUp(radius, slots),
      }),
      biasBound: ({ radius }, _shape, moment) => bias(radius, moment),
      varianceBound: ({ radius }, shape, moment, noiseVariance) =>
        variance(radius, moment, shape, noiseVariance),
      ...changes,
    }),
    { registry: [noise] },
  )[0] as Subject<'mean'>;
}

async function failuresOf(changes: Changes, only?: readonly string[]): Promise<Record<string, string>> {
  const reports = await runLaws(meanLaws, subject(changes), lawsAlone(only));
  return Object.fromEntries(
    reports.flatMap(({ law, cell, finding }) =>
      finding.verdict === 'fails' ? [[`${law} ${cell}`.trim(), finding.violation.what]] : [],
    ),
  );
}

const shared = new Float64Array(16);
const begin = (
  of: (params: { readonly radius: number }, shape: MeanShape, random: RandomSource) => MeanRun,
): Changes => ({ begin: of });

/** A user that tells the sign of its record, and a mean of what users tell. */
const recordingRandomiser = defineLocalRandomiser({
  name: 'recording',
  summary: 'Tells a sign.',
  source: { id: 'lethe', item: 'test' },
  params,
  examples: [{ radius: 2 }],
  claims: [],
  messageCount: (_params, { dimension }) => dimension,
  event: () => ({ kind: 'core/pure', v: 1, epsilon: 1 }) as never,
  randomise: (_params, _shape, record) => Uint32Array.from(record, (x) => (x > 0 ? 1 : 0)),
  analyse: ({ radius }, { dimension, users }, messages) =>
    Float64Array.from({ length: dimension }, (_, j) =>
      Array.from(
        { length: users },
        (_other, user) => radius * (2 * messages[user * dimension + j] - 1),
      ).reduce((sum, x) => sum + x, 0),
    ),
  domain: () => ({ kind: 'domain', name: 'around', params: {} }),
  varianceBound: (_params, { users }) => users,
  biasBound: (_params, { value }) => Math.sqrt(value),
  recordVarianceBound: () => 4,
});
const around = defineDomain({
  name: 'around',
  summary: 'A ball.',
  source: { id: 'lethe', item: 'test' },
  params: zod.strictObject({}),
  claims: [],
  build: (_params, dimension) => l2Ball({ radius: 2, dimension }),
});
type ShuffledChanges = Partial<Omit<ShuffledMean<typeof params>, 'kind'>>;
async function shuffledFailures(changes: ShuffledChanges): Promise<readonly string[]> {
  const one = defineShuffledMean({
    name: 'told',
    summary: 'Signs.',
    source: { id: 'lethe', item: 'test' },
    params,
    examples: [{ radius: 2 }],
    claims: claimsOf('scale-equivariant'),
    trust: 'shuffle',
    privacyRestsOn: 'clip',
    randomiser: ({ radius }) => recordingRandomiser({ radius }),
    biasBound: (_params, _shape, { value }) => Math.sqrt(value),
    varianceBound: () => 1,
    scaled: ({ radius }, factor) => ({ radius: radius * factor }),
    ...changes,
  });
  const reports = await runLaws(
    meanLaws,
    subjectsOf(one, { registry: [recordingRandomiser, around] })[0] as Subject<'mean'>,
    smallEffort,
  );
  return reports.flatMap(({ law, finding }) =>
    finding.verdict === 'fails' ? [`${law}: ${finding.violation.what}`] : [],
  );
}

const claimsOf = (property: string): Claim[] => [{ property, statement: property }];

const bugs: readonly (readonly [law: string, message: RegExp, changes: Changes])[] = [
  [
    'mean/sensitivity-declared',
    /the sensitivity under zero-out is 0/,
    { sensitivity: ({ radius }, { slots }) => ({ 'replace-one': (2 * radius) / slots, 'zero-out': 0 }) },
  ],
  [
    'mean/sensitivity replace-one',
    /moves by .* replace-one neighbours/,
    { sensitivity: ({ radius }, { slots }) => ({ 'replace-one': (1.9 * radius) / slots }) },
  ],
  [
    'mean/sensitivity zero-out',
    /every slot is filled/,
    begin((p, c) =>
      runOf(p, c, {}, (z) =>
        z.every((x) => x === 0) ? z.map(() => -p.radius / Math.sqrt(z.length)) : clip(z, p.radius),
      ),
    ),
  ],
  [
    'mean/sensitivity add-remove',
    /leaves its slot empty|move up/,
    begin((p, c) => {
      let came = 0;
      const run = runOf(p, c);
      return {
        ...run,
        add: (slot, z) => {
          came++;
          run.add(slot, z);
        },
        value: () => run.value().map((x) => (x * c.slots) / Math.max(1, came)),
      };
    }),
  ],
  [
    'mean/sensitivity-attained replace-one',
    /claimed to be attained/,
    { sensitivity: ({ radius }, { slots }) => ({ 'replace-one': (2.1 * radius) / slots }) },
  ],
  [
    'mean/sensitivity-attained zero-out',
    /more than twice/,
    {
      sensitivity: ({ radius }, { slots }) => ({
        'replace-one': (3 * radius) / slots,
        'zero-out': radius / slots,
      }),
    },
  ],
  [
    'mean/finite',
    /not finite/,
    begin((p, c) =>
      runOf(p, c, {}, (z) => {
        const size = Math.hypot(...z);
        return z.map((x) => x * (size > 1e200 ? Infinity : Math.min(1, p.radius / (size || 1))));
      }),
    ),
  ],
  ['mean/whole-value', /declared whole, and is/, { integers: true }],
  [
    'mean/non-finite-counts-zero',
    /not finite in slot/,
    begin((p, c) =>
      runOf(p, c, {}, (z) =>
        clip(
          z.map((x) => (Number.isFinite(x) ? x : 1)),
          p.radius,
        ),
      ),
    ),
  ],
  [
    'mean/lent-vectors',
    /it keeps them/,
    begin((p, c) => {
      const kept: Vector[] = [];
      return {
        add: (_slot, z) => {
          kept.push(z);
        },
        value: () => {
          const run = runOf(p, c);
          kept.forEach((z, i) => {
            run.add(i, z);
          });
          return run.value();
        },
        finish: (y) => y,
      };
    }),
  ],
  [
    'mean/lent-vectors',
    /add changed the vector/,
    begin((p, c) =>
      runOf(p, c, {}, (z) => {
        z.set(clip(z, p.radius));
        return z;
      }),
    ),
  ],
  [
    'mean/coins-alone',
    /something is shared/,
    begin((p, { dimension, slots }) => {
      shared.fill(0);
      return {
        add: (_slot, z) => {
          clip(z, p.radius).forEach((x, j) => {
            shared[j] += x;
          });
        },
        value: () => shared.slice(0, dimension).map((x) => x / slots),
        finish: (y) => y,
      };
    }),
  ],
  [
    'mean/permutation-invariant',
    /in another order/,
    begin((p, c) => {
      let weight = 1;
      return runOf(p, c, {}, (z) => {
        weight *= 0.9;
        return clip(z, p.radius).map((x) => x * weight);
      });
    }),
  ],
  [
    'mean/hidden-size',
    /of the same records value/,
    {
      hiddenSize: true,
      ...begin((p, c) => {
        const run = runOf(p, c);
        return {
          ...run,
          add: (slot, z) => {
            run.add(
              slot,
              z.map((x) => x / (1 + slot)),
            );
          },
        };
      }),
    },
  ],
  [
    'mean/post-processing',
    /past the noise/,
    begin((p, c) => {
      const run = runOf(p, c);
      const shadow = runOf(p, c);
      return {
        ...run,
        add: (slot, z) => {
          run.add(slot, z);
          shadow.add(slot, z);
        },
        finish: (y) => y.map((x, j) => 0.5 * x + 0.5 * shadow.value()[j]),
      };
    }),
  ],
  ['mean/nearest-answer', /no value of any batch/, { claims: claimsOf('nearest-answer') }],
  [
    'mean/nearest-answer',
    /is not the nearest/,
    {
      claims: claimsOf('nearest-answer'),
      ...begin((p, c) => runOf(p, c, { finish: (y) => clip(y, p.radius / 2) })),
    },
  ],
  [
    'mean/nearest-answer',
    /is not the nearest/,
    {
      claims: claimsOf('nearest-answer'),
      ...begin((p, c) =>
        runOf(p, c, {
          finish: (y) =>
            clip(
              y.map((x, j) => (j === 0 ? x / 2 : x)),
              p.radius,
            ),
        }),
      ),
    },
  ],
  [
    'mean/projected-answer',
    /has the answer/,
    {
      claims: claimsOf('projected-answer'),
      ...begin((p, c) => runOf(p, c, { finish: (y) => clip(y, p.radius / 2) })),
    },
  ],
  [
    'mean/projected-answer',
    /lies beyond the answer/,
    {
      claims: claimsOf('projected-answer'),
      // Into a cube by scaling, which turns no vector.
      ...begin((p, c) =>
        runOf(p, c, {
          finish: (y) => y.map((x) => x * Math.min(1, p.radius / Math.max(...y.map(Math.abs), 1e-300))),
        }),
      ),
    },
  ],
  [
    'mean/least-norm-answer',
    /has the measurements/,
    {
      claims: claimsOf('least-norm-answer'),
      ...begin((p, c) => runOf(p, c, { finish: (y) => y.map((x) => x / 2) })),
    },
  ],
  [
    'mean/event',
    /less than the .* of its noise/,
    { event: () => gaussianEvent(10, { 'replace-one': 1, 'add-remove': 0.5, 'zero-out': 0.5 }) },
  ],
  ['mean/curator-agrees replace-one', /bounded in l1.*needs a bound in l2/, { norm: () => 'l1' }],
  [
    'mean/bias-bound',
    /biasBound says at most/,
    {
      biasBound: (_params, _shape, moment) => {
        checked(moment);
        return 0;
      },
    },
  ],
  [
    'mean/bias-bound',
    /the mean of \d+ answers is off/,
    begin((p, c, random) => runOf(p, c, {}, (z) => clip(z, p.radius).map((x) => x + 0.3 * random.uniform()))),
  ],
  [
    'mean/variance-bound',
    /without noise is/,
    { varianceBound: ({ radius }, shape, moment, v) => variance(radius, moment, shape, v) / 1.02 },
  ],
  [
    'mean/variance-bound',
    /noise of variance/,
    { varianceBound: ({ radius }, shape, moment, v) => variance(radius, moment, shape, 0.9 * v) },
  ],
  [
    'mean/variance-bound',
    /half the mean squared distance/,
    begin((p, c, random) =>
      runOf(p, c, {}, (z) => clip(z, p.radius).map((x) => x + 4 * p.radius * (random.uniform() - 0.5))),
    ),
  ],
  [
    'mean/unbiased',
    /expected answer over all \d+ outcomes/,
    begin((p, c, random) => runOf(p, c, {}, (z) => clip(z, p.radius).map((x) => x * random.integer(2)))),
  ],
  [
    'mean/fast-path',
    /is not factor|a curator answers/,
    { linear: ({ radius }) => ({ factor: (norm) => Math.min(1, (1.001 * radius) / norm), radius: null }) },
  ],
  [
    'mean/fast-path',
    /declared min\(1, radius\/norm\)|a curator answers|moves the mean/,
    { linear: ({ radius }) => ({ factor: (norm) => Math.min(1, radius / norm), radius: 2 * radius }) },
  ],
  [
    'mean/sparse-records',
    /records given by their entries make/,
    begin((p, c) => {
      const run = runOf(p, c);
      return {
        ...run,
        addSparse(slot, indices, values) {
          const record = new Float64Array(c.dimension);
          indices.forEach((j, k) => {
            record[j] = 2 * values[k];
          });
          run.add(slot, record);
        },
      };
    }),
  ],
  [
    'mean/weight',
    /with weights of total size/,
    {
      sensitivity: ({ radius }, { slots, weight }) => ({
        'replace-one': (2 * radius) / slots / weight,
        'zero-out': radius / slots / weight,
      }),
    },
  ],
  ['mean/largest-entry', /largestEntry is 1/, { largestEntry: () => 1 }],
  [
    'mean/crowd-bias',
    /have an answer that is/,
    begin((p, c) => runOf(p, c, { finish: (y) => y.map((x) => (c.slots > 50 ? 1.01 : 1) * x) })),
  ],
  ['mean/scaled', /its sensitivity is/, { scaled: ({ radius }) => ({ radius }) }],
  [
    'mean/scaled',
    /times its answer is/,
    {
      scaled: ({ radius }, factor) => ({ radius: radius * factor }),
      ...begin((p, c) =>
        runOf(p, c, {}, (z) => (Math.hypot(...z) < 0.5 ? z.map(() => 0) : clip(z, p.radius))),
      ),
    },
  ],
  [
    'mean/moments-checked',
    /must be refused/,
    {
      biasBound: ({ radius }, _shape, { order, value }) => bias(radius, { order, value: Math.max(0, value) }),
    },
  ],
];

describe('laws of means', () => {
  it('hold for a correct clipped mean', async () => {
    expect(await failuresOf({})).toEqual({});
  });

  it.each(bugs)('%s says %s', async (law, message, changes) => {
    expect((await failuresOf(changes, [law.split(' ')[0]]))[law]).toMatch(message);
  });

  it('hold for a mean of what users tell, and find what it says wrong of it', async () => {
    expect(await shuffledFailures({})).toEqual([]);
    expect(await shuffledFailures({ biasBound: () => 0 })).toEqual([
      expect.stringMatching(/^mean\/randomiser: .*are moved by/u),
    ]);
    expect(await shuffledFailures({ varianceBound: () => 0.1 })).toEqual([
      expect.stringMatching(/^mean\/randomiser: randomness and records/u),
    ]);
    expect(await shuffledFailures({ scaled: (given) => given })).toEqual([
      expect.stringMatching(/^mean\/scale-equivariant: scaled by/u),
    ]);
  });

  it('have a planted bug each', () => {
    expect(
      meanLaws.map(({ id }) => id).filter((id) => !bugs.some(([law]) => law.split(' ')[0] === id)),
    ).toEqual(['mean/randomiser', 'mean/scale-equivariant']);
  });
});

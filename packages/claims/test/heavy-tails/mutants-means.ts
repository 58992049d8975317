import {
  composedEvent,
  type Program,
  type Batch,
  type Optimizer,
  type Query,
  type RandomSource,
  type Vector,
} from '@lethe/core';
import { clippedMean, coordinateClip, l2Clip } from '@lethe/mechanisms';
import { defined } from '@lethe/numerics';
import { oracleSubject as shipped, type OracleSubject } from '../../src/heavy-tails/means/subject.js';
import type { Mutant } from '../rows.js';

type Name = keyof OracleSubject;
const mutant = <K extends Name>(
  row: number,
  name: string,
  title: string,
  killedBy: string,
  subject: { readonly [N in K]: unknown },
): Mutant<OracleSubject> => ({
  id: `C${row}/${name}`,
  row,
  title,
  killedBy: `lowy/${killedBy}`,
  subject: subject as Partial<OracleSubject>,
});
const loose = (plugin: unknown) =>
  plugin as Readonly<Record<string, (...given: readonly never[]) => never>> & {
    readonly claims: readonly unknown[];
  };

const {
  ballMean,
  coordinateMedianOfMeans,
  shuffledScalarSum,
  shuffledVectorSum,
  shuffledMedianOfMeans,
  gaussian,
  localizedPhases,
  empiricalGradientMoment,
  averagedMoment,
} = shipped;

/** A clip that does something else to a vector of that norm. */
const clipAs = (change: (vector: Vector, radius: number, norm: number) => void) => ({
  ...l2Clip,
  clipInPlace: ({ radius }: { readonly radius: number }, vector: Vector) => {
    change(vector, radius, Math.hypot(...vector));
  },
});
const byEntries = clipAs((vector, radius) => {
  coordinateClip.clipInPlace({ radius }, vector);
});
const always = clipAs((vector, radius, norm) => {
  if (norm > 0)
    vector.forEach((x, j) => {
      vector[j] = x * (radius / norm);
    });
});

type Run = ReturnType<typeof ballMean.begin>;
type Params = { readonly radius: number };
/** The mean with another way to begin. */
const begun = (
  begin: (run: Run, params: Params, shape: Parameters<typeof ballMean.begin>[1], random: RandomSource) => Run,
) => ({
  ...ballMean,
  begin: (params: Params, shape: Parameters<typeof ballMean.begin>[1], random: RandomSource) =>
    begin(ballMean.begin(params, shape, random), params, shape, random),
});
const notClipped = begun((run, _params, { dimension, slots }) => {
  const sum = new Float64Array(dimension);
  return {
    ...run,
    add: (_slot, gradient) => {
      gradient.forEach((x, j) => {
        sum[j] += x / slots;
      });
    },
    value: () => sum.slice(),
  };
});
const firstOnly = begun((run, _params, { slots }) => ({
  ...run,
  add: (slot, gradient) => {
    if (slot === 0) for (let i = 0; i < slots; i++) run.add(i, gradient);
  },
}));
const noisyRecords = begun((run, _params, { dimension }, random) => ({
  ...run,
  add: (slot, gradient) => {
    const noise = random.gaussianInto(new Float64Array(dimension)) ?? new Float64Array(dimension);
    run.add(
      slot,
      gradient.map((x, j) => x + 0.1 * noise[j]),
    );
  },
}));

/** The median with another last step. */
const notMedian = (pick: (ascending: readonly number[]) => number) => ({
  ...coordinateMedianOfMeans,
  begin: (
    { limit, groups }: { readonly limit: number; readonly groups: number },
    context: { readonly dimension: number; readonly slots: number },
  ) => {
    const { dimension, slots } = context;
    const sums = new Float64Array(groups * dimension);
    return {
      add: (slot: number, gradient: Vector) => {
        gradient.forEach((x, j) => {
          sums[(slot % groups) * dimension + j] += Math.max(-limit, Math.min(limit, x));
        });
      },
      value: () =>
        Float64Array.from({ length: dimension }, (_, j) =>
          pick(
            Array.from(
              { length: groups },
              (_2, g) => sums[g * dimension + j] / Math.ceil((slots - g) / groups),
            ).toSorted((a, b) => a - b),
          ),
        ),
      finish: (noised: Vector) => noised,
    };
  },
});
const upper = notMedian((ascending) => ascending[ascending.length >> 1]);
const average = notMedian((ascending) => ascending.reduce((sum, x) => sum + x, 0) / ascending.length);

/** An optimizer that asks something else. */
const asking = (
  optimizer: unknown,
  change: (query: Query, seen: readonly Batch[], params: Readonly<Record<string, unknown>>) => Query,
): Optimizer =>
  ({
    ...(optimizer as Optimizer),
    prepare(context: Parameters<Optimizer['prepare']>[0]) {
      const run = (optimizer as Optimizer).prepare(context);
      return {
        ...run,
        steps: function* other(options): Program<Vector> {
          const steps = run.steps(options);
          const seen: Batch[] = [];
          for (let next = steps.next(); ;) {
            if (next.done === true) return next.value;
            const query = next.value as Query;
            const answer = yield change(query, seen, context.params as never);
            if (query.ask === 'mean') seen.push(query.batch);
            next = steps.next(answer);
          }
        },
      };
    },
  }) as Optimizer;
const withNoise = (query: Query, factor: number): Query => {
  if (query.ask !== 'mean') return query;
  const { noiseMultiplier } = query.target as { noiseMultiplier: number };
  return { ...query, target: { noiseMultiplier: noiseMultiplier * factor } };
};
const sameBatch = (query: Query, [first]: readonly Batch[]): Query =>
  query.ask === 'mean' && first !== undefined ? { ...query, batch: first } : query;

/** A protocol whose users send fewer noise bits, by their own count. */
const fewerNoiseBits = (
  randomiser: unknown,
  data: (params: never, context: { readonly dimension: number }) => number,
  share: number,
) => {
  const plugin = loose(randomiser);
  return {
    ...plugin,
    messageCount: (params: never, context: { readonly dimension: number }) => {
      const carried = data(params, context);
      return (
        carried + Math.ceil(((plugin['messageCount'](params, context as never) as number) - carried) * share)
      );
    },
  };
};
const levelsOf = (
  { levels }: { readonly levels: number },
  { dimension }: { readonly dimension: number },
): number => levels * dimension;
/** A protocol with another estimate, of the right one, the users and the parameters. */
const estimated = (
  randomiser: unknown,
  change: (estimate: Vector, users: number, params: never) => Vector,
) => {
  const plugin = loose(randomiser);
  return {
    ...plugin,
    analyse: (params: never, context: { readonly users: number }, messages: never) =>
      change(plugin['analyse'](params, context as never, messages), context.users, params),
  };
};

type PhasesArgs = Parameters<typeof localizedPhases>;
const phasesWith =
  (change: (phase: ReturnType<typeof localizedPhases>['phases'][number], n: number) => object) =>
  (...given: PhasesArgs) => {
    const made = localizedPhases(...given);
    return { ...made, phases: made.phases.map((phase) => ({ ...phase, ...change(phase, made.records) })) };
  };
type LawArgs = Parameters<typeof shipped.discreteMoments>;
type MomentArgs = Parameters<typeof empiricalGradientMoment>;
const pointOver = (options: MomentArgs[2], point: Float64Array): MomentArgs[2] => ({
  ...options,
  over: { points: [point] },
});

type Share = { readonly dimension: number; readonly epsilon: number; readonly delta: number };
type Bias = { readonly order: number; readonly moment: number; readonly clipNorm: number };
type Noise = Parameters<OracleSubject['noiseVariances']['mean']>[0];
const quarter = (value: number): number => value / 4;

export const oracleMutants: readonly Mutant<OracleSubject>[] = [
  mutant(1, 'entries', 'entries are clipped one by one', 'projections', { l2Clip: byEntries }),
  mutant(1, 'always-scaled', 'vectors inside the ball are scaled too', 'projections', { l2Clip: always }),
  mutant(1, 'one-after-the-other', 'a point is projected on the domain and then on the ball', 'projections', {
    intersectBall: (
      domain: { projectInto(out: Vector, point: Vector): Vector },
      { centre, radius }: { readonly centre: Vector; readonly radius: number },
    ) => ({
      projectInto: (out: Vector, point: Vector) => {
        const near = domain.projectInto(out, point);
        const length = Math.hypot(...near.map((x, j) => x - centre[j]));
        return length <= radius
          ? near
          : near.map((x, j) => {
              out[j] = centre[j] + ((x - centre[j]) * radius) / length;
              return out[j];
            }) && out;
      },
    }),
  }),
  mutant(1, 'no-step-size', 'a proximal map forgets the step size', 'projections', {
    buildProximal: (...given: Parameters<OracleSubject['buildProximal']>) => {
      const made = shipped.buildProximal(...given);
      return {
        ...made,
        value: (y: Vector) => made.value(y),
        proxInto: (out: Vector, z: Vector) => made.proxInto(out, z, 1),
      };
    },
  }),
  mutant(2, 'one-radius', 'the sensitivity is C/s', 'mean-sensitivity', {
    ballMean: {
      ...ballMean,
      sensitivity: ({ radius }: Params, { slots }: { readonly slots: number }) => ({
        'replace-one': radius / slots,
      }),
    },
  }),
  mutant(2, 'not-clipped', 'records are not clipped', 'mean-sensitivity', { ballMean: notClipped }),
  mutant(3, 'rounds-forgotten', 'noise of T passes lacks the T', 'noise-calibration', {
    noiseVariances: {
      ...shipped.noiseVariances,
      multiPass: (setting: Noise) => shipped.noiseVariances.multiPass(setting) / setting.rounds,
    },
  }),
  mutant(3, 'whole-data', 'a batch is taken for all records', 'noise-calibration', {
    noiseVariances: {
      ...shipped.noiseVariances,
      mean: (setting: Noise) => shipped.noiseVariances.mean({ ...setting, records: setting.all }),
      onePass: (setting: Noise) => shipped.noiseVariances.onePass({ ...setting, rounds: 1 }),
    },
  }),
  mutant(3, 'noise-of-one-round', 'full passes take the noise of a single one', 'noise-calibration', {
    noisyClippedSubgradient: asking(shipped.noisyClippedSubgradient, (query) =>
      withNoise(query, 1 / Math.sqrt(5)),
    ),
  }),
  mutant(
    3,
    'half-the-noise',
    'accelerated steps ask for half of the noise that is planned',
    'noise-calibration',
    { noisyClippedAcSa: asking(shipped.noisyClippedAcSa, (query) => withNoise(query, 0.5)) },
  ),
  mutant(3, 'no-dimension', 'noise of medians lacks the dimension', 'noise-calibration', {
    noiseVariances: {
      ...shipped.noiseVariances,
      medianOfMeans: (setting: Noise) => shipped.noiseVariances.medianOfMeans(setting) / setting.dimension,
    },
  }),
  mutant(3, 'quieter', 'the curator adds half of the noise it charges for', 'noise-calibration', {
    gaussian: {
      ...gaussian,
      event: (_params: unknown, noiseMultiplier: number, relative: never) =>
        gaussian.event({}, noiseMultiplier * 2, relative),
    },
  }),
  mutant(4, 'deviation', 'the deviation is taken for the variance', 'gaussian-divergence', {
    shiftedRenyi: ({ alpha, shift, variance }: Parameters<OracleSubject['shiftedRenyi']>[0]) =>
      (alpha * shift ** 2) / (2 * Math.sqrt(variance)),
  }),
  mutant(4, 'no-two', 'the noise for ρ is 1/√ρ', 'gaussian-divergence', {
    gaussian: {
      ...gaussian,
      multiplierFor: (_params: unknown, target: { readonly rho: number }) => 1 / Math.sqrt(target.rho),
    },
  }),
  mutant(5, 'no-two', 'the cross term lacks its 2', 'conversion', {
    concentratedEpsilon: ({ rho, delta }: { readonly rho: number; readonly delta: number }) =>
      rho + Math.sqrt(rho * -Math.log(delta)),
  }),
  mutant(5, 'no-slope', 'ρ itself is left out', 'conversion', {
    concentratedEpsilon: ({ rho, delta }: { readonly rho: number; readonly delta: number }) =>
      2 * Math.sqrt(rho * -Math.log(delta)),
  }),
  mutant(6, 'everywhere', 'the corollary is said to hold at every ε', 'short-conversion', {
    shortEpsilonHolds: () => true,
  }),
  mutant(6, 'constant', 'the constant is 1.9', 'short-conversion', {
    shortEpsilon: ({ epsilon, delta }: { readonly epsilon: number; readonly delta: number }) =>
      1.9 * epsilon * Math.sqrt(-Math.log(delta)),
  }),
  mutant(7, 'one-batch', 'every round takes the first batch', 'ledgers', {
    noisyClippedSgd: asking(shipped.noisyClippedSgd, sameBatch),
  }),
  mutant(7, 'phases-overlap', 'every phase takes the batch of the first', 'ledgers', {
    localizedSubgradient: asking(shipped.localizedSubgradient, sameBatch),
  }),
  mutant(7, 'sums', 'disjoint batches are charged their sum', 'ledgers', { parallelEvent: composedEvent }),
  mutant(7, 'no-counts', 'repeated releases are charged once', 'ledgers', {
    countedEvent: (parts: Parameters<OracleSubject['countedEvent']>[0]) =>
      shipped.countedEvent(parts.map(({ event }) => ({ event, count: 1 }))),
  }),
  mutant(8, 'strength-in-noise', 'the noise grows with the regulariser', 'regulariser-is-free', {
    noisyClippedSubgradient: asking(shipped.noisyClippedSubgradient, (query, _seen, params) =>
      withNoise(query, 1 + Number(params['strength'])),
    ),
  }),
  mutant(8, 'clipped-with-it', 'what is clipped has the regulariser in it', 'regulariser-is-free', {
    noisyClippedSubgradient: asking(shipped.noisyClippedSubgradient, (query, _seen, params) => {
      if (query.ask !== 'mean') return query;
      const {
        clip: {
          params: { radius },
        },
      } = query.mean.params as unknown as { readonly clip: { readonly params: Params } };
      return {
        ...query,
        mean: clippedMean({
          clip: l2Clip({ radius: radius * (1 + Number(params['strength'])) }),
          mechanism: shipped.gaussian({}),
        }),
      };
    }),
  }),
  mutant(8, 'steps-grow', 'a step is divided by what the regulariser leaves', 'regulariser-is-free', {
    regularisedSubgradient: (options: Parameters<OracleSubject['regularisedSubgradient']>[0]) =>
      shipped.regularisedSubgradient({
        ...options,
        stepSize: options.stepSize * 2,
        strength: options.strength / 2,
      }),
  }),
  mutant(9, 'no-root', 'the sensitivity lacks √d', 'median-sensitivity', {
    coordinateMedianOfMeans: {
      ...coordinateMedianOfMeans,
      sensitivity: (params: never, context: { readonly dimension: number }) => {
        const all = coordinateMedianOfMeans.sensitivity(params, context as never);
        return { 'replace-one': defined(all['replace-one']) / Math.sqrt(context.dimension) };
      },
    },
  }),
  mutant(9, 'upper', 'of an even number the upper one is taken', 'median-sensitivity', {
    coordinateMedianOfMeans: upper,
  }),
  mutant(10, 'three-hundredth', 'the printed noise is divided by 300', 'count-privacy', {
    countNoise: (setting: Parameters<OracleSubject['countNoise']>[0]) => {
      const { noiseBits, probability } = shipped.countNoise(setting);
      return { noiseBits, probability: probability / 300 };
    },
  }),
  mutant(10, 'few-coins', 'users send a thousandth of the noise bits', 'count-privacy', {
    shuffledScalarSum: fewerNoiseBits(
      shuffledScalarSum,
      ({ levels }: { readonly levels: number }) => levels,
      1 / 1000,
    ),
  }),
  mutant(11, 'centre-of-one', 'the noise bits of one user are taken off', 'count-moments', {
    shuffledScalarSum: estimated(shuffledScalarSum, (estimate, users) => estimate.map((x) => x + users - 1)),
  }),
  mutant(11, 'rounded-down', 'numbers are rounded down', 'count-moments', {
    shuffledScalarSum: {
      ...shuffledScalarSum,
      randomise: (
        params: { readonly lower: number; readonly upper: number; readonly levels: number },
        context: never,
        record: Vector,
        random: never,
      ) =>
        shuffledScalarSum.randomise(
          params,
          context,
          record.map((x) => Math.floor(x * params.levels) / params.levels),
          random,
        ),
    },
  }),
  mutant(11, 'one-sided', 'the variance of a noise bit is p', 'count-moments', {
    countVariance: (setting: Parameters<OracleSubject['countVariance']>[0]) =>
      shipped.countVariance({ ...setting, noiseBits: setting.noiseBits / (1 - setting.probability) }),
  }),
  mutant(11, 'unit', 'levels are as printed', 'count-moments', { countLevels: shipped.countLevelsPrinted }),
  mutant(11, 'unit-of-the-protocol', 'the protocol chooses its levels by the unit', 'count-moments', {
    shuffledScalarSum: {
      ...shuffledScalarSum,
      varianceBound: (
        params: Parameters<NonNullable<typeof shuffledScalarSum.varianceBound>>[0],
        context: { readonly users: number },
      ) =>
        defined(shuffledScalarSum.varianceBound)(
          {
            ...params,
            levels:
              params.levels ??
              Math.min(1000, Math.max(4, Math.ceil(params.upper * Math.sqrt(context.users)))),
          },
          context as never,
        ),
    },
  }),
  mutant(12, 'centre', 'the sum is centred at C', 'shuffled-vectors', {
    shuffledVectorSum: estimated(shuffledVectorSum, (estimate, users, { radius }: Params) =>
      estimate.map((x) => x + (users - 1) * radius),
    ),
  }),
  mutant(12, 'centre-formula', 'the formula centres at C', 'shuffled-vectors', {
    recentred: shipped.recentredPrinted,
  }),
  mutant(12, 'mean-for-sum', 'the estimate of the sum is divided by the users', 'shuffled-vectors', {
    shuffledVectorSum: estimated(shuffledVectorSum, (estimate, users) => estimate.map((x) => x / users)),
  }),
  mutant(12, 'half-the-variance', 'half of the variance is declared', 'shuffled-vectors', {
    shuffledVectorSum: {
      ...shuffledVectorSum,
      varianceBound: (params: never, context: never) =>
        defined(shuffledVectorSum.varianceBound)(params, context) / 2,
    },
  }),
  mutant(13, 'wide', 'the proposition is said to hold up to 8 ln(2d/δ)', 'composition', {
    medianShareHolds: ({ dimension, epsilon, delta }: Share) =>
      epsilon <= 8 * Math.log((2 * dimension) / delta),
  }),
  mutant(13, 'no-root', 'ε_j lacks √d', 'composition', {
    medianShare: (setting: Share) => {
      const share = shipped.medianShare(setting);
      return { ...share, epsilon: share.epsilon * Math.sqrt(setting.dimension) };
    },
  }),
  mutant(13, 'one-percent', 'ε_j is a hundredth larger', 'composition', {
    medianShare: (setting: Share) => {
      const share = shipped.medianShare(setting);
      return { ...share, epsilon: 1.01 * share.epsilon };
    },
  }),
  mutant(13, 'whole-delta', 'every entry takes all of δ', 'composition', {
    medianShare: (setting: Share) => ({ ...shipped.medianShare(setting), delta: setting.delta }),
  }),
  mutant(13, 'few-coins', 'users send a quarter of the noise bits', 'composition', {
    shuffledMedianOfMeans: fewerNoiseBits(shuffledMedianOfMeans, levelsOf, 1 / 4),
  }),
  mutant(13, 'linear-noise', 'the noise of all entries grows with d', 'composition', {
    medianNoise: (setting: Parameters<OracleSubject['medianNoise']>[0]) =>
      shipped.medianNoise(setting) / setting.dimension,
  }),
  mutant(14, 'in-order', 'messages go on in the order of the users', 'shuffler', {
    shuffleMessages: (messages: readonly Uint32Array[]) =>
      Uint32Array.from(messages.flatMap((some) => Array.from(some))),
  }),
  mutant(14, 'users-in-order', 'users are permuted, their messages stay together', 'shuffler', {
    shuffleMessages: (messages: readonly Uint32Array[], random: { integer(below: number): number }) => {
      const rest = [...messages];
      const out: number[] = [];
      while (rest.length > 0) out.push(...rest.splice(random.integer(rest.length), 1)[0]);
      return Uint32Array.from(out);
    },
  }),
  mutant(14, 'ones-alone', 'users report their ones only', 'shuffler', {
    shuffledVectorSum: {
      ...shuffledVectorSum,
      randomise: (...given: Parameters<typeof shuffledVectorSum.randomise>) =>
        shuffledVectorSum.randomise(...given).filter((message) => message % 2 === 1),
    },
  }),
  mutant(15, 'linear', 'a group costs h times as much', 'group-privacy', {
    groupRho: (rho: number, size: number) => size * rho,
  }),
  mutant(15, 'not-clipped', 'records are not clipped', 'group-privacy', { ballMean: notClipped }),
  mutant(16, 'larger-constant', 'the constant is that of the paper', 'pointwise-bias', {
    sharpConstant: (k: number) => 1 / (k - 1),
  }),
  mutant(16, 'smaller-constant', 'the constant is a hundredth smaller', 'pointwise-bias', {
    sharpConstant: (k: number) => 0.99 * shipped.sharpConstant(k),
  }),
  mutant(16, 'entries', 'entries are clipped one by one', 'pointwise-bias', { l2Clip: byEntries }),
  mutant(17, 'divided-by-k', 'the bound is divided by k', 'clipped-mean-bias', {
    clippedBias: (setting: Bias) => (shipped.clippedBias(setting) * (setting.order - 1)) / setting.order,
  }),
  mutant(17, 'power', 'the clip norm has the power k', 'clipped-mean-bias', {
    clippedBias: (setting: Bias) => shipped.clippedBias(setting) / setting.clipNorm,
  }),
  mutant(17, 'declared-half', 'half of the bias is declared', 'clipped-mean-bias', {
    ballMean: {
      ...ballMean,
      biasBound: (...given: Parameters<typeof ballMean.biasBound>) => ballMean.biasBound(...given) / 2,
    },
  }),
  mutant(18, 'power', 'the clip norm has the power k', 'empirical-bias', {
    clippedBias: (setting: Bias) => shipped.clippedBias(setting) / setting.clipNorm,
  }),
  mutant(18, 'scaled', 'all gradients are scaled to the clip norm', 'empirical-bias', {
    ballMean: begun((run, { radius }) => ({
      ...run,
      add: (slot, gradient) => {
        const norm = Math.hypot(...gradient);
        run.add(
          slot,
          gradient.map((x) => (norm === 0 ? 0 : (x * radius) / norm)),
        );
      },
    })),
  }),
  mutant(19, 'noise-per-record', 'every record gets noise of its own', 'clipped-mean-variance', {
    ballMean: noisyRecords,
  }),
  mutant(19, 'deviation', 'the noise has its scale for variance', 'clipped-mean-variance', {
    gaussian: {
      ...gaussian,
      addNoise: (_params: unknown, value: Vector, scale: number, random: never) => {
        gaussian.addNoise({}, value, Math.sqrt(scale), random);
      },
    },
  }),
  mutant(19, 'square-of-records', 'sampling is divided by s²', 'clipped-mean-variance', {
    clippedVariance: (setting: Parameters<OracleSubject['clippedVariance']>[0]) =>
      shipped.clippedVariance({ ...setting, secondMoment: setting.secondMoment / setting.records }),
  }),
  mutant(19, 'one-coordinate', 'noise is counted for one coordinate', 'clipped-mean-variance', {
    clippedVariance: (setting: Parameters<OracleSubject['clippedVariance']>[0]) =>
      shipped.clippedVariance({ ...setting, dimension: 1 }),
  }),
  mutant(20, 'always-scaled', 'vectors inside the ball are scaled too', 'clipping-contracts', {
    l2Clip: always,
  }),
  mutant(20, 'to-zero', 'what is outside becomes 0', 'clipping-contracts', {
    l2Clip: clipAs((vector, radius, norm) => {
      if (norm > radius) vector.fill(0);
    }),
  }),
  mutant(21, 'first-record', 'the mean is of the first record', 'expected-distance', { ballMean: firstOnly }),
  mutant(21, 'no-clipping-bias', 'the bias is left out', 'expected-distance', { clippedBias: () => 0 }),
  mutant(22, 'low-limit', 'the limit may be half of the mean', 'entry-bias', {
    leastLimit: (mean: number) => Math.abs(mean) / 2,
  }),
  mutant(22, 'whole-limit', 'the distance to the limit is taken for all of it', 'entry-bias', {
    entryBias: (setting: Parameters<OracleSubject['entryBias']>[0]) =>
      shipped.entryBias({ ...setting, limit: 2 * setting.limit }),
  }),
  mutant(23, 'outwards', 'numbers inside are moved to the ends', 'entry-moments', {
    coordinateClip: {
      ...coordinateClip,
      clipInPlace: ({ radius }: Params, vector: Vector) => {
        vector.forEach((x, j) => {
          vector[j] = x < 0 ? -radius : radius;
        });
      },
    },
  }),
  mutant(23, 'wrapped', 'numbers outside come in at the other end', 'entry-moments', {
    coordinateClip: {
      ...coordinateClip,
      clipInPlace: ({ radius }: Params, vector: Vector) => {
        vector.forEach((x, j) => {
          vector[j] = Math.abs(x) > radius ? -Math.sign(x) * radius : x;
        });
      },
    },
  }),
  mutant(24, 'constant-9', 'the constant is 9', 'mean-deviation', {
    meanDeviation: (setting: Parameters<OracleSubject['meanDeviation']>[0]) =>
      0.9 * shipped.meanDeviation(setting),
  }),
  mutant(24, 'records', 'the deviation falls with n', 'mean-deviation', {
    meanDeviation: (setting: Parameters<OracleSubject['meanDeviation']>[0]) =>
      shipped.meanDeviation(setting) / Math.sqrt(setting.records),
  }),
  mutant(25, 'small-constant', 'the distance has a constant of 0.3', 'median-of-means', {
    medianOfMeansBound: {
      ...shipped.medianOfMeansBound,
      distance: (setting: Parameters<OracleSubject['medianOfMeansBound']['distance']>[0]) =>
        shipped.medianOfMeansBound.distance(setting) * 0.03,
    },
  }),
  mutant(25, 'few-groups', 'a quarter of the groups are made', 'median-of-means', {
    medianOfMeansGroups: (dimension: number, failure: number) =>
      Math.ceil(shipped.medianOfMeansGroups(dimension, failure) / 4),
  }),
  mutant(25, 'average', 'the mean of the means is taken', 'median-of-means', {
    coordinateMedianOfMeans: average,
  }),
  mutant(26, 'no-bias', 'noise is said not to move the median', 'noisy-median', { medianNoiseBias: () => 0 }),
  mutant(26, 'noise-outside', 'the noise is taken for outside of the median', 'noisy-median', {
    expectedMedian: (values: readonly number[]) => values.toSorted((a, b) => a - b)[values.length >> 1],
  }),
  mutant(26, 'claims-it', 'the shuffled median claims to be unbiased', 'noisy-median', {
    shuffledMedianOfMeans: {
      ...shuffledMedianOfMeans,
      claims: [...shuffledMedianOfMeans.claims, { property: 'unbiased', statement: 'always' }],
    },
  }),
  mutant(27, 'no-label', 'the label is left out of the gradient', 'first-example', {
    exampleMoment: ({ order }: Parameters<OracleSubject['exampleMoment']>[0]) =>
      shipped.exampleMoment({ order, equal: true }) / 2,
  }),
  mutant(27, 'mean-inside', 'the calculator takes the moment of the mean', 'first-example', {
    gradientMomentOf: (...given: Parameters<typeof shipped.gradientMomentOf>) => {
      const { pointwise, ...rest } = shipped.gradientMomentOf(...given);
      return { ...rest, pointwise, uniform: pointwise };
    },
  }),
  mutant(27, 'no-half', 'the loss lacks its ½', 'first-example', {
    squared: {
      ...shipped.squared,
      gradientInto: (...given: Parameters<OracleSubject['squared']['gradientInto']>) => {
        shipped.squared.gradientInto(...given);
        given[1].forEach((x, j) => {
          given[1][j] = 2 * x;
        });
      },
    },
  }),
  mutant(27, 'diameter', 'the Lipschitz constant is the squared diameter', 'first-example', {
    exampleLipschitz: (a: number) => 4 * a ** 2,
  }),
  mutant(28, 'swapped', 'the two moments are swapped', 'moment-order', {
    discreteMoments: (...given: LawArgs) => {
      const made = shipped.discreteMoments(...given);
      return { ...made, pointwise: made.uniform, uniform: made.pointwise };
    },
  }),
  mutant(28, 'powers', 'powers are given for roots', 'moment-order', {
    discreteMoments: (...given: LawArgs) => {
      const made = shipped.discreteMoments(...given);
      const { order } = given[2];
      return { ...made, pointwise: defined(made.pointwise) ** order, uniform: made.uniform ** order };
    },
  }),
  mutant(28, 'even', 'all records weigh the same', 'moment-order', {
    discreteMoments: (...[distribution, ...rest]: LawArgs) =>
      shipped.discreteMoments(
        {
          ...distribution,
          probabilities: Array.from(distribution.probabilities, () => 1 / distribution.points.rows),
        },
        ...rest,
      ),
  }),
  mutant(29, 'power', 'Eq. 5 has 2^k', 'coordinate-moments', {
    powerSplit: (setting: Parameters<OracleSubject['powerSplit']>[0]) => 2 * shipped.powerSplit(setting),
  }),
  mutant(29, 'no-root', 'the bound lacks √d', 'coordinate-moments', {
    normMoment: (setting: Parameters<OracleSubject['normMoment']>[0]) =>
      shipped.normMoment(setting) / Math.sqrt(setting.dimension),
  }),
  mutant(29, 'constant', 'the constant is 1.9', 'coordinate-moments', {
    normMoment: (setting: Parameters<OracleSubject['normMoment']>[0]) => 0.95 * shipped.normMoment(setting),
  }),
  mutant(29, 'lemma', 'the constant is that of the lemma, and more', 'coordinate-moments', {
    normMoment: (setting: Parameters<OracleSubject['normMoment']>[0]) => 2.1 * shipped.normMoment(setting),
  }),
  mutant(30, 'least', 'the least over iterates is taken', 'empirical-moments', {
    empiricalGradientMoment: (loss: MomentArgs[0], data: MomentArgs[1], options: MomentArgs[2]) => ({
      ...empiricalGradientMoment(loss, data, options),
      pointwise:
        'points' in options.over
          ? Math.min(
              ...options.over.points.map((point) =>
                defined(empiricalGradientMoment(loss, data, pointOver(options, point)).pointwise),
              ),
            )
          : null,
    }),
  }),
  mutant(30, 'sum', 'records are summed', 'empirical-moments', {
    empiricalGradientMoment: (loss: MomentArgs[0], data: MomentArgs[1], options: MomentArgs[2]) => {
      const { pointwise, uniform } = empiricalGradientMoment(loss, data, options);
      return { pointwise: defined(pointwise) * data.rows ** (1 / options.order), uniform };
    },
  }),
  mutant(30, 'one-batch', 'batches are taken for single records', 'empirical-moments', {
    discreteBatchMoment: (
      ...[distribution, loss, question]: Parameters<typeof shipped.discreteBatchMoment>
    ) => shipped.discreteBatchMoment(distribution, loss, { ...question, batch: 1 }),
  }),
  mutant(31, 'no-square', 'moments are averaged, not their squares', 'averaged-moments', {
    averagedMoment: (moments: readonly number[]) =>
      moments.reduce((sum, one, i) => sum + 2 ** -(i + 1) * one, 0),
  }),
  mutant(31, 'from-zero', 'weights begin at 1', 'averaged-moments', {
    averagedMoment: (moments: readonly number[]) => Math.SQRT2 * averagedMoment(moments),
  }),
  mutant(32, 'order', 'tails fall with k + 1', 'lipschitz-event', {
    tailBound: ({ order, times }: Parameters<OracleSubject['tailBound']>[0]) => times ** -(order + 1),
  }),
  mutant(32, 'no-square-root', 'thresholds forget √n', 'lipschitz-event', {
    localizedPhases: (...given: PhasesArgs) =>
      phasesWith(({ radius }, n) => ({ radius: radius / Math.sqrt(n) ** (1 / given[0].order) }))(...given),
  }),
  mutant(33, 'twice-the-strength', 'the distance is L/(2λ)', 'localised-minimiser', {
    minimiserDistance: ({ lipschitz, strength }: Parameters<OracleSubject['minimiserDistance']>[0]) =>
      lipschitz / (2 * strength),
  }),
  mutant(33, 'printed', 'the distance is as printed', 'localised-minimiser', {
    minimiserDistance: ({ lipschitz, strength }: Parameters<OracleSubject['minimiserDistance']>[0]) =>
      (2 * lipschitz) / strength,
  }),
  mutant(33, 'quarter-radius', 'phases are confined to a quarter of their radius', 'localised-minimiser', {
    localizedPhases: phasesWith(({ radius }) => ({ radius: quarter(radius) })),
  }),
  mutant(34, 'not-averaged', 'the averaged moment is that of one record', 'limit-constant', {
    averagedMoment: (moments: readonly number[]) => moments[moments.length - 1],
  }),
  mutant(34, 'batch-of-one', 'a batch has the moment of one record', 'limit-constant', {
    discreteBatchMoment: (
      ...[distribution, loss, question]: Parameters<OracleSubject['discreteBatchMoment']>
    ) => shipped.discreteBatchMoment(distribution, loss, { ...question, batch: 1 }),
  }),
  mutant(34, 'power', 'the constant has 2^(2k+2)', 'limit-constant', {
    limitConstant: (k: number) => (1 + 2 ** (2 * k + 2)) ** (1 / k),
  }),
  mutant(34, 'smaller-power', 'the constant has 2^(2k)', 'limit-constant', {
    limitConstant: (k: number) => (1 + 2 ** (2 * k)) ** (1 / k),
  }),
  mutant(34, 'wide-grid', 'the grid is as printed', 'limit-constant', {
    gridShare: { ...shipped.gridShare, corrected: () => 2 },
  }),
  mutant(34, 'no-two', 'tails are held to e^(−t/s)', 'limit-constant', {
    subexponentialScale: ({ values, probabilities }: Parameters<OracleSubject['subexponentialScale']>[0]) =>
      Math.max(
        ...values.map(
          (value) =>
            Math.abs(value) /
            Math.log(
              3 /
                values.reduce(
                  (sum, other, i) => sum + (Math.abs(other) >= Math.abs(value) ? probabilities[i] : 0),
                  0,
                ),
            ),
        ),
      ),
  }),

  // What is printed, put right: nothing is left to refute.
  mutant(3, 'printed', 'noise is that of the batch', 'noise-calibration-printed', {
    noiseVariances: { ...shipped.noiseVariances, onePass: shipped.noiseVariances.mean },
  }),
  mutant(9, 'printed', 'the noise of the lemma is that of the algorithm', 'median-noise-printed', {
    noiseVariances: { ...shipped.noiseVariances, medianOfMeansPrinted: shipped.noiseVariances.medianOfMeans },
  }),
  mutant(11, 'printed', 'levels grow with the users alone', 'count-moments-printed', {
    countLevelsPrinted: shipped.countLevels,
  }),
  mutant(12, 'printed', 'the sum is centred at sC', 'shuffled-vectors-printed', {
    recentredPrinted: shipped.recentred,
  }),
  mutant(13, 'printed', 'entries take a hundredth of what they may', 'composition-printed', {
    medianShare: (setting: Share) => {
      const share = shipped.medianShare(setting);
      return { ...share, epsilon: share.epsilon / 100 };
    },
  }),
  mutant(21, 'printed', 'the bound has the deviation of one record in it', 'expected-distance-printed', {
    clippedBias: (setting: Bias) => shipped.clippedBias(setting) + 1,
  }),
  mutant(25, 'printed', 'the distance is below that of any mean', 'median-of-means-printed', {
    meanDeviation: (setting: Parameters<OracleSubject['meanDeviation']>[0]) =>
      shipped.meanDeviation(setting) / 1000,
  }),
  mutant(26, 'printed', 'noise is outside of the median', 'noisy-median-printed', {
    expectedMedian: (values: readonly number[]) => values.toSorted((a, b) => a - b)[values.length >> 1],
  }),
  mutant(
    27,
    'printed',
    'gradients are a third as long, and the diameter is the Lipschitz constant',
    'first-example-printed',
    {
      exampleLipschitz: (a: number) => 4 * a ** 2,
      squared: {
        ...shipped.squared,
        gradientInto: (...given: Parameters<OracleSubject['squared']['gradientInto']>) => {
          shipped.squared.gradientInto(...given);
          given[1].forEach((x, j) => {
            given[1][j] = x / 3;
          });
        },
      },
    },
  ),
  mutant(34, 'printed', 'the grid is fine enough', 'limit-constant-printed', {
    gridShare: { ...shipped.gridShare, printed: shipped.gridShare.corrected },
  }),
];

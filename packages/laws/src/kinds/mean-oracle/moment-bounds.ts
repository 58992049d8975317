import { LetheError, type Mechanism, type Moment, type RandomSource, type Vector } from '@lethe/core';
import fc from 'fast-check';
import { along } from '../../arbitraries/vectors.js';
import { normOf } from '../../engines/norms.js';
import { nonNegativeMean } from '../../evidence/non-negative-mean.js';
import { fails, holds, type Finding, type Violation } from '../../law/finding.js';
import { defineLaw, type LawEnv } from '../../law/law.js';
import { named, unit } from '../clip/apply.js';
import { directionsOf, expectation, finiteLaws, leastVariance, meanOf, momentOf, orders, type FiniteLaw } from '../clip/finite-law.js';
import { answerOf, noShape, scaleAt, shapesOf, usesCoins, type Oracle, type Shape } from './release.js';
import { answersOf, drawn, noiseGain } from './outcomes.js';
import { spreadMean } from './sampled-moments.js';

const biasAt = ({ plugin, params }: Oracle, shape: Shape, moment: Moment): number => plugin.biasBound(params as never, shape, moment);
const varianceAt = ({ plugin, params }: Oracle, shape: Shape, moment: Moment, noise: number): number => plugin.varianceBound(params as never, shape, moment, noise);

/** Small releases, one and two records: every filling can be listed. */
const smallShapes = (oracle: Oracle): readonly Shape[] => shapesOf(oracle, { dimension: 2, slots: 2, most: 3 }).filter(({ slots }, i) => i === 0 || slots <= 2);

const meanOfLaw = ({ points, weights }: FiniteLaw): Float64Array => meanOf(points, weights);
const usable = (value: number): boolean => value > 1e-250 && value < 1e250;
const opposite = (row: readonly number[]): readonly number[] => row.map((x) => -x + 0);

/** Laws at which bounds of clipping and rounding are tight, or nearly: rare and large, opposite, one point; along axes and corners. */
function tellingLaws(shape: Shape, scale: number, norm: Oracle['plugin']['norm']): readonly FiniteLaw[] {
  return directionsOf(shape.dimension).flatMap((direction) => [1 / 16, 0.3, 0.97, 1, 1.5, 2, 4, 32].flatMap((by): FiniteLaw[] => {
    const far = along(direction, by * scale, norm), zero = far.map(() => 0);
    return [{ points: [far], weights: [1] }, { points: [far, opposite(far)], weights: [0.5, 0.5] }, { points: [zero, far], weights: [0.75, 0.25] }];
  }));
}

/** Judges one law by listing everything. `undefined` when it holds, `null` when the coins cannot be listed. */
function judged(oracle: Oracle, which: 'bias' | 'variance', law: FiniteLaw, shape: Shape, moments: readonly Moment[]): Violation | null | undefined {
  const { norm } = oracle.plugin, answers = answersOf(oracle, law, shape);
  if (answers === null) return null;
  const largest = Math.max(...answers.values.map((value) => normOf(norm, value))) + expectation(law, (point) => normOf(norm, point));
  const mean = meanOf(answers.values, answers.weights), truth = meanOfLaw(law);
  const measured = which === 'bias' ? normOf(norm, mean.map((x, j) => x - truth[j]!)) : leastVariance(answers.values, answers.weights, norm);
  for (const moment of moments) {
    const bound = which === 'bias' ? biasAt(oracle, shape, moment) : varianceAt(oracle, shape, moment, 0);
    const allowed = bound * (1 + 1e-10) + 1024 * unit * (which === 'bias' ? largest : largest ** 2);
    if (measured <= allowed) continue;
    const said = which === 'bias' ? `‖E answer − E z‖ is ${measured} in ${named(norm)}; biasBound` : `E‖answer − E answer‖² without noise is ${measured}; varianceBound`;
    return { what: `${said} says at most ${bound} for E‖z‖^${moment.order} ≤ ${moment.value} (dimension ${shape.dimension}, ${shape.slots} slots)`, measured, allowed, input: { law, shape, moment } };
  }
  return undefined;
}

interface Exact { readonly finding: Finding; readonly listed: boolean }

function searchExactly(oracle: Oracle, which: 'bias' | 'variance', env: LawEnv): Exact {
  const { norm } = oracle.plugin;
  let samples = 0;
  for (const shape of smallShapes(oracle)) {
    const scale = scaleAt(oracle, shape);
    for (const law of tellingLaws(shape, scale, norm)) {
      const moments = [2, 3, 4].map((order) => ({ order, value: momentOf(law, order, norm) })).filter(({ value }) => usable(value));
      samples++;
      const violation = judged(oracle, which, law, shape, moments);
      if (violation === null) return { finding: holds(samples), listed: false };
      if (violation !== undefined) return { finding: fails(samples, violation), listed: true };
    }
  }
  const inputs = fc.constantFrom(...smallShapes(oracle)).chain((shape) => fc.tuple(fc.constant(shape), finiteLaws({ dimension: shape.dimension, scale: scaleAt(oracle, shape), norm }), fc.constantFrom(...orders), fc.constantFrom(1, 1, 2)));
  const found = env.forAll(inputs, ([shape, law, order, by]) => {
    const few = law.points.length > 3 ? { points: law.points.slice(0, 3), weights: renormalised(law.weights.slice(0, 3)) } : law;
    const value = momentOf(few, order, norm) * by;
    return usable(value) ? judged(oracle, which, few, shape, [{ order, value }]) ?? undefined : undefined;
  }, { runs: 60 });
  return { finding: { ...found, samples: found.samples + samples } as Finding, listed: true };
}

const renormalised = (weights: readonly number[]): readonly number[] => weights.map((weight) => weight / weights.reduce((sum, x) => sum + x, 0));

/** Fresh coins for every draw. */
function* answersSampled(oracle: Oracle, law: FiniteLaw, shape: Shape, count: number, random: RandomSource): Generator<Vector> {
  for (let i = 0; i < count; i++) {
    const coins = random.fork(i);
    yield answerOf(oracle, drawn(law, shape.slots, coins.fork('data')), { shape, coins: coins.fork('oracle') });
  }
}

/** Bets that the mean of the answers is further from the truth than `bias`, in the direction in which it was so far. */
function sampledBias(oracle: Oracle, law: FiniteLaw, shape: Shape, bound: { readonly bias: number; readonly variance: number }, env: LawEnv, name: string, parts: number): { readonly samples: number; readonly violation?: Violation } {
  const truth = meanOfLaw(law), horizon = env.samples(1_500), alpha = env.alpha / parts, sum = new Float64Array(shape.dimension);
  const size = scaleAt(oracle, shape);
  // A bias in another norm is at least this much in ℓ2.
  const atMost = bound.bias * (oracle.plugin.norm === 'linf' ? Math.sqrt(shape.dimension) : 1) + 1e-12 * size;
  const process = spreadMean({ atMost, variance: Math.max(bound.variance * (oracle.plugin.norm === 'linf' ? shape.dimension : 1), 1e-24 * size * size), horizon, alpha });
  let seen = 0;
  for (const answer of answersSampled(oracle, law, shape, horizon + 50, env.random(name))) {
    const off = answer.map((x, j) => x - truth[j]!), length = normOf('l2', sum);
    if (!off.every(Number.isFinite)) return { samples: seen + 1, violation: { what: `an answer is not finite: [${answer.join(', ')}]`, input: { law, shape } } };
    if (seen++ >= 50) process.push(length === 0 ? 0 : off.reduce((total, x, j) => total + (x * sum[j]!) / length, 0));
    for (let j = 0; j < sum.length; j++) sum[j]! += off[j]!;
    if (process.rejects(alpha)) {
      const mean = sum.map((x) => x / seen);
      return { samples: seen, violation: { what: `the mean of ${seen} answers is off by [${mean.join(', ')}], ${normOf('l2', mean)} in ℓ2; biasBound says at most ${bound.bias}, varianceBound ${bound.variance}`, measured: normOf('l2', mean), allowed: bound.bias, logE: process.peak + Math.log(1 / parts), input: { law, shape } } };
    }
  }
  return { samples: seen };
}

/** In ℓ2, or its mean over entries where the norm is ℓ∞: at most what either reading of the bound is about, on average. */
const squaredDistance = ({ plugin }: Oracle, a: Vector, b: Vector): number => normOf('l2', a.map((x, j) => x - b[j]!)) ** 2 / (plugin.norm === 'linf' ? a.length : 1);

function sampledVariance(oracle: Oracle, law: FiniteLaw, shape: Shape, bound: number, env: LawEnv, name: string, parts: number): { readonly samples: number; readonly violation?: Violation } {
  const count = env.samples(1_500), alpha = env.alpha / parts;
  const process = nonNegativeMean({ atMost: bound + 1e-24 * scaleAt(oracle, shape) ** 2 });
  let seen = 0, total = 0, last: Vector | undefined;
  for (const answer of answersSampled(oracle, law, shape, 2 * count, env.random(name))) {
    if (last === undefined) { last = answer.slice(); continue; }
    const half = squaredDistance(oracle, answer, last) / 2;
    last = undefined;
    if (!Number.isFinite(half)) return { samples: seen + 1, violation: { what: `an answer is not finite: [${answer.join(', ')}]`, input: { law, shape } } };
    process.push(half);
    total += half;
    seen++;
    if (process.rejects(alpha)) return { samples: seen, violation: { what: `half the mean squared distance of ${seen} pairs of answers is ${total / seen}; varianceBound says at most ${bound}`, measured: total / seen, allowed: bound, logE: process.peak - Math.log(parts), input: { law, shape } } };
  }
  return { samples: seen };
}

/** Laws for sampling: three sizes along an uneven direction, of both signs, as one point and as opposite points. */
const sampledLaws = (shape: Shape, scale: number): readonly FiniteLaw[] => [0.05, 0.45, 1.7].flatMap((by): FiniteLaw[] => {
  const point = along(Array.from({ length: shape.dimension }, (_, j) => -1 - 0.37 * j), by * scale), positive = opposite(point);
  return [{ points: [point], weights: [1] }, { points: [positive], weights: [1] }];
});

function searchBySampling(oracle: Oracle, which: 'bias' | 'variance', env: LawEnv): Finding {
  const shape = smallShapes(oracle).find(({ dimension }) => dimension > 1) ?? smallShapes(oracle)[0]!, scale = scaleAt(oracle, shape);
  const laws = sampledLaws(shape, scale);
  let samples = 0;
  for (const [i, law] of laws.entries()) {
    const moment = { order: 2, value: momentOf(law, 2, oracle.plugin.norm) }, variance = varianceAt(oracle, shape, moment, 0);
    const { samples: more, violation } = which === 'variance' ? sampledVariance(oracle, law, shape, variance, env, `law ${i}`, laws.length)
      : sampledBias(oracle, law, shape, { bias: biasAt(oracle, shape, moment), variance }, env, `law ${i}`, laws.length);
    samples += more;
    if (violation !== undefined) return fails(samples, violation);
  }
  return holds(samples, 'coins were sampled: they have too many values to be listed');
}

function search(oracle: Oracle, which: 'bias' | 'variance', env: LawEnv): Finding {
  const { finding, listed } = searchExactly(oracle, which, env);
  return listed ? finding : searchBySampling(oracle, which, env);
}

/** ‖E answer − E gradient‖ is within the declared bound. */
export const biasBound = defineLaw({
  id: 'meanOracle/bias-bound', kind: 'meanOracle', tier: 'statistical',
  statement: 'for independent records of every law with E‖z‖^order ≤ value, ‖E answer − E z‖ is at most biasBound; exact over records and coins where coins can be listed, by betting on sampled answers where not',
  power: 'listed: a bound 1 % too small for laws on one or two points; sampled: a mean off by a quarter of a standard deviation beyond the bound, in 1 500 answers',
  exempt: noShape,
  check: (oracle, env) => search(oracle, 'bias', env),
});

/** E‖answer − E answer‖² is within the declared bound. */
export const varianceBound = defineLaw({
  id: 'meanOracle/variance-bound', kind: 'meanOracle', tier: 'statistical',
  statement: 'for independent records of every law with E‖z‖^order ≤ value, E‖answer − E answer‖² is at most varianceBound, without noise and with; exact over records and coins where coins can be listed and answers are affine in the noise, by betting on sampled answers where not',
  power: 'listed: a bound 1 % too small for laws on one or two points, or for the noise alone; sampled: a variance half as large again as the bound, in 1 500 pairs of answers',
  exempt: noShape,
  check(oracle, env) {
    const without = search(oracle, 'variance', env);
    if (without.verdict === 'fails') return without;
    const noise = noiseVariance(oracle, env);
    return { ...noise, samples: noise.samples + without.samples } as Finding;
  },
});

/** The part of the variance that is noise: at records that are all zero, and none from coins where answers are affine. */
function noiseVariance(oracle: Oracle, env: LawEnv): Finding {
  let samples = 0;
  const coins = usesCoins(oracle, env.random('coins'));
  for (const shape of smallShapes(oracle)) {
    const scale = scaleAt(oracle, shape), zeros = Array.from({ length: shape.slots }, () => new Array<number>(shape.dimension).fill(0));
    const gains = Array.from({ length: coins ? 20 : 1 }, (_, i) => noiseGain(oracle, zeros, shape, env.random(`gain ${i}`), scale / shape.slots));
    for (const variance of [1e-6, 1, 100].map((by) => by * (scale / shape.slots) ** 2)) {
      const bound = varianceAt(oracle, shape, { order: 2, value: 1e-12 * scale * scale }, variance);
      samples++;
      if (gains.includes(null)) {
        const violation = sampledNoise(oracle, shape, variance, bound, env);
        if (violation !== undefined) return fails(samples, violation);
        continue;
      }
      // Coins: the mean gain of 20 tosses says something for certain only when all of them are above.
      const gain = Math.min(...gains.map((x) => x!)), measured = (gain * variance) / (oracle.plugin.norm === 'linf' ? shape.dimension : 1), allowed = bound * (1 + 1e-9);
      if (!(measured <= allowed)) return fails(samples, { what: `noise of variance ${variance} on every entry of value() gives the answer a variance of ${measured}; varianceBound says at most ${bound} (dimension ${shape.dimension}, ${shape.slots} slots)`, measured, allowed, input: { shape, noiseVariance: variance } });
    }
  }
  return holds(samples);
}

/** Real noise through a `finish` that is not affine. */
function sampledNoise(oracle: Oracle, shape: Shape, variance: number, bound: number, env: LawEnv): Violation | undefined {
  const { plugin, registry } = oracle;
  const mechanism = registry.find((other): other is Mechanism => other.kind === 'mechanism' && other.name === plugin.mechanism.name);
  const parsed = mechanism?.params.safeParse(plugin.mechanism.params);
  if (mechanism === undefined || parsed?.success !== true) return undefined;
  const scale = Math.sqrt(variance) / mechanism.standardDeviation(parsed.data as never), alpha = env.alpha / 9;
  const zeros = Array.from({ length: shape.slots }, () => new Array<number>(shape.dimension).fill(0)), process = nonNegativeMean({ atMost: bound });
  const answer = (random: RandomSource): Vector => {
    const length = answerOf(oracle, zeros, { shape, coins: random.fork('oracle') }).length;
    const noise = new Float64Array(Math.max(length, 4096));
    mechanism.addNoise(parsed.data as never, noise, scale, random.fork('noise'));
    return answerOf(oracle, zeros, { shape, coins: random.fork('oracle') }, noise).slice();
  };
  for (let i = 0; i < env.samples(600); i++) {
    const [a, b] = [answer(env.random(`noise ${2 * i}`)), answer(env.random(`noise ${2 * i + 1}`))];
    process.push(Math.min(1e300, squaredDistance(oracle, a, b) / 2));
    if (process.rejects(alpha)) return { what: `with noise of variance ${variance} answers vary by more than varianceBound's ${bound}`, allowed: bound, logE: process.peak, input: { shape, noiseVariance: variance } };
  }
  return undefined;
}

/** No bias where records need no bounding. */
export const unbiased = defineLaw({
  id: 'meanOracle/unbiased', kind: 'meanOracle', tier: 'statistical', onClaim: true,
  statement: 'for records far within the bound, the expected answer over all coins is the mean of the records; exact where coins can be listed',
  power: 'listed: any bias beyond rounding; sampled: a bias of a quarter of a standard deviation, in 1 500 answers',
  exempt: noShape,
  check(oracle, env) {
    let samples = 0;
    for (const shape of smallShapes(oracle)) {
      const scale = scaleAt(oracle, shape);
      const laws = directionsOf(shape.dimension).flatMap((direction) => [1 / 64, 1 / 100].flatMap((by): FiniteLaw[] => {
        const point = along(direction, by * scale), other = along(direction.toReversed(), (-by / 3) * scale);
        return [{ points: [point], weights: [1] }, { points: [point, other], weights: [0.5, 0.5] }];
      }));
      for (const [i, law] of laws.entries()) {
        const truth = meanOfLaw(law), answers = answersOf(oracle, law, shape);
        if (answers === null) {
          const moment = { order: 2, value: momentOf(law, 2, oracle.plugin.norm) };
          const { samples: more, violation } = sampledBias(oracle, law, shape, { bias: 0, variance: varianceAt(oracle, shape, moment, 0) }, env, `unbiased ${shape.dimension} ${shape.slots} ${i}`, 3 * laws.length);
          samples += more;
          if (violation !== undefined) return fails(samples, violation);
          continue;
        }
        samples += answers.outcomes;
        const mean = meanOf(answers.values, answers.weights), largest = Math.max(...answers.values.map((value) => normOf('linf', value)));
        const measured = normOf('linf', mean.map((x, j) => x - truth[j]!)), allowed = 1024 * unit * (largest + normOf('linf', truth));
        if (!(measured <= allowed)) return fails(samples, { what: `the expected answer over all ${answers.outcomes} outcomes is [${mean.join(', ')}]; the mean of the records is [${truth.join(', ')}]`, measured, allowed, input: { law, shape } });
      }
    }
    return holds(samples);
  },
});

/** Bounds refuse what is no moment and no variance. */
export const momentsChecked = defineLaw({
  id: 'meanOracle/moments-checked', kind: 'meanOracle', tier: 'exact',
  statement: 'biasBound and varianceBound refuse an order below 2, a negative value or noise variance and NaN by a typed error; for all else they are numbers from 0 to Infinity',
  power: 'any bad moment or variance that is answered, and any NaN or negative bound',
  exempt: noShape,
  check(oracle) {
    let samples = 0;
    const shape = shapesOf(oracle)[0]!, scale = scaleAt(oracle, shape), unitMoment = { order: 2, value: scale * scale };
    const answer = (of: () => number): number | LetheError => {
      samples++;
      try { return of(); } catch (error) { if (error instanceof LetheError) return error; throw error; }
    };
    const bad: readonly Moment[] = [...[NaN, 1.999, 1, 0, -2].map((order) => ({ order, value: 1 })), ...[NaN, -1e-300, -1].map((value) => ({ order: 2, value }))];
    const refused: readonly (readonly [string, () => number])[] = [
      ...bad.map((moment) => [`biasBound for order ${moment.order}, value ${moment.value}`, () => biasAt(oracle, shape, moment)] as const),
      ...bad.map((moment) => [`varianceBound for order ${moment.order}, value ${moment.value}`, () => varianceAt(oracle, shape, moment, 1)] as const),
      ...[NaN, -1e-300, -1].map((noise) => [`varianceBound for noise of variance ${noise}`, () => varianceAt(oracle, shape, unitMoment, noise)] as const),
    ];
    for (const [what, of] of refused) {
      const result = answer(of);
      if (!(result instanceof LetheError)) return fails(samples, { what: `${what} is answered with ${result}; it must be refused by InvalidParameter` });
    }
    for (const order of [2, 2.5, 3, 10]) for (const by of [0, 0.1, 1, 10]) {
      const moment = { order, value: (by * scale) ** order };
      if (!(moment.value < 1e280)) continue;
      for (const result of [answer(() => biasAt(oracle, shape, moment)), ...[0, 1e-9, 1, 1e9].map((noise) => answer(() => varianceAt(oracle, shape, moment, noise)))]) {
        if (result instanceof LetheError || !(result >= 0)) return fails(samples, { what: `a bound is ${result instanceof LetheError ? `refused (${result.message})` : result} for order ${order} and value ${moment.value}; it must be a number of at least 0`, input: moment });
      }
    }
    return holds(samples);
  },
});


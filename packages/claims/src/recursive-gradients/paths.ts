import {
  plainLoops,
  seededRandom,
  type Batch,
  type Calibrate,
  type Fact,
  type Problem,
  type PushQuery,
  type RandomSource,
  type Ref,
  type Stream,
  type Run,
  type Vector,
} from '@lethe/core';
import { logistic } from '@lethe/losses';
import { gaussian, l2BallDomain, mechanisms } from '@lethe/mechanisms';
import { l2Ball, type Domain } from '@lethe/numerics';
import { dot, norm } from '../common/vectors.js';
import type { RecursiveGradientsSubject } from './subject.js';

/** A loss of one record. */
export interface RecordLoss {
  value(at: ArrayLike<number>): number;
  gradient(at: ArrayLike<number>): number[];
}

/** A problem for the accelerated method: batches of records, noise `b_t`, a domain and its numbers. */
export interface Instance {
  readonly dimension: number;
  /** Losses of the population, by index; a record −1 is null. */
  readonly losses: readonly RecordLoss[];
  readonly batches: readonly (readonly number[])[];
  readonly noise: readonly (readonly number[])[];
  readonly beta: number;
  readonly zScale: 1 | 0.5 | 0.25;
  /** @defaultValue no clip */
  readonly clipNorm?: number;
  /** @defaultValue the unit ball */
  readonly domain?: { readonly ref: Ref<'domain'>; readonly set: Pick<Domain, 'projectInto'> };
  readonly start?: readonly number[];
  /** Answers of another run, in place of what records and noise make. */
  readonly answers?: readonly (readonly number[])[];
}

/** A run of the shipped method, and what the listing makes of its answers. */
export interface Path {
  /** Points at which gradients were asked for. */
  readonly x: readonly (readonly number[])[];
  /** Averages over the batch of the clipped weighted gradients that were asked for. */
  readonly asked: readonly (readonly number[])[];
  /** `Δ_t` by the paper's formula at these points. */
  readonly differences: readonly (readonly number[])[];
  /** `∇_t`, without noise. */
  readonly nabla: readonly (readonly number[])[];
  /** What the run was told. */
  readonly told: readonly (readonly number[])[];
  /** `∇̃_t`, with noise. */
  readonly noisy: readonly (readonly number[])[];
  /** `z_0 … z_T` and `y_0 … y_T`. */
  readonly z: readonly (readonly number[])[];
  readonly y: readonly (readonly number[])[];
  readonly output: readonly number[];
  /** Records whose gradients were asked for, each point counting once. */
  readonly gradients: number;
  /** Differences that were clipped. */
  readonly clipped: number;
}

export const plus = (a: readonly number[], factor: number, b: ArrayLike<number>): number[] =>
  a.map((one, j) => one + factor * b[j]);
export const minus = (a: ArrayLike<number>, b: ArrayLike<number>): number[] =>
  Array.from(a, (one, j) => one - b[j]);
export const distance = (a: ArrayLike<number>, b: ArrayLike<number>): number => norm(minus(a, b));
export const inner = dot;
const zeros = (dimension: number): number[] => Array.from({ length: dimension }, () => 0);
export function shortened(v: readonly number[], most: number): number[] {
  const length = norm(v);
  return length > most ? v.map((one) => (one * most) / length) : [...v];
}

/** Any multiplier answers, since noise is given. */
const uncalibrated: Calibrate = ({ target }) => ({
  value: gaussian.multiplierFor({}, target),
  achieved: {
    lower: 0,
    upper: target.epsilon,
    certificate: 'certified',
    method: 'closed form',
    assumptions: [],
  },
});

/** A problem whose only purpose is to be planned for. */
export const posed = (
  dimension: number,
  slots: number,
  {
    domain = l2BallDomain({ radius: 1 }),
    facts = {},
  }: { readonly domain?: Ref<'domain'>; readonly facts?: Readonly<Record<string, Fact>> } = {},
): Problem<typeof logistic.capabilities> => ({
  adjacency: 'zero-out',
  trust: { model: 'central' },
  dimension,
  slots: [slots],
  domain,
  loss: logistic({}),
  capabilities: logistic.capabilities,
  facts,
});
/** What a plan is made with. */
export const planning = {
  registry: mechanisms,
  budget: { epsilon: 1, delta: 1e-6 },
  calibrate: uncalibrated,
  random: seededRandom('public'),
};

/** Runs the method on an instance. Answers are exact averages, with the noise of the instance. */
export function pathOf(
  { acceleratedDpSrgd, stepWeight }: RecursiveGradientsSubject,
  instance: Instance,
): Path {
  const { dimension, batches, beta, zScale, clipNorm = 1e9, noise } = instance;
  const B = batches[0].length;
  const set = instance.domain?.set ?? l2Ball({ dimension, radius: 1 });
  const ref = instance.domain?.ref ?? l2BallDomain({ radius: 1 });
  const start = instance.start ?? zeros(dimension);
  const run: Run = acceleratedDpSrgd.prepare({
    ...planning,
    problem: posed(dimension, batches.length * B, { domain: ref }),
    params: { rounds: batches.length, beta, zScale, clipNorm, noiseMultiplier: 1 },
  });
  const project = (point: readonly number[]): number[] => [
    ...set.projectInto(new Float64Array(dimension), Float64Array.from(point)),
  ];
  const gradientAt = (record: number, at: ArrayLike<number>): number[] =>
    record < 0 ? zeros(dimension) : instance.losses[record].gradient(at);
  const x: number[][] = [];
  const asked: number[][] = [];
  const differences: number[][] = [];
  const noisy: number[][] = [];
  const nabla: number[][] = [];
  const answers: (readonly number[])[] = [];
  const origin = project(start);
  const [z, y] = [[origin], [origin]];
  let [sum, exact] = [zeros(dimension), zeros(dimension)];
  let [gradients, clipped] = [0, 0];
  const answerTo = ({ of: { terms } }: PushQuery): Vector => {
    const t = x.length;
    const now = [...terms[0].at];
    const before = x[t - 1] ?? now;
    x.push(now);
    const averageOf = (of: (record: number) => number[]): number[] =>
      batches[t].reduce((total, record) => plus(total, 1 / B, of(record)), zeros(dimension));
    gradients += batches[t].length * terms.length;
    const seen = averageOf((record) => {
      const whole = terms.reduce(
        (total, { weight, at }) => plus(total, weight, gradientAt(record, at)),
        zeros(dimension),
      );
      if (norm(whole) > clipNorm) clipped++;
      return shortened(whole, clipNorm);
    });
    asked.push(seen);
    const weight = stepWeight(t);
    const wanted = averageOf((record) =>
      shortened(
        plus(
          gradientAt(record, now).map((one) => weight * one),
          t === 0 ? 0 : -stepWeight(t - 1),
          gradientAt(record, before),
        ),
        clipNorm,
      ),
    );
    differences.push(wanted);
    exact = plus(exact, 1, seen);
    nabla.push(exact.map((one) => one / weight));
    const told =
      instance.answers?.[t] ?? plus(seen, -beta, minus(noise[t], noise[t - 1] ?? zeros(dimension)));
    answers.push(told);
    sum = plus(sum, 1, told);
    noisy.push(sum.map((one) => one / weight));
    z.push(project(plus(z[t], -zScale / beta, sum)));
    y.push(project(plus(now, -1 / (beta * weight), sum)));
    return Float64Array.from(told);
  };
  const tokens = batches.map((_, k) => ({ id: `${k}`, normaliser: B }) as Batch);
  const program = run.steps({
    ...plainLoops(),
    allRecords: { id: 'all', normaliser: batches.length * B } as Batch,
    start: Float64Array.from(start),
    random: planning.random,
  });
  let step = program.next();
  while (step.done !== true) {
    const { value: query } = step;
    if (query.ask === 'push') step = program.next(answerTo(query));
    else step = program.next(query.ask === 'split' ? tokens : ({ id: 'stream' } as Stream));
  }
  return {
    x,
    asked,
    told: answers,
    differences,
    nabla,
    noisy,
    z,
    y,
    output: [...step.value],
    gradients,
    clipped,
  };
}

/** A quadratic `½ Σ a_j (x_j − c_j)²`. */
export const quadratic = (curvatures: readonly number[], center: readonly number[]): RecordLoss => ({
  value: (at) => curvatures.reduce((sum, a, j) => sum + (a * (at[j] - center[j]) ** 2) / 2, 0),
  gradient: (at) => curvatures.map((a, j) => a * (at[j] - center[j])),
});
/** A linear loss `⟨g, x⟩`. */
export const linearLoss = (slope: readonly number[]): RecordLoss => ({
  value: (at) => inner(slope, at),
  gradient: () => [...slope],
});
/** A ridge `(M/w²)·sin(w⟨u, x⟩)` for a unit vector `u`: `M`-smooth, not convex, `M/w`-Lipschitz. */
const ridge = (direction: readonly number[], smoothness: number, frequency: number): RecordLoss => ({
  value: (at) => (smoothness / frequency ** 2) * Math.sin(frequency * inner(direction, at)),
  gradient: (at) =>
    direction.map((one) => one * (smoothness / frequency) * Math.cos(frequency * inner(direction, at))),
});

/** The average of losses. */
export const averageOf = (losses: readonly RecordLoss[]): RecordLoss => ({
  value: (at) => losses.reduce((sum, loss) => sum + loss.value(at) / losses.length, 0),
  gradient: (at) =>
    losses.reduce(
      (sum, loss) => plus(sum, 1 / losses.length, loss.gradient(at)),
      Array.from(at, () => 0),
    ),
});

/** Draws for instances. */
export interface Draws {
  uniform(low: number, high: number): number;
  vector(dimension: number, size: number): number[];
  index(count: number): number;
}
export function drawsOf(name: string): Draws {
  const random: RandomSource = seededRandom(name);
  const uniform = (low: number, high: number): number => low + (high - low) * random.uniform();
  return {
    uniform,
    vector: (dimension, size) => {
      const v = Array.from({ length: dimension }, () => uniform(-1, 1));
      const length = Math.max(1e-9, norm(v));
      return v.map((one) => (one * size) / length);
    },
    index: (count) => random.integer(count),
  };
}

/** What random instances have in common. */
export interface DrawnOptions {
  readonly kind: 'quadratic' | 'linear' | 'ridge' | 'common';
  readonly zScale: 1 | 0.5 | 0.25;
  /** Multiple of the smoothness, or of what `betaOf` says. */
  readonly betaOf: (rounds: number) => number;
  /** Size of noise. @defaultValue .1 */
  readonly noise?: number;
}

/** An instance with smoothness 1 in the unit ball. */
export function drawnInstance(name: string, { kind, zScale, betaOf, noise = 0.1 }: DrawnOptions): Instance {
  const draws = drawsOf(name);
  const dimension = 1 + draws.index(3);
  const rounds = 2 + draws.index(7);
  const B = 1 + draws.index(3);
  const lossOf = (): RecordLoss => {
    if (kind === 'linear') return linearLoss(draws.vector(dimension, draws.uniform(0, 1)));
    if (kind === 'ridge') return ridge(draws.vector(dimension, 1), 1, draws.uniform(1, 4));
    return quadratic(
      Array.from({ length: dimension }, () => draws.uniform(0, 1)),
      draws.vector(dimension, draws.uniform(0, 2)),
    );
  };
  const losses = Array.from({ length: kind === 'common' ? 1 : 4 }, lossOf);
  const level = draws.uniform(0, noise);
  return {
    dimension,
    losses,
    batches: Array.from({ length: rounds }, () =>
      Array.from({ length: B }, () => draws.index(losses.length)),
    ),
    noise: Array.from({ length: rounds }, () => draws.vector(dimension, draws.uniform(0, level))),
    beta: betaOf(rounds) * draws.uniform(1, 3),
    zScale,
    start: draws.vector(dimension, draws.uniform(0, 0.9)),
  };
}

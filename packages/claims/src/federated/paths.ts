import {
  plainLoops,
  type Batch,
  type Fact,
  type Query,
  type Run,
  type Stream,
  type Vector,
} from '@lethe/core';
import { l2BallDomain } from '@lethe/mechanisms';
import { l2Ball, type Domain } from '@lethe/numerics';
import { each } from '../common/each.js';
import { norm } from '../common/vectors.js';
import {
  drawsOf,
  planning,
  plus,
  posed,
  quadratic,
  linearLoss,
  shortened,
  type RecordLoss,
} from '../recursive-gradients/paths.js';
import type { FederatedSubject } from './subject.js';

/** A problem for μ²-SGD: batches of records, and noise `Y_t` of the sums. */
export interface Mu2Instance {
  readonly dimension: number;
  /** Losses of the population, by index; a record −1 is null. */
  readonly losses: readonly RecordLoss[];
  readonly batches: readonly (readonly number[])[];
  /** `Y_t`, which is added to `q_t`. */
  readonly noise: readonly (readonly number[])[];
  readonly stepSize: number;
  /** @defaultValue no clip */
  readonly clipNorm?: number;
  /** Smoothness by which increments are centred. @defaultValue about the origin */
  readonly smoothness?: number;
  /** @defaultValue the unit ball */
  readonly domain?: { readonly ref: ReturnType<typeof l2BallDomain>; readonly set: Domain };
  readonly start?: readonly number[];
  /** Sums `q_t` of another run, in place of what records and noise make. */
  readonly sums?: readonly (readonly number[])[];
}

/** A run of a shipped method, by what it asked. */
export interface Mu2Path {
  /** `x_1 … x_T`: first points of the queries. */
  readonly x: readonly (readonly number[])[];
  /** `w_1 … w_T`, of which the points are averages: `w_(t+1) = ((t + 2)x_(t+1) − t x_t)/2`. */
  readonly w: readonly (readonly number[])[];
  /** Increments `s_t` that were asked for, averaged over the batch, centre included. */
  readonly s: readonly (readonly number[])[];
  /** The same without the centre: what a curator sums. */
  readonly residuals: readonly (readonly number[])[];
  /** `q_t`: sums of increments without noise. */
  readonly q: readonly (readonly number[])[];
  /** `q̃_t`: sums that the run was told. */
  readonly told: readonly (readonly number[])[];
  readonly output: readonly number[];
  /** Records whose gradients were asked for, each point counting once. */
  readonly gradients: number;
  /** Increments that were clipped. */
  readonly clipped: number;
  readonly planned: Run['plan'];
}

export const zeros = (dimension: number): number[] => Array.from({ length: dimension }, () => 0);
const fact = (value: number): Fact => ({ value, scope: 'every-record', provenance: 'declared' });

/** A plan of the private method for constants of every record. */
export function plannedRun(
  { dpMu2Sgd, calibrate }: Pick<FederatedSubject, 'dpMu2Sgd' | 'calibrate'>,
  {
    dimension = 2,
    slots,
    radius = 1,
    lipschitz,
    smoothness,
    budget = planning.budget,
  }: {
    readonly dimension?: number;
    readonly slots: number;
    readonly radius?: number;
    readonly lipschitz: number;
    readonly smoothness: number;
    readonly budget?: { readonly epsilon: number; readonly delta: number };
  },
  params: Parameters<FederatedSubject['dpMu2Sgd']['prepare']>[0]['params'],
): Run {
  const facts = { lipschitz: fact(lipschitz), smoothness: fact(smoothness) };
  const problem = posed(dimension, slots, { domain: l2BallDomain({ radius }), facts });
  return dpMu2Sgd.prepare({
    ...planning,
    budget,
    calibrate,
    problem: { ...problem, adjacency: 'replace-one' },
    params,
  });
}

/**
 * Runs a method on an instance. Answers are exact averages of clipped residuals, with the noise of the
 * instance.
 */
export function mu2Path(
  subject: FederatedSubject,
  instance: Mu2Instance,
  method: 'private' | 'plain' = 'private',
): Mu2Path {
  const { dimension: d, batches, stepSize, clipNorm = 1e9, smoothness, noise, losses } = instance;
  const B = batches[0].length;
  const facts = smoothness === undefined ? {} : { smoothness: fact(smoothness) };
  const domain = instance.domain?.ref ?? l2BallDomain({ radius: 1 });
  const problem = posed(d, batches.length * B, { domain, facts });
  const rounds = batches.length;
  const clip = smoothness === undefined ? ('lemma-4' as const) : ('centred' as const);
  const run: Run =
    method === 'plain'
      ? subject.mu2Sgd.prepare({ ...planning, problem, params: { rounds, stepSize } })
      : subject.dpMu2Sgd.prepare({
          ...planning,
          problem,
          params: { rounds, stepSize, clipNorm, clip, noiseMultiplier: 1 },
        });
  const [x, w, s, residuals, q, told]: number[][][] = [[], [], [], [], [], []];
  let [gradients, clipped] = [0, 0];
  const answerTo = (query: Query & { readonly ask: 'push' | 'mean' }): Vector => {
    const t = x.length;
    const { terms } = query.of;
    const centre = ('centre' in query ? query.centre : undefined) ?? new Float64Array(d);
    x.push([...terms[0].at]);
    gradients += B * terms.length;
    const residual = batches[t].reduce((sum, record) => {
      if (record < 0) return sum;
      const whole = terms.reduce(
        (all, { weight, at }) => plus(all, weight, losses[record].gradient(at)),
        Array.from(centre, (one) => -one),
      );
      if (norm(whole) > clipNorm) clipped++;
      return plus(sum, 1 / B, shortened(whole, clipNorm));
    }, zeros(d));
    residuals.push(residual);
    s.push(plus(residual, 1, centre));
    q.push(plus(q[t - 1] ?? zeros(d), 1, s[t]));
    const sum = instance.sums?.[t] ?? plus(q[t], 1, noise[t]);
    told.push([...sum]);
    const increment = plus(plus([...sum], -1, told[t - 1] ?? zeros(d)), -1, centre);
    return Float64Array.from(increment);
  };
  const program = run.steps({
    ...plainLoops(),
    allRecords: { id: 'all', normaliser: rounds * B } as Batch,
    start: Float64Array.from(instance.start ?? zeros(d)),
    random: planning.random,
  });
  let step = program.next();
  while (step.done !== true) {
    const { value: query } = step;
    if (query.ask === 'push' || query.ask === 'mean') step = program.next(answerTo(query));
    else
      step = program.next(
        query.ask === 'split'
          ? batches.map((_, k) => ({ id: `${k}`, normaliser: B }) as Batch)
          : ({ id: 'stream' } as Stream),
      );
  }
  w.push([...x[0]]);
  for (let t = 1; t < rounds; t++) w.push(x[t].map((one, j) => ((t + 2) * one - t * x[t - 1][j]) / 2));
  return { x, w, s, residuals, q, told, output: [...step.value], gradients, clipped, planned: run.plan };
}

/** `P(w − ηq̃)` as the listing says, in the instance's domain. */
export function projectedStep(
  { domain, stepSize, dimension }: Mu2Instance,
  w: readonly number[],
  sum: readonly number[],
): number[] {
  const set = domain?.set ?? l2Ball({ dimension, radius: 1 });
  return [...set.projectInto(new Float64Array(dimension), Float64Array.from(plus(w, -stepSize, sum)))];
}

/** Instances in the unit ball with smoothness 1 at most; noise makes projections bind. */
export const drawnRuns = (
  name: string,
  kind: 'quadratic' | 'linear' | 'common',
  {
    count = 30,
    noise = 3,
    records = 3,
  }: { readonly count?: number; readonly noise?: number; readonly records?: number } = {},
): readonly Mu2Instance[] =>
  each(count, (i) => {
    const draws = drawsOf(`${name}/${i}`);
    const dimension = 1 + draws.index(3);
    const rounds = 2 + draws.index(7);
    const B = 1 + draws.index(records);
    const losses = each(kind === 'common' ? 1 : 4, () =>
      kind === 'linear'
        ? linearLoss(draws.vector(dimension, draws.uniform(0, 1)))
        : quadratic(
            Array.from({ length: dimension }, () => draws.uniform(0, 1)),
            draws.vector(dimension, draws.uniform(0, 2)),
          ),
    );
    return {
      dimension,
      losses,
      batches: each(rounds, () => each(B, () => draws.index(losses.length))),
      noise: each(rounds, () => draws.vector(dimension, draws.uniform(0, noise))),
      stepSize: draws.uniform(0.05, 1),
      start: draws.vector(dimension, draws.uniform(0, 0.9)),
    };
  });

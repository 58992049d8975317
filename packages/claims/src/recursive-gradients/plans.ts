import {
  plainLoops,
  defineLoss,
  driveSync,
  sameEvent,
  seededRandom,
  type Answer,
  type Batch,
  type Fact,
  type PublicPlan,
  type PushQuery,
  type Query,
  type Run,
  type Stream,
} from '@lethe/core';
import { attachData, openLedger } from '@lethe/curator';
import { defineClaimCheck, judge, type ClaimCheck, type Violation } from '@lethe/laws';
import { boxDomain, l2BallDomain, mechanisms, wholeSpaceDomain } from '@lethe/mechanisms';
import * as z from 'zod';
import { each } from '../common/each.js';
import { above, differs, first } from '../common/judging.js';
import { norm } from '../common/vectors.js';
import { distance, drawnInstance, minus, pathOf, planning, plus, posed, type Instance } from './paths.js';
import type { RecursiveGradientsSubject } from './subject.js';

/** Losses of the golden runs, by label: gradients `A ∘ (x − a)`, and none for label 0. */
const curvatures = [
  [0, 0],
  [1, 0.5],
  [0.25, 1],
];
const centers = [
  [0, 0],
  [1, 0],
  [0, -2],
];
const diagonal = defineLoss({
  name: 'diagonal',
  summary: 'Two quadratics and a null loss, by label.',
  source: { id: 'choquette-choo-2024', item: 'golden runs' },
  params: z.strictObject({}),
  claims: [],
  capabilities: {},
  linear: null,
  labels: { rule: '0, 1 or 2', accepts: (label) => [0, 1, 2].includes(label) },
  facts: () => ({}),
  value: () => 0,
  gradientInto(_params, out, at, { label }) {
    for (let j = 0; j < 2; j++) out[j] = curvatures[label][j] * (at[j] - centers[label][j]);
  },
});
const registry = [...mechanisms, diagonal];

interface CuratedRun {
  readonly output: readonly number[];
  readonly answers: readonly (readonly number[])[];
  readonly points: readonly (readonly number[])[];
  readonly plan: PublicPlan;
  readonly event: boolean;
}

/** Runs the method through the shipped curator, on records of the golden runs; noise `b_t` may be added. */
function curated(
  { acceleratedDpSrgd, centralCurator }: RecursiveGradientsSubject,
  labels: readonly number[],
  params: Parameters<RecursiveGradientsSubject['acceleratedDpSrgd']['prepare']>[0]['params'],
  {
    domain = l2BallDomain({ radius: 1 }),
    noise,
    beta = 1,
    seed = 'secret',
  }: {
    readonly domain?: Parameters<typeof posed>[2] extends infer O
      ? NonNullable<O> extends { readonly domain?: infer D }
        ? D
        : never
      : never;
    readonly noise?: readonly (readonly number[])[];
    readonly beta?: number;
    readonly seed?: string;
  } = {},
): CuratedRun {
  const n = labels.length;
  const ledger = openLedger({ adjacency: 'zero-out' });
  const data = attachData({
    features: {
      data: new Float64Array(2 * n),
      rows: n,
      columns: 2,
      offset: 0,
      rowStride: 2,
      columnStride: 1,
    },
    labels: Float64Array.from(labels),
    loss: diagonal({}),
    registry,
    ledger,
  });
  const problem = { ...posed(2, n, { domain }), loss: diagonal({}), capabilities: {} };
  const run: Run = acceleratedDpSrgd.prepare({ ...planning, registry, problem, params });
  const own = centralCurator({ data, registry, run: 'claims', random: seededRandom(seed) });
  const answers: number[][] = [];
  const points: number[][] = [];
  const curator = {
    ...own,
    answer(index: number, query: Query) {
      const told = own.answer(index, query);
      if (query.ask !== 'push') return told;
      const t = answers.length;
      const b = noise?.[t] ?? [0, 0];
      const before = noise?.[t - 1] ?? [0, 0];
      const shifted = Float64Array.from(
        told.answer as Float64Array,
        (one, j) => one - beta * (b[j] - before[j]),
      );
      answers.push([...shifted]);
      points.push([...(query as PushQuery).of.terms[0].at]);
      return { ...told, answer: shifted as Answer };
    },
  };
  const { output } = driveSync(run, curator, {
    start: new Float64Array(2),
    random: seededRandom('public'),
  });
  return {
    output: [...output],
    answers,
    points,
    plan: run.plan,
    event: sameEvent(ledger.total(), run.plan.event),
  };
}

const golden = {
  labels: [1, 0, 1, 2, 2, 1, 0, 2, 1, 1],
  noise: [
    [0.1, -0.05],
    [-0.02, 0.03],
    [0, 0.04],
    [0.05, 0.05],
    [-0.03, 0],
  ],
  domain: boxDomain({ lower: [-0.25, -0.5], upper: [0.5, 0.5] }),
  params: { rounds: 5, beta: 4, clipNorm: 0.8, noiseMultiplier: 1e-11 },
  outputs: [
    [1, [0.5, -0.360287993675967]],
    [0.5, [0.462578005871098, -0.247199954154751]],
  ] as const,
};
const fact = (value: number): Fact => ({ value, scope: 'every-record', provenance: 'declared' });

/** Rows 40, 58, 59, 61, 62, 71 and 78: privacy by replay, plans and runs, and what runs cost. */
export function planChecks(subject: RecursiveGradientsSubject): readonly ClaimCheck[] {
  const { acceleratedDpSrgd, acceleratedDpSgd, recursiveDpSgd, onlineToBatch, stepWeight } = subject;
  const clipNorm = 0.4;
  const instances = each(40, (i): Instance => ({
    ...drawnInstance(`replay/${i}`, {
      kind: i % 2 === 0 ? 'quadratic' : 'ridge',
      zScale: 0.5,
      betaOf: () => 1,
    }),
    clipNorm,
  }));
  /** A run, and one on the neighbour without a record of step `at` that is told the same. */
  const replayed = (instance: Instance, at: number) => {
    const path = pathOf(subject, instance);
    const batches = instance.batches.map((batch, t) => (t === at ? [-1, ...batch.slice(1)] : batch));
    return { path, other: pathOf(subject, { ...instance, batches, answers: path.told }) };
  };
  return [
    defineClaimCheck({
      id: 'choquette-choo/replay',
      tier: 'search',
      statement:
        'with answers frozen, a null record in one batch changes ' +
        'the difference of that batch only, by K/B at most',
      power: 'a clip of each of the two gradients',
      run: () =>
        judge(
          instances.length,
          first(
            ...instances.flatMap((instance) => {
              const at = instance.batches.length - 1;
              const { path, other } = replayed(instance, at);
              const B = instance.batches[0].length;
              return path.asked.map((one, t) =>
                above(
                  `the change of step ${t}`,
                  distance(one, other.asked[t]),
                  t === at ? clipNorm / B : 0,
                  1e-12,
                ),
              );
            }),
            ...curatedReplay(subject),
          ),
        ),
    }),
    defineClaimCheck({
      id: 'choquette-choo/null-record',
      tier: 'exact',
      statement: 'a null record contributes nothing, and the batch is still divided by B',
      power: 'batches that are averaged over the records that are not null',
      run() {
        const both = [
          [1, 1, 2, 2],
          [0, 1, 0, 2],
        ].map(
          (labels) =>
            curated(subject, labels, {
              rounds: 2,
              beta: 4,
              clipNorm: 100,
              zScale: 1,
              noiseMultiplier: 1e-9,
            }).answers[0],
        );
        return judge(
          2,
          first(
            ...both[0].map((one, j) =>
              above('the difference from half', Math.abs(both[1][j] - one / 2), 1e-5),
            ),
          ),
        );
      },
    }),
    defineClaimCheck({
      id: 'choquette-choo/post-processing',
      tier: 'search',
      statement:
        'the output and all points are functions of the noisy sums: told the same, runs are the same',
      power: 'an output that is moved by what a batch contains',
      run: () =>
        judge(
          instances.length,
          first(
            ...instances.flatMap((instance) => {
              const { path, other } = replayed(instance, 0);
              return [
                above('the change of the output', distance(path.output, other.output), 0, 0),
                above('the output and the listing', distance(path.output, path.y[path.x.length]), 1e-12),
                ...path.x.map((one, t) => above(`the change of point ${t}`, distance(one, other.x[t]), 0, 0)),
              ];
            }),
          ),
        ),
    }),
    defineClaimCheck({
      id: 'choquette-choo/plan-is-run',
      tier: 'exact',
      statement:
        'the event of the plan is the ledger’s, and noise of sum t ' +
        'has variance popcount(t + 1)σ², σ = K√(1 + ⌊log₂ T⌋)/(Bμ)',
      power: 'a curator whose noise is a tenth smaller',
      run() {
        const T = 8;
        const runs = each(400, (i) => {
          const params = {
            rounds: T,
            beta: 30,
            clipNorm: 0.5,
            prefixSum: { name: 'binary-tree' },
            noiseMultiplier: 1.3,
          };
          return curated(
            subject,
            each(16, () => 0),
            params,
            { seed: `noise/${i}` },
          );
        });
        const sigma = (1.3 * 0.5 * 2) / 2;
        const found = each(T, (t) => {
          const bits = (t + 1).toString(2).replaceAll('0', '').length;
          const squares = runs.flatMap(({ answers }) =>
            [0, 1].map((j) => answers.slice(0, t + 1).reduce((sum, one) => sum + one[j], 0) ** 2),
          );
          const ratio = squares.reduce((sum, one) => sum + one, 0) / (squares.length * bits * sigma ** 2);
          return above(`the variance of sum ${t}, over that of the plan, less 1`, Math.abs(ratio - 1), 0.17);
        });
        return judge(
          runs.length,
          first(
            ...runs.slice(0, 5).map(({ event }) => differs('equal events', event ? 1 : 0, 1, 0)),
            ...found,
          ),
        );
      },
    }),
    defineClaimCheck({
      id: 'choquette-choo/listing',
      tier: 'exact',
      statement:
        'golden run 2, with box, clip and a null record, through the shipped curator, for both mirror scales',
      power: 'a clip of each gradient, a batch that counts records, no projection',
      run: () =>
        judge(
          2,
          first(
            ...golden.outputs.flatMap(([zScale, wanted]) => {
              const { output } = curated(
                subject,
                golden.labels,
                { ...golden.params, zScale },
                {
                  domain: golden.domain,
                  noise: golden.noise,
                  beta: 4,
                },
              );
              return wanted.map((one, j) => differs(`entry ${j} at scale ${zScale}`, output[j], one, 1e-9));
            }),
          ),
        ),
    }),
    defineClaimCheck({
      id: 'choquette-choo/reach-of-a-record',
      tier: 'search',
      statement: 'a record of batch i moves ∇_t by K/(B(t + 1)) at most, for every t ≥ i',
      power: 'sums that are not divided by the weight',
      run: () =>
        judge(
          instances.length,
          first(
            ...instances.flatMap((instance) => {
              const { path, other } = replayed(instance, 0);
              const B = instance.batches[0].length;
              return path.nabla.map((one, t) =>
                above(
                  `the change of ∇ at step ${t}`,
                  norm(minus(one, other.nabla[t])),
                  clipNorm / (B * stepWeight(t)),
                  1e-12,
                ),
              );
            }),
          ),
        ),
    }),
    defineClaimCheck({
      id: 'choquette-choo/table-1',
      tier: 'exact',
      statement:
        'gradients and steps of plans: 2n − B and T for the accelerated and the online method, n and T for ' +
        'independent batches, and 2n − 1 and n for one record a step; clip and bound of the online method',
      power: 'a plan that counts one gradient a record; a clip norm of L + MD; a bound on the whole space',
      run: () =>
        judge(
          14,
          first(
            ...onlineClip(subject),
            ...onlineBound(subject),
            ...[64, 144].flatMap((n) => {
              const facts = { lipschitz: fact(1), smoothness: fact(1) };
              const context = { ...planning, problem: posed(2, n, { facts }) };
              const T = Math.sqrt(n);
              const counts = (plan: PublicPlan, rounds: number, gradients: number): Violation | undefined =>
                first(
                  differs('steps', (plan as PublicPlan & { rounds: number }).rounds, rounds, 0),
                  differs('gradients', plan.gradients, gradients, 0),
                );
              return [
                counts(
                  acceleratedDpSrgd.prepare({ ...context, params: { rounds: T } }).plan,
                  T,
                  2 * n - n / T,
                ),
                counts(onlineToBatch.prepare({ ...context, params: {} }).plan, T, 2 * n - n / T),
                counts(onlineToBatch.prepare({ ...context, params: { rounds: n } }).plan, n, 2 * n - 1),
                counts(recursiveDpSgd.prepare({ ...context, params: { rounds: n } }).plan, n, 2 * n - 1),
                counts(acceleratedDpSgd.prepare({ ...context, params: { rounds: T } }).plan, T, n),
              ];
            }),
          ),
        ),
    }),
  ];
}

/** The same through the curator: the change of the one batch is at most the clip norm over its size. */
function curatedReplay(subject: RecursiveGradientsSubject): readonly (Violation | undefined)[] {
  const params = { rounds: 2, beta: 4, clipNorm: 0.3, zScale: 1 as const, noiseMultiplier: 1e-12 };
  const [whole, other] = [
    [1, 2, 2, 1],
    [1, 2, 2, 0],
  ].map((labels) => curated(subject, labels, params).answers);
  return [
    above('the change of the first answer', distance(whole[0], other[0]), 1e-9),
    above('the change of the second', distance(whole[1], other[1]), 0.3 / 2 + 1e-9),
    above('half of what it is', 0.29 / 2, norm(plus([...whole[1]], -1, other[1]))),
  ];
}

const [online, radius] = [{ lipschitz: 1.5, smoothness: 1 }, 0.5];
const onlinePlan = (
  { onlineToBatch }: RecursiveGradientsSubject,
  slots: number,
  params: object,
  change: object = {},
): Run => {
  const facts = { lipschitz: fact(online.lipschitz), smoothness: fact(online.smoothness) };
  const domain = l2BallDomain({ radius });
  const problem = { ...posed(1, slots, { domain, facts }), ...change };
  return onlineToBatch.prepare({ ...planning, problem, params: { noiseMultiplier: 1.5, ...params } });
};

/**
 * How long differences of the online method get when its learner is sent from end to end: a loss of slope −L
 * up to the new point and curvature M behind it has the largest, `L + (t − 1)M‖x_t − x_{t−1}‖`.
 */
function onlineClip(subject: RecursiveGradientsSubject): readonly (Violation | undefined)[] {
  const rounds = 60;
  const run = onlinePlan(subject, rounds, { rounds });
  const { clipNorm } = run.plan as PublicPlan & { readonly clipNorm: number };
  const program = run.steps({
    ...plainLoops(),
    allRecords: { id: 'all', normaliser: rounds } as Batch,
    start: Float64Array.of(0),
    random: planning.random,
  });
  const points: number[] = [];
  let step = program.next();
  while (step.done !== true) {
    const { value: query } = step;
    let told: Answer = { id: 's' } as Stream;
    if (query.ask === 'split') told = each(rounds, (k) => ({ id: `${k}`, normaliser: 1 }) as Batch);
    if (query.ask === 'push') {
      points.push(query.of.terms[0].at[0]);
      told = Float64Array.of([-1, 1e3][Number(points.length === rounds - 3)]);
    }
    step = program.next(told);
  }
  const longest = points.reduce(
    (most, x, i) =>
      Math.max(most, online.lipschitz + (i === 0 ? 0 : i * online.smoothness * Math.abs(x - points[i - 1]))),
    0,
  );
  return [
    above('the longest difference of the online method', longest, clipNorm, 1e-12),
    above('four fifths of its clip norm', 0.8 * clipNorm, longest),
  ];
}

/**
 * The bound of the online method by hand, with independent noise on the increments, of which `t` add up; none
 * on the whole space, where a fact says where the minimiser is and not how far the learner goes.
 */
function onlineBound(subject: RecursiveGradientsSubject): readonly (Violation | undefined)[] {
  const [rounds, B, D] = [12, 5, 2 * radius];
  const K = online.lipschitz + 2 * online.smoothness * D;
  const params = { rounds, prefixSum: { name: 'independent-increments' } };
  const found = (['zero-out', 'replace-one'] as const).map((adjacency) => {
    const sensitivity = adjacency === 'zero-out' ? 1 : 2;
    const { utility } = onlinePlan(subject, rounds * B, params, { adjacency }).plan;
    const errors = each(rounds, (i) => K * Math.sqrt((i + 1) * (1 / B + ((1.5 * sensitivity) / B) ** 2)));
    const squares = errors.reduce((sum, error, i) => sum + ((i + 1) * online.lipschitz + error) ** 2, 0);
    const wanted =
      (2 * D * (Math.sqrt(2 * squares) + errors.reduce((sum, error) => sum + error, 0))) /
      (rounds * (rounds + 1));
    return differs(`the bound of the online method under ${adjacency}`, utility?.bound ?? NaN, wanted, 1e-9);
  });
  const anywhere = { domain: wholeSpaceDomain({}), facts: { diameter: fact(D) } };
  const { utility } = onlinePlan(subject, rounds * B, { ...params, clipNorm: K }, anywhere).plan;
  return [...found, differs('bounds on the whole space', utility === null ? 0 : 1, 0, 0)];
}

import {
  ask,
  driveSync,
  plainLoops,
  sameEvent,
  seededRandom,
  type Batch,
  type DescendQuery,
  type Fact,
  type PublicPlan,
  type PushQuery,
  type Query,
  type Run,
  type Stream,
} from '@lethe/core';
import { attachData, openLedger } from '@lethe/curator';
import { defineClaimCheck, judge, type ClaimCheck, type Violation } from '@lethe/laws';
import { l2BallDomain, mechanisms } from '@lethe/mechanisms';
import { each } from '../common/each.js';
import { above, differs, first } from '../common/judging.js';
import { distance, planning, posed } from './paths.js';
import type { RecursiveGradientsSubject } from './subject.js';

const fact = (value: number): Fact => ({ value, scope: 'every-record', provenance: 'declared' });
const [lipschitz, smoothness] = [1, 1 / 4];
const facts = { lipschitz: fact(lipschitz), smoothness: fact(smoothness) };

/** A curator of logistic records of length at most 1, of which one may be null. */
function curatorOf(
  { centralCurator, logistic }: RecursiveGradientsSubject,
  rows: readonly (readonly number[])[],
  nulled?: number,
) {
  const registry = [...mechanisms, logistic];
  const ledger = openLedger({ adjacency: 'zero-out' });
  const [rowCount, columns] = [rows.length, rows[0].length];
  const data = attachData({
    features: {
      data: Float64Array.from(rows.flat()),
      rows: rowCount,
      columns,
      offset: 0,
      rowStride: columns,
      columnStride: 1,
    },
    labels: Float64Array.from(rows, () => 1),
    nulls: Uint8Array.from(rows, (_, i) => (i === nulled ? 1 : 0)),
    loss: logistic({}),
    registry,
    domain: { featureNorm: 1 },
    outside: 'clip',
    ledger,
  });
  const random = seededRandom('secret');
  const curator = centralCurator({ data, registry, run: 'claims', random, allowUnprotected: true });
  return { curator, ledger };
}

interface Pass {
  readonly rows: readonly (readonly number[])[];
  readonly start: readonly number[];
  readonly steps: DescendQuery['steps'];
  readonly release: DescendQuery['release'];
}
const radius = 30;
/** The exact point that a descent releases. */
function released(subject: RecursiveGradientsSubject, pass: Pass, nulled?: number): Float64Array {
  const { curator } = curatorOf(subject, pass.rows, nulled);
  const query = ask
    .descend({
      start: Float64Array.from(pass.start),
      steps: pass.steps,
      release: pass.release,
      domain: l2BallDomain({ radius }),
      batch: curator.allRecords,
      noiseOn: 'answer',
      bound: { by: 'certificate', fact: 'lipschitz' },
      noise: { mechanism: subject.gaussian({}), target: { unprotected: true } },
    })
    .next().value as Query;
  return curator.answer(0, query).answer as Float64Array;
}

const drawnPasses = (): readonly Pass[] =>
  each(30, (i) => {
    const random = seededRandom(`pass/${i}`);
    const count = 4 + (i % 5);
    const row = (): number[] => {
      const entries = [0, 1, 2].map(() => random.uniform() - 0.5);
      return entries.map((entry) => entry / Math.hypot(...entries));
    };
    return {
      rows: each(count, row),
      start: row().map((entry) => entry * (i % 3)),
      steps: [
        { count, stepSize: ((2 - 1e-9) / smoothness) * (i % 2 === 0 ? 1 : random.uniform()), batchSize: 1 },
      ],
      release: i % 4 < 2 ? 'average' : 'last',
    };
  });
/** All slopes are close to −1 here, and no two points move closer. */
const steep: Pass = {
  rows: each(8, () => [1, 0, 0]),
  start: [-20, 0, 0],
  steps: [{ count: 8, stepSize: 0.25, batchSize: 1 }],
  release: 'average',
};

/**
 * How far the average of `count` steps on `x²/2` moves where the first of them alone adds a gradient of 1.
 */
function quadraticMove(count: number, eta: number): number {
  let [move, sum] = [eta, 0];
  for (let t = 1; t < count; t++, move *= 1 - eta) sum += move;
  return Math.abs(sum) / count;
}

/** Runs a method on logistic records through the curator, with what it asked and what it was charged. */
function carriedOut(subject: RecursiveGradientsSubject, prepared: Run, slots: number) {
  const random = seededRandom('rows');
  const rows = each(slots, () => {
    const angle = 2 * Math.PI * random.uniform();
    return [Math.cos(angle) / 2, Math.sin(angle) / 2];
  });
  const { curator, ledger } = curatorOf(subject, rows);
  const queries: Query[] = [];
  driveSync(
    prepared,
    {
      ...curator,
      facts: curator.facts,
      answer(index, query) {
        queries.push(query);
        return curator.answer(index, query);
      },
    },
    { start: new Float64Array(2), random: seededRandom('public') },
  );
  return { queries, isAsPlanned: sameEvent(ledger.total(), prepared.plan.event) };
}

type PhasedPlan = PublicPlan & {
  readonly phases: readonly {
    readonly records: number;
    readonly lambda: number;
    readonly tolerance: number;
  }[];
};
type LocalizedPlan = PublicPlan & {
  readonly phases: readonly {
    readonly sampler: { readonly params: { readonly size: number } };
    readonly rounds: number;
    readonly stages: number;
  }[];
};
type SnowballPlan = PublicPlan & { readonly alike: DescendQuery['steps']; readonly records: number };

/** Rows 80 to 86: methods of Table 1 whose points stay inside the curator, and others it compares with. */
export function hiddenPassChecks(subject: RecursiveGradientsSubject): readonly ClaimCheck[] {
  const { descentSensitivity, localizedAcSa, minimiserSensitivity, onlineToBatch } = subject;
  const { phasedErm, phasedSgd, snowballSgd } = subject;
  const sensitivityOf = ({ steps, release }: Pass): number =>
    descentSensitivity({
      steps,
      release,
      lipschitz,
      smoothness,
      dimension: 3,
      reach: radius,
      noiseOn: 'answer',
    })['zero-out'] ?? Number.NaN;
  const settings = [
    [256, 2, 1],
    [1024, 5, 4],
    [4096, 40, 2],
    [500, 1, 0.1],
    [64, 20, 50],
  ] as const;
  const snowballOf = (slots: number, dimension: number, noiseMultiplier: number): SnowballPlan =>
    snowballSgd.prepare({
      ...planning,
      problem: posed(dimension, slots, { facts }),
      params: { noiseMultiplier },
    }).plan as SnowballPlan;
  const oneByOne = ({ alike }: SnowballPlan) => alike.flatMap(({ count, ...one }) => each(count, () => one));
  return [
    defineClaimCheck({
      id: 'choquette-choo/pass-stability',
      tier: 'search',
      statement:
        'a null record moves the average and the last point of a pass by L max_t (η_t/B_t)w_t at most ' +
        'for steps up to 2/M, which is attained; with steps of 3/M the average moves further',
      power: 'a sensitivity a tenth smaller',
      run() {
        const passes = drawnPasses();
        const moves = (pass: Pass): readonly number[] => {
          const point = released(subject, pass);
          return pass.rows.map((_, i) => distance([...point], [...released(subject, pass, i)]));
        };
        const most = Math.max(...moves(steep));
        return judge(
          passes.length + 3,
          first(
            ...passes.map((pass) => above('the move', Math.max(...moves(pass)), sensitivityOf(pass))),
            above('the move of a steep pass', most, sensitivityOf(steep)),
            above('what the sensitivity is beyond it', sensitivityOf(steep), most * 1.001),
            above('the move at 2/M', quadraticMove(8, 2), 2),
            above('what is allowed at 3/M', 3, quadraticMove(8, 3)),
          ),
        );
      },
    }),
    defineClaimCheck({
      id: 'choquette-choo/phased-minimisers',
      tier: 'exact',
      statement:
        'with λ_i = 2/(η_i n_i) a replaced record moves the minimiser of phase i by Lη_i, a null one by ' +
        'half of it, and by no less for linear losses',
      power: 'a sensitivity a tenth smaller',
      run() {
        const stepSize = 0.5;
        const { phases } = phasedErm.prepare({
          ...planning,
          problem: posed(2, 64, { facts }),
          params: { stepSize, noiseMultiplier: 1 },
        }).plan as PhasedPlan;
        return judge(
          phases.length,
          first(
            ...phases.flatMap(({ records, lambda, tolerance }, i) => {
              const eta = stepSize / 4 ** (i + 1);
              const constants = { lambda, lipschitz, smoothness, sparsity: 2, dimension: 2 };
              const one = minimiserSensitivity({ ...constants, norm: 2, records, tolerance });
              // The minimiser of the average of linear losses is their mean slope over λ.
              const linear = lipschitz / (lambda * records);
              return [
                differs(`the move of phase ${i}`, linear, (lipschitz * eta) / 2),
                above(`the move of phase ${i}`, linear, one['zero-out'] ?? Number.NaN),
                differs(`two moves of phase ${i}`, one['replace-one'] ?? Number.NaN, lipschitz * eta, 1e-2),
              ];
            }),
          ),
        );
      },
    }),
    defineClaimCheck({
      id: 'choquette-choo/snowball-schedule',
      tier: 'exact',
      statement:
        'batches of ⌈cm√d/√(T − t + 1)⌉ read at most n records in T ≥ min(n/2, n²/(16c²m²d)) steps; shifts ' +
        'in proportion to η_i² cost each record S²/(2σ²Ση_i²) ≤ 1/(2m²); the last point alone is released',
      power: 'batches of one size, a sensitivity a tenth smaller',
      run: () =>
        judge(
          settings.length,
          first(
            ...settings.flatMap(([slots, dimension, multiplier]) => {
              const plan = snowballOf(slots, dimension, multiplier);
              const steps = oneByOne(plan);
              const needed = multiplier * Math.sqrt(dimension);
              const enough = Math.floor(Math.min(slots / 2, (slots / needed) ** 2 / 16));
              const read = steps.reduce((sum, { batchSize }) => sum + batchSize, 0);
              const sensitivity =
                descentSensitivity({
                  steps: plan.alike,
                  lipschitz,
                  smoothness,
                  dimension,
                  reach: 1,
                  release: 'last',
                  noiseOn: 'steps',
                })['zero-out'] ?? Number.NaN;
              const sigma = multiplier * sensitivity;
              const costs = steps.map(({ stepSize, batchSize }, t) => {
                const later = steps.slice(t).map((one) => one.stepSize);
                const squares = later.reduce((sum, one) => sum + one ** 2, 0);
                const shift = (lipschitz * stepSize) / batchSize;
                // The cost of the shifts themselves, each over the noise of its step.
                return later.reduce(
                  (sum, one) => sum + ((shift * one ** 2) / squares / (one * sigma)) ** 2 / 2,
                  0,
                );
              });
              return [
                above('records that are read', read, slots, 0),
                differs('records of the plan', plan.records, read, 0),
                above('steps that are enough', Math.max(1, enough), steps.length, 0),
                above('the cost of a record', Math.max(...costs), 1 / (2 * multiplier ** 2)),
                above('what is charged', 1 / (2 * multiplier ** 2), Math.max(...costs), 1e-6),
                ...(steps.length === 1
                  ? []
                  : steps.map(({ batchSize }, t) =>
                      differs(`batch ${t}`, batchSize, Math.ceil(needed / Math.sqrt(steps.length - t)), 0),
                    )),
              ];
            }),
            ...onePointOf(subject),
          ),
        ),
    }),
    defineClaimCheck({
      id: 'choquette-choo/online-averages',
      tier: 'exact',
      statement:
        'averages of the online method move by 2D/(t + 1) at most, ' +
        'are where its listing has them, and its clip norm is L + 2MD',
      power: 'averages of all points with one weight',
      run() {
        const rounds = 12;
        const run = onlineToBatch.prepare({
          ...planning,
          problem: posed(1, rounds, { facts }),
          params: { rounds, noiseMultiplier: 1 },
        });
        const { clipNorm, distance: D } = run.plan as PublicPlan & { clipNorm: number; distance: number };
        const found: (Violation | undefined)[] = [
          differs('the clip norm', clipNorm, lipschitz + 2 * smoothness * D),
        ];
        const program = run.steps({
          ...plainLoops(),
          allRecords: { id: 'all', normaliser: rounds } as Batch,
          start: Float64Array.of(1),
          random: planning.random,
        });
        let step = program.next();
        let [t, w, x, g, squares] = [0, 1, 1, 0, 0];
        while (step.done !== true) {
          const { value: query } = step;
          if (query.ask === 'push') {
            t++;
            const before = x;
            x += (2 / (t + 1)) * (w - x);
            const { terms } = (query as PushQuery).of;
            found.push(
              differs(`point ${t}`, terms[0].at[0], x, 1e-9),
              differs(`its weight at step ${t}`, terms[0].weight, t, 0),
              t === 1 ? undefined : differs(`the point before ${t}`, terms[1].at[0], before, 1e-9),
              above(`the way to point ${t}`, Math.abs(x - before), (2 * D) / (t + 1)),
            );
            const told = t % 3 === 0 ? -3 : 2;
            g += told;
            squares += g ** 2;
            w = Math.max(-1, Math.min(1, w - (D / Math.sqrt(2 * squares)) * g));
            step = program.next(Float64Array.of(told));
          } else
            step = program.next(
              query.ask === 'split'
                ? each(rounds, (k) => ({ id: `${k}`, normaliser: 1 }) as Batch)
                : ({ id: 'stream' } as Stream),
            );
        }
        found.push(differs('the output', step.value[0], x, 1e-9), differs('rounds', t, rounds, 0));
        return judge(rounds, first(...found));
      },
    }),
    defineClaimCheck({
      id: 'choquette-choo/hidden-pass-counts',
      tier: 'exact',
      statement:
        'Phased-SGD takes n − 1 gradients in n − 1 steps for n a power of 2, Snowball n less what is ' +
        'left over, in fewer steps',
      power: 'a plan that counts two gradients a record',
      run: () =>
        judge(
          4,
          first(
            ...[64, 1024].flatMap((n) => {
              const problem = posed(2, n, { facts });
              const params = { noiseMultiplier: 2 };
              const { plan } = phasedSgd.prepare({ ...planning, problem, params });
              const { phases } = plan as PublicPlan & { phases: readonly { readonly records: number }[] };
              const snowball = snowballOf(n, 2, 2);
              const steps = oneByOne(snowball);
              return [
                differs('gradients of phases', plan.gradients, n - 1, 0),
                differs(
                  'records of phases',
                  phases.reduce((sum, { records }) => sum + records, 0),
                  n - 1,
                  0,
                ),
                differs(
                  'gradients of a snowball',
                  snowball.gradients,
                  steps.reduce((sum, { batchSize }) => sum + batchSize, 0),
                  0,
                ),
                above('records of a snowball', snowball.gradients, n, 0),
                above('its steps', steps.length, snowball.gradients - 1, 0),
                above('what is left over', n - snowball.gradients, steps[0].batchSize + Math.sqrt(n)),
              ];
            }),
          ),
        ),
    }),
    defineClaimCheck({
      id: 'choquette-choo/hidden-passes-run',
      tier: 'exact',
      statement:
        'runs of Phased-SGD and Snowball are charged the event of their plans, and ask what the plans say',
      power: 'a run that descends twice on a phase',
      run() {
        const context = { ...planning, problem: posed(2, 40, { facts }), params: { noiseMultiplier: 2 } };
        const runs = [phasedSgd.prepare(context), snowballSgd.prepare(context)] as const;
        return judge(
          runs.length,
          first(
            ...runs.flatMap((one) => {
              const { queries, isAsPlanned } = carriedOut(subject, one, 40);
              const descents = queries.filter(({ ask: kind }) => kind === 'descend') as DescendQuery[];
              const { phases = [0] } = one.plan as { readonly phases?: readonly unknown[] };
              return [
                differs('equal events', isAsPlanned ? 1 : 0, 1, 0),
                differs('queries', queries.length, 1 + descents.length, 0),
                differs('passes', descents.length, phases.length, 0),
                differs(
                  'gradients',
                  descents.reduce((sum, { batch }) => sum + batch.normaliser, 0),
                  one.plan.gradients,
                  0,
                ),
              ];
            }),
          ),
        );
      },
    }),
    defineClaimCheck({
      id: 'choquette-choo/localised-gradients',
      tier: 'exact',
      statement:
        'rounds of the first phase of the localised method grow by n^(1/4), gradients by n^(9/8), up to ' +
        'logarithms; a run is charged the event of its plan',
      power: 'batches of all records',
      run() {
        const firstOf = (slots: number) => {
          const { phases } = localizedAcSa.prepare({
            ...planning,
            problem: posed(2, slots, { facts }),
            params: { noiseMultiplier: 2, stepSize: 1 / Math.sqrt(slots) },
          }).plan as LocalizedPlan;
          const [{ sampler, rounds, stages }] = phases;
          const { size } = sampler.params;
          return { rounds, gradients: (size * rounds * stages) / Math.sqrt(stages) };
        };
        const [few, many] = [firstOf(2 ** 24), firstOf(2 ** 32)];
        const run = localizedAcSa.prepare({
          ...planning,
          problem: posed(2, 40, { facts }),
          params: { noiseMultiplier: 2, stepSize: 0.5 },
        });
        return judge(
          3,
          first(
            differs('growth of rounds', Math.log(many.rounds / few.rounds) / Math.log(2 ** 8), 1 / 4, 0.03),
            differs(
              'growth of gradients',
              Math.log(many.gradients / few.gradients) / Math.log(2 ** 8),
              9 / 8,
              0.005,
            ),
            differs('equal events', carriedOut(subject, run, 40).isAsPlanned ? 1 : 0, 1, 0),
          ),
        );
      },
    }),
  ];
}

/** A snowball asks one pass, with noise on its steps, and is told one point. */
function onePointOf(subject: RecursiveGradientsSubject): readonly (Violation | undefined)[] {
  const run = subject.snowballSgd.prepare({
    ...planning,
    problem: posed(2, 40, { facts }),
    params: { noiseMultiplier: 1 },
  });
  const { queries } = carriedOut(subject, run, 40);
  const descents = queries.filter(({ ask: kind }) => kind === 'descend') as DescendQuery[];
  const isLast = descents.every(({ release, noiseOn }) => release === 'last' && noiseOn === 'steps');
  return [
    differs('points that are told', descents.length, 1, 0),
    differs('queries', queries.length, 2, 0),
    differs('the last point, with noise on its steps', isLast ? 1 : 0, 1, 0),
  ];
}

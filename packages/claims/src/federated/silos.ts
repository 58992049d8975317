import { clippedMeanEvent, sameEvent, type Query, type Run } from '@lethe/core';
import { gaussian, gradientDifferenceClip, independentPrefixes } from '@lethe/mechanisms';
import { defineClaimCheck, judge, type ClaimCheck, type Violation } from '@lethe/laws';
import { each } from '../common/each.js';
import { above, differs, first } from '../common/judging.js';
import { norm, squaredNorm } from '../common/vectors.js';
import { distance, drawsOf, plus } from '../recursive-gradients/paths.js';
import { zeros } from './paths.js';
import {
  driveSilos,
  plainRun,
  privateRun,
  sumsOf,
  type Records,
  type SiloPath,
  type Silos,
} from './silo-runs.js';
import type { FederatedSubject } from './subject.js';

interface Plan {
  readonly rounds: number;
  readonly clipNorm: number;
  readonly stepSize: number;
  readonly noiseMultiplier: number;
}
const planOf = (run: Run): Plan => run.plan as unknown as Plan;
/** Mean square of an entry. */
const spread = (vectors: readonly (readonly number[])[]): number =>
  vectors.reduce((sum, one) => sum + squaredNorm(one), 0) /
  vectors.reduce((count, one) => count + one.length, 0);
const less = (a: readonly (readonly number[])[], b: readonly (readonly number[])[]): readonly number[][] =>
  a.map((one, k) => plus([...one], -1, b[k]));

const unit = { lipschitz: 2, smoothness: 1 };
const adjacency = 'replace-one';

/** Records of so many silos, in the unit ball. */
const recordsOf = (name: string, silos: number, slots: number, dimension: number): readonly Records[] => {
  const draws = drawsOf(name);
  return each(silos, () => each(slots, () => draws.vector(dimension, draws.uniform(0, 1))));
};
/**
 * Noise of the sums of a run: what it is told, less what the same silos say without noise at the same points.
 */
function noiseOf(
  subject: FederatedSubject,
  run: Run,
  silos: Silos,
  isSilent?: (silo: number, round: number) => boolean,
): {
  readonly told: readonly number[][];
  readonly bySilo: readonly (readonly number[][])[];
  readonly path: SiloPath;
} {
  const script = scriptOf(silos, planOf(run), { isBare: false });
  const bare = scriptOf(silos, planOf(run), { isBare: true });
  const how = isSilent === undefined ? {} : { isSilent };
  const path = driveSilos(subject, run, silos, { ...how, script });
  const raw = driveSilos(subject, run, { ...silos, server: 'untrusted' }, { ...how, script: bare });
  const sums = ({ rounds }: SiloPath) => sumsOf(rounds.map(({ told }) => told));
  const ofSilo = ({ rounds }: SiloPath, i: number) => sumsOf(rounds.map(({ said }) => said[i]));
  return {
    told: less(sums(path), sums(raw)),
    bySilo: silos.records.map((_, i) => less(ofSilo(path, i), ofSilo(raw, i))),
    path,
  };
}

/** A server that asks for increments at points of its own, with the noise of a plan or without any. */
const scriptOf =
  (
    { dimension, records }: Silos,
    { rounds, clipNorm, noiseMultiplier }: Plan,
    { isBare }: { readonly isBare: boolean },
  ) =>
  ({ allRecords }: { readonly allRecords: { readonly id: string } }): readonly Query[] => {
    const b = Math.floor(records[0].length / rounds);
    const point = (t: number): Float64Array =>
      Float64Array.from({ length: dimension }, (_, j) => Math.sin(t * (j + 1)) / Math.sqrt(dimension));
    const batch = (k: number) => ({ id: `run/0.${k}`, normaliser: b, size: 'exact', scope: null });
    return [
      { ask: 'split', of: allRecords, order: 'stored', parts: { by: 'count', count: rounds } },
      {
        ask: 'open',
        prefixSum: independentPrefixes({}),
        steps: rounds,
        dimension,
        bound: { by: 'clip', clip: gradientDifferenceClip({ cap: clipNorm }) },
        noise: { mechanism: gaussian({}), target: isBare ? { unprotected: true } : { noiseMultiplier } },
        participation: { times: 1, gap: rounds },
        normaliser: b,
        normalisers: records.map((own) => Math.floor(own.length / rounds)),
      },
      ...each(rounds, (k) => ({
        ask: 'push',
        stream: { id: 'run/1' },
        batch: batch(k),
        of: {
          terms:
            k === 0
              ? [{ weight: 1, at: point(1) }]
              : [
                  { weight: k + 1, at: point(k + 1) },
                  { weight: -k, at: point(k) },
                ],
        },
      })),
    ] as unknown as readonly Query[];
  };

/** Rows 25, 40, 41, 43, 56, 57, 66, 68 and 72: silos, their errors, their noise, and who sees what. */
export function siloChecks(subject: FederatedSubject): readonly ClaimCheck[] {
  const { gdp, publishedEvent, incrementTerms } = subject;
  /** All samples of ±1 in every place, with the errors of the average sum. */
  const errorsOf = (sizes: readonly number[], rounds: number, weights?: readonly number[]) => {
    const slots = sizes.map((b) => b * rounds);
    const places = slots.reduce((sum, one) => sum + one, 0);
    const values = [-1, 1];
    const shares = weights ?? sizes.map(() => 1 / sizes.length);
    const squares = each(rounds, () => 0) as number[];
    for (let draw = 0; draw < 2 ** places; draw++) {
      let place = 0;
      const records = slots.map((count, i) =>
        each(count, () => [0.5 * i + values[Math.floor(draw / 2 ** place++) % 2]]),
      );
      const silos: Silos = { dimension: 1, records, ...(weights === undefined ? {} : { weights }) };
      const run = plainRun(
        subject,
        silos,
        { lipschitz: 3, smoothness: 1 },
        { rounds, stepSize: 0.3, deviation: 0.2 },
      );
      const path = driveSilos(subject, run, silos);
      const sums = sumsOf(path.rounds.map(({ told }) => told));
      const mean = shares.reduce((sum, share, i) => sum + share * 0.5 * i, 0);
      sums.forEach(([q], k) => {
        const error = q - (k + 1) * (path.rounds[k].points[0][0] - mean);
        squares[k] += error ** 2 / 2 ** places;
      });
    }
    return squares;
  };
  const check = (
    name: string,
    tier: ClaimCheck['tier'],
    statement: string,
    power: string,
    run: () => ReturnType<typeof judge>,
  ): ClaimCheck => defineClaimCheck({ id: `reshef-levy/${name}`, tier, statement, power, run });
  const wide = 1500;
  const rounds = 4;
  const noisy = (
    server: 'trusted' | 'untrusted',
    M = 4,
    isSilent?: (silo: number, round: number) => boolean,
  ) => {
    const silos: Silos = { dimension: wide, records: recordsOf('noise', M, rounds, wide), server };
    const run = privateRun(subject, silos, unit, { rounds, noiseMultiplier: 2, clip: 'lemma-4' });
    const { clipNorm, noiseMultiplier } = planOf(run);
    const scale = noiseMultiplier * 2 * clipNorm * Math.sqrt(rounds);
    return { ...noiseOf(subject, run, silos, isSilent), run, silos, scale };
  };
  /** Variances of `count` normal entries lie within this of their mean, in all but one of 10⁸ cases. */
  const slack = (count: number): number => 6 * Math.sqrt(2 / count);
  const hasVariance = (
    what: string,
    noise: readonly (readonly number[])[],
    wanted: number,
  ): Violation | undefined => differs(what, spread(noise), wanted, slack(noise.length * wide));

  return [
    check(
      'errors-of-silos',
      'exact',
      'E‖(1/M)Σ ε_(t,i)‖² is t Var(z)/M for ½(x − z)² and silos with different means, over all samples',
      'one sample for all silos',
      () =>
        judge(
          4,
          first(
            ...(
              [
                [[1, 1], 3],
                [[1, 1, 1], 2],
              ] as const
            ).flatMap(([sizes, T]) =>
              errorsOf(sizes, T).map((square, k) =>
                differs(`E‖ε_${k + 1}‖² of ${sizes.length} silos`, square, (k + 1) / sizes.length, 1e-9),
              ),
            ),
          ),
        ),
    ),
    check(
      'errors-of-unequal-silos',
      'exact',
      'with weights p_i and batches b_i it is t Σ p_i² Var(z)/b_i, and a record moves the average by 2R ' +
        'p_i/b_i at most',
      'equal weights',
      () => {
        const weights = [0.75, 0.25];
        const sizes = [2, 1];
        const wanted = weights.reduce((sum, p, i) => sum + p ** 2 / sizes[i], 0);
        const R = 1.5;
        const moved = sizes.map((b, i) => {
          const silos = (z: number): Silos => ({
            dimension: 1,
            records: [
              each(4, (k) => [i === 0 && k === 2 ? z : 0.1]),
              each(2, (k) => [i === 1 && k === 1 ? z : 0.1]),
            ],
            weights,
          });
          const plan = { rounds: 2, clipNorm: R, noiseMultiplier: 1 } as Plan;
          const run = privateRun(subject, silos(9), unit, { rounds: 2 });
          const of = (z: number) =>
            driveSilos(subject, run, silos(z), { script: scriptOf(silos(z), plan, { isBare: true }) })
              .rounds[1].told[0];
          return differs(
            `the move by a record of silo ${i}`,
            Math.abs(of(9) - of(-9)),
            (2 * R * weights[i]) / b,
            1e-9,
          );
        });
        const run = privateRun(
          subject,
          { dimension: 1, records: [each(8, () => [0]), each(4, () => [0])], weights },
          unit,
          {
            rounds: 4,
            noiseMultiplier: 2,
          },
        );
        const { stepSize, clipNorm } = planOf(run);
        const V = weights.reduce(
          (sum, p, i) => sum + ((p * 2 * 2 * clipNorm * Math.sqrt(4)) / sizes[i]) ** 2,
          0,
        );
        return judge(
          6,
          first(
            ...errorsOf(sizes, 2, weights).map((square, k) =>
              differs(`E‖ε_${k + 1}‖²`, square, (k + 1) * wanted, 1e-9),
            ),
            ...moved,
            differs('η', stepSize, Math.min(2 / Math.sqrt(4 * V), 1 / (4 * 4)), 1e-9),
          ),
        );
      },
    ),
    check(
      'silos-apart',
      'search',
      'with points given, what one silo says does not depend on the records of the others',
      'sums that silos share',
      () => {
        const silosOf = (other: string): Silos => ({
          dimension: 2,
          records: [...recordsOf('own', 1, 6, 2), ...recordsOf(other, 2, 6, 2)],
        });
        const run = privateRun(subject, silosOf('a'), unit, { rounds: 6, noiseMultiplier: 1 });
        const of = (other: string): SiloPath =>
          driveSilos(subject, run, silosOf(other), {
            script: scriptOf(silosOf(other), planOf(run), { isBare: false }),
          });
        const [a, b] = [of('a'), of('b')];
        return judge(
          6,
          first(
            ...a.rounds.map(({ said }, k) =>
              above(
                `the move of silo 0 in round ${k + 1}`,
                distance(said[0] ?? [], b.rounds[k].said[0] ?? []),
                0,
                0,
              ),
            ),
            above(
              'the silence of the others',
              a.rounds.some(({ said }, k) => distance(said[1] ?? [], b.rounds[k].said[1] ?? []) > 0) ? 0 : 1,
              0,
            ),
          ),
        );
      },
    ),
    check(
      'noise-of-servers',
      'statistical',
      'the average noise of M untrusted silos has the variance (2R√T m)²/M in every sum, M times that of ' +
        'a trusted server',
      'noise of a trusted server that is √M times as large',
      () => {
        const untrusted = noisy('untrusted');
        const trusted = noisy('trusted');
        return judge(
          2,
          first(
            hasVariance('the variance of untrusted silos', untrusted.told, untrusted.scale ** 2 / 4),
            hasVariance('that of a trusted server', trusted.told, trusted.scale ** 2 / 16),
          ),
        );
      },
    ),
    check(
      'messages-with-noise',
      'statistical',
      'every message to an untrusted server is a sum of increments plus noise of the silo’s own, in ' +
        'every round; silos without noise are refused by it',
      'a silo that halves its message',
      () => {
        const { bySilo, scale } = noisy('untrusted', 2);
        const bare = noisy('trusted', 2);
        const isRefused = (call: () => unknown): Violation | undefined => {
          try {
            call();
          } catch {
            return undefined;
          }
          return { what: 'a silo without noise is not refused', measured: 1, allowed: 0 };
        };
        const [one, two] = bySilo;
        const together = one.reduce(
          (sum, row, k) => sum + row.reduce((all, x, j) => all + x * two[k][j], 0),
          0,
        );
        return judge(
          4,
          first(
            ...bySilo.map((noise, i) => hasVariance(`the noise of silo ${i}`, noise, scale ** 2)),
            above(
              'what two silos have in common',
              Math.abs(together) / (scale ** 2 * Math.sqrt(wide * rounds)),
              6,
              0,
            ),
            ...bare.bySilo.map((noise) =>
              above('noise of silos that trust the server', spread(noise), 0, 1e-18),
            ),
            isRefused(() =>
              subject.federation({ silos: [{ sumFor: () => 0, facts: { run: 'r' } }] as never }),
            ),
          ),
        );
      },
    ),
    check(
      'missed-rounds',
      'search',
      'after k − 1 missed rounds an increment is kS long at most, a silo that comes back is clipped, and ' +
        'no ledger changes',
      'half of the weight of the point before',
      () => {
        const silos: Silos = { dimension: 2, records: recordsOf('missed', 3, 12, 2) };
        const run = privateRun(subject, silos, unit, { rounds: 12, noiseMultiplier: 0.05, clip: 'lemma-4' });
        const whole = driveSilos(subject, run, silos);
        const missed = driveSilos(subject, run, silos, {
          isSilent: (silo, round) => silo === 1 && round % 3 !== 0,
        });
        const points = whole.rounds.map((round) => round.points[0]);
        const S = planOf(run).clipNorm;
        const gradient = (z: readonly number[], at: readonly number[]): number[] => plus([...at], -1, z);
        const gaps = points.flatMap((x, k) =>
          points.slice(0, k).map((before, t0) => {
            const terms = incrementTerms(
              k + 1,
              { x: Float64Array.from(x), xBefore: Float64Array.from(before) },
              t0 + 1,
            );
            const z = silos.records[0][k];
            const s = terms.reduce(
              (sum, { weight, at }) => plus(sum, weight, gradient(z, [...at])),
              zeros(2),
            );
            // In closed form for quadratics: t x_t − t₀ x_t₀ − (t − t₀) z.
            const wanted = plus(
              plus(
                x.map((one) => (k + 1) * one),
                -(t0 + 1),
                before,
              ),
              t0 - k,
              z,
            );
            return first(
              above(`the increment of round ${k + 1} after ${t0 + 1}`, norm(s), (k - t0) * S, 1e-9),
              above('its distance from the closed form', distance(s, wanted), 0, 1e-9),
            );
          }),
        );
        return judge(
          gaps.length,
          first(
            ...gaps,
            ...missed.charged.map((event, i) =>
              above(`silo ${i} is charged otherwise`, sameEvent(event, run.plan.event) ? 0 : 1, 0),
            ),
            differs('queries of the silo that was silent', missed.recorded[1], 2 + 4),
          ),
        );
      },
    ),
    check(
      'one-machine',
      'search',
      'with one silo both methods have the plan and the result of one machine, and the noise of the ' +
        'server has the variance of the silo’s',
      'a server that has noise of its own',
      () => {
        const silos = (server: 'trusted' | 'untrusted'): Silos => ({
          dimension: 2,
          records: recordsOf('one', 1, 8, 2),
          server,
        });
        const params = { rounds: 8, noiseMultiplier: 1 };
        const [T, U] = [
          privateRun(subject, silos('trusted'), unit, params),
          privateRun(subject, silos('untrusted'), unit, params),
        ];
        const bare = (server: 'trusted' | 'untrusted', M: number) => {
          const own = { ...silos(server), records: each(M, () => silos(server).records[0]) };
          return driveSilos(subject, plainRun(subject, own, unit, { rounds: 8, stepSize: 0.05 }), own).output;
        };
        const { told, scale } = noisy('trusted', 1);
        return judge(
          3,
          first(
            differs('η', planOf(T).stepSize, planOf(U).stepSize, 0),
            above('another event', sameEvent(T.plan.event, U.plan.event) ? 0 : 1, 0),
            above(
              'the distance of runs without noise',
              distance(bare('trusted', 1), bare('untrusted', 1)),
              0,
              0,
            ),
            above(
              'that of two silos alike from one',
              distance(bare('untrusted', 2), bare('untrusted', 1)),
              0,
              1e-14,
            ),
            hasVariance('the variance of the server', told, scale ** 2),
          ),
        );
      },
    ),
    check(
      'published-only',
      'exact',
      'against those who see averages alone, with c silos, the level is ρ/√(M − c): ε = .475, .227 and ' +
        '.108 for 4, 16 and 64 silos where it is 1 against the server',
      'M in place of M − c',
      () => {
        const delta = 1e-6;
        const multiplier = gaussian.multiplierFor({}, { epsilon: 1, delta });
        const event = clippedMeanEvent(multiplier, adjacency);
        const epsilon = (M: number, colluding: number): number =>
          gdp.epsilon(publishedEvent(event, { shares: each(M, () => 1 / M), colluding }), {
            adjacency,
            delta,
          }).upper;
        const levels = [1, 4, 16, 64].flatMap((M) =>
          [0, 1, 3].filter((c) => c < M).map((c) => [M, c] as const),
        );
        return judge(
          levels.length,
          first(
            ...levels.map(([M, c]) =>
              differs(
                `ε of ${M} silos, ${c} colluding`,
                epsilon(M, c),
                gdp.epsilon(clippedMeanEvent(multiplier * Math.sqrt(M - c), adjacency), { adjacency, delta })
                  .upper,
                1e-6,
              ),
            ),
            ...(
              [
                [4, 0.475],
                [16, 0.227],
                [64, 0.108],
              ] as const
            ).map(([M, wanted]) => differs(`ε of ${M} silos`, epsilon(M, 0), wanted, 5e-3)),
          ),
        );
      },
    ),
    check(
      'owners',
      'exact',
      'all records of one owner move one increment, by 2R/b at most, and cost what one record costs; an owner is in one round',
      'records of one owner in several rounds',
      () => {
        const R = 0.4;
        const T = 3;
        const slots = 6;
        const of = Uint32Array.of(0, 1, 2, 3, 4, 5, 0, 2, 2, 4, 0, 5, 3, 2);
        const draws = drawsOf('owners');
        const records = each(of.length, () => draws.vector(2, draws.uniform(0, 1)));
        const increments = (own: Records): readonly (readonly number[])[] => {
          const silos: Silos = { dimension: 2, records: [each(slots, () => [0, 0])] };
          const script = scriptOf(
            silos,
            { rounds: T, clipNorm: R, noiseMultiplier: 1, stepSize: 1 },
            { isBare: true },
          );
          const { rounds: heard } = driveSilos(
            subject,
            privateRun(subject, silos, unit, { rounds: T }),
            silos,
            {
              script,
              owned: { records: own, owners: { of, slots, most: 3 } },
            },
          );
          return heard.map(({ told }) => told);
        };
        const whole = increments(records);
        const planned = (kind: 'record' | 'owner') =>
          privateRun(
            subject,
            { dimension: 2, records: [each(slots, () => [0, 0])] },
            { ...unit, unit: kind },
            { rounds: T },
          ).plan;
        return judge(
          slots,
          first(
            ...each(slots, (owner) => {
              const moved = increments(records.map((one, k) => (of[k] === owner ? [50, -70] : one)));
              const distances = whole.map((one, k) => distance(one, moved[k]));
              return first(
                differs(`rounds in which owner ${owner} is`, distances.filter((one) => one > 0).length, 1),
                above(`the move by owner ${owner}`, Math.max(...distances), (2 * R) / 2, 1e-12),
              );
            }),
            above('another event', sameEvent(planned('owner').event, planned('record').event) ? 0 : 1, 0),
          ),
        );
      },
    ),
    check(
      'noise-on-the-sum',
      'statistical',
      'a trusted server’s noise has one scale, whoever answers; where nobody answers nothing is told and ' +
        'charged',
      'noise of a trusted server that is √M times as large',
      () => {
        const some = noisy('trusted', 4, (silo, round) => silo > 1 && round > 0);
        const dead = noisy('trusted', 4, (_silo, round) => round === 1);
        return judge(
          3,
          first(
            hasVariance('the variance with two of four silos', some.told, some.scale ** 2 / 16),
            above('what a dead round tells', norm(dead.path.rounds[1].told), 0, 0),
            ...dead.path.recorded.map((count, i) => differs(`queries of silo ${i}`, count, 2 + rounds - 1)),
            ...dead.path.charged.map((event, i) =>
              above(`silo ${i} is charged otherwise`, sameEvent(event, dead.run.plan.event) ? 0 : 1, 0),
            ),
          ),
        );
      },
    ),
  ];
}

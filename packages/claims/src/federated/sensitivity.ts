import {
  defineLoss,
  InvalidParameter,
  seededRandom,
  type Batch,
  type Query,
  type Stream,
  type Vector,
  type PublicPlan,
} from '@lethe/core';
import { attachData, openLedger } from '@lethe/curator';
import { defineClaimCheck, judge, type ClaimCheck, type Violation } from '@lethe/laws';
import {
  boxDomain,
  gaussian,
  gradientDifferenceClip,
  independentPrefixes,
  mechanisms,
} from '@lethe/mechanisms';
import { box } from '@lethe/numerics';
import * as z from 'zod';
import { each } from '../common/each.js';
import { above, differs, first } from '../common/judging.js';
import { norm } from '../common/vectors.js';
import { distance, drawsOf, linearLoss, minus, plus, type RecordLoss } from '../recursive-gradients/paths.js';
import { drawnRuns, mu2Path, zeros, type Mu2Instance } from './paths.js';
import type { FederatedSubject } from './subject.js';

/**
 * A convex loss of one variable whose slope is `G` at and above a point and falls by `L` below it, down to
 * `−G`.
 */
const kinked = (G: number, L: number, at: number): RecordLoss => ({
  value: () => Number.NaN,
  gradient: (x) => [Math.max(-G, G - L * Math.max(0, at - x[0]))],
});
/** In the interval [−r, r]: iterates at −r, but for round `t`, where it is r. */
function jump(G: number, L: number, t: number, r: number): Mu2Instance & { readonly x: number } {
  const x = -r + (4 * r) / (t + 1);
  const ref = boxDomain({ lower: [-r], upper: [r] });
  return {
    x,
    dimension: 1,
    losses: [kinked(G, L, x), linearLoss([-G])],
    batches: each(t, () => [0]),
    noise: each(t, () => [0]),
    stepSize: 1,
    start: [-r],
    domain: { ref, set: box({ lower: Float64Array.from([-r]), upper: Float64Array.from([r]) }) },
    sums: each(t, (k) => [k === t - 2 ? -100 * r : 100 * r]),
  };
}

/** Gradients by label on the line: `4x` for 1, `−3x` for 2, steps of 5 for 3, endless for 4; none for 0. */
const wild = defineLoss({
  name: 'wild',
  summary: 'Losses of no kind, by label.',
  source: { id: 'reshef-levy-2024', item: 'Section 4' },
  params: z.strictObject({}),
  claims: [],
  capabilities: {},
  linear: null,
  labels: { rule: '0 to 4', accepts: (label) => [0, 1, 2, 3, 4].includes(label) },
  facts: () => ({}),
  value: () => 0,
  gradientInto(_params, out, at, { label }) {
    for (let j = 0; j < out.length; j++)
      out[j] = [0, 8 * at[j], -3 * at[j], at[j] > 0 ? 5 : -5, at[j] > 0.5 ? Infinity : 1][label];
  },
});
const registry = [...mechanisms, wild];

/** What a server asks for in a round: weighted points, and a centre. */
interface Asked {
  readonly terms: readonly { readonly weight: number; readonly at: readonly number[] }[];
  readonly centre?: readonly number[];
}
/** Noisy increments of a stream that a server asks for as it likes; noise is below 1e-9. */
function asked(
  { centralCurator }: FederatedSubject,
  labels: readonly number[],
  radius: number,
  script: readonly Asked[],
): readonly (readonly number[])[] {
  const n = labels.length;
  const data = attachData({
    features: { data: new Float64Array(n), rows: n, columns: 1, offset: 0, rowStride: 1, columnStride: 1 },
    labels: Float64Array.from(labels),
    nulls: Uint8Array.from(labels, (label) => (label === 0 ? 1 : 0)),
    loss: wild({}),
    registry,
    ledger: openLedger({ adjacency: 'replace-one' }),
  });
  const curator = centralCurator({ data, registry, run: 'hostile', random: seededRandom('secret') });
  let index = 0;
  const answered = (query: Query): unknown => curator.answer(index++, query).answer;
  const batches = answered({
    ask: 'split',
    of: curator.allRecords,
    order: 'stored',
    parts: { by: 'size', sizes: labels.map(() => 1) },
  } as Query) as readonly Batch[];
  const stream = answered({
    ask: 'open',
    prefixSum: independentPrefixes({}),
    steps: n,
    dimension: 1,
    bound: { by: 'clip', clip: gradientDifferenceClip({ cap: radius }) },
    noise: { mechanism: gaussian({}), target: { noiseMultiplier: 1e-12 } },
    participation: { times: 1, gap: n },
    normaliser: 1,
  } as Query) as Stream;
  return script.map(({ terms, centre }, t) => [
    ...(answered({
      ask: 'push',
      stream,
      batch: batches[t],
      of: { terms: terms.map(({ weight, at }) => ({ weight, at: Float64Array.from(at) })) },
      ...(centre === undefined ? {} : { centre: Float64Array.from(centre) }),
    } as Query) as Vector),
  ]);
}
/** The rounds of the listing for points that a server names, about their centres for smoothness `L`. */
function scripted(
  { incrementTerms, incrementCentre }: FederatedSubject,
  points: readonly number[],
  L: number,
): readonly Asked[] {
  return points.map((point, k) => {
    const x = Float64Array.of(point);
    const state = { x, xBefore: Float64Array.of(points[Math.max(0, k - 1)]), w: x, q: x };
    const centre = incrementCentre(k + 1, L / 2, state);
    const terms = incrementTerms(k + 1, state).map(({ weight, at }) => ({ weight, at: [...at] }));
    return { terms, ...(centre === null ? {} : { centre: [...centre] }) };
  });
}

/** Rows 4, 12 to 14, 27 to 29, 60, 61, 64 and 65: what one record can do, and clips. */
export function sensitivityChecks(subject: FederatedSubject): readonly ClaimCheck[] {
  const { incrementBound, incrementRadius, l2Ball, box: boxOf } = subject;
  const sizes = [2, 3, 5, 10, 40, 200];
  const constants = [
    [1, 1, 1],
    [2, 0.5, 2],
    [3, 1, 0.5],
  ] as const;
  /** Of all `G`, `L`, radius and rounds: what the shipped run asks for in the last. */
  const jumps = (
    of: (
      given: { G: number; L: number; D: number; t: number },
      s: number,
      other: number,
    ) => Violation | undefined,
  ) =>
    judge(
      sizes.length * constants.length,
      first(
        ...constants.flatMap(([G, L, r]) =>
          sizes.map((t) => {
            const instance = jump(G, L, t, r);
            const s = mu2Path(subject, instance).s[t - 1][0];
            const other = mu2Path(subject, { ...instance, batches: each(t, () => [1]) }).s[t - 1][0];
            return of({ G, L, D: 2 * r, t }, s, other);
          }),
        ),
      ),
    );
  const draws = drawsOf('increments');
  /**
   * Runs whose noise throws the iterates about; `G` is 3 for quadratics of curvature up to 1 and centres up
   * to 2.
   */
  const thrown = drawnRuns('thrown', 'quadratic', { noise: 50, records: 1 });
  const unit = { lipschitz: 3, smoothness: 1, diameter: 2 };

  return [
    defineClaimCheck({
      id: 'reshef-levy/projections',
      tier: 'search',
      statement:
        'projections onto balls and boxes are idempotent, not expansive, and ⟨x − Px, y − Px⟩ ≤ 0 in the set',
      power: 'a projection that goes halfway',
      run() {
        const sets = [
          l2Ball({ dimension: 3, radius: 0.7 }),
          boxOf({ lower: Float64Array.from([-1, 0, 0.2]), upper: Float64Array.from([0.5, 1, 0.3]) }),
        ];
        return judge(
          200,
          first(
            ...sets.flatMap((set) =>
              each(100, () => {
                const [x, y] = [draws.vector(3, draws.uniform(0, 4)), draws.vector(3, draws.uniform(0, 4))];
                const P = (point: readonly number[]): number[] => [
                  ...set.projectInto(new Float64Array(3), Float64Array.from(point)),
                ];
                const [Px, Py] = [P(x), P(y)];
                return first(
                  above('‖PPx − Px‖', distance(P(Px), Px), 0, 1e-14),
                  above('‖Px − Py‖', distance(Px, Py), distance(x, y), 1e-14),
                  above(
                    '⟨x − Px, Py − Px⟩',
                    minus(x, Px).reduce((sum, one, j) => sum + one * (Py[j] - Px[j]), 0),
                    0,
                    1e-14,
                  ),
                );
              }),
            ),
          ),
        );
      },
    }),
    defineClaimCheck({
      id: 'reshef-levy/lemma-4',
      tier: 'search',
      statement: '‖s_t‖ ≤ G + 2LD, wherever the iterates go, and the planned clip is as large',
      power: 'a radius of G + 1.9LD',
      run: () =>
        judge(
          thrown.length,
          first(
            ...thrown.flatMap((instance) =>
              mu2Path(subject, instance).s.map((one) =>
                above('‖s‖', norm(one), incrementRadius(unit, 'lemma-4'), 1e-9),
              ),
            ),
            ...sizes.map((t) =>
              above(
                'what round t reaches, next to the radius',
                1 + (4 * (t - 1)) / (t + 1),
                incrementRadius({ lipschitz: 1, smoothness: 1, diameter: 2 }, 'lemma-4'),
              ),
            ),
          ),
        ),
    }),
    defineClaimCheck({
      id: 'reshef-levy/lemma-4-by-round',
      tier: 'search',
      statement: '‖s_t‖ ≤ G + 2LD(t − 1)/(t + 1)',
      power: 'a bound of the round before',
      run: () =>
        judge(
          thrown.length,
          first(
            ...thrown.flatMap((instance) =>
              mu2Path(subject, instance).s.map((one, k) =>
                above(`‖s_${k + 1}‖`, norm(one), incrementBound(unit, 'lemma-4', k + 1), 1e-9),
              ),
            ),
            ...constants.map(([G, L, r]) =>
              above(
                'the bound of round 3',
                G + 2 * L * r,
                incrementBound({ lipschitz: G, smoothness: L, diameter: 2 * r }, 'lemma-4', 3),
              ),
            ),
          ),
        ),
    }),
    defineClaimCheck({
      id: 'reshef-levy/lemma-4-attained',
      tier: 'exact',
      statement:
        'a convex loss with a kink has ‖s_t‖ = G + 2LD(t − 1)/(t + 1) after a jump across the domain',
      power: 'any other bound of a round',
      run: () =>
        jumps(({ G, L, D, t }, s) =>
          G >= (L * D) / (t + 1)
            ? differs(
                `s_${t}`,
                s,
                incrementBound({ lipschitz: G, smoothness: L, diameter: D }, 'lemma-4', t),
                1e-9,
              )
            : undefined,
        ),
    }),
    defineClaimCheck({
      id: 'reshef-levy/frozen-transcript',
      tier: 'search',
      statement:
        'with answers frozen, another record of round τ leaves q_t as it is before τ, and moves all ' +
        'later q_t by one vector',
      power: 'the old point of another round',
      run: () =>
        judge(
          30,
          first(
            ...drawnRuns('frozen', 'quadratic').flatMap((instance, i) => {
              const T = instance.batches.length;
              const tau = i % T;
              const path = mu2Path(subject, instance);
              const batches = instance.batches.map((batch, k) =>
                k === tau ? [(batch[0] + 1) % 4, ...batch.slice(1)] : batch,
              );
              const other = mu2Path(subject, { ...instance, batches, sums: path.told });
              const moves = path.q.map((one, k) => minus(one, other.q[k]));
              const [now, old] = [path.x[tau], path.x[Math.max(0, tau - 1)]];
              const of = (record: number): number[] => {
                const g = instance.losses[record].gradient(now);
                return plus(g, tau, minus(g, instance.losses[record].gradient(old)));
              };
              const wanted = minus(of(instance.batches[tau][0]), of(batches[tau][0])).map(
                (one) => one / batches[0].length,
              );
              return moves.map((one, k) =>
                above(
                  `the move of q_${k + 1}`,
                  distance(one, k < tau ? zeros(one.length) : wanted),
                  0,
                  1e-10 * (k + 1) ** 2,
                ),
              );
            }),
          ),
        ),
    }),
    defineClaimCheck({
      id: 'reshef-levy/sensitivity',
      tier: 'search',
      statement: 'two records differ by 2S at most in any increment, 2S/b in batches of b',
      power: 'half of the constants',
      run: () =>
        judge(
          thrown.length,
          first(
            ...thrown.flatMap((instance) => {
              const path = mu2Path(subject, instance);
              const batches = instance.batches.map(([record]) => [(record + 1) % 4]);
              const other = mu2Path(subject, { ...instance, batches, sums: path.told });
              return path.s.map((one, k) =>
                above('‖s − s′‖', distance(one, other.s[k]), 2 * incrementRadius(unit, 'lemma-4'), 1e-9),
              );
            }),
            ...constants.map(([G, L, r]) => {
              const s = mu2Path(subject, jump(G, L, 40, r)).s[39][0];
              return above(
                '2‖s‖',
                2 * s,
                2 * incrementRadius({ lipschitz: G, smoothness: L, diameter: 2 * r }, 'lemma-4'),
              );
            }),
          ),
        ),
    }),
    defineClaimCheck({
      id: 'reshef-levy/tight-sensitivity',
      tier: 'exact',
      statement: 'convex losses differ by 2G + 2LD(t − 1)/(t + 1), which a kink and the slope −G attain',
      power: 'any other bound of a round',
      run: () =>
        jumps(({ G, L, D, t }, s, other) =>
          G >= (L * D) / (t + 1)
            ? differs(
                `the difference of round ${t}`,
                Math.abs(s - other),
                2 * incrementBound({ lipschitz: G, smoothness: L, diameter: D }, 'centred', t),
                1e-9,
              )
            : undefined,
        ),
    }),
    defineClaimCheck({
      id: 'reshef-levy/clipped-increments',
      tier: 'search',
      statement:
        'increments that are clipped once move by 2R/b at most on a frozen transcript, for steep and ' +
        'concave losses',
      power: 'a clip of the average',
      run: () => {
        const R = 0.7;
        return judge(
          30,
          first(
            ...drawnRuns('clipped', 'quadratic').flatMap((instance, i) => {
              const losses = instance.losses.map(({ gradient }, k): RecordLoss => ({
                value: () => Number.NaN,
                gradient: (at) =>
                  gradient(at).map((one) => (k % 2 === 0 ? 1000 : -30) * Math.sign(one) + one),
              }));
              const run = { ...instance, losses, clipNorm: R, ...(i % 2 === 0 ? {} : { smoothness: 1 }) };
              const path = mu2Path(subject, run);
              const tau = i % run.batches.length;
              const batches = run.batches.map((batch, k) =>
                k === tau ? [(batch[0] + 1) % 4, ...batch.slice(1)] : batch,
              );
              const other = mu2Path(subject, { ...run, batches, sums: path.told });
              return [
                above('as many clips as none', path.clipped > 0 ? 0 : 1, 0),
                above(
                  'the planned clip',
                  (path.planned as PublicPlan & { readonly clipNorm: number }).clipNorm,
                  R,
                ),
                ...path.q.map((one, k) =>
                  above(
                    `the move of q_${k + 1}`,
                    distance(one, other.q[k]),
                    k < tau ? 0 : (2 * R) / batches[0].length,
                    1e-10,
                  ),
                ),
              ];
            }),
          ),
        );
      },
    }),
    defineClaimCheck({
      id: 'reshef-levy/any-server',
      tier: 'exact',
      statement:
        'through the curator, one replaced record moves one increment by 2R at most and no other, for ' +
        'antipodes, huge, repeated and unrelated points, other weights and any centre',
      power: 'answers that depend on another record',
      run() {
        const R = 3;
        const T = 6;
        /** What becomes null may change an increment by half as much. */
        const reachOf = (label: number): number => (label === 0 ? R : 2 * R);
        const antipodes = each(T, (k) => (k % 2 === 0 ? -1 : 1));
        const scripts: readonly (readonly Asked[])[] = [
          scripted(subject, antipodes, 1),
          scripted(subject, antipodes, 0),
          scripted(
            subject,
            antipodes.map((one) => 1e8 * one),
            1,
          ),
          scripted(
            subject,
            each(T, () => 0.3),
            1,
          ),
          each(T, (k) => ({
            terms: [
              { weight: 1e6, at: [k] },
              { weight: 7, at: [-k] },
            ],
            centre: [k * 1e5],
          })),
          each(T, (k) => ({ terms: [{ weight: k % 2 === 0 ? -5 : 5, at: [0.6] }], centre: [-4] })),
        ];
        const labels = [1, 2, 3, 1, 2, 3];
        return judge(
          scripts.length * T,
          first(
            ...scripts.flatMap((script) => {
              const whole = asked(subject, labels, R, script);
              return each(T, (tau) =>
                [0, 1, 2, 3, 4].map((label) => {
                  const other = asked(
                    subject,
                    labels.map((one, k) => (k === tau ? label : one)),
                    R,
                    script,
                  );
                  return first(
                    ...whole.map((one, k) =>
                      above(
                        `the move of increment ${k}`,
                        distance(one, other[k]),
                        k === tau ? reachOf(label) : 0,
                        1e-8,
                      ),
                    ),
                  );
                }),
              ).flat();
            }),
            refused(() => asked(subject, labels, R, [{ terms: [{ weight: 1, at: [Number.NaN] }] }])),
            refused(() =>
              asked(subject, labels, R, [{ terms: [{ weight: 1, at: [0] }], centre: [Infinity] }]),
            ),
          ),
        );
      },
    }),
    defineClaimCheck({
      id: 'reshef-levy/centred-clip',
      tier: 'exact',
      statement:
        'the clip of radius G + LD about (t − 1)L(x_t − x_(t−1))/2 cuts no convex loss, adds nothing for ' +
        'a null record, and is 3, 11/3, 19/5 where a steep one binds',
      power: 'a clip about the origin',
      run() {
        const runs = thrown.flatMap((instance) => {
          const centred = { ...instance, smoothness: 1, clipNorm: incrementRadius(unit, 'centred') };
          const [cut, free] = [mu2Path(subject, centred), mu2Path(subject, { ...centred, clipNorm: 1e9 })];
          return [
            above('increments that are cut', cut.clipped, 0, 0),
            above('the move of the result', distance(cut.output, free.output), 0, 0),
            ...cut.residuals.map((one, k) =>
              above(
                `the residual of round ${k + 1}`,
                norm(one),
                incrementBound(unit, 'centred', k + 1),
                1e-9,
              ),
            ),
          ];
        });
        const attained = jumps(({ G, L, D, t }, s) => {
          const bound = incrementBound({ lipschitz: G, smoothness: L, diameter: D }, 'centred', t);
          return G >= (L * D) / (t + 1)
            ? differs('the residual', s - (L * D * (t - 1)) / (t + 1), bound, 1e-9)
            : undefined;
        });
        // f = 4x², and points that a server has from w = −1, 1, −1, 1.
        const points = [-1, 1 / 3, -1 / 3, 1 / 5];
        const script = scripted(subject, points, 1);
        const residuals = asked(subject, [1, 1, 1, 1], 3, script).map(([one]) => one);
        const sums = residuals.map((one, k) => one + (script[k].centre?.[0] ?? 0));
        const plain = asked(subject, [1, 1, 1, 1], 5, scripted(subject, points, 0)).map(([one]) => one);
        const nulls = asked(subject, [0, 0, 0, 0], 3, script).map(([one]) => one);
        const golden = (
          what: string,
          got: readonly number[],
          want: readonly number[],
        ): readonly (Violation | undefined)[] =>
          got.map((one, k) =>
            above(`${what} ${k}: ${one}, not ${want[k]}, apart`, Math.abs(one - want[k]), 0, 1e-8),
          );
        return attained.verdict === 'fails'
          ? attained
          : judge(
              thrown.length,
              first(
                ...runs,
                ...golden('increment', sums, [-3, 11 / 3, -11 / 3, 19 / 5]),
                ...golden('residual', residuals, [-3, 3, -3, 3]),
                ...golden('increment of Lemma 4', plain, [-5, 5, -5, 5]),
                ...golden('residual of a null record', nulls, [0, 0, 0, 0]),
              ),
            );
      },
    }),
    defineClaimCheck({
      id: 'reshef-levy/flat-domains',
      tier: 'exact',
      statement:
        'on a segment, where losses are convex on the segment only, increments differ by 2G + 4LD(t − ' +
        '1)/(t + 1): the centred clip cuts them',
      power: 'a centred radius of G + 2LD',
      run: () =>
        judge(
          sizes.length,
          first(
            ...sizes.map((t) => {
              const { x, ...line } = jump(1, 0.5, t, 1);
              const slope = kinked(1, 0.5, x);
              const across = (sign: number): RecordLoss => ({
                value: () => 0,
                gradient: (at) => [0, sign * slope.gradient([at[0]])[0]],
              });
              const flat: Mu2Instance = {
                ...line,
                dimension: 2,
                losses: [across(1), across(-1)],
                start: [-1, 0],
                noise: each(t, () => [0, 0]),
                domain: {
                  ref: boxDomain({ lower: [-1, -1], upper: [1, 1] }),
                  set: box({ lower: Float64Array.from([-1, -1]), upper: Float64Array.from([1, 1]) }),
                },
                sums: each(t, (k) => [k === t - 2 ? -100 : 100, 0]),
              };
              const given = { lipschitz: 1, smoothness: 0.5, diameter: 2 };
              const clipNorm = incrementRadius(given, 'centred');
              const of = (record: number, rest: Partial<Mu2Instance>): readonly number[] =>
                mu2Path(subject, { ...flat, ...rest, batches: each(t, () => [record]) }).s[t - 1];
              const apart = distance(of(0, {}), of(1, {}));
              const cut = { smoothness: 0.5, clipNorm };
              return first(
                differs(`the difference of round ${t}`, apart, 2 * incrementBound(given, 'lemma-4', t), 1e-9),
                above(
                  'what convexity on a neighbourhood allows',
                  2 * incrementBound(given, 'centred', t),
                  apart,
                ),
                above(
                  'the difference of clipped ones',
                  distance(of(0, cut), of(1, cut)),
                  2 * (1 + 0.5 * 2),
                  1e-9,
                ),
              );
            }),
          ),
        ),
    }),
  ];
}

/** A refusal of points and centres that are not finite, before a record is read. */
function refused(call: () => unknown): Violation | undefined {
  try {
    call();
  } catch (error) {
    if (error instanceof InvalidParameter) return undefined;
    throw error;
  }
  return { what: 'what is not finite is not refused', measured: 1, allowed: 0 };
}

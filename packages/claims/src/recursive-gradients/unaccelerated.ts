import { plainLoops, type Batch, type Fact, type PublicPlan, type PushQuery, type Stream } from '@lethe/core';
import { defineClaimCheck, judge, type ClaimCheck } from '@lethe/laws';
import { honakerFull, l2BallDomain } from '@lethe/mechanisms';
import { each } from '../common/each.js';
import { above, differs, first } from '../common/judging.js';
import { dot } from '../common/vectors.js';
import { distance, drawsOf, planning, plus, posed, quadratic, shortened } from './paths.js';
import type { RecursiveGradientsSubject } from './subject.js';

const every = (value: number): Fact => ({ value, scope: 'every-record', provenance: 'declared' });

interface Given {
  readonly dimension: number;
  readonly slots: number;
  readonly radius?: number;
  readonly facts?: Readonly<Record<string, Fact>>;
}

/** Rows 87 and 88: recursive gradients without acceleration. */
export function unacceleratedChecks(subject: RecursiveGradientsSubject): readonly ClaimCheck[] {
  const { recursiveDpSgd, noiseOfSums, likelyNorm } = subject;
  const runOf = ({ dimension, slots, radius = 1, facts = {} }: Given, params: object) =>
    recursiveDpSgd.prepare({
      ...planning,
      problem: posed(dimension, slots, { domain: l2BallDomain({ radius }), facts }),
      params: params as { rounds: number },
    });
  /** A run that is told these differences, and what it asked for. */
  const told = (
    run: ReturnType<typeof runOf>,
    { dimension, slots }: Given,
    answer: (terms: PushQuery['of']['terms'], t: number) => readonly number[],
  ) => {
    const { rounds } = run.plan as PublicPlan & { readonly rounds: number };
    const asked: { readonly weight: number; readonly at: readonly number[] }[][] = [];
    const batches: string[] = [];
    const program = run.steps({
      ...plainLoops(),
      allRecords: { id: 'all', normaliser: slots } as Batch,
      start: Float64Array.from({ length: dimension }, () => 0.2),
      random: planning.random,
    });
    let step = program.next();
    while (step.done !== true) {
      const { value: query } = step;
      if (query.ask === 'push') {
        const { terms } = query.of;
        batches.push((query as PushQuery & { readonly batch: Batch }).batch.id);
        asked.push(terms.map(({ weight, at }) => ({ weight, at: [...at] })));
        step = program.next(Float64Array.from(answer(terms, asked.length - 1)));
      } else
        step = program.next(
          query.ask === 'split'
            ? each(rounds, (k) => ({ id: `${k}`, normaliser: Math.floor(slots / rounds) }) as Batch)
            : ({ id: 'stream' } as Stream),
        );
    }
    return { asked, batches, output: [...step.value] };
  };
  return [
    defineClaimCheck({
      id: 'choquette-choo/unaccelerated-listing',
      tier: 'exact',
      statement:
        'points, weights and the output are the listing: x ← P(x − S/(β(t + 1))) with projections that ' +
        'bind, the last point or the mean of the later half',
      power: 'a step without its projection, weights of the next round, a mean of all points',
      run() {
        const beta = 0.7;
        const cases = [4, 7].flatMap((rounds) =>
          (['last', 'suffix'] as const).map((average) => ({ rounds, average })),
        );
        const found = cases.map(({ rounds, average }) => {
          const given = { dimension: 2, slots: rounds * 3 };
          const run = runOf(given, { rounds, beta, clipNorm: 100, noiseMultiplier: 1, average });
          const differences = each(rounds, (t) =>
            [2, 0.7].map((size, j) => size * (t + 1) * Math.cos(2.1 * t + j)),
          );
          const { asked, batches, output } = told(run, given, (_, t) => differences[t]);
          const path: number[][] = [[0.2, 0.2]];
          let sum = [0, 0];
          differences.forEach((one, t) => {
            sum = plus(sum, 1, one);
            path.push(shortened(plus(path[t], -1 / (beta * (t + 1)), sum), 1));
          });
          const later = average === 'last' ? path.slice(-1) : path.slice(-Math.ceil(rounds / 2));
          const mean = [0, 1].map((j) => later.reduce((all, point) => all + point[j], 0) / later.length);
          const binding = path.filter((point) => dot(point, point) > 0.999).length;
          return first(
            above('projections that should bind', 2, binding, 0),
            differs('the number of differences', asked.length, rounds),
            ...asked.flatMap((terms, t) => [
              batches[t] === `${t}`
                ? undefined
                : { what: `round ${t} reads another batch`, measured: 0, allowed: 1 },
              differs(`the points of round ${t}`, terms.length, t === 0 ? 1 : 2),
              ...terms.map(({ weight, at }, k) =>
                first(
                  differs(`weight ${k} of round ${t}`, weight, k === 0 ? t + 1 : -t),
                  above(`the distance of point ${k} of round ${t}`, distance(at, path[t - k]), 1e-12),
                ),
              ),
            ]),
            above('the distance of the output', distance(output, mean), 1e-12),
          );
        });
        return judge(cases.length, first(...found));
      },
    }),
    defineClaimCheck({
      id: 'choquette-choo/unaccelerated-numbers',
      tier: 'exact',
      statement:
        'β and K are the formulas, with the noise that all sums keep to with probability 1 − 1/n; runs ' +
        'with noise of that size have no difference longer than K',
      power: 'a relative error of 1e-9 of β or K; a clip norm that forgets the noise, or a round',
      run() {
        const [L, M] = [1.7, 0.8];
        const facts = { lipschitz: every(L), smoothness: every(M) };
        const cases = [2, 5, 9].flatMap((rounds) =>
          [1, 40].map((size) => ({ rounds, size, radius: rounds / 4 })),
        );
        const found = cases.map(({ rounds: T, size: B, radius }, k) => {
          const given = { dimension: 2, slots: T * B, radius, facts };
          const noiseMultiplier = 3;
          const stream = { registry: planning.registry, prefixSum: honakerFull({}), dimension: 2 };
          const { worst } = noiseOfSums({ ...stream, adjacency: 'zero-out', noiseMultiplier }, T);
          const noise = (worst * likelyNorm(2, T, 1 / (T * B))) / B;
          const beta = 2 * M * (T - 1 + noise) + (L / (2 * radius)) * Math.sqrt(T / B);
          const clipAt = (at: number): number => L / (1 - (M * (T - 1 + noise)) / at);
          const run = runOf(given, { rounds: T, noiseMultiplier });
          const plan = run.plan as PublicPlan & { readonly beta: number; readonly clipNorm: number };
          const slower = runOf(given, { rounds: T, noiseMultiplier, beta: 3 * beta }).plan as typeof plan;
          const draws = drawsOf(`unaccelerated/${k}`);
          // Slopes of size L at most in the ball, and noise of the largest size that K is proved for.
          const loss = quadratic([M, M], draws.vector(2, L / M - radius));
          let [noised, longest] = [[0, 0], 0];
          told(run, given, (terms, t) => {
            const difference = terms.reduce<number[]>(
              (sum, { weight, at }) => plus(sum, weight, loss.gradient(at)),
              [0, 0],
            );
            longest = Math.max(longest, Math.hypot(...difference));
            const next = draws.vector(2, noise * plan.clipNorm * 0.999);
            const answer = plus(plus(difference, 1, next), -1, t === 0 ? [0, 0] : noised);
            noised = next;
            return answer;
          });
          return first(
            differs('β', plan.beta, beta),
            differs('K', plan.clipNorm, clipAt(beta)),
            differs('K at a larger β', slower.clipNorm, clipAt(3 * beta)),
            above('the longest difference', longest, plan.clipNorm),
          );
        });
        return judge(cases.length, first(...found));
      },
    }),
  ];
}

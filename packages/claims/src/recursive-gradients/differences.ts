import { defineClaimCheck, judge, type ClaimCheck, type Violation } from '@lethe/laws';
import { boxDomain } from '@lethe/mechanisms';
import { each } from '../common/each.js';
import { above, differs, first } from '../common/judging.js';
import { norm } from '../common/vectors.js';
import {
  distance,
  drawnInstance,
  linearLoss,
  minus,
  pathOf,
  plus,
  quadratic,
  type Instance,
  type Path,
} from './paths.js';
import type { RecursiveGradientsSubject } from './subject.js';

const count = 60;
const diameter = 2;
const drawn = (name: string, kind: 'quadratic' | 'ridge', betaOf = (_rounds: number) => 1) =>
  each(count, (i) =>
    drawnInstance(`${name}/${i}`, { kind, zScale: i % 2 === 0 ? 1 : 0.5, betaOf, noise: 0.3 }),
  );

/** `Δ_t(d)` of any record of the population at the points of a run. */
function differenceOf({ x }: Path, { losses }: Instance, record: number, t: number): number[] {
  const { gradient } = losses[record];
  return plus(
    gradient(x[t]).map((one) => (t + 1) * one),
    -t,
    gradient(x[Math.max(0, t - 1)]),
  );
}
/** Longest gradient of any record at points that the differences were taken at. */
const lipschitzOf = ({ x }: Path, { losses }: Instance): number =>
  Math.max(...x.flatMap((at) => losses.map(({ gradient }) => norm(gradient(at)))));

/** A unit interval on which slopes are 0 before `from` and −1 later: the E5 family. */
function lateSlope(rounds: number, from: number, beta: number, zScale: 1 | 0.5 = 1): Instance {
  const ref = boxDomain({ lower: 0, upper: 1 });
  return {
    dimension: 1,
    losses: [linearLoss([0]), linearLoss([-1])],
    batches: each(rounds, (t) => [t < from ? 0 : 1]),
    noise: each(rounds, () => [0]),
    beta,
    zScale,
    domain: {
      ref,
      set: {
        projectInto: (out: Float64Array, point: Float64Array) => {
          out[0] = Math.max(0, Math.min(1, point[0]));
          return out;
        },
      },
    },
  };
}
/** Largest difference of a record whose gradient is 1 now and `1 − M|x_t − x_{t−1}|` before. */
const probed = ({ x }: Path, smoothness: number): number =>
  Math.max(...x.map((at, t) => 1 + (t === 0 ? 0 : t * smoothness * Math.abs(at[0] - x[t - 1][0]))));

/** Rows 21 to 29, 52, 54 and 70: how long differences are, and clips that cut nothing. */
export function differenceChecks(subject: RecursiveGradientsSubject): readonly ClaimCheck[] {
  const { differenceBound, certifiedClip, literalClip, neededClips, closingClip } = subject;
  const steps = (
    given: readonly Instance[],
    of: (path: Path, t: number, instance: Instance) => Violation | undefined,
  ) =>
    judge(
      given.length,
      first(
        ...given.flatMap((instance) => {
          const path = pathOf(subject, instance);
          return path.x.map((_, t) => of(path, t, instance));
        }),
      ),
    );
  const displaced = (t: number, { x, nabla }: Path, { beta, noise }: Instance, weight: number) =>
    above(
      `the way to the point of step ${t}`,
      distance(x[t], x[t - 1]),
      (t / (t + 2)) * (norm(nabla[t - 1]) / beta + norm(noise[t - 1]) / weight) + (2 * diameter) / (t + 2),
      1e-10,
    );
  /** Zero losses on the unit interval, and noise that moves the first point across it. */
  const jump: Instance = {
    ...lateSlope(2, 2, 1),
    noise: [[1], [1]],
  };
  const withinJump = (weight: number): Violation | undefined => {
    const { x } = pathOf(subject, jump);
    return above('the way to the point of step 1', distance(x[1], x[0]), 1 / (3 * weight) + 2 / 3, 1e-12);
  };
  return [
    defineClaimCheck({
      id: 'choquette-choo/difference-by-steps',
      tier: 'search',
      statement: '‖Δ_t(d)‖ ≤ η_{t−1}M‖x_t − x_{t−1}‖ + L ≤ η_t M‖x_t − x_{t−1}‖ + L for every record',
      power: 'points that are asked about one step late',
      run: () =>
        steps([...drawn('steps', 'quadratic'), ...drawn('steps', 'ridge')], (path, t, instance) => {
          const moved = t === 0 ? 0 : distance(path.x[t], path.x[t - 1]);
          const L = lipschitzOf(path, instance);
          return first(
            ...instance.losses.map((_, record) =>
              above('a difference', norm(differenceOf(path, instance, record, t)), t * moved + L, 1e-10),
            ),
            // The run's own are averages of these.
            above('an average of differences', norm(path.asked[t]), t * moved + L, 1e-10),
          );
        }),
    }),
    defineClaimCheck({
      id: 'choquette-choo/displacement',
      tier: 'search',
      statement:
        '‖x_t − x_{t−1}‖ ≤ (t/(t + 2))(‖∇_{t−1}‖/β + ‖b_{t−1}‖/η_{t−1}) + 2D/(t + 2), which is attained',
      power: 'steps of y that are twice as long',
      run: () => {
        const jumped = withinJump(1);
        const { x } = pathOf(subject, jump);
        const found = steps(drawn('displacement', 'quadratic'), (path, t, instance) =>
          t === 0 ? undefined : displaced(t, path, instance, t),
        );
        if (found.verdict !== 'holds') return found;
        return judge(found.samples + 1, first(jumped, differs('the jump', distance(x[1], x[0]), 1)));
      },
    }),
    defineClaimCheck({
      id: 'choquette-choo/displacement-printed',
      tier: 'exact',
      statement: 'the same with ‖b_{t−1}‖/η_t',
      run: () => judge(1, withinJump(2)),
    }),
    defineClaimCheck({
      id: 'choquette-choo/mirror-gap',
      tier: 'search',
      statement: '‖x_t − y_t‖ ≤ 2D/(t + 2)',
      power: 'a coupling that stays at 1/2',
      run: () =>
        steps(
          drawn('gap', 'quadratic', () => 0.2),
          ({ x, y }, t) =>
            above(`the way from y to x at step ${t}`, distance(x[t], y[t]), (2 * diameter) / (t + 2), 1e-10),
        ),
    }),
    defineClaimCheck({
      id: 'choquette-choo/lemma-11',
      tier: 'search',
      statement: '‖Δ_t(d)‖ ≤ 2(Mb + 2MD + L) for β ≥ 2MT, convex or not',
      power: 'steps that are a hundred times as long',
      run: () => {
        const late = pathOf(subject, lateSlope(1000, 820, 20));
        const found = steps(
          [
            ...drawn('lemma 11', 'quadratic', (rounds) => 2 * rounds),
            ...drawn('lemma 11', 'ridge', (rounds) => 2 * rounds),
          ],
          (path, t, instance) => {
            const b = Math.max(...instance.noise.map(norm));
            const most = 2 * (b + 2 * diameter + lipschitzOf(path, instance));
            return first(
              ...instance.losses.map((_, record) =>
                above('a difference', norm(differenceOf(path, instance, record, t)), most),
              ),
            );
          },
        );
        if (found.verdict !== 'holds') return found;
        return judge(found.samples, above('a difference of late slopes', probed(late, 0.01), 2 * (0.02 + 1)));
      },
    }),
    defineClaimCheck({
      id: 'choquette-choo/lemma-11-constant',
      tier: 'exact',
      statement: 'that is 2Mb + (4c_M + 2)L: late slopes with c_M = .01 keep to it',
      power: 'steps that are a hundred times as long',
      run: () =>
        judge(
          1000,
          above('a difference', probed(pathOf(subject, lateSlope(1000, 820, 20)), 0.01), 4 * 0.01 + 2),
        ),
    }),
    defineClaimCheck({
      id: 'choquette-choo/lemma-11-constant-printed',
      tier: 'exact',
      statement: 'it is 2Mb + (2c_M + 1)L',
      run: () =>
        judge(
          1000,
          above('a difference', probed(pathOf(subject, lateSlope(1000, 820, 20)), 0.01), 2 * 0.01 + 1),
        ),
    }),
    defineClaimCheck({
      id: 'choquette-choo/literal-clip',
      tier: 'exact',
      statement: 'for b ≤ (2c_M + 1)L/M that is (8c_M + 4)L',
      power: 'half of it',
      run: () =>
        judge(
          20,
          first(
            ...each(20, (i) => {
              const [lipschitz, smoothness] = [0.3 * (i + 1), 0.1 * (20 - i)];
              const ratio = (smoothness * diameter) / lipschitz;
              const b = ((2 * ratio + 1) * lipschitz) / smoothness;
              return differs(
                'the clip norm',
                literalClip({ lipschitz, smoothness, diameter }),
                2 * (smoothness * b + 2 * smoothness * diameter + lipschitz),
              );
            }),
          ),
        ),
    }),
    defineClaimCheck({
      id: 'choquette-choo/start-gradient',
      tier: 'search',
      statement: '‖∇F(x₀)‖ ≤ MD ≤ √(Mβ)D for a realizable risk and β ≥ M',
      power: 'a start outside the domain',
      run: () =>
        judge(
          count,
          first(
            ...each(count, (i) => {
              const instance = {
                ...drawnInstance(`start/${i}`, { kind: 'common', zScale: 0.5, betaOf: () => 1 }),
                losses: [quadratic([1, 0.7, 0.2], [0.3, -0.4, 0.5])],
                dimension: 3,
                start: [0, 9, 0],
              };
              const noise = instance.noise.map(() => [0, 0, 0]);
              const { x } = pathOf(subject, { ...instance, noise });
              return above('the gradient', norm(instance.losses[0].gradient(x[0])), diameter);
            }),
          ),
        ),
    }),
    defineClaimCheck({
      id: 'choquette-choo/closure',
      tier: 'search',
      statement:
        'for a realizable risk, s = 1/2 and errors up to their bounds, differences are no longer than ' +
        'the closure says; at the clip norm that closes none is cut',
      power: 'a clip norm without the Lipschitz constant',
      run() {
        const found = each(count, (i): Violation | undefined => {
          const instance = drawnInstance(`closure/${i}`, {
            kind: 'common',
            zScale: 0.5,
            betaOf: () => 2,
            noise: 0.02,
          });
          const center = minus(
            instance.start ?? [],
            each(instance.dimension, () => 0.05),
          );
          const loss = quadratic(
            each(instance.dimension, (j) => 1 / (1 + j)),
            center,
          );
          const given = { ...instance, losses: [loss], start: each(instance.dimension, () => 0) };
          const rounds = given.batches.length;
          const noise = Math.max(...given.noise.map(norm));
          const run = {
            rounds,
            batchSize: 1,
            beta: given.beta,
            smoothness: 1,
            diameter,
            startDistance: diameter,
            lipschitz: diameter,
          };
          const path = pathOf(subject, given);
          const needs = neededClips(run, { sampling: 0, noise });
          const closing = closingClip(run, () => ({ sampling: 0, noise }), 1e6);
          if (closing === null) return { what: 'the closure does not close', measured: 0, allowed: 1 };
          return first(
            ...path.x.map((_, t) =>
              above(`the difference of step ${t}`, norm(differenceOf(path, given, 0, t)), needs[t], 1e-9),
            ),
            above('differences that are cut', pathOf(subject, { ...given, clipNorm: closing }).clipped, 0),
            above('the least need', Math.max(...needs), closing),
          );
        });
        return judge(count, first(...found, closedAtScale(subject)));
      },
    }),
    defineClaimCheck({
      id: 'choquette-choo/no-convexity',
      tier: 'search',
      statement:
        'none of this needs convexity: differences of ridges keep to the certified clip, and none is cut',
      power: 'a clip norm that is a third of it',
      run() {
        const found = drawn('ridges', 'ridge', (rounds) => 1.5 * rounds).map((instance) => {
          const path = pathOf(subject, instance);
          const L = lipschitzOf(path, instance);
          const noise = Math.max(...instance.noise.map(norm));
          const setting = {
            rounds: instance.batches.length,
            beta: instance.beta,
            lipschitz: L,
            smoothness: 1,
            diameter,
          };
          const clipNorm = certifiedClip(setting, noise / differenceBound(setting, noise));
          if (clipNorm === null) return { what: 'nothing is certified', measured: 0, allowed: 1 };
          return first(
            above('differences that are cut', pathOf(subject, { ...instance, clipNorm }).clipped, 0),
            above('the largest of a loss that attains it', L, clipNorm),
            differs('the clip norm', clipNorm, differenceBound(setting, noise), 1e-6),
          );
        });
        return judge(count, first(...found));
      },
    }),
    defineClaimCheck({
      id: 'choquette-choo/certified-clip',
      tier: 'search',
      statement:
        '‖Δ_t(d)‖ ≤ (Mb + 2MD + L)/(1 − θ), θ = M(T − 1)²/((T + 1)β), ' +
        'for every β > MT; late slopes reach seven tenths of it',
      power: 'the bound without 1/(1 − θ)',
      run() {
        const shares: number[] = [];
        const found = [0.05, 0.5, 4].flatMap((smoothness) =>
          [1.05, 1.3, 3].flatMap((factor) =>
            [40, 400].flatMap((rounds) =>
              [0, 0.3, 0.6, 0.9].map((from) => {
                const beta = factor * smoothness * rounds;
                const setting = { rounds, beta, lipschitz: 1, smoothness, diameter: 1 };
                const path = pathOf(subject, lateSlope(rounds, Math.floor(from * rounds), beta));
                const bound = differenceBound(setting, 0);
                shares.push(probed(path, smoothness) / bound);
                return above('a difference', probed(path, smoothness), bound);
              }),
            ),
          ),
        );
        const tight = above('the closest share', 0.7, Math.max(...shares));
        return judge(found.length, first(...found, tight, goldenClip(subject)));
      },
    }),
  ];
}

/** The golden set of Theorem 14: 3.130 where the paper has 12. */
function goldenClip({
  certifiedClip,
  differenceBound,
  likelyNorm,
}: RecursiveGradientsSubject): Violation | undefined {
  const setting = { rounds: 1000, beta: 24_000, lipschitz: 1, smoothness: 1, diameter: 1 };
  const deviation = (Math.sqrt(10) * 3) / 0.236704380663;
  const noisePerClip = (deviation * likelyNorm(100, 1000, 1e-6)) / (1000 * 24_000);
  const clip = certifiedClip(setting, noisePerClip) ?? Number.NaN;
  return first(
    differs('the golden clip norm', clip, 3.13, 1e-3),
    differs('its bound', differenceBound(setting, noisePerClip * clip), clip),
  );
}

/** The closure at a hundred million records: differences of up to 3.42 at clip norm 4. */
function closedAtScale({
  neededClips,
  likelySamplingError,
  likelyNorm,
}: RecursiveGradientsSubject): Violation | undefined {
  const run = {
    rounds: 3162,
    batchSize: 31_622,
    beta: 1024,
    smoothness: 1,
    lipschitz: 1,
    diameter: 1,
    startDistance: 1,
  };
  const worst = Math.sqrt(12 * 11) / 0.1998;
  const errors = {
    sampling: likelySamplingError({ ...run, clipNorm: 4 }, 5e-9),
    noise: (4 * worst * likelyNorm(10, 3162, 5e-9)) / (run.batchSize * run.beta),
  };
  return differs('the need at scale', Math.max(...neededClips(run, errors)), 3.42, 0.02);
}

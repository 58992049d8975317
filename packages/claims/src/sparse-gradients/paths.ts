import { seededRandom } from '@lethe/core';
import { defineClaimCheck, judge, type ClaimCheck, type Violation } from '@lethe/laws';
import { above, differs, first } from '../common/judging.js';
import { squaredNorm } from '../common/vectors.js';
import { range } from './chosen-sets.js';
import type { DebiasedSubject, Path } from './debiased-subject.js';
import { allSchedules } from './schedules.js';

type Point = readonly number[];

/** A convex function on the unit disc, with its minimiser there. */
const convexCases: readonly {
  readonly minimiser: Point;
  readonly value: (x: Point) => number;
  readonly gradient: (x: Point) => Point;
}[] = [
  { minimiser: [-0.6, -0.8], value: ([x, y]) => 0.6 * x + 0.8 * y, gradient: () => [0.6, 0.8] },
  {
    minimiser: [0.2, -0.1],
    value: ([x, y]) => Math.abs(x - 0.2) + 2 * Math.abs(y + 0.1),
    gradient: ([x, y]) => [x < 0.2 ? -1 : 1, y < -0.1 ? -2 : 2],
  },
  {
    minimiser: [0.3, 0.3],
    value: ([x, y]) => ((x - 0.3) ** 2 + (y - 0.3) ** 2) / 2,
    gradient: ([x, y]) => [x - 0.3, y - 0.3],
  },
];
const onDisc = ([x, y]: Point): Point => {
  const size = Math.hypot(x, y);
  return size <= 1 ? [x, y] : [x / size, y / size];
};

/** A path of projected steps with any answers; the last one, of none, goes straight to the minimiser. */
function pathTo(
  { minimiser, gradient }: (typeof convexCases)[number],
  answers: readonly Point[],
  stepSize: number,
): Path {
  const iterates: Point[] = [[0.7, -0.7]];
  for (const answer of answers) {
    const x = iterates[iterates.length - 1];
    iterates.push(onDisc(x.map((entry, j) => entry - stepSize * answer[j])));
  }
  const last = iterates[iterates.length - 1].map((entry, j) => (entry - minimiser[j]) / stepSize);
  return { iterates, gradients: iterates.map(gradient), answers: [...answers, last], stepSize };
}

const randomAnswers = (label: string, count: number, scale: number): readonly Point[] => {
  const random = seededRandom(label);
  return range(count).map(() => Array.from(random.gaussianInto(new Float64Array(2)), (x) => scale * x));
};

/** Functions of one number that are H-smooth, the second not convex. */
const smoothCases = [
  { smoothness: 3, value: (x: number): number => 1.5 * x ** 2, slope: (x: number): number => 3 * x },
  {
    smoothness: 2,
    value: (x: number): number => -2 * Math.cos(x),
    slope: (x: number): number => 2 * Math.sin(x),
  },
] as const;

/** A run of the printed schedule with an oracle of two values, whose laws are known. */
interface TwoValues {
  /** The oracle is the gradient plus `bias ± spread`. */
  readonly bias: number;
  readonly spread: number;
  readonly stepSize: number;
  readonly start: number;
  readonly gradient: (x: number) => number;
  readonly project: (x: number) => number;
}

const setting = { slots: 8, epsilon: 1, delta: 1e-2 };
/** The most calls that T of this setting falls below with probability at most 1/4. */
const cap = 1;
const early = 1 / 4;

/** All runs up to a cap: iterates `x⁰ … x^(T∧τ)`, with their probabilities. */
function allRuns(
  subject: DebiasedSubject,
  { bias, spread, stepSize, start, gradient, project }: TwoValues,
  most: number,
): readonly { readonly iterates: readonly number[]; readonly probability: number }[] {
  const lengths = new Map<number, number>();
  for (const { levels, probability } of allSchedules(subject, setting)) {
    const calls = Math.min(most, levels.length - 1);
    lengths.set(calls, (lengths.get(calls) ?? 0) + probability);
  }
  return [...lengths].flatMap(([calls, probability]) =>
    range(2 ** calls).map((signs) => {
      const iterates = [start];
      for (let t = 0; t < calls; t++) {
        const x = iterates[t];
        const answer = gradient(x) + bias + ((signs >> t) % 2 === 0 ? spread : -spread);
        iterates.push(project(x - stepSize * answer));
      }
      return { iterates, probability: probability / 2 ** calls };
    }),
  );
}

const clampTo =
  (radius: number) =>
  (x: number): number =>
    Math.max(-radius, Math.min(radius, x));
/** Oracles on `|x|` over [−1, 1], the first of which keeps the iterate where it is worst. */
const onInterval: readonly TwoValues[] = [
  { bias: -1, spread: 0, stepSize: 4, start: 1 },
  { bias: -1, spread: 0.5, stepSize: 0.5, start: 1 },
  { bias: 0, spread: 2, stepSize: 0.3, start: 0.5 },
].map((given) => ({ ...given, gradient: (x: number) => (x < 0 ? -1 : 1), project: clampTo(1) }));
const onLine: readonly TwoValues[] = [
  { bias: -2, spread: 0, stepSize: 0.25, start: 2 },
  { bias: 0.1, spread: 1, stepSize: 0.2, start: 1.5 },
].map((given) => ({ ...given, gradient: (x: number) => 2 * Math.sin(x), project: (x: number) => x }));
/** `E‖answer‖²` at most, where gradients are at most `size`. */
const squareOf = ({ bias, spread }: TwoValues, size: number): number =>
  (size + Math.abs(bias)) ** 2 + spread ** 2;

/** Rows 56 to 60 of the claims: sums along paths, and what they say of a run. */
export function pathChecks(subject: DebiasedSubject): readonly ClaimCheck[] {
  const { regretAlong, gradientsAlong, regretBound, stationarityBound, medianBound, lawOfStopping } = subject;
  return [
    defineClaimCheck({
      id: 'ghazi/path-regret',
      tier: 'search',
      statement:
        'Σ_t [F(x^t) − F(x*)] is at most the right side for steps of one ' +
        'size and any answers, for three functions and 20 paths each; ' +
        'a path that ends at x* on a linear function without a projection attains it',
      power: 'any smaller coefficient of a square, by 10⁻⁹',
      run() {
        const cases = convexCases.flatMap((one, k) =>
          range(20).map((i) => ({
            one,
            path: pathTo(one, randomAnswers(`answers ${k} ${i}`, i % 6, 0.3 + i), 0.05 + i / 20),
          })),
        );
        const straight = pathTo(
          convexCases[0],
          [
            [0.5, -0.5],
            [0.1, 0.3],
          ],
          0.2,
        );
        const regret = ({ value, minimiser }: (typeof convexCases)[number], { iterates }: Path): number =>
          iterates.reduce((sum, x) => sum + value(Array.from(x)) - value(minimiser), 0);
        return judge(
          cases.length + 1,
          first(
            ...cases.map(({ one, path }, i) =>
              above(`the regret of path ${i}`, regret(one, path), regretAlong(path, one.minimiser)),
            ),
            differs(
              'the right side of the straight path',
              regretAlong(straight, convexCases[0].minimiser),
              regret(convexCases[0], straight),
            ),
          ),
        );
      },
    }),
    defineClaimCheck({
      id: 'ghazi/path-regret-printed',
      tier: 'exact',
      statement:
        'the inequality holds for every sequence of step sizes: ' +
        'on |x| from x⁰ = x* = 0, with steps of 1 and 0.01 and answers −1 and 100, ' +
        'the regret is 1 and the right side negative, whatever the first step divides',
      run() {
        const [one, two] = [1, 0.01];
        const iterates = [0, 1];
        const answers = [-1, 100];
        const right =
          (one / 2) * answers[0] ** 2 + (two / 2) * answers[1] ** 2 + (1 - answers[1]) * iterates[1];
        return judge(1, above('the regret', iterates[1], right));
      },
    }),
    defineClaimCheck({
      id: 'ghazi/path-gradients',
      tier: 'search',
      statement:
        'Σ_t ‖∇F(x^t)‖² is at most the right side for any answers and any step size, with F(x⁰) − ' +
        'F(x^(T+1)) for Γ, on Hx²/2, where they are equal, and on −2cos x, 20 paths each',
      power: 'any other coefficient, by 10⁻⁹',
      run: () =>
        judge(
          40,
          first(
            ...smoothCases.flatMap(({ smoothness, value, slope }, k) =>
              range(20).map((i): Violation | undefined => {
                const stepSize = 5 / smoothness / (1 + i);
                const answers = randomAnswers(`smooth ${k} ${i}`, 1 + (i % 5), 1 + i / 4).map(([x]) => [x]);
                const points = [1.3];
                for (const [answer] of answers) points.push(points[points.length - 1] - stepSize * answer);
                const iterates = points.slice(0, -1).map((x) => [x]);
                const gradients = iterates.map(([x]) => [slope(x)]);
                const sum = gradients.reduce((total, one) => total + squaredNorm(one), 0);
                const gap = value(points[0]) - value(points[points.length - 1]);
                const right = gradientsAlong({ iterates, gradients, answers, stepSize }, { gap, smoothness });
                return k === 0
                  ? differs(`1 + the right side of path ${i}`, 1 + right, 1 + sum, 1e-8)
                  : above(`the sum of path ${i}`, sum, right, 1e-9 * (1 + Math.abs(sum)));
              }),
            ),
          ),
        ),
    }),
    defineClaimCheck({
      id: 'ghazi/regret',
      tier: 'exact',
      statement:
        'E R_T ≤ ‖x⁰ − x*‖²/(2η) + E[T + 1](ην²/2 + Db) where D bounds the distance of every iterate, ' +
        'with all schedules for n = 8 and all answers of an oracle of two values listed, on three oracles',
      power: 'half of the term of the bias, or of E[T + 1]',
      run() {
        const calls = lawOfStopping(setting).reduce((sum, p, t) => sum + t * p, 0);
        return judge(
          3,
          first(
            ...onInterval.map((oracle, i) => {
              const regret = allRuns(subject, oracle, Infinity).reduce(
                (sum, { iterates, probability }) =>
                  sum + probability * iterates.reduce((total, x) => total + Math.abs(x), 0),
                0,
              );
              const { bias, stepSize } = oracle;
              // The first oracle answers 0 wherever it is asked.
              const meanSquare = i === 0 ? 0 : squareOf(oracle, 1);
              const bound = regretBound(
                { bias: Math.abs(bias), meanSquare, calls, stepSize },
                { distance: 1, holdsFor: 'every iterate' },
              );
              return first(
                above(`E R of oracle ${i}`, regret, bound),
                // A start of 1, and a step that is too large for its square to count.
                i === 0 ? above('the bound beside E R', bound - 1 / (2 * stepSize), regret) : undefined,
              );
            }),
          ),
        );
      },
    }),
    defineClaimCheck({
      id: 'ghazi/regret-printed',
      tier: 'exact',
      statement:
        'the same where D is a bound on the distance of the start alone: on |x| from x⁰ = x* = 0 with ' +
        'every answer −1, the iterates leave, with D = 0 and b = 2',
      run() {
        const stepSize = 0.1;
        const calls = 4;
        const regret = range(calls + 1).reduce((sum, t) => sum + stepSize * t, 0);
        const bound = regretBound(
          { bias: 2, meanSquare: 1, calls, stepSize },
          { distance: 0, holdsFor: 'every iterate' },
        );
        return judge(1, above('R', regret, bound));
      },
    }),
    defineClaimCheck({
      id: 'ghazi/median-risk',
      tier: 'exact',
      statement:
        'the average over x⁰ … x^(T∧τ) exceeds E_R/((τ+1)(1/2 − early)) with ' +
        'probability at most 1/2, with all schedules for n = 8 and all answers listed; ' +
        'where the start alone is bounded the bound holds with D_τ',
      power: 'a fifth of the bound',
      run: () =>
        judge(
          6,
          first(
            ...onInterval.flatMap((oracle, i) =>
              (['every iterate', 'start'] as const).map((holdsFor) => {
                const runs = allRuns(subject, oracle, cap);
                const { bias, stepSize } = oracle;
                const sum = regretBound(
                  {
                    bias: Math.abs(bias),
                    meanSquare: i === 0 ? 0 : squareOf(oracle, 1),
                    calls: cap,
                    stepSize,
                  },
                  { distance: 1, holdsFor },
                );
                const bound = medianBound(sum, { calls: cap, early }) ?? 0;
                const beyond = runs.reduce((total, { iterates, probability }) => {
                  const risk = Math.abs(iterates.reduce((all, x) => all + x, 0) / iterates.length);
                  return total + (risk > bound ? probability : 0);
                }, 0);
                return above(`P[risk above the bound] of oracle ${i}, ${holdsFor}`, beyond, 1 / 2);
              }),
            ),
          ),
        ),
    }),
    defineClaimCheck({
      id: 'ghazi/median-gradient',
      tier: 'exact',
      statement:
        'the squared gradient at a uniform iterate of x⁰ … x^(T∧τ) exceeds E_R′/((τ+1)(1/2 − early)) ' +
        'with probability at most 1/2 on −2cos x, with all schedules for n = 8 and all answers listed',
      power: 'a tenth of the bound',
      run: () =>
        judge(
          2,
          first(
            ...onLine.map((oracle, i) => {
              const sum = stationarityBound(
                {
                  bias: Math.abs(oracle.bias),
                  meanSquare: squareOf(oracle, 2),
                  calls: cap,
                  stepSize: oracle.stepSize,
                },
                { initialGap: 2 - 2 * Math.cos(oracle.start), smoothness: 2, lipschitz: 2 },
              );
              const bound = medianBound(sum, { calls: cap, early }) ?? 0;
              const beyond = allRuns(subject, oracle, cap).reduce(
                (total, { iterates, probability }) =>
                  total +
                  iterates.reduce(
                    (part, x) => part + (oracle.gradient(x) ** 2 > bound ? probability / iterates.length : 0),
                    0,
                  ),
                0,
              );
              return above(`P[gradient above the bound] of oracle ${i}`, beyond, 1 / 2);
            }),
          ),
        ),
    }),
  ];
}

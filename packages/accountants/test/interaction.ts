import { gaussianEvent, type PrivacyEvent, sampledEvent } from '@lethe/core';
import { normalCdf } from '@lethe/numerics';
import { approximate, concentrated, failing, plain, pure, response } from './events.js';

/** Which of the two data sets has the record. */
export type Way = 'with' | 'without';

/** An answer, with its probability on either data set. */
export interface Answer {
  readonly p: number;
  readonly q: number;
}

/**
 * Releases of one kind under zero-out, less private the larger
 * the number, at the pair of data sets that tells most.
 */
export interface Family {
  readonly name: string;
  readonly event: (size: number) => PrivacyEvent;
  /** `max over S of P(S) − e^ε Q(S)`, at any real ε. */
  readonly stick: (size: number, way: Way) => (epsilon: number) => number;
  /** All answers, or cells of them, which is what an adversary sees who looks less closely. */
  readonly answers: (size: number, way: Way) => readonly Answer[];
}

const cells = 240;
/** Answers of two laws on the line, in cells between `from` and `to`. */
function inCells(
  p: (x: number) => number,
  q: (x: number) => number,
  from: number,
  to: number,
): readonly Answer[] {
  const edges = Array.from({ length: cells - 1 }, (_, i) => from + ((to - from) * i) / (cells - 2));
  return [-Infinity, ...edges]
    .map((edge, i) => ({ p: p(edges[i] ?? Infinity) - p(edge), q: q(edges[i] ?? Infinity) - q(edge) }))
    .filter((one) => one.p > 0 || one.q > 0);
}

const finiteStick =
  (answers: readonly Answer[]) =>
  (epsilon: number): number =>
    answers.reduce((sum, { p, q }) => sum + Math.max(0, p - Math.exp(epsilon) * q), 0);
const odds = (epsilon: number): readonly Answer[] => {
  const likely = 1 / (1 + Math.exp(-epsilon));
  const unlikely = 1 / (1 + Math.exp(epsilon));
  return [
    { p: likely, q: unlikely },
    { p: unlikely, q: likely },
  ];
};
const orFails = (delta: number, answers: readonly Answer[]): readonly Answer[] => [
  { p: delta, q: 0 },
  { p: 0, q: delta },
  ...answers.map(({ p, q }) => ({ p: (1 - delta) * p, q: (1 - delta) * q })),
];

const finite = (
  name: string,
  event: (size: number) => PrivacyEvent,
  answers: (size: number) => readonly Answer[],
): Family => ({ name, event, answers, stick: (size) => finiteStick(answers(size)) });

/** @see Balle, Wang 2018, Theorem 8. */
const gaussianStick =
  (mu: number) =>
  (epsilon: number): number =>
    normalCdf(mu / 2 - epsilon / mu) - Math.exp(epsilon) * normalCdf(-mu / 2 - epsilon / mu);
const gaussianAnswers = (mu: number): readonly Answer[] =>
  inCells((x) => normalCdf(x - mu), normalCdf, -7, 7 + mu);
const sigmaOf = (mu: number): PrivacyEvent => gaussianEvent(1 / mu, { 'zero-out': 1 });

const laplaceCdf = (x: number, epsilon: number): number =>
  x < 0 ? Math.exp(epsilon * x) / 2 : 1 - Math.exp(-epsilon * x) / 2;
const laplaceStick =
  (size: number) =>
  (epsilon: number): number => {
    if (epsilon >= size) return 0;
    return epsilon <= -size ? -Math.expm1(epsilon) : -Math.expm1((epsilon - size) / 2);
  };

/** A Gaussian release of a Poisson sample at `rate`: a mixture against the law without the record. */
function sampledGaussian(rate: number): Family {
  const mixture =
    (mu: number) =>
    (x: number): number =>
      (1 - rate) * normalCdf(x) + rate * normalCdf(x - mu);
  /** Where the ratio of the mixture to the law without is `e^loss`. */
  const at = (mu: number, loss: number): number => Math.log1p(Math.expm1(loss) / rate) / mu + mu / 2;
  return {
    name: `Gaussian noise in a Poisson sample at ${rate}`,
    event: (mu) => sampledEvent({ kind: 'core/poisson', rate }, sigmaOf(mu)),
    stick: (mu, way) => (epsilon) => {
      if (way === 'with') {
        if (epsilon <= Math.log1p(-rate)) return -Math.expm1(epsilon);
        const x = at(mu, epsilon);
        return (1 - rate) * normalCdf(-x) + rate * normalCdf(mu - x) - Math.exp(epsilon) * normalCdf(-x);
      }
      if (-epsilon <= Math.log1p(-rate)) return 0;
      const x = at(mu, -epsilon);
      return normalCdf(x) - Math.exp(epsilon) * mixture(mu)(x);
    },
    answers: (mu, way) =>
      way === 'with'
        ? inCells(mixture(mu), normalCdf, -7, 7 + mu)
        : inCells(normalCdf, mixture(mu), -7, 7 + mu),
  };
}

/** Releases that an adversary has to choose from. */
export const families: readonly Family[] = [
  finite('a pure event', pure, odds),
  finite(
    'an event that may fail',
    (size) => approximate(size, Math.min(1, size * 1e-3)),
    (size) => orFails(Math.min(1, size * 1e-3), odds(size)),
  ),
  finite(
    'failures alone',
    (size) => approximate(0, Math.min(1, size)),
    (size) => orFails(Math.min(1, size), [{ p: 1, q: 1 }]),
  ),
  finite(
    'randomised response over three answers',
    (size) => response(3 / (2 + Math.exp(size)), 3),
    (size) => {
      const p = 3 / (2 + Math.exp(size));
      const light = p / 3;
      const heavy = 1 - p + light;
      return [
        { p: heavy, q: light },
        { p: light, q: heavy },
        { p: light, q: light },
      ];
    },
  ),
  { name: 'Gaussian noise', event: sigmaOf, stick: gaussianStick, answers: gaussianAnswers },
  {
    name: 'the tight pair of ρ',
    event: (size) => concentrated((size * size) / 2),
    stick: gaussianStick,
    answers: gaussianAnswers,
  },
  {
    name: 'Gaussian noise that may fail',
    event: (mu) => failing(Math.min(1, mu * 1e-3), sigmaOf(mu)),
    stick: (mu) => (epsilon) =>
      Math.min(1, mu * 1e-3) + (1 - Math.min(1, mu * 1e-3)) * gaussianStick(mu)(epsilon),
    answers: (mu) => orFails(Math.min(1, mu * 1e-3), gaussianAnswers(mu)),
  },
  {
    name: 'Laplace noise',
    event: (size) => plain({ kind: 'core/laplace', v: 1, scale: 1 / size, sensitivity: { 'zero-out': 1 } }),
    stick: laplaceStick,
    answers: (size) =>
      inCells(
        (x) => laplaceCdf(x - 1, size),
        (x) => laplaceCdf(x, size),
        -9 / size,
        1 + 9 / size,
      ),
  },
  sampledGaussian(0.02),
  sampledGaussian(0.3),
];

/** A release of a family, of a size that was chosen. */
export interface Chosen {
  readonly family: Family;
  readonly size: number;
}

/**
 * What two releases tell at ε, when the second is chosen from `seconds` by the answer to the first: exactly,
 * by the sum over all answers to the first of the hockey-stick divergence of what comes second.
 *
 * @param choose - Which of the seconds after an answer; without it the one that tells most.
 */
export function toldByTwo(
  first: Chosen,
  seconds: readonly Chosen[],
  epsilon: number,
  way: Way,
  choose?: (answer: number) => number,
): number {
  const sticks = seconds.map(({ family, size }) => family.stick(size, way));
  const nothing = (at: number): number => Math.max(0, -Math.expm1(at));
  return first.family.answers(first.size, way).reduce((sum, { p, q }, i) => {
    if (p === 0) return sum;
    if (q === 0) return sum + p;
    const left = epsilon - Math.log(p / q);
    const chosen = choose?.(i);
    const most =
      chosen === undefined
        ? Math.max(nothing(left), ...sticks.map((stick) => stick(left)))
        : (sticks[chosen] ?? nothing)(left);
    return sum + p * most;
  }, 0);
}

/**
 * The largest size, to a few digits, that `allowed` takes;
 * `undefined` when it takes none. It takes all smaller ones.
 */
export function largestSize(family: Family, allowed: (event: PrivacyEvent) => boolean): number | undefined {
  let [low, high] = [0, 16];
  for (let i = 0; i < 24; i++) {
    const middle = low === 0 ? high / 8 : Math.sqrt(low * high);
    if (middle < 1e-9) return undefined;
    if (allowed(family.event(middle))) low = middle;
    else high = middle;
    if (high / low < 1 + 1e-4) break;
  }
  return low === 0 ? undefined : low;
}

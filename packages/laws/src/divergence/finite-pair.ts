import { type Bounds, logBinomial } from '@lethe/numerics';
import type { Side } from './loss-grid.js';
import type { Composable, Discretised, Outcome, WorstPair } from './worst-pair.js';

/** Relative error allowance for probabilities and losses, and for functions of them. */
const grain = 2e-13;

const mostOutcomes = 5000;

/**
 * Two distributions on finitely many outcomes.
 *
 * @param missing - Probability under P of omitted outcomes:
 * counted as 0 in lower bounds, fully in upper bounds.
 */
export function finitePair(key: string, outcomes: readonly Outcome[], missing = 0): Composable {
  const least = outcomes.reduce((low, { loss }) => Math.min(low, loss), Infinity);
  const most = outcomes.reduce((high, { loss }) => Math.max(high, loss), -Infinity);
  return {
    key,
    ...(missing === 0 ? { outcomes } : {}),
    range: [least, most],
    delta(epsilon) {
      let [sum, error] = [0, missing];
      for (const { p, loss } of outcomes) {
        const doubt = grain * (1 + Math.abs(loss));
        if (loss > epsilon) sum += p * -Math.expm1(epsilon - loss);
        if (loss > epsilon - doubt)
          error += p * (loss > epsilon + 1 ? grain + doubt * Math.exp(epsilon - loss) : 2 * doubt);
      }
      return { lower: Math.max(0, sum - (error - missing)), upper: Math.min(1, sum + error) };
    },
    renyi(alpha) {
      const beta = alpha - 1;
      const logs = outcomes.map(({ p, loss }) => Math.log(p) + beta * loss);
      const peak = Math.max(...logs);
      const log = peak + Math.log(logs.reduce((sum, one) => sum + Math.exp(one - peak), 0));
      const error = grain * (1 + beta * Math.max(Math.abs(least), Math.abs(most)));
      return {
        lower: Math.max(0, (log - error) / beta),
        upper: missing > 0 ? Infinity : Math.max(0, (log + error) / beta),
      };
    },
    discretise: (step, side) => finiteGrid(outcomes, missing, step, side),
  };
}

function finiteGrid(outcomes: readonly Outcome[], missing: number, step: number, side: Side): Discretised {
  const round = side === 'down' ? Math.floor : Math.ceil;
  const nudge = (side === 'down' ? -1 : 1) * grain;
  const places = outcomes.map(({ loss }) => round((loss + nudge * (1 + Math.abs(loss))) / step));
  const first = places.reduce((least, place) => Math.min(least, place), Infinity);
  const masses = new Float64Array(
    places.reduce((most, place) => Math.max(most, place), -Infinity) - first + 1,
  );
  outcomes.forEach(({ p }, i) => {
    masses[places[i] - first] += p * (1 + nudge);
  });
  return { grid: { step, first, masses }, beyond: side === 'up' ? missing : 0 };
}

/**
 * The pair that dominates every ε-DP release: binary randomised response.
 * @see Kairouz, Oh, Viswanath 2015.
 */
export function responsePair(epsilon: number): WorstPair {
  const heavy = 1 / (1 + Math.exp(-epsilon));
  const light = Math.exp(-epsilon) * heavy;
  const { range, discretise, ...pair } = finitePair(
    `response ${epsilon}`,
    [
      { p: heavy, loss: epsilon },
      { p: light, loss: -epsilon },
    ].filter(({ p }) => p > 0),
  );
  const exact: WorstPair = {
    ...pair,
    response: epsilon,
    delta(at) {
      let delta: number;
      if (at >= epsilon) delta = 0;
      else if (at <= -epsilon) delta = -Math.expm1(at);
      else delta = -Math.expm1(at - epsilon) * heavy;
      const error = 2 ** -50 * (delta + (at < epsilon ? Math.exp(at - epsilon) * (epsilon - at) : 0));
      return { lower: Math.max(0, delta - error), upper: Math.min(1, delta + error) };
    },
  };
  return epsilon < 600
    ? { ...exact, range, discretise }
    : { ...exact, renyi: () => ({ lower: 0, upper: epsilon }) };
}

/**
 * Bounds of δ(ε) of `count` binary randomised responses at
 * `each`: the losses are `(count − 2i)·each`, with binomial i.
 */
export function responsesDelta(each: number, count: number, epsilon: number): Bounds {
  const normaliser = count * Math.log1p(Math.exp(-each));
  let [sum, error] = [0, 0];
  for (let i = 0; i <= count; i++) {
    const excess = (count - 2 * i) * each - epsilon;
    if (excess <= 0) break;
    const choices = logBinomial(count, i);
    const weight = Math.exp(choices - i * each - normaliser);
    const term = weight * -Math.expm1(-excess);
    sum += term;
    error +=
      term * 2 ** -47 * (2 + choices + i * each + normaliser) + weight * 2 ** -50 * (count * each + epsilon);
  }
  return { lower: Math.max(0, sum - error), upper: Math.min(1, sum + error) };
}

/** The composition, outcome by outcome; `undefined` if there are too many. */
export function productPair(
  parts: readonly { readonly pair: WorstPair; readonly count: number }[],
): WorstPair | undefined {
  let product: readonly Outcome[] = [{ p: 1, loss: 0 }];
  for (const {
    pair: { outcomes },
    count,
  } of parts) {
    for (let run = 0; run < count; run++) {
      if (outcomes === undefined || product.length * outcomes.length > mostOutcomes) return undefined;
      product = product.flatMap((before) =>
        outcomes.map(({ p, loss }) => ({ p: before.p * p, loss: before.loss + loss })),
      );
    }
  }
  return finitePair('product', product);
}

/**
 * Distributions on the integers with weights `e^logWeight(k)`, even in `k` and decreasing, `shift` apart.
 * Weights below e^-60 of the maximum are omitted.
 */
export function integerPair(key: string, logWeight: (k: number) => number, shift: number): WorstPair {
  let reach = 0;
  while (logWeight(reach) > logWeight(0) - 60) reach++;
  let total = 0;
  for (let k = reach; k > 0; k--) total += 2 * Math.exp(logWeight(k) - logWeight(0));
  total += 1;
  const at = (k: number): number => Math.exp(logWeight(Math.abs(k)) - logWeight(0)) / total;
  const outcomes = Array.from({ length: 2 * reach - 1 }, (_, i) => i - reach + 1).map((k) => ({
    p: at(k),
    loss: logWeight(Math.abs(k)) - logWeight(Math.abs(k + shift)),
  }));
  return finitePair(key, outcomes, 1e-20);
}

import {
  negativeBinomialSelectionEvent,
  poissonSelectionEvent,
  selectionEvent,
  type PrivacyEvent,
} from '@lethe/core';
import { InvalidParameter, type RandomSource } from '@lethe/numerics';

/** The fields of a selection that say how many runs it makes. */
export interface RunsAsked {
  readonly stopProbability?: number;
  readonly cap?: number;
  readonly shape?: number;
  readonly mean?: number;
}

/** The law of the number K ≥ 1 of runs of a selection. */
export interface NumberOfRuns {
  /** The event of the selection over a base. */
  event(base: PrivacyEvent): PrivacyEvent;
  /** Whether run k is the last, asked after each of the runs 1, 2, …. */
  lastBy(random: RandomSource): () => boolean;
}

/** More runs than anybody waits for. */
const mostExpectedRuns = 1e6;

/**
 * The least γ of a negative binomial number. With less, a negative shape makes few runs on average and
 * sometimes more than a million; and time and memory before the first of them grow with 1/γ.
 */
const leastStop = 1 / mostExpectedRuns;

/**
 * The law that the fields of a query name.
 *
 * @throws {InvalidParameter} for fields that name none or two, outside their ranges, or that make more than a
 * million runs on average.
 */
export function numberOfRuns({ stopProbability, cap, shape, mean }: RunsAsked): NumberOfRuns {
  if (mean !== undefined && stopProbability === undefined && cap === undefined && shape === undefined)
    return poisson(mean);
  if (mean !== undefined || stopProbability === undefined || (cap === undefined) === (shape === undefined))
    throw new InvalidParameter(
      'the number of runs of a selection is given by stopProbability and cap, by stopProbability and ' +
        `shape, or by mean; got ${JSON.stringify({ stopProbability, cap, shape, mean })}`,
      { stopProbability, cap, shape, mean },
    );
  if (!(stopProbability > 0 && stopProbability <= 1))
    throw new InvalidParameter(
      `stopProbability of a selection is ${stopProbability}; it must be above 0 and at most 1`,
      { stopProbability },
    );
  return cap === undefined
    ? negativeBinomial(shape as number, stopProbability)
    : capped(stopProbability, cap);
}

/**
 * Whether something of this probability happens. Small probabilities are doubled with coins first, so that
 * the error is relative to them.
 */
export function happens(probability: number, random: RandomSource): boolean {
  let left = probability;
  if (left === 0) return false;
  for (; left < 0.5; left *= 2) if (random.uniform() >= 0.5) return false;
  return random.uniform() < left;
}

function capped(stopProbability: number, cap: number): NumberOfRuns {
  if (!(Number.isSafeInteger(cap) && cap > 0))
    throw new InvalidParameter(`cap of a selection is ${cap}; it must be a positive whole number of runs`, {
      cap,
    });
  assertExpected(Math.min(cap, 1 / stopProbability), { stopProbability, cap });
  return {
    event: (base) => selectionEvent(base, { stopProbability, cap }),
    lastBy(random) {
      let k = 0;
      return () => ++k === cap || random.uniform() < stopProbability;
    },
  };
}

function negativeBinomial(shape: number, stopProbability: number): NumberOfRuns {
  if (!(shape > -1 && shape <= 1e6))
    throw new InvalidParameter(`shape of a selection is ${shape}; it must be above -1 and at most 1e6`, {
      shape,
    });
  if (stopProbability < leastStop)
    throw new InvalidParameter(
      `stopProbability of a selection is ${stopProbability}; with a shape it must be at least ` +
        `${leastStop}, since numbers of runs up to 1/stopProbability occur`,
      { shape, stopProbability },
    );
  const go = 1 - stopProbability;
  const mean =
    shape === 0
      ? go / stopProbability / -Math.log(stopProbability)
      : (go / stopProbability) * (shape / -Math.expm1(shape * Math.log(stopProbability)));
  assertExpected(go === 0 ? 1 : mean, { shape, stopProbability });
  return {
    event: (base) => negativeBinomialSelectionEvent(base, { shape, stopProbability }),
    lastBy: lastByChances((k) => (go * (k + shape)) / (k + 1), Math.ceil(4 / stopProbability)),
  };
}

function poisson(mean: number): NumberOfRuns {
  if (!(mean >= 1e-9))
    throw new InvalidParameter(`mean of a selection is ${mean}; it must be at least 1e-9`, { mean });
  assertExpected(mean, { mean });
  return {
    event: (base) => poissonSelectionEvent(base, { mean }),
    lastBy: lastByChances((k) => mean / (k + 1), Math.ceil(2 * mean)),
  };
}

function assertExpected(expected: number, given: RunsAsked): void {
  if (expected <= mostExpectedRuns) return;
  const named = Object.entries(given)
    .map(([name, value]) => `${name} ${value}`)
    .join(' and ');
  throw new InvalidParameter(
    `a selection with ${named} makes about ${expected} runs; ${mostExpectedRuns} are allowed. ` +
      (given.mean === undefined
        ? 'Take a larger stopProbability, or a smaller cap or shape.'
        : 'Take a smaller mean.'),
    { ...given },
  );
}

const lastByChances =
  (ratio: (k: number) => number, block: number): NumberOfRuns['lastBy'] =>
  (random) => {
    const chances = chancesOfEnding(ratio, block);
    return () => happens(chances.next().value as number, random);
  };

/**
 * `P(K = k | K ≥ k)` from the ratios `r_k = P(K = k + 1)/P(K = k)`: the inverse of
 * `1 + r_k + r_k r_{k+1} + …`, which is `1/(1 + r_k/h)` with the next one `h`. Backwards, errors shrink; so a
 * block begins with the sum at its end.
 */
export function* chancesOfEnding(ratio: (k: number) => number, block: number): Generator<number> {
  const length = Math.max(64, block);
  const chances = new Float64Array(length);
  for (let from = 1; ; from += length) {
    let [sum, term] = [1, 1];
    for (let k = from + length; term > 2 ** -60 * sum; k++) {
      term *= ratio(k);
      sum += term;
    }
    let chance = 1 / sum;
    for (let i = length - 1; i >= 0; i--) {
      chance = 1 / (1 + ratio(from + i) / chance);
      chances[i] = chance;
    }
    yield* chances;
  }
}

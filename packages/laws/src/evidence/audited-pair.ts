import { InvalidParameter } from '@lethe/core';
import type { Process } from './e-process.js';
import { hockeyStick } from './hockey-stick.js';
import { noteJudged } from './judged.js';
import { averaged } from './mixture.js';
import { logThreshold } from './wealth.js';
import type { Output, Witness } from './witness.js';

/** A claim about two distributions, and the search for violations. */
export interface AuditedPairOptions {
  /** Claimed `delta(epsilon)`, for both directions. */
  readonly profile: (epsilon: number) => number;
  /**
   * Points of the profile to test; those with `delta ≥ 1` are
   * vacuous and omitted. @defaultValue 0.01, 0.1, 0.25, 0.5, 1, 2, 4
   */
  readonly epsilons?: readonly number[];
  /** New witnesses: they learn during the test. */
  readonly witnesses: readonly Witness[];
}

/** The source of most of the evidence. */
export interface Strongest {
  readonly witness: string;
  readonly epsilon: number;
  readonly direction: 'P over Q' | 'Q over P';
  readonly logE: number;
  /**
   * The next event to bet on: likelier on the first distribution
   * of `direction` than the claim allows, if the witness is right.
   */
  readonly event: (y: ArrayLike<number>) => boolean;
}

/**
 * A process fed with one output of each distribution at a time. Where `canReject` was true, `reach` is at
 * least the threshold it was asked about: an audit may end before it has taken all of its pairs.
 */
export interface AuditedPair extends Process<[fromP: Output, fromQ: Output]> {
  readonly strongest: Strongest;
  /** Whether `pairs` more can reject at level `alpha`, if all bets of witnesses win. */
  canReject(alpha: number, pairs: number): boolean;
}

const usualEpsilons = [0.01, 0.1, 0.25, 0.5, 1, 2, 4];

/**
 * H0: `P(S) ≤ e^ε Q(S) + delta(ε)` and `Q(S) ≤ e^ε P(S) + delta(ε)` for every event and every `ε`. Each
 * witness proposes an event for each `ε` and direction, an e-process bets on each event, and the wealths are
 * averaged.
 *
 * @throws {InvalidParameter} without witnesses, without a non-vacuous
 * `epsilon`, or for a profile that is not a probability.
 */
export function auditedPair({
  profile,
  epsilons = usualEpsilons,
  witnesses,
}: AuditedPairOptions): AuditedPair {
  const points = epsilons
    .map((epsilon) => ({ epsilon, delta: claimed(profile, epsilon) }))
    .filter(({ delta }) => delta < 1);
  const lanes = witnesses.map((witness) => ({
    witness,
    bets: points.map((point) => ({ ...point, forwards: hockeyStick(point), backwards: hockeyStick(point) })),
  }));
  const parts = lanes.flatMap(({ witness, bets }) =>
    bets.flatMap(({ epsilon, forwards, backwards }) => [
      { witness, epsilon, direction: 'P over Q' as const, process: forwards },
      { witness, epsilon, direction: 'Q over P' as const, process: backwards },
    ]),
  );
  if (parts.length === 0)
    throw new InvalidParameter(
      `nothing to test: ${witnesses.length} witnesses, and ${points.length} of ${epsilons.length} values ` +
        'of epsilon with delta below 1; give at least one of each',
      { witnesses: witnesses.length, epsilons },
    );
  const evidence = averaged(
    parts.map(({ process }) => process),
    (fromP: Output, fromQ: Output) => {
      const x = asVector(fromP);
      const y = asVector(fromQ);
      for (const { witness, bets } of lanes) {
        if (!witness.ready) continue;
        const atX = witness.score(x);
        const atY = witness.score(y);
        for (const { epsilon, forwards, backwards } of bets) {
          forwards.push(Number(atX > epsilon), Number(atY > epsilon));
          backwards.push(Number(-atY > epsilon), Number(-atX > epsilon));
        }
      }
      for (const { witness } of lanes) witness.learn(x, y);
    },
  );
  let within = 0;
  const audited: AuditedPair = {
    push: evidence.push,
    get logE() {
      return evidence.logE;
    },
    get peak() {
      return evidence.peak;
    },
    get samples() {
      return evidence.samples;
    },
    get reach() {
      return Math.max(within, evidence.reach);
    },
    rejects: (alpha) => noteJudged(audited, alpha, evidence.peak >= logThreshold(alpha)),
    canReject(alpha, pairs) {
      const threshold = logThreshold(alpha);
      if (evidence.peak >= threshold) return true;
      const sum = parts.reduce((total, { witness, process }) => {
        const bets = Math.max(0, pairs - (witness.wait ?? 0));
        return total + Math.exp(process.logE + bets * process.mostGain - threshold);
      }, 0);
      const can = sum >= parts.length * (1 - 1e-9);
      if (can) within = Math.max(within, threshold);
      return can;
    },
    get strongest(): Strongest {
      const { witness, epsilon, direction, process } = parts.reduce((best, part) =>
        part.process.logE > best.process.logE ? part : best,
      );
      const sign = direction === 'P over Q' ? 1 : -1;
      return {
        witness: witness.name,
        epsilon,
        direction,
        logE: process.logE,
        event: (y) => sign * witness.score(y) > epsilon,
      };
    },
  };
  return audited;
}

const asVector = (output: Output): ArrayLike<number> => (typeof output === 'number' ? [output] : output);

function claimed(profile: (epsilon: number) => number, epsilon: number): number {
  const delta = profile(epsilon);
  if (delta >= 0 && delta <= 1) return delta;
  throw new InvalidParameter(`the profile says delta(${epsilon}) = ${delta}; it must be a probability`, {
    epsilon,
    delta,
  });
}

import type { Witness } from '../evidence/index.js';

/** Memory, and number of pairs before the first bet. */
export interface WholeOutputOptions {
  /** Maximum number of different outputs stored. @defaultValue 4096 */
  readonly memory?: number;
  /** Pairs before the first bet. @defaultValue 200 */
  readonly warmUp?: number;
  /**
   * Standard errors by which a ratio must differ from 1, so that rare outputs need more evidence.
   * @defaultValue 2
   */
  readonly caution?: number;
}

/**
 * Learns the frequency of each whole output, for algorithms
 * with few different ones, such as sequences of decisions.
 */
export function wholeOutputWitness({
  memory = 4096,
  warmUp = 200,
  caution = 2,
}: WholeOutputOptions = {}): Witness {
  const counts = new Map<string, { p: number; q: number }>();
  let pairs = 0;
  let repeated = false;
  const keyOf = (y: ArrayLike<number>): string => Array.prototype.join.call(y, ' ');
  const count = (y: ArrayLike<number>, side: 'p' | 'q'): void => {
    const key = keyOf(y);
    const known = counts.get(key);
    if (known !== undefined) {
      known[side]++;
      repeated = true;
    } else if (counts.size < memory) counts.set(key, { p: 0, q: 0, [side]: 1 });
  };
  return {
    name: 'whole outputs',
    get ready() {
      return repeated && pairs >= warmUp;
    },
    get wait() {
      return Math.max(0, warmUp - pairs);
    },
    score(y) {
      const known = counts.get(keyOf(y));
      return known === undefined ? 0 : cautious(known.p + 0.5, known.q + 0.5, caution);
    },
    learn(x, y) {
      pairs++;
      // Real-valued outputs never repeat, so they are no longer stored.
      if (!repeated && counts.size >= memory) return;
      count(x, 'p');
      count(y, 'q');
    },
  };
}

/** The logarithm of a ratio of counts, moved towards 0 by `caution` standard errors. */
function cautious(p: number, q: number, caution: number): number {
  const log = Math.log(p / q);
  const error = caution * Math.sqrt(1 / p + 1 / q);
  return Math.sign(log) * Math.max(0, Math.abs(log) - error);
}

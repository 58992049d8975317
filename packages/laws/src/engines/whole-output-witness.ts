import type { Witness } from '../evidence/index.js';

/** How much it remembers, and how long it looks before it bets. */
export interface WholeOutputOptions {
  /** Different outputs remembered. @defaultValue 4096 */
  readonly memory?: number;
  /** Pairs before the first bet. @defaultValue 500 */
  readonly warmUp?: number;
}

/** Learns how often each whole output comes, for algorithms with few different ones, such as sequences of decisions. */
export function wholeOutputWitness({ memory = 4096, warmUp = 500 }: WholeOutputOptions = {}): Witness {
  const counts = new Map<string, { p: number; q: number }>();
  let pairs = 0, repeated = false;
  const keyOf = (y: ArrayLike<number>): string => Array.prototype.join.call(y, ' ');
  const count = (y: ArrayLike<number>, side: 'p' | 'q'): void => {
    const key = keyOf(y), known = counts.get(key);
    if (known !== undefined) {
      known[side]++;
      repeated = true;
    } else if (counts.size < memory) counts.set(key, { p: 0, q: 0, [side]: 1 });
  };
  return {
    name: 'whole outputs',
    get ready() { return repeated && pairs >= warmUp; },
    score(y) {
      const known = counts.get(keyOf(y));
      return known === undefined || known.p + known.q < 4 ? 0 : Math.log((known.p + 0.5) / (known.q + 0.5));
    },
    learn(x, y) {
      pairs++;
      // Real-valued outputs never repeat: stop remembering them.
      if (!repeated && counts.size >= memory) return;
      count(x, 'p');
      count(y, 'q');
    },
  };
}

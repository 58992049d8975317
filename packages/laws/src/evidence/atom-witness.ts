import { requireCount } from './require.js';
import type { Witness } from './witness.js';

/** Options for outputs without repeated coordinates. */
export interface AtomWitnessOptions {
  /** Scores outputs without atoms. @defaultValue no witness */
  readonly otherwise?: Witness;
  /** Maximum number of different values stored per coordinate. @defaultValue 16384 */
  readonly memory?: number;
}

/**
 * Learns which values repeat exactly, bit by bit, in each coordinate: atoms of discrete distributions, and
 * traces of omitted noise. The coordinate with the largest score decides.
 */
export function atomWitness({ otherwise, memory = 16384 }: AtomWitnessOptions = {}): Witness {
  requireCount('memory', memory, 1);
  const seen: Map<number | string, { p: number; q: number }>[] = [];
  let repeated = false;
  const keyOf = (value: number): number | string => (Object.is(value, -0) ? '-0' : value);
  const learn = (y: ArrayLike<number>, side: 'p' | 'q'): void => {
    for (let i = 0; i < y.length; i++) {
      seen[i] ??= new Map();
      const values = seen[i];
      const key = keyOf(y[i]);
      const counts = values.get(key);
      if (counts === undefined) {
        if (values.size < memory) values.set(key, { p: 0, q: 0, [side]: 1 });
      } else {
        repeated = true;
        counts[side]++;
      }
    }
  };
  return {
    name: otherwise === undefined ? 'atoms' : `atoms, else ${otherwise.name}`,
    get ready() {
      return repeated;
    },
    score(y) {
      let most = 0;
      let known = false;
      for (let i = 0; i < y.length; i++) {
        const counts = seen[i]?.get(keyOf(y[i]));
        if (counts === undefined || counts.p + counts.q < 2) continue;
        known = true;
        const score = Math.log((counts.p + 0.5) / (counts.q + 0.5));
        if (Math.abs(score) > Math.abs(most)) most = score;
      }
      return known || otherwise === undefined ? most : otherwise.score(y);
    },
    learn(x, y) {
      learn(x, 'p');
      learn(y, 'q');
      otherwise?.learn(x, y);
    },
  };
}

import { requireCount } from './require.js';
import type { Witness } from './witness.js';

/** Where to look when an output has no coordinate seen before. */
export interface AtomWitnessOptions {
  /** Scores what is no atom. @defaultValue nothing does */
  readonly otherwise?: Witness;
  /** Different values remembered in a coordinate. @defaultValue 16384 */
  readonly memory?: number;
}

/**
 * Learns which values come again exactly, bit by bit, in each coordinate: the atoms of discrete laws, and the traces of noise that
 * was left out. The coordinate that says most decides.
 */
export function atomWitness({ otherwise, memory = 16384 }: AtomWitnessOptions = {}): Witness {
  requireCount('memory', memory, 1);
  const seen: Map<number | string, { p: number; q: number }>[] = [];
  let repeated = false;
  const keyOf = (value: number): number | string => (Object.is(value, -0) ? '-0' : value);
  const learn = (y: ArrayLike<number>, side: 'p' | 'q'): void => {
    for (let i = 0; i < y.length; i++) {
      const values = (seen[i] ??= new Map()), key = keyOf(y[i]), counts = values.get(key);
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
    get ready() { return repeated; },
    score(y) {
      let most = 0, known = false;
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

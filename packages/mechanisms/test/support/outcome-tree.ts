import type { RandomSource } from '@lethe/core';

/**
 * What came of a run in every way its randomness can fall, by
 * probability; ways less likely than asked for are left open.
 */
export interface OutcomeTree<T> {
  readonly probabilities: ReadonlyMap<T, number>;
  readonly open: number;
}

/** Thrown where a path is given up. */
const givenUp = Symbol('given up');

/**
 * Runs `run` for every sequence of values that its draws of `integer` can have, depth first, except below
 * paths of a probability less than `least`. Other draws are refused.
 */
export function outcomeTree<T>(run: (random: RandomSource) => T, least: number): OutcomeTree<T> {
  const probabilities = new Map<T, number>();
  let open = 0;
  let path: { below: number; taken: number }[] = [];
  for (;;) {
    let depth = 0;
    let weight = 1;
    const integer = (below: number): number => {
      if (below === 1) return 0;
      if (depth === path.length) path.push({ below, taken: 0 });
      weight /= below;
      if (weight < least) throw givenUp;
      return path[depth++].taken;
    };
    try {
      const value = run({ integer } as RandomSource);
      probabilities.set(value, (probabilities.get(value) ?? 0) + weight);
    } catch (error) {
      if (error !== givenUp) throw error;
      // The last draw has only just been met: all of its values together.
      path.pop();
      open += path.reduce((product, { below }) => product / below, 1);
    }
    while (path.length > 0 && path[path.length - 1].taken === path[path.length - 1].below - 1) path.pop();
    const last = path.at(-1);
    if (last === undefined) return { probabilities, open };
    path = [...path.slice(0, -1), { below: last.below, taken: last.taken + 1 }];
  }
}

/** A source whose 53-bit words are given; integers are the last of their range. */
export function scripted(words: readonly number[]): RandomSource {
  let at = 0;
  const bits53 = (): number => {
    if (at === words.length) throw new Error('the script is over');
    return words[at++];
  };
  return { bits53, integer: (below: number) => below - 1 } as RandomSource;
}

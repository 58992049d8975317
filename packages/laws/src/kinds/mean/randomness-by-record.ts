import type { RandomSource } from '@lethe/core';

/** A source whose streams start afresh at every turn. */
export interface RandomnessByRecord {
  readonly random: RandomSource;
  /** From here on, streams opened before give the randomness of this turn. */
  turn(name: string | number): void;
  /** Draws so far, in any stream. */
  drew(): number;
}

/**
 * The same randomness in another order: a stream that was opened in one turn and is drawn from in a later one
 * gives fresh randomness that belongs to the later turn alone. Two releases on neighbouring data then have
 * the same randomness for every common record, even when one record uses more of it than another: a coupling,
 * under which values may be compared. A fork is as ever the same stream when it is made again.
 */
export function randomnessByRecord(randomness: RandomSource): RandomnessByRecord {
  let now: string | number = 'begin';
  let count = 0;
  const wrap = (source: RandomSource): RandomSource => {
    let opened = now;
    let stream = source;
    const current = (): RandomSource => {
      count++;
      if (opened !== now) {
        stream = source.fork(`turn ${now}`);
        opened = now;
      }
      return stream;
    };
    return {
      kind: source.kind,
      uniform: () => current().uniform(),
      integer: (below) => current().integer(below),
      bits32: () => current().bits32(),
      bits53: () => current().bits53(),
      bytes: (length) => current().bytes(length),
      gaussianInto: (out) => current().gaussianInto(out),
      laplaceInto: (out) => current().laplaceInto(out),
      exponential: () => current().exponential(),
      fork: (label) => wrap(source.fork(label)),
      key: () => {
        count++;
        return source.key();
      },
    };
  };
  return {
    random: wrap(randomness),
    turn: (name) => {
      now = name;
    },
    drew: () => count,
  };
}

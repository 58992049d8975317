import { claimedProfile, type ClaimedProfile } from '../../divergence/claimed-profile.js';
import type { Cell } from '../../law/law.js';
import type { ReleaseSubject } from '../../law/subject.js';
import type { RandomSource } from '@lethe/core';

/** One cell per pair of neighbours, by its index. */
export const pairCells = (subject: ReleaseSubject): readonly Cell[] =>
  subject.pairs.map((_, pair) => ({
    name: subject.pairs.length === 1 ? '' : `pair ${pair + 1}`,
    adjacency: subject.adjacency,
    values: { pair },
  }));

/** The pair of a cell. */
export const pairOf = (subject: ReleaseSubject, { values }: Cell): readonly [unknown, unknown] =>
  subject.pairs[Number(values?.['pair'] ?? 0)];

/** The claimed profile of outputs on neighbours. */
export const claimOf = ({ event, adjacency, kinds }: ReleaseSubject): ClaimedProfile =>
  claimedProfile(event, adjacency, kinds ?? []);

/** One output with randomness that depends on the source alone. */
export const released = (subject: ReleaseSubject, data: unknown, random: RandomSource): ArrayLike<number> =>
  subject.release(data, {
    key: Array.from(random.fork('key').bytes(16), (byte) => byte.toString(16).padStart(2, '0')).join(''),
    random: random.fork('random'),
  });

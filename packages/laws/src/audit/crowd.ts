import type { Node } from './membership.js';

/**
 * The records that both neighbours share, as labels of a canary loss: 0 for zero records, 1 or −1 for the two
 * sides.
 */
export interface Crowd {
  readonly name: string;
  /** The label of the record in a slot; the canary is in slot 0. */
  labelAt(slot: number): number;
  /** Labels by position in a batch; empty if the auditor does not know the members. */
  among(node: Node, size: number): readonly number[];
}

/** Records that contribute zero: exact for means of any members. */
export const atRest: Crowd = { name: 'at rest', labelAt: () => 0, among: () => [] };

/**
 * Two equally strong sides around the canary's group, with slot `i` in group `i mod groups`: a median over
 * groups then depends on the canary.
 */
export function camps(groups: number): Crowd {
  const half = Math.floor((groups - 1) / 2);
  const labelAt = (slot: number): number => {
    const group = slot % groups;
    if (group === 0 || group > 2 * half) return 0;
    return group <= half ? 1 : -1;
  };
  // In a batch that starts at slot 0, slots are positions; positions in other batches are unknown.
  return {
    name: `camps in ${groups} groups`,
    labelAt,
    among: ({ place }, size) => (place === 0 ? Array.from({ length: size }, (_, slot) => labelAt(slot)) : []),
  };
}

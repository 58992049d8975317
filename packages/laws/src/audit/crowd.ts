import type { Node } from './membership.js';

/**
 * What the records are that both neighbours share, as labels of a canary loss: 0 at rest, 1 or −1 in one camp or
 * the other.
 */
export interface Crowd {
  readonly name: string;
  /** The label of the record in a slot; the canary is in slot 0. */
  labelAt(slot: number): number;
  /** Labels by place in a batch; nobody speaks where the auditor does not know who is in it. */
  among(node: Node, size: number): readonly number[];
}

/** Records that contribute nothing: exact for means, whoever is drawn. */
export const atRest: Crowd = { name: 'at rest', labelAt: () => 0, among: () => [] };

/**
 * Two camps of equal strength around the canary's group, slot `i` being in group `i mod groups`: what a median over
 * groups of slots tells of the record that decides it.
 */
export function camps(groups: number): Crowd {
  const half = Math.floor((groups - 1) / 2),
    labelAt = (slot: number): number => {
      const group = slot % groups;
      return group === 0 || group > 2 * half ? 0 : group <= half ? 1 : -1;
    };
  // Slots of a batch that starts at slot 0 are places; other batches have no known places for the crowd.
  return {
    name: `camps in ${groups} groups`,
    labelAt,
    among: ({ place }, size) => (place === 0 ? Array.from({ length: size }, (_, slot) => labelAt(slot)) : []),
  };
}

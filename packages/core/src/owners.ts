/** Whose records are whose. */
export interface Owners {
  /** `[rows]`: the slot of each record's owner, from 0. */
  readonly of: Uint32Array;
  /** Slots of owners; public. One without records is null. */
  readonly slots: number;
  /** Records of one owner that count, the first ones; the others are dropped. */
  readonly most: number;
}

/** An item on a range `[from, to)` of positions. */
export interface OnRange {
  readonly from: number;
  readonly to: number;
}

/** Overlap search over ranges. It is fast while ranges are equal or disjoint, as the parts of a split are. */
export interface Ranges<T extends OnRange> {
  add(item: T): void;
  /** All items that share a position with `[from, to)`. */
  overlapping(from: number, to: number): readonly T[];
}

interface Group<T> extends OnRange {
  readonly items: T[];
}

export function createRanges<T extends OnRange>(): Ranges<T> {
  const all: T[] = [];
  /** Groups of equal ranges in ascending order; `null` once two different ranges overlap. */
  let groups: Group<T>[] | null = [];
  /** The first group that ends after `position`. */
  const endingAfter = (sorted: readonly Group<T>[], position: number): number => {
    let [low, high] = [0, sorted.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (sorted[middle].to > position) high = middle;
      else low = middle + 1;
    }
    return low;
  };
  return {
    add(item) {
      all.push(item);
      if (groups === null) return;
      const at = endingAfter(groups, item.from);
      const next = groups[at];
      if (next !== undefined && next.from === item.from && next.to === item.to) next.items.push(item);
      else if (item.from < item.to && (next === undefined || next.from >= item.to))
        groups.splice(at, 0, { from: item.from, to: item.to, items: [item] });
      else groups = null;
    },
    overlapping(from, to) {
      if (groups === null) return all.filter((item) => item.from < to && from < item.to);
      const found: T[] = [];
      for (let at = endingAfter(groups, from); at < groups.length && groups[at].from < to; at++)
        found.push(...groups[at].items);
      return found;
    },
  };
}

import type { Partition } from './effect.js';

/** Partitions that are open. */
export interface LivePartitions {
  readonly size: number;
  has(id: string): boolean;
  open(space: Pick<Partition, 'id' | 'within'>): void;
  /** Closes a partition and all partitions below it; `false` when it is not open. */
  close(id: string): boolean;
  clear(): void;
  /** Ids of the open partitions, innermost first. */
  innermostFirst(): readonly string[];
}

export function createLivePartitions(): LivePartitions {
  const partitionAbove = new Map<string, string>();
  const close = (id: string): boolean => {
    if (!partitionAbove.delete(id)) return false;
    for (const [below, above] of partitionAbove) if (above === id) close(below);
    return true;
  };
  return {
    get size() {
      return partitionAbove.size;
    },
    has: (id) => partitionAbove.has(id),
    open({ id, within }) {
      partitionAbove.set(id, within.space);
    },
    close,
    clear() {
      partitionAbove.clear();
    },
    innermostFirst: () => [...partitionAbove.keys()].toReversed(),
  };
}

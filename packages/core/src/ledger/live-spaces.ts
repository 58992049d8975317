import type { Space } from './effect.js';

/** Spaces that were opened and have not ended. */
export interface LiveSpaces {
  readonly size: number;
  has(id: string): boolean;
  open(space: Pick<Space, 'id' | 'within'>): void;
  /** Ends a space and all below it; `false` when it is not open. */
  close(id: string): boolean;
  clear(): void;
  /** Innermost first. */
  innermostFirst(): readonly string[];
}

export function createLiveSpaces(): LiveSpaces {
  const spaceAbove = new Map<string, string>();
  const close = (id: string): boolean => {
    if (!spaceAbove.delete(id)) return false;
    for (const [below, above] of spaceAbove) if (above === id) close(below);
    return true;
  };
  return {
    get size() { return spaceAbove.size; },
    has: (id) => spaceAbove.has(id),
    open({ id, within }) { spaceAbove.set(id, within.space); },
    close,
    clear() { spaceAbove.clear(); },
    innermostFirst: () => [...spaceAbove.keys()].toReversed(),
  };
}

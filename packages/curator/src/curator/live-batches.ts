import { InvalidParameter } from '@lethe/numerics';
import type { Effect, StoredBatch } from '../ledger/index.js';

/** The batches of a run that can be asked about, and the scopes that they end with. */
export interface LiveBatches {
  /** @throws {InvalidParameter} when the batch was never made, or its scope has ended. */
  stored(id: string): StoredBatch;
  /** Open scopes made directly from this batch. */
  scopesFrom(id: string): readonly string[];
  apply(effect: Effect): void;
}

/**
 * @param root - All records.
 * @param forget - Told of every batch whose scope ends.
 */
export function createLiveBatches(
  root: StoredBatch,
  forget: (batch: StoredBatch) => void = () => undefined,
): LiveBatches {
  const batches = new Map<string, StoredBatch>([[root.id, root]]);
  const scopes = new Map<string, { readonly parent: string; readonly outer: string | null }>();
  const stored = (id: string): StoredBatch => {
    const found = batches.get(id);
    if (found === undefined)
      throw new InvalidParameter(
        `batch '${id}' is not open: the curator never made it, or its scope has ended`,
        { batch: id },
      );
    return found;
  };
  const endScope = (scope: string): void => {
    for (const [inner, { outer }] of scopes) if (outer === scope) endScope(inner);
    scopes.delete(scope);
    for (const [id, batch] of batches) {
      if (batch.scope !== scope) continue;
      batches.delete(id);
      forget(batch);
    }
  };
  return {
    stored,
    scopesFrom: (id) => [...scopes].filter(([, { parent }]) => parent === id).map(([scope]) => scope),
    apply({ closes, space, batches: made }) {
      closes?.forEach(endScope);
      if (space !== undefined && (space.how === 'sample' || space.sampler !== null)) {
        scopes.set(space.id, { parent: space.parent, outer: stored(space.parent).scope });
      }
      for (const batch of made ?? []) batches.set(batch.id, batch);
    },
  };
}

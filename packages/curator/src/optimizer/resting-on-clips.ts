import { findPlugin, type Mean, type Program, type Query, type Registry } from '@lethe/core';
import { IncompatiblePlugins } from '@lethe/numerics';

/**
 * The steps of an optimizer whose privacy rests on clipping: they ask for no mean whose sensitivity rests on
 * facts of the records, whatever plan they follow.
 *
 * @throws {IncompatiblePlugins} before such a query is asked.
 */
export function* restingOnClips<R>(steps: Program<R>, optimizer: string, registry: Registry): Program<R> {
  let seen: string | undefined;
  let isOpen = true;
  const look = (query: Query): void => {
    if (query.ask !== 'mean' || query.mean.name === seen) return;
    const { name, privacyRestsOn } = findPlugin<Mean>(registry, 'mean', query.mean.name);
    seen = name;
    if (privacyRestsOn === 'clip') return;
    isOpen = false;
    closeQuietly(steps);
    throw new IncompatiblePlugins(
      `the privacy of mean '${name}' rests on ${privacyRestsOn}, and that of '${optimizer}' on clipping ` +
        "alone; take a mean that clips, such as 'clipped'",
      { mean: name, optimizer, privacyRestsOn },
    );
  };
  let next = steps.next();
  try {
    while (next.done !== true) {
      look(next.value);
      next = steps.next(yield next.value);
    }
    isOpen = false;
    return next.value;
  } finally {
    if (isOpen) {
      const closed = steps.return(undefined as R);
      // A query that is asked during closing is passed on, and refused by the caller.
      if (closed.done !== true) yield closed.value;
    }
  }
}

/** Closes refused steps; an error they throw does not replace the refusal. */
function closeQuietly(steps: Program<unknown>): void {
  try {
    steps.return(undefined);
  } catch {
    // The refusal is thrown.
  }
}

import { renyiLimit } from '@lethe/accountants';
import { eventKindsOf, type FilterMaker, type Registry } from '@lethe/core';

/**
 * Privacy filter of adaptive optimizers. It adds up Rényi divergences, which compose over the runs of a data
 * set.
 */
export const heldFilter = (registry: Registry): FilterMaker => {
  const kinds = eventKindsOf(registry);
  const open = renyiLimit();
  return (request) => open({ kinds, ...request });
};

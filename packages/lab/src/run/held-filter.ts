import { renyiLimit } from '@lethe/accountants';
import { eventKindsOf, type FilterMaker, type Registry } from '@lethe/core';

/**
 * The filter that adaptive optimizers are held to: by Rényi
 * divergences, so that several runs of one data set compose by them.
 */
export const heldFilter = (registry: Registry): FilterMaker => {
  const kinds = eventKindsOf(registry);
  const open = renyiLimit();
  return (request) => open({ kinds, ...request });
};

import type { OwnerSpec } from '@lethe/losses';
import type { ProblemSpec } from './problem-schema.js';

/** Whose the records of a problem are, where owners are protected. */
export const ownerOf = ({ data }: Pick<ProblemSpec, 'data'>): OwnerSpec | undefined =>
  'design' in data ? data.owner : undefined;

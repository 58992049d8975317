import type { Adjacency, PrivacyEvent, SamplerSpec } from '@lethe/core';
import type { Knowledge, NestedResolver } from '../../knowledge.js';

/** A sampler specification of one kind. */
export type SamplerOf<K extends SamplerSpec['kind']> = Extract<SamplerSpec, { readonly kind: K }>;

/** Characterisations of an event inside a sample of one kind. */
export type SampledBy<K extends SamplerSpec['kind']> = (
  sampler: SamplerOf<K>,
  event: PrivacyEvent,
  adjacency: Adjacency,
  nested: NestedResolver,
) => Knowledge;

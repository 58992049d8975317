import type { z } from 'zod';
import type { Domain } from '../domains/index.js';
import { callablePlugin, type Callable, type Plugin } from './plugin.js';

/** A closed convex set by name. */
export interface DomainPlugin<Params extends z.ZodType = z.ZodType> extends Plugin<'domain', Params> {
  /** The set in R^dimension. */
  build(params: z.output<Params>, dimension: number): Domain;
}

/** Declares a domain; the result, called with parameters, is a reference for problems and queries. */
export function defineDomain<Params extends z.ZodType>(definition: Omit<DomainPlugin<Params>, 'kind'>): Callable<DomainPlugin<Params>> {
  return callablePlugin({ ...definition, kind: 'domain' });
}

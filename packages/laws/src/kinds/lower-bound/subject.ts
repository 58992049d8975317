import { findPlugin, type HardInstance, type Loss, type RandomSource, type Ref } from '@lethe/core';
import type { Subject } from '../../law/subject.js';

type Of = Subject<'lowerBound'>;

/** A numeric parameter by its usual name. */
export function parameter({ params }: Of, name: string): number | undefined {
  const value = (params as Readonly<Record<string, unknown>>)[name];
  return typeof value === 'number' ? value : undefined;
}

/** The same parameters with some replaced, parsed again; `undefined` where the schema does not take them. */
export function withParameters({ plugin, params }: Of, changed: Readonly<Record<string, unknown>>): unknown {
  const parsed = plugin.params.safeParse({ ...params as object, ...changed });
  return parsed.success ? parsed.data : undefined;
}

/** The loss of the instances, where the registry has it. */
export function lossOf({ plugin, params, registry }: Of): { readonly plugin: Loss; readonly params: unknown; readonly ref: Ref<'loss'> } | undefined {
  if (plugin.problem === null) return undefined;
  const ref = plugin.problem(params as never).loss, found = registry.find(({ kind, name }) => kind === 'loss' && name === ref.name);
  if (found === undefined) return undefined;
  const loss = findPlugin<Loss>(registry, 'loss', ref.name);
  return { plugin: loss, params: loss.params.parse(ref.params ?? {}), ref };
}

export const noInstance = ({ plugin }: Of): string | undefined => (plugin.instance === null ? 'it is only a formula so far: it draws no instance' : undefined);
export const noLoss = (subject: Of): string | undefined =>
  noInstance(subject) ?? (lossOf(subject) === undefined ? `the registry lacks the loss '${subject.plugin.problem?.(subject.params as never).loss.name ?? 'none'}' of its instances: give it with { registry }` : undefined);

export const drawn = ({ plugin, params }: Of, random: RandomSource): HardInstance => plugin.instance!(params as never, random);
export const norm = (vector: ArrayLike<number>): number => Math.hypot(...Array.from(vector));

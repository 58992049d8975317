import {
  findPlugin,
  type HardInstance,
  type HardProblem,
  type Loss,
  type RandomSource,
  type Ref,
  type RiskLowerBound,
} from '@lethe/core';
import { defined } from '@lethe/numerics';
import type { Subject } from '../../law/subject.js';

type Of = Subject<'lowerBound'>;

/** A numeric parameter by its usual name. */
export function parameter({ params }: Of, name: string): number | undefined {
  const value = (params as Readonly<Record<string, unknown>>)[name];
  return typeof value === 'number' ? value : undefined;
}

/** The same parameters with some replaced, parsed again; `undefined` where the schema refuses them. */
export function withParameters({ plugin, params }: Of, changed: Readonly<Record<string, unknown>>): unknown {
  const parsed = plugin.params.safeParse({ ...(params as object), ...changed });
  return parsed.success ? parsed.data : undefined;
}

/** The bound as one on the excess risk; `undefined` for another measure. */
const riskBound = ({ plugin }: Of): RiskLowerBound | undefined =>
  plugin.measure === 'excess-risk' ? plugin : undefined;

/** The public problem of the instances; `undefined` for a bound on an excess risk without instances. */
export const problemOf = (subject: Of): HardProblem | undefined =>
  riskBound(subject)?.problem?.(subject.params);

/** Declared moments of gradients by their order, lowest first. */
export const momentsOf = (subject: Of): readonly (readonly [number, number])[] =>
  Object.entries(problemOf(subject)?.facts ?? {})
    .flatMap(([name, { value }]) =>
      name.startsWith('gradientMoment.')
        ? [[Number(name.slice('gradientMoment.'.length)), value] as const]
        : [],
    )
    .toSorted(([a], [b]) => a - b);

/** The loss of the instances, if the registry has it. */
export function lossOf(
  subject: Of,
): { readonly plugin: Loss; readonly params: unknown; readonly ref: Ref<'loss'> } | undefined {
  const ref = problemOf(subject)?.loss;
  const { registry } = subject;
  if (ref === undefined) return undefined;
  const found = registry.find(({ kind, name }) => kind === 'loss' && name === ref.name);
  if (found === undefined) return undefined;
  const loss = findPlugin<Loss>(registry, 'loss', ref.name);
  return { plugin: loss, params: loss.params.parse(ref.params ?? {}), ref };
}

export const formulaOnly = ({ plugin }: Of): string | undefined =>
  plugin.instance === null ? 'it has a formula only, without instances' : undefined;
export const noInstance = (subject: Of): string | undefined =>
  riskBound(subject) === undefined
    ? 'it is a bound on the error of a mean, not on an excess risk'
    : formulaOnly(subject);
const noLoss = (subject: Of): string | undefined =>
  noInstance(subject) ??
  (lossOf(subject) === undefined
    ? `the registry lacks the loss '${problemOf(subject)?.loss.name ?? 'none'}' of its instances: ` +
      'give it with { registry }'
    : undefined);

export const drawn = (subject: Of, random: RandomSource): HardInstance =>
  defined(defined(riskBound(subject)).instance)(subject.params, random);
export const norm = (vector: ArrayLike<number>): number => Math.hypot(...Array.from(vector));
export const noMoments = (subject: Of): string | undefined =>
  noLoss(subject) ??
  (momentsOf(subject).length > 0
    ? undefined
    : "its problem declares no moment of gradients, such as the fact 'gradientMoment.2'");

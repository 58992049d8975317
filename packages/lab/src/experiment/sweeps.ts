import { fieldsOf } from '@lethe/numerics';
import { findPlugin, InvalidParameter, type Optimizer, type Registry } from '@lethe/core';
import type * as z from 'zod';
import { labelOf, type Evaluation, type OptimizerSpec } from './schema.js';

const mostSettings = 1000;

/**
 * The settings that an optimizer is compared at: a list in place of a number, a text or a truth value stands
 * for one setting with each of its values; several lists, for all combinations. Each has its values in its
 * label.
 *
 * @throws {InvalidParameter} for lists that stand for more than 1000 settings.
 */
export function settingsOf<Spec extends OptimizerSpec>(spec: Spec, registry: Registry): readonly Spec[] {
  const swept = sweptIn(spec, registry);
  if (swept.length === 0) return [spec];
  const count = productOf(swept);
  if (count > mostSettings)
    throw new InvalidParameter(
      `the lists of ${swept.map(([name]) => name).join(', ')} stand for ${count} settings; at most ` +
        `${mostSettings} are compared. Give fewer values.`,
      { settings: count },
    );
  const combinations = swept.reduce<readonly Readonly<Record<string, z.core.util.JSONType>>[]>(
    (all, [name, values]) => all.flatMap((one) => values.map((value) => ({ ...one, [name]: value }))),
    [{}],
  );
  return combinations.map((values) => ({
    ...spec,
    params: { ...spec.params, ...values },
    sweep: { of: labelOf(spec), values },
    label: `${labelOf(spec)}, ${Object.entries(values)
      .map(([name, value]) => `${name} ${String(value)}`)
      .join(', ')}`,
  }));
}

/** How many settings an optimizer is compared at. */
export const countSettings = (spec: OptimizerSpec, registry: Registry): number =>
  productOf(sweptIn(spec, registry));

const productOf = (swept: readonly Swept[]): number =>
  swept.reduce((product, [, values]) => product * values.length, 1);

/** An evaluation with every optimizer at each of its settings. */
export const expanded = (experiment: Evaluation, registry: Registry): Evaluation => ({
  ...experiment,
  optimizers: experiment.optimizers.flatMap((spec) => settingsOf(spec, registry)),
});

type Swept = readonly [string, readonly z.core.util.JSONType[]];

/** Parameters with a list where the schema takes each of its values and no list. */
function sweptIn({ name, params }: OptimizerSpec, registry: Registry): readonly Swept[] {
  const known = registry.some((plugin) => plugin.kind === 'optimizer' && plugin.name === name);
  const shape = (known && fieldsOf(findPlugin<Optimizer>(registry, 'optimizer', name).params)) || {};
  return Object.entries(params).flatMap(([key, value]): readonly Swept[] => {
    if (!Array.isArray(value) || value.length === 0 || !Object.hasOwn(shape, key)) return [];
    const isScalar = value.every((one) => typeof one !== 'object' || one === null);
    return isScalar && !shape[key].safeParse(value).success ? [[key, value]] : [];
  });
}

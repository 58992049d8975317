import { InvalidParameter } from '@lethe/numerics';
import type { Vector } from '../query/query.js';

/** The label of one record. */
export interface RecordLabel {
  /** A number, or a class from 0; of a vector its first entry. */
  readonly label: number;
  /** The whole vector, where the loss declares labels of a width. */
  readonly labels?: Vector;
}

/** Labels that a loss accepts: numbers, classes, or vectors. */
export interface LabelRule<Params> {
  /** The rule, for the owner of the data. */
  readonly rule: string;
  /** Whether a label, or each entry of a vector, is accepted. */
  accepts(label: number, params: Params): boolean;
  /**
   * Set where labels are classes `0, …, classes − 1`; they have
   * no size, so that no bound on labels is about them.
   */
  classes?(params: Params): number;
  /** Entries of a label that is a vector; left out for one number. */
  width?(params: Params): number;
}

/** The rule of a loss whose labels are classes `0, …, classes − 1`. */
export function classLabels<Params>(classes: (params: Params) => number): LabelRule<Params> {
  return {
    rule: 'a class: a whole number from 0 to one less than the number of classes',
    classes,
    accepts: (label, params) => Number.isInteger(label) && label >= 0 && label < classes(params),
  };
}

/**
 * Numbers in one label.
 *
 * @throws {InvalidParameter} when the loss says something that is no positive whole number.
 */
export function labelWidthOf<Params>({
  plugin: { name, labels },
  params,
}: {
  readonly plugin: { readonly name: string; readonly labels: LabelRule<Params> };
  readonly params: Params;
}): number {
  const width = labels.width?.(params) ?? 1;
  if (Number.isSafeInteger(width) && width > 0) return width;
  throw new InvalidParameter(
    `loss '${name}' says that a label has ${String(width)} entries; ` +
      'that must be a positive whole number. Repair the loss.',
    { loss: name, width: String(width) },
  );
}

import type { Loss, RecordDomain, Resolved } from '@lethe/core';
import { InvalidData, InvalidParameter } from '@lethe/numerics';

/** @throws {InvalidParameter} for a declared bound that is none, or that the loss has no use for. */
export function assertDomain(
  domain: Omit<RecordDomain, 'columns'>,
  columns: number,
  { plugin, params }: Resolved<Loss>,
): void {
  for (const name of ['featureNorm', 'labelBound', 'iterateNorm'] as const) {
    const value = domain[name];
    if (value !== undefined && !(Number.isFinite(value) && value > 0))
      throw new InvalidParameter(
        `domain.${name} is ${String(value)}; a declared bound is positive and finite`,
        { [name]: value },
      );
  }
  const { sparsity } = domain;
  if (sparsity !== undefined && !(Number.isSafeInteger(sparsity) && sparsity > 0))
    throw new InvalidParameter(
      `domain.sparsity is ${String(sparsity)}; it is the most entries of a record that differ from zero, ` +
        'a positive whole number',
      { sparsity: String(sparsity) },
    );
  if (domain.labelBound !== undefined && plugin.labels.classes !== undefined) {
    throw new InvalidParameter(
      `domain.labelBound is ${domain.labelBound}, but labels of the loss '${plugin.name}' are classes 0 ` +
        `to ${plugin.labels.classes(params) - 1}, which have no size; leave it out`,
      { labelBound: domain.labelBound, loss: plugin.name },
    );
  }
  const bounds = domain.featureBounds;
  if (bounds === undefined) return;
  if (bounds.length !== columns)
    throw new InvalidParameter(`domain.featureBounds has ${bounds.length} entries for ${columns} columns`, {
      length: bounds.length,
      columns,
    });
  const bad = bounds.findIndex((bound) => !(Number.isFinite(bound) && bound >= 0));
  if (bad >= 0)
    throw new InvalidParameter(
      `domain.featureBounds[${bad}] is ${String(bounds[bad])}; a declared bound is finite and not negative`,
      { column: bad, value: bounds[bad] },
    );
}

/**
 * Checks labels, and makes those of null records 0.
 *
 * @param firstRow - The row of the first label.
 * @throws {InvalidData} for a label that the loss does not take.
 */
export function assertLabels(
  labels: Float64Array,
  nulls: Uint8Array | null,
  { plugin, params }: Resolved<Loss>,
  { width, firstRow = 0 }: { readonly width: number; readonly firstRow?: number },
): void {
  for (let k = 0; k < labels.length; k++) {
    const row = Math.floor(k / width);
    if (nulls?.[row] === 1) {
      labels[k] = 0;
      continue;
    }
    const label = labels[k];
    if (!Number.isFinite(label) || !plugin.labels.accepts(label, params)) {
      const classes = plugin.labels.classes?.(params);
      const rule = classes === undefined ? plugin.labels.rule : `classes 0 to ${classes - 1}`;
      throw new InvalidData(
        `label of row ${firstRow + row}${width === 1 ? '' : `, entry ${k % width},`} is ${label}; ` +
          `the loss '${plugin.name}' takes ${rule}`,
        { row: firstRow + row, column: 'label', value: label },
      );
    }
  }
}

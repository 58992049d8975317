import type { Loss, Resolved } from '@lethe/core';

/**
 * Names of the entries of an iterate: those of the features, with the number of the output where there are
 * several.
 */
export function weightNames(
  { plugin, params }: Resolved<Loss>,
  features: readonly string[],
): readonly string[] {
  const dimension = plugin.iterateDimension(params, features.length);
  if (dimension === features.length) return features;
  const outputs = plugin.multiOutput?.outputs(params);
  if (outputs === undefined) return Array.from({ length: dimension }, (_, j) => `w${j + 1}`);
  return Array.from({ length: outputs }, (_, k) => features.map((name) => `${name} of ${k}`)).flat();
}

import { InvalidParameter, type Optimizer, type Registry } from '@lethe/core';
import { nearestName } from '@lethe/numerics';

/**
 * Names of facts that shipped plans, rates and lower bounds read, up
 * to the first point: what follows it is an order or a coordinate.
 */
const read = [
  'lipschitz',
  'smoothness',
  'strongConvexity',
  'range',
  'diameter',
  'startDistance',
  'startGap',
  'gradientMoment',
  'uniformGradientMoment',
  'coordinateGradientMoment',
  'coordinateLipschitz',
  'coordinateSmoothness',
  'componentSmoothness',
  'populationSmoothness',
  'populationStrongConvexity',
  'proximalPolyakLojasiewicz',
];

/**
 * Refuses misspelt fact names, which would be ignored silently. Names that resemble no known fact may belong
 * to third-party plugins.
 *
 * @throws {InvalidParameter} with the name that was meant.
 */
export function assertSpelt(names: readonly string[], registry: Registry): void {
  const needed = registry.flatMap((plugin) =>
    plugin.kind === 'optimizer' ? Object.keys((plugin as Optimizer).facts) : [],
  );
  const known = [...new Set([...read, ...needed.map(stem)])];
  for (const name of names) {
    const own = stem(name);
    const meant = known.includes(own) ? undefined : nearestName(own, known);
    if (meant !== undefined)
      throw new InvalidParameter(
        `nothing reads a fact '${name}': write ${meant}${name.slice(own.length)}, or leave it out`,
        { fact: name, meant },
      );
  }
}

const stem = (name: string): string => name.split('.', 1)[0];

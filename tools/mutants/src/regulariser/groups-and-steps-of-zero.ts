import type { Regulariser } from '@lethe/core';
import { groupLasso, ridge } from '@lethe/mechanisms';
import { defineMutant } from '../mutant.js';
import { plantedPlugin } from '../reference/planted-plugin.js';

export const largeGroups = defineMutant({
  id: 'regulariser/groups-of-five-shrink-too-far',
  title: 'the proximal map shrinks groups of more than four coordinates 5 % too far; its examples have two',
  kind: 'regulariser',
  source: 'generic',
  killedBy: ['regulariser/optimal'],
  within: 2000,
  plant: () =>
    plantedPlugin(
      groupLasso as Regulariser,
      {
        build(given, dimension, registry) {
          const { groups } = given as { readonly groups: readonly (readonly number[])[] };
          const whole = groupLasso.build(given as never, dimension, registry);
          return groups.every(({ length }) => length <= 4)
            ? whole
            : { ...whole, proxInto: (out, z, eta) => whole.proxInto(out, z, 1.05 * eta) };
        },
      },
      { strength: 1, groups: [[1]] },
    ),
});

export const noStep = defineMutant({
  id: 'regulariser/step-of-zero-gives-zero',
  title: 'coordinate maps with a step of 0 give 0 and not the coordinate',
  kind: 'regulariser',
  source: 'generic',
  killedBy: ['regulariser/separable'],
  within: 2,
  plant: () =>
    plantedPlugin(ridge as Regulariser, {
      build(given, dimension, registry) {
        const whole = ridge.build(given as never, dimension, registry);
        return {
          ...whole,
          coordinate: (j, z, eta) => (eta === 0 ? 0 : (whole.coordinate?.(j, z, eta) ?? z)),
        };
      },
    }),
});

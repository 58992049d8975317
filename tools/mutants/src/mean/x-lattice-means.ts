import type { CentralMean, MeanShape, MeanRun, Vector } from '@lethe/core';
import { l2Clip, latticeMean } from '@lethe/mechanisms';
import { defineMutant } from '../mutant.js';
import { addTo, planted } from './plant.js';

type Params = Parameters<typeof latticeMean.sensitivity>[0];
const lattice = latticeMean as CentralMean<typeof latticeMean.params>;

/** Sums of clipped records that are rounded in another way. */
const rounding = (of: (steps: number) => number) =>
  planted(lattice, {
    begin({ radius, spacing }: Params, { dimension, slots }: MeanShape): MeanRun {
      const sum = new Float64Array(dimension);
      return {
        add(_slot, gradient) {
          const record = gradient.slice();
          l2Clip.clipInPlace({ radius }, record);
          addTo(
            sum,
            record.map((x) => of(x / spacing)),
          );
        },
        value: () => sum.slice(),
        finish: (noised) => noised.map((steps) => (steps * spacing) / slots),
      };
    },
  });
const changed = (bug: (run: MeanRun, params: Params, context: MeanShape) => Partial<MeanRun>) =>
  planted(lattice, {
    begin(params, context, random) {
      const run = latticeMean.begin(params, context, random);
      return { ...run, ...bug(run, params, context) };
    },
  });

export const xLattice1 = defineMutant({
  id: 'mean/records-clipped-rounded-nearest-point-grid-sensitivity',
  title:
    'records are clipped, then rounded to the nearest point of the grid; the sensitivity is that of the ball',
  kind: 'mean',
  source: 'generic',
  killedBy: ['mean/sensitivity'],
  within: 20_000,
  plant: () => rounding(Math.round),
});

export const xLattice2 = defineMutant({
  id: 'mean/mean-noised-place-sum-fraction-goes-through',
  title: 'the mean is noised in place of the sum: the fraction goes through',
  kind: 'mean',
  source: 'generic',
  killedBy: ['mean/whole-value'],
  within: 20,
  plant: () =>
    changed((run, _params, { slots }) => ({
      value: () => run.value().map((x) => x / slots),
      finish: (noised: Vector) => run.finish(noised.map((x) => x * slots)),
    })),
});

export const xLattice3 = defineMutant({
  id: 'mean/sensitivity-declared-unit-records-not-steps-grid',
  title: 'the sensitivity is declared in the unit of the records, not in steps of the grid',
  kind: 'mean',
  source: 'generic',
  killedBy: ['mean/sensitivity'],
  within: 2000,
  plant: () =>
    planted(lattice, {
      sensitivity: ({ radius }) => ({ 'replace-one': 2 * radius, 'add-remove': radius, 'zero-out': radius }),
    }),
});

export const xLattice4 = defineMutant({
  id: 'mean/answer-stays-steps-grid',
  title: 'the answer stays in steps of the grid',
  kind: 'mean',
  source: 'generic',
  killedBy: ['mean/bias-bound', 'mean/variance-bound'],
  within: 2000,
  plant: () =>
    changed((_run, _params, { slots }) => ({ finish: (noised: Vector) => noised.map((x) => x / slots) })),
});

export const xLattice5 = defineMutant({
  id: 'mean/bias-rounding-forgotten',
  title: 'the bias of rounding is forgotten',
  kind: 'mean',
  source: 'generic',
  killedBy: ['mean/bias-bound'],
  within: 2000,
  plant: () =>
    planted(lattice, { biasBound: ({ radius }, _context, moment) => l2Clip.biasBound({ radius }, moment) }),
});

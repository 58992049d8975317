import { InvalidParameter, meanShape, seededRandom, type Sensitivity } from '@lethe/core';
import { defined } from '@lethe/numerics';
import { describe, expect, it } from 'vitest';
import { mechanisms } from '../mechanisms.js';
import { coordinateMedianOfMeans } from './coordinate-median-of-means.js';
import { countSketchMean } from './count-sketch-mean.js';
import { gaussianL1Recovery } from './gaussian-l1-recovery.js';
import { hullProjectionMechanism } from './hull-projection.js';
import { l1ProjectionMechanism } from './l1-projection.js';
import { laplaceProjectionMechanism, projectionMechanism } from './projection-mechanism.js';
import { srhtMean } from './srht-mean.js';

const dimension = 64;
const slots = 10;
const shape = meanShape({ dimension, slots, registry: mechanisms });

/** Each mean as a function of its radius. */
const bounded = [
  {
    name: coordinateMedianOfMeans.name,
    refers: (limit: number) => coordinateMedianOfMeans({ limit, groups: 3 }),
    most: 1e280,
  },
  {
    name: projectionMechanism.name,
    refers: (radius: number) => projectionMechanism({ radius, sparsity: 64 }),
    most: 1e270,
  },
  {
    name: laplaceProjectionMechanism.name,
    refers: (radius: number) => laplaceProjectionMechanism({ radius, sparsity: 64 }),
    most: 1e270,
  },
  {
    name: hullProjectionMechanism.name,
    refers: (radius: number) => hullProjectionMechanism({ radius, sparsity: 64 }),
    most: 1e270,
  },
  {
    name: l1ProjectionMechanism.name,
    refers: (radius: number) => l1ProjectionMechanism({ radius, sparsity: 64 }),
    most: 1e270,
  },
  {
    name: gaussianL1Recovery.name,
    refers: (radius: number) =>
      gaussianL1Recovery({ mode: 'verified', radius, sparsity: 3, measurements: 5 }),
    most: 1e270,
  },
  {
    name: countSketchMean.name,
    refers: (radius: number) => countSketchMean({ radius, rows: 2, width: 8 }),
    most: 1e250,
  },
  { name: srhtMean.name, refers: (radius: number) => srhtMean({ radius, rows: 16 }), most: 1e250 },
];

const plugins = {
  coordinateMedianOfMeans,
  projectionMechanism,
  laplaceProjectionMechanism,
  hullProjectionMechanism,
  l1ProjectionMechanism,
  gaussianL1Recovery,
  countSketchMean,
  srhtMean,
};
const pluginOf = (name: string) => defined(Object.values(plugins).find((plugin) => plugin.name === name));

describe.each(bounded)('$name', ({ name, refers, most }) => {
  const { sensitivity, begin, norm } = pluginOf(name);
  const declared = (radius: number): Sensitivity => sensitivity(refers(radius).params as never, shape);

  /**
   * How far a record of many small entries moves the value when
   * it becomes null, in units of what is declared.
   */
  const moved = (radius: number, seed: number): number => {
    const random = seededRandom(`records ${seed}`);
    const records = Array.from({ length: slots }, () =>
      random.gaussianInto(new Float64Array(dimension)).map((x) => (x * radius) / 8),
    );
    const [full, less] = [records, records.with(seed % slots, new Float64Array(dimension))].map((data) => {
      const run = begin(refers(radius).params as never, shape, seededRandom(seed));
      data.forEach((record, slot) => run.add(slot, record));
      return run.value();
    });
    const sizes = full.map((x, j) => Math.abs(x - less[j]) / defined(declared(radius)['zero-out']));
    return norm(refers(radius).params as never, shape) === 'l1'
      ? sizes.reduce((sum, x) => sum + x, 0)
      : Math.hypot(...sizes);
  };

  it('moves by what is declared at the least and at the largest radius', () => {
    for (const radius of [1e-280, 1e-200, 1, 1e200, most])
      for (let seed = 0; seed < 10; seed++) expect(moved(radius, seed)).toBeLessThanOrEqual(1 + 1e-13);
  });

  it('refuses radii at which the last place of a double moves as much as a record', () => {
    for (const bad of [5e-324, 1e-322, 1e-300, 0.99e-280, most * 1.01])
      expect(() => refers(bad)).toThrow(InvalidParameter);
  });
});

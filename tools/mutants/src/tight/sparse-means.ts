import { subjectsOf, type PluginOrRef, type Subject } from '@lethe/laws';
import {
  coordinateMedianOfMeans,
  gaussianL1Recovery,
  hullProjectionMechanism,
  l1ProjectionMechanism,
  laplaceProjectionMechanism,
  mechanisms,
  projectionMechanism,
} from '@lethe/mechanisms';
import { defineTight } from '../mutant.js';

const mean = (id: string, made: () => PluginOrRef): ReturnType<typeof defineTight<'mean'>> =>
  defineTight({
    id,
    kind: 'mean',
    plant: () => subjectsOf(made(), { registry: mechanisms })[0] as Subject<'mean'>,
  });

export const tightMedianOfThree = mean('coordinate-median-of-means', () =>
  coordinateMedianOfMeans({ limit: 1, groups: 3 }),
);
export const tightMedianOfTwo = mean('coordinate-median-of-means-even', () =>
  coordinateMedianOfMeans({ limit: 1, groups: 2 }),
);
export const tightProjection = mean('projection', () => projectionMechanism({ radius: 1, sparsity: 2 }));
export const tightHullProjection = mean('hull-projection', () =>
  hullProjectionMechanism({ radius: 1, sparsity: 2 }),
);
export const tightL1Projection = mean('l1-projection', () =>
  l1ProjectionMechanism({ radius: 1, sparsity: 2 }),
);
export const tightLaplaceProjection = mean('laplace-projection', () =>
  laplaceProjectionMechanism({ radius: 1, sparsity: 2 }),
);
export const tightRecovery = mean('gaussian-l1-recovery', () =>
  gaussianL1Recovery({ mode: 'verified', radius: 1, sparsity: 1, measurements: 1 }),
);
export const tightCertifiedRecovery = mean('gaussian-l1-recovery-certified', () =>
  gaussianL1Recovery({ mode: 'certified', radius: 1, sparsity: 2, measurements: 3, failure: 1e-9 }),
);

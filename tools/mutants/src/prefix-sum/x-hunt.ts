import {
  bandedToeplitz,
  binaryTree,
  bufferedLinearToeplitz,
  honakerOnline,
  independentIncrements,
  independentPrefixes,
  squareRootToeplitz,
} from '@lethe/mechanisms';
import type { Subject } from '@lethe/laws';
import { defined } from '@lethe/numerics';
import { defineMutant } from '../mutant.js';
import { plantedPlugin } from '../reference/planted-plugin.js';

const buffers = { theta: [0.5, 0.9], omega: [0.2, 0.1] };

export const xPrefixSum40 = defineMutant({
  id: 'prefix-sum/coefficients-beyond-4096th-left-out-norm',
  title: 'the norm omits coefficients beyond the 4096th',
  kind: 'prefixSum',
  source: 'generic',
  killedBy: ['prefixSum/long-streams'],
  within: 20,
  plant: () =>
    plantedPlugin(
      squareRootToeplitz,
      {
        columnNorm: (params, shape, participation) =>
          squareRootToeplitz.columnNorm(
            params,
            { ...shape, steps: Math.min(shape.steps, 4096) },
            participation,
          ),
      },
      {},
    ),
});

export const xPrefixSum41 = defineMutant({
  id: 'prefix-sum/height-tree-found-32-bits',
  title: 'the height of the tree is computed in 32 bits',
  kind: 'prefixSum',
  source: 'generic',
  killedBy: ['prefixSum/any-length'],
  within: 20,
  plant: () =>
    plantedPlugin(
      binaryTree,
      {
        columnNorm: (params, shape, participation) =>
          participation.times === 1
            ? Math.sqrt(32 - Math.clz32(shape.steps))
            : binaryTree.columnNorm(params, shape, participation),
      },
      {},
    ),
});

export const xPrefixSum42 = defineMutant({
  id: 'prefix-sum/all-variances-once-stay-256th',
  title: 'variancesInto is constant from the 256th step on',
  kind: 'prefixSum',
  source: 'generic',
  killedBy: ['prefixSum/long-streams'],
  within: 20,
  plant: () =>
    plantedPlugin(
      bandedToeplitz,
      {
        variancesInto(out, params, shape) {
          defined(bandedToeplitz.variancesInto)(out, params, shape);
          if (out.length > 256) out.fill(out[255], 256);
        },
      },
      { bandwidth: 4 },
    ),
});

export const xPrefixSum43 = defineMutant({
  id: 'prefix-sum/ones-number-counted-32-bits',
  title: 'the population count uses 32 bits',
  kind: 'prefixSum',
  source: 'generic',
  killedBy: ['prefixSum/any-length'],
  within: 20,
  plant: () =>
    plantedPlugin(
      binaryTree,
      {
        variance(params, shape, step) {
          let ones = Math.min(0, binaryTree.variance(params, shape, step));
          for (let rest = (step + 1) | 0; rest !== 0; rest &= rest - 1) ones++;
          return ones;
        },
      },
      {},
    ),
});

export const xPrefixSum44 = defineMutant({
  id: 'prefix-sum/step-1000-variance-series-thousandth-low',
  title: 'from step 1000 on the variance is too small by 0.001',
  kind: 'prefixSum',
  source: 'generic',
  killedBy: ['prefixSum/long-streams'],
  within: 20,
  plant: () =>
    plantedPlugin(
      squareRootToeplitz,
      {
        variance: (params, shape, step) =>
          squareRootToeplitz.variance(params, shape, step) * (step < 1000 ? 1 : 0.999),
      },
      {},
    ),
});

export const xPrefixSum45 = defineMutant({
  id: 'prefix-sum/nodes-above-height-10-no-variance',
  title: 'nodes above height 10 have no variance',
  kind: 'prefixSum',
  source: 'generic',
  killedBy: ['prefixSum/long-streams'],
  within: 20,
  plant: () =>
    plantedPlugin(
      honakerOnline,
      {
        variance: (params, shape, step) =>
          (step + 1) % 2048 === 0 ? 0 : honakerOnline.variance(params, shape, step % 2048),
      },
      {},
    ),
});

export const xPrefixSum46 = defineMutant({
  id: 'prefix-sum/one-participation-half-taken-two',
  title: '1.5 participations count as two',
  kind: 'prefixSum',
  source: 'generic',
  killedBy: ['prefixSum/typed-errors'],
  within: 60,
  plant: () =>
    plantedPlugin(
      independentIncrements,
      {
        columnNorm: (params, shape, { times, gap }) =>
          independentIncrements.columnNorm(params, shape, {
            times: times > 1 ? Math.ceil(times) : times,
            gap,
          }),
      },
      {},
    ),
});

export const xPrefixSum47 = defineMutant({
  id: 'prefix-sum/norm-long-increments-taken-one-coordinate',
  title: 'the norm of vector increments is that of one coordinate',
  kind: 'prefixSum',
  source: 'generic',
  killedBy: ['prefixSum/long-streams'],
  within: 20,
  plant: () =>
    plantedPlugin(
      binaryTree,
      {
        columnNorm: (params, shape, participation) =>
          binaryTree.columnNorm(params, shape, participation) / (shape.dimension > 1000 ? Math.SQRT2 : 1),
      },
      {},
    ),
});

/** Noise rows that repeat with this period. */
const wrapping = (after: number): Subject<'prefixSum'> =>
  plantedPlugin(
    bufferedLinearToeplitz,
    {
      begin(params, shape) {
        const run = bufferedLinearToeplitz.begin(params, shape);
        return { nextInto: (out, noise) => run.nextInto(out, (row, into) => noise(row % after, into)) };
      },
    },
    buffers,
  );

export const xPrefixSum48 = defineMutant({
  id: 'prefix-sum/rows-noise-numbered-16-bits',
  title: 'noise row indices have 16 bits',
  kind: 'prefixSum',
  source: 'generic',
  killedBy: ['prefixSum/each-row-once'],
  within: 30,
  plant: () => wrapping(2 ** 16),
});

export const xPrefixSum49 = defineMutant({
  id: 'prefix-sum/rows-noise-numbered-8-bits',
  title: 'noise row indices have 8 bits',
  kind: 'prefixSum',
  source: 'generic',
  killedBy: ['prefixSum/long-streams'],
  within: 20,
  plant: () => wrapping(2 ** 8),
});

export const xPrefixSum50 = defineMutant({
  id: 'prefix-sum/participations-more-64-steps-apart-taken-share',
  title: 'participations more than 64 steps apart count as sharing no node',
  kind: 'prefixSum',
  source: 'generic',
  killedBy: ['prefixSum/long-streams'],
  within: 20,
  plant: () =>
    plantedPlugin(
      binaryTree,
      {
        columnNorm(params, shape, participation) {
          const norm = binaryTree.columnNorm(params, shape, participation);
          const { times, gap } = participation;
          return gap <= 64
            ? norm
            : Math.min(norm, Math.sqrt(times) * binaryTree.columnNorm(params, shape, { times: 1, gap: 1 }));
        },
      },
      {},
    ),
});

export const xPrefixSum51 = defineMutant({
  id: 'prefix-sum/run-asks-function-first-step-all-noise',
  title: 'a run requests all noise through the function of its first step',
  kind: 'prefixSum',
  source: 'generic',
  killedBy: ['prefixSum/runs'],
  within: 30,
  plant: () =>
    plantedPlugin(
      independentPrefixes,
      {
        begin(params, shape) {
          const run = independentPrefixes.begin(params, shape);
          let first: Parameters<typeof run.nextInto>[1] | undefined;
          return { nextInto: (out, noise) => run.nextInto(out, (first ??= noise)) };
        },
      },
      {},
    ),
});

export const xPrefixSum52 = defineMutant({
  id: 'prefix-sum/increments-written-start-buffer-holds-array',
  title: 'increments are written to the start of the buffer behind the array',
  kind: 'prefixSum',
  source: 'generic',
  killedBy: ['prefixSum/runs'],
  within: 30,
  plant: () =>
    plantedPlugin(
      binaryTree,
      {
        begin(params, shape) {
          const run = binaryTree.begin(params, shape);
          return {
            nextInto: (out, noise) => run.nextInto(new Float64Array(out.buffer, 0, out.length), noise),
          };
        },
      },
      {},
    ),
});

import {
  bandedToeplitz,
  binaryTree,
  honakerFull,
  honakerOnline,
  independentIncrements,
} from '@lethe/mechanisms';
import { defineMutant } from '../mutant.js';
import { plantedPlugin } from '../reference/planted-plugin.js';
import { nodesOf, widthOf } from '../reference/tree-nodes.js';

export const xPrefixSum9 = defineMutant({
  id: 'prefix-sum/variance-tree-nodes-step-before',
  title: 'the variance of a tree is that of the previous step',
  kind: 'prefixSum',
  source: 'generic',
  killedBy: ['prefixSum/variance'],
  within: 10,
  plant: () =>
    plantedPlugin(binaryTree, {
      variance: (params, shape, step) => binaryTree.variance(params, shape, Math.max(0, step - 1)),
    }),
});

export const xPrefixSum10 = defineMutant({
  id: 'prefix-sum/participations-tree-add-like-noise-no-node',
  title: 'the column norm of a tree grows with √times, as if no node had two participations',
  kind: 'prefixSum',
  source: 'generic',
  killedBy: ['prefixSum/column-norm'],
  within: 20,
  plant: () =>
    plantedPlugin(binaryTree, {
      columnNorm: (params, shape, { times, gap }) =>
        Math.sqrt(Math.min(times, Math.floor((shape.steps - 1) / gap) + 1)) *
        binaryTree.columnNorm(params, shape, { times: 1, gap }),
    }),
});

export const xPrefixSum11 = defineMutant({
  id: 'prefix-sum/nodes-below-finished-node-not-taken-away',
  title: 'nodes below a finished node are not subtracted',
  kind: 'prefixSum',
  source: 'generic',
  killedBy: ['prefixSum/factorisation'],
  within: 10,
  plant: () => plantedPlugin(binaryTree, { begin: independentIncrements.begin }),
});

export const xPrefixSum12 = defineMutant({
  id: 'prefix-sum/only-patterns-begin-first-step-tried-tree',
  title: 'the column norm of a tree uses only patterns from the first step',
  kind: 'prefixSum',
  source: 'generic',
  killedBy: ['prefixSum/column-norm'],
  within: 800,
  plant: () =>
    plantedPlugin(binaryTree, {
      columnNorm(params, shape, { times, gap }) {
        const counts = new Map<number, number>();
        for (let t = 0, taken = 0; t < shape.steps && taken < times; t += gap, taken++) {
          for (let node = t; node < shape.steps; node += widthOf(node))
            counts.set(node, (counts.get(node) ?? 0) + 1);
        }
        return Math.sqrt([...counts.values()].reduce((sum, n) => sum + n * n, 0)) * (1 + 2 ** -50);
      },
    }),
});

export const xPrefixSum13 = defineMutant({
  id: 'prefix-sum/noise-nodes-drawn-coins-whenever-needed-none',
  title: 'noise of nodes is requested again whenever it is needed',
  kind: 'prefixSum',
  source: 'generic',
  killedBy: ['prefixSum/each-row-once'],
  within: 10,
  plant: () =>
    plantedPlugin(binaryTree, {
      begin(params, shape) {
        binaryTree.begin(params, shape);
        const before = new Float64Array(shape.dimension);
        const sum = new Float64Array(shape.dimension);
        const node = new Float64Array(shape.dimension);
        let step = 0;
        return {
          nextInto(out, noise) {
            sum.fill(0);
            for (const row of nodesOf(step)) {
              noise(row, node);
              for (let j = 0; j < sum.length; j++) sum[j] = sum[j] + node[j];
            }
            for (let j = 0; j < out.length; j++) out[j] = sum[j] - before[j];
            before.set(sum);
            step++;
          },
        };
      },
    }),
});

export const xPrefixSum14 = defineMutant({
  id: 'prefix-sum/noise-all-steps-kept',
  title: 'the noise of all steps is stored',
  kind: 'prefixSum',
  source: 'generic',
  killedBy: ['prefixSum/vectors-kept'],
  within: 10,
  plant: () =>
    plantedPlugin(binaryTree, {
      begin(params, shape) {
        const run = binaryTree.begin(params, shape);
        const kept: Float64Array[] = [];
        return {
          nextInto(out, noise) {
            run.nextInto(out, (row, into) => {
              noise(row, into);
              kept[row] = new Float64Array(into);
            });
          },
        };
      },
    }),
});

export const xPrefixSum15 = defineMutant({
  id: 'prefix-sum/node-weighed-against-children-evenly-not-variances',
  title: 'a node and its children have equal weights, independent of their variances',
  kind: 'prefixSum',
  source: 'generic',
  killedBy: ['prefixSum/factorisation', 'prefixSum/variance'],
  within: 10,
  plant: () =>
    plantedPlugin(honakerOnline, {
      begin(params, shape) {
        honakerOnline.begin(params, shape);
        const estimates = Array.from(
          { length: 32 - Math.clz32(shape.steps) },
          () => new Float64Array(shape.dimension),
        );
        let step = 0;
        return {
          nextInto(out, noise) {
            const height = 31 - Math.clz32(widthOf(step));
            noise(step++, out);
            let fresh = 1;
            for (let k = 0; k < height; k++) fresh = 1 / 4 + fresh / 4;
            const made = out.map((x, j) =>
              estimates
                .slice(0, height)
                .reduce((sum, left, lower) => sum + left[j] * 2 ** (lower - height), x * Math.sqrt(fresh)),
            );
            for (let j = 0; j < out.length; j++)
              out[j] = estimates.slice(0, height).reduce((rest, left) => rest - left[j], made[j]);
            estimates[height].set(made);
          },
        };
      },
    }),
});

export const xPrefixSum16 = defineMutant({
  id: 'prefix-sum/first-step-taken-worst-estimates-below',
  title: 'the variance of online estimates is that of the first step',
  kind: 'prefixSum',
  source: 'generic',
  killedBy: ['prefixSum/column-norm'],
  within: 40,
  plant: () =>
    plantedPlugin(honakerOnline, {
      columnNorm(params, shape, { times }) {
        const column = Array.from({ length: shape.steps }, (_, row) =>
          honakerOnline.encoder(params, shape, row, 0),
        );
        return times * Math.hypot(...column);
      },
    }),
});

export const xPrefixSum17 = defineMutant({
  id: 'prefix-sum/variance-least-squares-over-all-nodes-declared',
  title: 'online estimates declare the variance of the full estimate',
  kind: 'prefixSum',
  source: 'generic',
  killedBy: ['prefixSum/variance'],
  within: 10,
  plant: () =>
    plantedPlugin(honakerOnline, {
      variance: (_params, shape, step) => honakerFull.variance({}, shape, step),
    }),
});

export const xPrefixSum18 = defineMutant({
  id: 'prefix-sum/least-squares-keeps-variance-step-given-past',
  title: 'the full estimate has the conditional variance of a step given the past',
  kind: 'prefixSum',
  source: 'generic',
  killedBy: ['prefixSum/factorisation', 'prefixSum/variance'],
  within: 10,
  plant: () =>
    plantedPlugin(honakerFull, {
      begin(params, shape) {
        honakerFull.begin(params, shape);
        let step = 0;
        return {
          nextInto(out, noise) {
            noise(step, out);
            const scale = honakerFull.encoder(params, shape, step, step);
            step++;
            for (let j = 0; j < out.length; j++) out[j] = out[j] / scale;
          },
        };
      },
    }),
});

export const xPrefixSum19 = defineMutant({
  id: 'prefix-sum/least-squares-over-unfinished-tree-charged-unfinished',
  title: 'the column norm of the full estimate omits unfinished nodes',
  kind: 'prefixSum',
  source: 'generic',
  killedBy: ['prefixSum/column-norm'],
  within: 20,
  plant: () =>
    plantedPlugin(honakerFull, {
      columnNorm: (_params, shape, participation) => binaryTree.columnNorm({}, shape, participation),
    }),
});

export const xPrefixSumBand = defineMutant({
  id: 'prefix-sum/band-declared-one-row-too-narrow',
  title: 'the band that is declared is one row too narrow',
  kind: 'prefixSum',
  source: 'generic',
  killedBy: ['prefixSum/factorisation'],
  within: 20,
  plant: () => plantedPlugin(bandedToeplitz, { bandwidth: () => 3 }, { bandwidth: 4 }),
});

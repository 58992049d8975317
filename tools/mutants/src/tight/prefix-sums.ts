import type { PrefixSum } from '@lethe/core';
import {
  binaryTree,
  honakerFull,
  honakerOnline,
  independentIncrements,
  independentPrefixes,
  restarting,
} from '@lethe/mechanisms';
import { defineTight } from '../mutant.js';
import { plantedPlugin } from '../reference/planted-plugin.js';

const tight = <P extends PrefixSum>(id: string, plugin: P, params?: unknown) =>
  defineTight({ id, kind: plugin.kind, plant: () => plantedPlugin(plugin, {}, params) });

export const tightIncrements = tight('independent-increments', independentIncrements);
export const tightPrefixes = tight('independent-prefixes', independentPrefixes);
export const tightTree = tight('binary-tree', binaryTree);
export const tightFromBelow = tight('honaker-online', honakerOnline);
export const tightLeastSquares = tight('honaker-full', honakerFull);
export const tightRestarts = tight('restarting', restarting, {
  inner: { name: 'honaker-online' },
  period: 6,
});

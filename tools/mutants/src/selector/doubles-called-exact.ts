import { exponential } from '@lethe/mechanisms';
import { defineMutant } from '../mutant.js';
import { plantedPlugin } from '../reference/planted-plugin.js';

export const calledExact = defineMutant({
  id: 'selector/doubles-called-exact',
  title: 'a choice by real-valued draws says that its numerics are exact',
  kind: 'selector',
  source: 'generic',
  killedBy: ['selector/exact-coins'],
  within: 5,
  plant: () => plantedPlugin(exponential, { numerics: 'exact' }),
});

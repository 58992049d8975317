import { Unsupported } from '@lethe/core';
import { defineMutant } from '../mutant.js';
import { response, sampled } from '../reference/witnessed-events.js';

export const halvedResponse = defineMutant({
  id: 'event/epsilon-of-randomised-response-halved',
  title: 'ε of randomised response over five categories is halved, and nothing else is characterised',
  kind: 'event',
  source: 'generic',
  killedBy: ['event/witness'],
  within: 6000,
  plant: () => response((epsilon) => epsilon / 2),
});
export const curveAtFloor = defineMutant({
  id: 'event/renyi-curve-at-order-rounded-down',
  title: 'the Rényi curve of sampled Gaussian noise is that of the order rounded down',
  kind: 'event',
  source: 'generic',
  killedBy: ['event/density'],
  within: 100,
  plant: () => sampled(Math.floor),
});
export const curveAtNearest = defineMutant({
  id: 'event/renyi-curve-at-nearest-order',
  title: 'the Rényi curve of sampled Gaussian noise is that of the nearest integer order',
  kind: 'event',
  source: 'generic',
  killedBy: ['event/density'],
  within: 100,
  plant: () => sampled(Math.round),
});

export const curveBreaksOff = defineMutant({
  id: 'event/renyi-curve-falls-after-order-64',
  title: 'the Rényi curve of orders above 64 is that of the order halved',
  kind: 'event',
  source: 'generic',
  killedBy: ['event/renyi'],
  within: 20,
  plant: () => sampled((alpha) => (alpha > 64 ? alpha / 2 : alpha)),
});

export const constantWitness = defineMutant({
  id: 'event/witness-draws-a-constant',
  title: 'the mechanism that is to realise it draws the same output on both neighbours',
  kind: 'event',
  source: 'red team',
  killedBy: ['event/witness-attains'],
  within: 2000,
  plant: () =>
    response(
      (epsilon) => epsilon / 2,
      () => [0],
    ),
});
export const refusingWitness = defineMutant({
  id: 'event/witness-refuses-everything',
  title: 'the mechanism that is to realise it refuses every adjacency',
  kind: 'event',
  source: 'red team',
  killedBy: ['event/witness-attains'],
  within: 1,
  plant: () =>
    response(
      (epsilon) => epsilon / 2,
      () => {
        throw new Unsupported('no mechanism', {});
      },
    ),
});

export const narrowly = defineMutant({
  id: 'event/epsilon-halved-in-a-narrow-range',
  title: 'ε of randomised response is halved where it is between 2.4 and 2.7',
  kind: 'event',
  source: 'generic',
  killedBy: ['event/scan'],
  within: 20_000,
  plant: () => response((epsilon) => (epsilon > 2.4 && epsilon < 2.7 ? epsilon / 2 : epsilon)),
});

import { defineTight } from '../mutant.js';
import { response, sampled } from '../reference/witnessed-events.js';

export const trueResponse = defineTight({
  id: 'event/response-with-witness',
  kind: 'event',
  plant: () => response((epsilon) => epsilon),
});
export const trueSampled = defineTight({
  id: 'event/sampled-with-witness',
  kind: 'event',
  plant: () => sampled((alpha) => alpha),
});

import { centralHandlers } from '../central.js';
import { refused, type Handlers } from '../handlers.js';

const noSum = refused(
  'secure-aggregation',
  'sums of silos are of streams alone. Ask by open and push, or join the silos by federation.',
);

/** What a silo of secure sums answers: names of batches and streams, and increments of streams. */
export const secureHandlers: Handlers = {
  draw: noSum,
  split: centralHandlers.split,
  close: centralHandlers.close,
  mean: noSum,
  localUpdate: noSum,
  open: centralHandlers.open,
  push: centralHandlers.push,
  value: noSum,
  minimiser: noSum,
  descend: noSum,
  choose: noSum,
  select: noSum,
  afford: noSum,
};

import { centralHandlers } from '../central.js';
import { refused, type Handlers } from '../handlers.js';

const notAnAverage = refused(
  'federated',
  'what silos say to it cannot be averaged. Ask for means, values or streams, or run it on one data set.',
);

/**
 * What a federation of several silos answers: averages of what they say, and names of batches and streams
 * that they have in common. One silo alone answers everything.
 */
export const federatedHandlers = (silos: number): Handlers =>
  silos === 1
    ? centralHandlers
    : {
        ...centralHandlers,
        minimiser: notAnAverage,
        descend: notAnAverage,
        choose: notAnAverage,
        select: notAnAverage,
        afford: notAnAverage,
      };

import type { ClaimCheck } from '@lethe/laws';
import { independentBits, leCam, meanDomain, printedCommonBit, printedMeanDomain } from './means.js';
import {
  bernoulliMoments,
  divergences,
  printedBernoulliMoments,
  printedCoupling,
  printedSpikeRecords,
  spikeMoments,
} from './moments.js';
import { contracts, jensen, printedContraction, ratesAgree } from './prior-work.js';
import { meanRisk, printedScaling, scaling } from './scaling.js';
import { codes, nearest, printedCodes, separation } from './separation.js';
import type { HardnessSubject } from './subject.js';

const checks: readonly ((subject: HardnessSubject) => ClaimCheck)[] = [
  separation,
  nearest,
  scaling,
  printedScaling,
  meanRisk,
  codes,
  printedCodes,
  bernoulliMoments,
  printedBernoulliMoments,
  spikeMoments,
  printedSpikeRecords,
  divergences,
  printedCoupling,
  leCam,
  independentBits,
  printedCommonBit,
  meanDomain,
  printedMeanDomain,
  jensen,
  contracts,
  printedContraction,
  ratesAgree,
];

/**
 * Checks of rows C60 to C73, in row order: lower bounds and prior work. Checks of printed statements end in
 * `-printed` and fail.
 */
export const hardnessChecks = (subject: HardnessSubject): readonly ClaimCheck[] =>
  checks.map((check) => check(subject));

import type { ClaimCheck } from '@lethe/laws';
import { independentBits, leCam, meanDomain, printedCommonBit, printedMeanDomain } from './hardness-means.js';
import { coinMoments, divergences, printedCoinMoments, printedCoupling, printedSpikeRecords, spikeMoments } from './hardness-moments.js';
import { contracts, jensen, printedContraction, ratesAgree } from './hardness-prior-work.js';
import { meanRisk, printedScaling, scaling } from './hardness-scaling.js';
import { codes, nearest, printedCodes, separation } from './hardness-separation.js';
import type { HardnessSubject } from './hardness-subject.js';

const checks: readonly ((subject: HardnessSubject) => ClaimCheck)[] = [
  separation, nearest, scaling, printedScaling, meanRisk, codes, printedCodes, coinMoments, printedCoinMoments, spikeMoments, printedSpikeRecords, divergences, printedCoupling,
  leCam, independentBits, printedCommonBit, meanDomain, printedMeanDomain, jensen, contracts, printedContraction, ratesAgree,
];

/** What decides rows C60 to C73: lower bounds and prior work, in the order of the rows; those whose id ends in `-printed` try what is printed, and fail. */
export const hardnessChecks = (subject: HardnessSubject): readonly ClaimCheck[] => checks.map((check) => check(subject));
